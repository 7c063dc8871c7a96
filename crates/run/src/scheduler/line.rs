//! The line of stages as the scheduler sees it: where it hands pages and requests to, and which fetches it has started.

use crate::handoff::ToThreads;
use crate::news::News;
use crate::outbox::Outbox;
use crate::processor::Processor;
use crate::requests::Request;
use crate::stages::fetch::{Fetched, Fetcher};
use crate::stages::keep::gathered::CommitPace;
use crate::stages::keep::{Judged, ToKeep};
use gleaner_model::Url;
use gleaner_store::keep::Keep;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) struct Line {
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) to_read: ToThreads<Fetched>,
    pub(crate) to_keep: Outbox<ToKeep>,
    pub(crate) requests: Outbox<Request>,
    /// Requests that are not answered yet.
    pub(crate) unanswered: usize,
    pub(crate) commit_pace: watch::Sender<CommitPace>,
    /// For those who tell the scheduler something.
    pub(crate) news: Sender<News>,
    pub(crate) processor: Processor,
    /// Fetches that are going on.
    pub(crate) tasks: JoinSet<()>,
}

impl Line {
    /// A page whose outcome needs no judging.
    pub(crate) fn keep(&mut self, url: Url, keep: Keep) {
        self.keep_judged(Judged::plain(keep, url));
    }

    pub(crate) fn keep_judged(&mut self, judged: Judged) {
        self.to_keep.push(ToKeep::Page(Box::new(judged)));
    }

    /// A page that waits to be read, handed on by somebody who does not wait for that.
    pub(crate) fn read(&self, fetched: Fetched) {
        let to_read = self.to_read.clone();
        tokio::spawn(async move { to_read.send(fetched).await });
    }

    pub(crate) fn request(&mut self, request: Request) {
        self.unanswered += 1;
        self.requests.push(request);
    }

    /// Says when to commit; only what is new wakes anybody.
    pub(crate) fn set_pace(&self, change: impl FnOnce(&mut CommitPace)) {
        self.commit_pace.send_if_modified(|pace| {
            let before = *pace;
            change(pace);
            *pace != before
        });
    }
}
