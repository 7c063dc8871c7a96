//! A diff for programs: `{"sentence", "title", "hunks": [{"path", "kind", "block", "before", "after", …}]}`.

use super::{Diff, DiffPart, Effort, Hunk, clipped};
use serde_json::{Map, Value, json};

/// A program that wants more than this wants the two texts; how many are left out is said (HC087).
const HUNKS_MAX: usize = 20_000;

impl Diff {
    pub fn json(&self) -> Value {
        let title = self
            .title
            .as_ref()
            .map(|(before, after)| json!({ "before": before, "after": after }));
        let mut effort = Effort::new();
        let shown = self.hunks.iter().take(HUNKS_MAX);
        let hunks: Vec<Value> = shown.map(|hunk| one(hunk, &mut effort)).collect();
        let mut object = json!({
            "sentence": self.sentence(),
            "title": title,
            "kept": self.kept,
            "hunks": hunks,
            "left": self.hunks.len().saturating_sub(HUNKS_MAX),
        });
        if let Some(why) = &self.title_ignored {
            object["title"]["ignored"] = json!(why);
        }
        object
    }
}

fn one(hunk: &Hunk, effort: &mut Effort) -> Value {
    let text = |part: &Option<DiffPart>| part.as_ref().map(|part| clipped(&part.text).into_owned());
    let mut object = Map::new();
    object.insert("path".to_owned(), json!(hunk.path));
    object.insert("kind".to_owned(), json!(hunk.kind));
    object.insert("block".to_owned(), json!(hunk.block));
    object.insert("before".to_owned(), json!(text(&hunk.before)));
    object.insert("after".to_owned(), json!(text(&hunk.after)));
    let links = super::unified::moved_links(hunk);
    if hunk.kind == super::ChangeKind::Link {
        let links: Vec<Value> = links
            .iter()
            .map(|(before, after)| json!({ "before": before, "after": after }))
            .collect();
        object.insert("links".to_owned(), json!(links));
    }
    let deltas: Vec<String> = effort.deltas(hunk).iter().map(ToString::to_string).collect();
    if !deltas.is_empty() {
        object.insert("deltas".to_owned(), json!(deltas));
    }
    if let Some(why) = &hunk.ignored {
        object.insert("ignored".to_owned(), json!(why));
    }
    Value::Object(object)
}
