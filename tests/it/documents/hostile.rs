//! Files made to hurt: bombs, depth, loops, and honest documents with bytes changed. Each is an answer or a reason; nothing
//! dies but children, and none of those stays.

use super::made;
use gleaner_fixtures::corpus;
use gleaner_readers::{Given, Pool, ReaderLimits, Unread};
use gleaner_testkit::program::find_binary;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(10);

/// `mark` tells the children of this test from those of others: it is a part of their limit on memory.
fn pool(uses_tools: bool, mark: u64) -> Pool {
    let limits = ReaderLimits {
        cpu: TIME,
        time: TIME * 3,
        memory_bytes: memory(mark),
        tools: uses_tools,
        ..ReaderLimits::default()
    };
    Pool::new(find_binary().expect("the gleaner binary"), limits)
}

fn memory(mark: u64) -> u64 {
    (512 << 20) - u64::from(std::process::id()) * 16 - mark
}

/// Children of a pool that are alive.
fn children(mark: u64) -> Vec<String> {
    let wanted = format!("--memory={}", memory(mark));
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&wanted) {
            found.push(line);
        }
    }
    found
}

fn read(pool: &Pool, name: &str, bytes: &[u8]) -> Result<String, Unread> {
    let given = Given { media_type: "", name };
    let answer = pool.read(bytes, &given).expect("children can be had");
    answer.map(|reading| gleaner_parse::documents::to_text(&reading))
}

/// Whether what was told of a document is as it should be.
type Expected<'a> = &'a dyn Fn(&Result<String, Unread>) -> bool;

#[test]
fn hc111_to_hc115_bombs_and_depths_are_reasons() {
    let pool = pool(false, 1);
    let bomb = made::deflated_zeros(512 << 20);
    let document =
        b"<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>";
    let is_large = |told: &Result<String, Unread>| matches!(told, Err(Unread::TooLarge));
    let is_any = |_: &Result<String, Unread>| true;
    let zip_bomb = made::zip_of(&[("word/document.xml", 8, 512 << 20, &bomb)]);
    let names: Vec<String> = (0..20_000).map(|n| format!("word/part{n}.xml")).collect();
    let mut entries: Vec<(&str, &[u8])> = vec![("word/document.xml", document)];
    entries.extend(names.iter().map(|name| (name.as_str(), document.as_slice())));
    let many = made::zip(&entries);
    let outside = made::zip(&[
        ("../../../../tmp/x", b"x".as_slice()),
        ("word/document.xml", document),
    ]);
    let entities = b"<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;'>]><w:document xmlns:w='w'><w:body><w:p><w:r><w:t>word &c;</w:t></w:r></w:p></w:body></w:document>";
    let laughs = made::zip(&[("word/document.xml", entities.as_slice())]);
    let nested = format!("<w:document xmlns:w='w'><w:body>{}", "<w:p>".repeat(1_000_000));
    let deep = made::zip(&[("word/document.xml", nested.as_bytes())]);
    let row = "<row><c t=\"str\"><v>cell</v></c></row>".repeat(400_000);
    let sheet = format!("<worksheet><sheetData>{row}</sheetData></worksheet>");
    let huge = made::zip(&[
        ("xl/workbook.xml", br#"<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>"#.as_slice()),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>"#),
        ("xl/worksheets/s.xml", sheet.as_bytes()),
    ]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut gzip, &vec![b'x'; 200 << 20]).expect("memory takes all");
    let gzip = gzip.finish().expect("memory takes all");
    let rtf = format!("{{\\rtf1 {}", "{\\b ".repeat(1_000_000));
    let tex = b"\\def\\a{\\a\\a\\a x}\\begin{document}\\a\\end{document}".to_vec();
    let cases: [(&str, Vec<u8>, Expected<'_>); 12] = [
        ("bomb.docx", zip_bomb, &is_large),
        ("many.docx", many, &|told| told.as_deref() == Ok("x\n")),
        ("outside.docx", outside, &|told| told.as_deref() == Ok("x\n")),
        ("laughs.docx", laughs, &|told| told.as_deref() == Ok("word &c;\n")),
        ("deep.docx", deep, &is_any),
        ("huge.xlsx", huge, &is_any),
        ("bomb.txt.gz", gzip, &is_large),
        ("deep.pdf", made::deep_pdf(100_000), &|told| told.is_err()),
        ("deep.rtf", rtf.into_bytes(), &is_any),
        ("self.tex", tex, &is_any),
        (
            "tiny.doc",
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec(),
            &|told| told.is_err(),
        ),
        ("noise.xls", vec![9; 100_000], &is_any),
    ];
    for (name, bytes, is_right) in cases {
        let told = read(&pool, name, &bytes);
        let shown = told
            .as_ref()
            .map(|text| text.chars().take(60).collect::<String>());
        assert!(is_right(&told), "{name}: {shown:?}");
        // Whatever happened, the next document is read.
        let next = read(&pool, "next.docx", &made::docx("x")).expect("an honest document");
        assert!(next.contains("Word heading"), "{name}");
    }
    assert!(!children(1).is_empty(), "they are reused");
    drop(pool);
    assert_eq!(children(1), Vec::<String>::new(), "no child is left");
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// Bits flipped, pieces cut out, doubled or overwritten, ends cut off.
fn mutated(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.next(4) {
        if out.is_empty() {
            break;
        }
        let at = dice.next(out.len());
        let len = dice.next(2000).min(out.len() - at);
        match dice.next(6) {
            0 => out.truncate(at),
            1 => {
                for _ in 0..=dice.next(200) {
                    let at = dice.next(out.len());
                    out[at] ^= 1 << dice.next(8);
                }
            }
            2 => drop(out.drain(at..at + len)),
            3 => {
                let piece = out[at..at + len].to_vec();
                out.splice(at..at, piece);
            }
            4 => out[at..at + len].fill(0xFF),
            _ => out[at..at + len].fill(0),
        }
    }
    out
}

fn honest() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in [corpus("formats"), corpus("pdf-robustness")]
        .into_iter()
        .flatten()
    {
        let mut open = vec![folder];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() && path.file_name().is_some_and(|name| name != "expected") {
                    open.push(path);
                } else if path.is_file() && path.extension().is_some_and(|end| end != "md" && end != "tsv") {
                    files.push(path);
                }
            }
        }
    }
    files.sort();
    files
}

fn torture(count: usize, mark: u64) {
    let files = honest();
    let pool = pool(true, mark);
    let mut dice = Dice(20_261_118);
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    for _ in 0..count {
        let (name, bytes) = if files.is_empty() {
            ("made.docx".to_owned(), made::docx("x"))
        } else {
            let file = &files[dice.next(files.len())];
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(file).expect("a file of the corpus"))
        };
        let bytes = mutated(&bytes, &mut dice);
        let end = match read(&pool, &name, &bytes) {
            Ok(_) => "read",
            Err(unread) => unread.reason().code(),
        };
        *ends.entry(end).or_default() += 1;
    }
    drop(pool);
    assert_eq!(children(mark), Vec::<String>::new(), "no child is left");
    let ends: Vec<String> = ends.iter().map(|(end, count)| format!("{end} {count}")).collect();
    gleaner_fixtures::keep_scores(
        "documents-hostile",
        &[format!("{count} mutated documents: {}", ends.join(", "))],
    );
}

#[test]
fn hc111_mutated_documents_end_in_answers_or_reasons() {
    torture(60, 2);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_a_thousand_mutated_documents() {
    torture(1000, 3);
}
