//! A diff for programs: `{"sentence", "title", "hunks": [{"path", "kind", "block", "before", "after", …}]}`.

use super::{Diff, Effort, Hunk, Part, clipped};
use serde_json::{Map, Value, json};

impl Diff {
    pub fn json(&self) -> Value {
        let title = self
            .title
            .as_ref()
            .map(|(before, after)| json!({ "before": before, "after": after }));
        let mut effort = Effort::new();
        let hunks: Vec<Value> = self.hunks.iter().map(|hunk| one(hunk, &mut effort)).collect();
        let mut object = json!({
            "sentence": self.sentence(),
            "title": title,
            "kept": self.kept,
            "hunks": hunks,
        });
        if let Some(why) = &self.title_ignored {
            object["title"]["ignored"] = json!(why);
        }
        object
    }
}

fn one(hunk: &Hunk, effort: &mut Effort) -> Value {
    let text = |part: &Option<Part>| part.as_ref().map(|part| clipped(&part.text).into_owned());
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
