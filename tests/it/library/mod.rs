//! Libraries on the small topical web, whose truth is known.

mod topical;

use gleaner_testkit::topical::{TopicSpec, TopicWeb};

/// A small web, where there are corpora.
fn small_web(seed: u64) -> Option<TopicWeb> {
    let topics = gleaner_fixtures::corpus("topics")?;
    let corpora = topics.parent().expect("a corpus lies in a folder");
    Some(TopicWeb::of(corpora, TopicSpec::small(), seed))
}
