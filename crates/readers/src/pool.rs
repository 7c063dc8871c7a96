//! Children that read, kept for the next document.

use crate::child::MEMORY_BYTES_MAX;
use crate::error::ReadersError;
use crate::frame::{self, Answer, Ask};
use crate::tools::is_late;
use gleaner_parse::documents::{Given, Unread};
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::debug;

/// A child is replaced after so many documents, or after one so large: memory that was used is not given back.
const DOCUMENTS_PER_CHILD_MAX: u32 = 100;
const LARGE_BYTES: usize = 8 << 20;
/// What a dying child may say.
const LAST_WORDS_BYTES_MAX: u64 = 4096;

#[derive(Debug, Clone)]
pub struct ReaderLimits {
    /// Processor time for one document, in whole seconds; then the child is killed. The same for a program that it starts.
    pub cpu: Duration,
    /// Time of day for one document, for what hangs without work; then the child is killed.
    pub time: Duration,
    /// Address space of a child.
    pub memory_bytes: u64,
    /// Children at the same time; whoever wants one more waits.
    pub children_max: usize,
    /// Outside programs may be used.
    pub tools: bool,
}

impl Default for ReaderLimits {
    fn default() -> ReaderLimits {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        ReaderLimits {
            cpu: Duration::from_secs(10),
            time: Duration::from_mins(1),
            memory_bytes: MEMORY_BYTES_MAX,
            children_max: cores.clamp(1, 4),
            tools: true,
        }
    }
}

/// Reads documents in children. Dropped, it leaves none behind.
#[derive(Debug)]
pub struct Pool {
    /// The program that has the hidden command.
    program: PathBuf,
    limits: ReaderLimits,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Reader>,
    /// Idle or at work.
    count: usize,
}

impl Pool {
    /// No child is started before the first document comes.
    pub fn new(program: PathBuf, limits: ReaderLimits) -> Pool {
        Pool {
            program,
            limits,
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Reads a document; waits while all children are at work.
    pub fn read(&self, bytes: &[u8], given: &Given<'_>) -> Result<Answer, ReadersError> {
        let ask = Ask {
            media_type: given.media_type.to_owned(),
            name: given.name.to_owned(),
            tools: self.limits.tools,
            cpu_seconds: self.limits.cpu.as_secs(),
            to_pdf: false,
        };
        let mut seat = Seat::take(self);
        let mut was_used = false;
        let mut reader = match seat.reader.take() {
            Some(reader) => {
                was_used = true;
                reader
            }
            None => Reader::start(&self.program, self.limits.memory_bytes)?,
        };
        let mut answer = reader.watched(self.limits.time, |reader| reader.exchange(&ask, bytes));
        // A child that waited may have been ended by somebody else; a new one tells whether it was the document.
        if was_used && matches!(answer, Err(Unread::Crashed(_))) {
            debug!("the child had ended; the document is read by a new one");
            reader = Reader::start(&self.program, self.limits.memory_bytes)?;
            answer = reader.watched(self.limits.time, |reader| reader.exchange(&ask, bytes));
        }
        if let Err(unread) = &answer {
            debug!(
                name = given.name,
                reason = unread.reason().code(),
                "the document was not read"
            );
        }
        let is_spent = reader.documents >= DOCUMENTS_PER_CHILD_MAX || bytes.len() > LARGE_BYTES;
        if answer.is_ok() && !is_spent {
            seat.reader = Some(reader);
        }
        Ok(answer.unwrap_or_else(Err))
    }

    /// The document as PDF, by programs from outside.
    pub fn to_pdf(&self, bytes: &[u8], given: &Given<'_>) -> Result<Result<Vec<u8>, Unread>, ReadersError> {
        let ask = Ask {
            media_type: given.media_type.to_owned(),
            name: given.name.to_owned(),
            tools: self.limits.tools,
            cpu_seconds: self.limits.cpu.as_secs(),
            to_pdf: true,
        };
        let _seat = Seat::take(self);
        let mut reader = Reader::start(&self.program, self.limits.memory_bytes)?;
        let answer = reader.watched(self.limits.time, |reader| {
            let done = reader.exchange::<Result<(), Unread>>(&ask, bytes)?;
            match done {
                Ok(()) => frame::read(&mut reader.output)?
                    .map(Ok)
                    .ok_or_else(|| io::ErrorKind::BrokenPipe.into()),
                Err(unread) => Ok(Err(unread)),
            }
        });
        Ok(answer.unwrap_or_else(Err))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to have one child; given back when dropped, with the child where it lives on.
struct Seat<'a> {
    pool: &'a Pool,
    reader: Option<Reader>,
}

impl<'a> Seat<'a> {
    fn take(pool: &'a Pool) -> Seat<'a> {
        let mut state = pool.lock();
        loop {
            if let Some(reader) = state.idle.pop() {
                let reader = Some(reader);
                return Seat { pool, reader };
            }
            if state.count < pool.limits.children_max {
                state.count += 1;
                return Seat { pool, reader: None };
            }
            state = pool.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        match self.reader.take() {
            Some(reader) => state.idle.push(reader),
            None => state.count -= 1,
        }
        self.pool.freed.notify_one();
    }
}

/// One child.
#[derive(Debug)]
struct Reader {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: ChildStderr,
    documents: u32,
    /// For its temporary files; removed with it, however it ended.
    _folder: tempfile::TempDir,
}

impl Reader {
    fn start(program: &Path, memory_bytes: u64) -> Result<Reader, ReadersError> {
        let failed = |source| ReadersError::Start {
            program: program.display().to_string(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("gleaner-reader-")
            .tempdir()
            .map_err(failed)?;
        let mut command = Command::new(program);
        command
            .arg("read-document")
            .arg(format!("--memory={memory_bytes}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .current_dir("/")
            // One heap: each further one reserves address space, which is limited.
            .env("MALLOC_ARENA_MAX", "1")
            .env("TMPDIR", folder.path())
            .env_remove("RUST_BACKTRACE")
            .env_remove("GLEANER_LOG");
        // A group of its own, so that what it starts can be ended with it, and Ctrl-C is ours alone.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        debug!(id = child.id(), "a child that reads documents was started");
        Ok(Reader {
            child: Arc::new(Mutex::new(child)),
            input: Some(input),
            output: BufReader::new(output),
            errors,
            documents: 0,
            _folder: folder,
        })
    }

    /// `Err` means that the child is of no more use.
    fn watched<T>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut Reader) -> io::Result<T>,
    ) -> Result<T, Unread> {
        self.documents += 1;
        let (done, watched) = mpsc::channel::<()>();
        let child = Arc::clone(&self.child);
        let watch = std::thread::Builder::new()
            .name("reader-watch".to_owned())
            .spawn(move || {
                let is_late = watched.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    end(&child);
                }
                is_late
            });
        let Ok(watch) = watch else {
            return Err(Unread::Crashed(
                "no thread could be had to watch over it".to_owned(),
            ));
        };
        let answer = work(self);
        drop(done);
        let is_late = watch.join().unwrap_or(false);
        answer.map_err(|error| {
            if is_late {
                Unread::Timeout
            } else {
                self.last_words(&error)
            }
        })
    }

    fn exchange<T: DeserializeOwned>(&mut self, ask: &Ask, bytes: &[u8]) -> io::Result<T> {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = self.input.as_mut().ok_or_else(broken)?;
        frame::write(input, &serde_json::to_vec(ask)?)?;
        frame::write(input, bytes)?;
        let answer = frame::read(&mut self.output)?.ok_or_else(broken)?;
        Ok(serde_json::from_slice(&answer)?)
    }

    /// Why it died: the standard library says what it could not get before it ends the process.
    fn last_words(&mut self, error: &io::Error) -> Unread {
        if end(&self.child).is_some_and(is_late) {
            return Unread::Timeout;
        }
        let mut said = Vec::new();
        let _there_may_be_none = (&mut self.errors)
            .take(LAST_WORDS_BYTES_MAX)
            .read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        if said.contains("memory allocation") || said.contains("out of memory") {
            return Unread::TooLarge;
        }
        if said.contains("overflowed its stack") {
            return Unread::Crashed("it nests too deep".to_owned());
        }
        Unread::Crashed(
            said.lines()
                .next()
                .map_or_else(|| error.to_string(), str::to_owned),
        )
    }
}

/// Ends a child with everything it started, waits until it is gone, and says how it ended.
fn end(child: &Arc<Mutex<Child>>) -> Option<ExitStatus> {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(child.try_wait(), Ok(None)) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
            let _it_may_be_gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _it_may_be_gone = child.kill();
    }
    child.wait().ok()
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.input.take());
        end(&self.child);
    }
}
