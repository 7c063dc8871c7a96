//! What can be chosen about a synthetic site? Its size, its hosts, how it changes and how it answers.

/// Which validators (`ETag`, `Last-Modified`) pages carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SentValidators {
    /// Both, on every page.
    All,
    /// Both on 40 % of the pages, one on 30 %, none on 30 %.
    Mix,
    /// None at all.
    None,
}

/// The whole description of a synthetic site: the same options give the same bytes on any machine.
#[derive(Clone, Debug)]
pub struct SynthOptions {
    /// Everything random follows from it.
    pub seed: u64,
    /// Original pages, those of epoch 0.
    pub pages: u64,
    /// Hosts the pages are spread over.
    pub hosts: u64,
    /// Crawl port, the same on all hosts; 0 takes a free one.
    pub port: u16,
    /// Control port on 127.0.0.1; 0 takes a free one.
    pub admin_port: u16,
    /// Empty: hosts are 127.0.x.y addresses; otherwise `h<i>.<suffix>` names.
    pub suffix: String,
    /// Per cent of pages that change from one epoch to the next.
    pub upd_pct: f64,
    /// Per cent of `pages` that are added in each epoch.
    pub new_pct: f64,
    /// Per cent of leaf pages that vanish in each epoch.
    pub del_pct: f64,
    /// Per cent of pages with noise that differs at every request, and without validators.
    pub noise_pct: f64,
    /// Per cent of pages that are often linked through a redirect.
    pub redirect_pct: f64,
    /// Per cent of pages with a dead link.
    pub missing_pct: f64,
    /// Per cent of pages with a link that robots.txt forbids.
    pub private_pct: f64,
    /// Size of each of the two areas that put session ids into links; 0 leaves them out.
    pub session_pages: u64,
    /// Adds links to style sheets, scripts and images.
    pub assets: bool,
    /// Honours `Accept-Encoding: gzip`.
    pub gzip: bool,
    /// Which validators pages carry.
    pub validators: SentValidators,
    /// `Crawl-delay` in robots.txt, in seconds; 0 leaves it out.
    pub crawl_delay: f64,
    /// Nominal smallest page size.
    pub min_kb: f64,
    /// Nominal largest page size.
    pub max_kb: f64,
    /// Wait before each answer.
    pub latency_ms: f64,
    /// Added to the wait, evenly spread between 0 and this.
    pub jitter_ms: f64,
    /// The epoch to start with.
    pub epoch: u64,
}

impl Default for SynthOptions {
    /// A small site on free ports, with a little of everything a crawler meets.
    fn default() -> Self {
        SynthOptions {
            seed: 1,
            pages: 200,
            hosts: 1,
            port: 0,
            admin_port: 0,
            suffix: String::new(),
            upd_pct: 10.0,
            new_pct: 2.0,
            del_pct: 1.0,
            noise_pct: 0.0,
            redirect_pct: 2.0,
            missing_pct: 5.0,
            private_pct: 5.0,
            session_pages: 0,
            assets: false,
            gzip: false,
            validators: SentValidators::All,
            crawl_delay: 0.0,
            min_kb: 10.0,
            max_kb: 60.0,
            latency_ms: 0.0,
            jitter_ms: 0.0,
            epoch: 0,
        }
    }
}

impl SynthOptions {
    /// A site of this many pages, otherwise as [`Default`].
    pub fn pages(pages: u64) -> Self {
        SynthOptions {
            pages,
            ..SynthOptions::default()
        }
    }
}
