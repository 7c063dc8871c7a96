//! Which picture is this? In: an `img` element. Out: its name as it stays while a site is built anew: no folders, no marks
//! of a build or a size, no parameters against caches; and the words that stand for it.

use super::shape::is_hash_like;
use super::tags::Tag;
use super::tree::Tree;
use super::words::folded;

/// Parameters that choose how a picture is sent, not which.
const HOW: [&str; 24] = [
    "_", "auto", "cb", "crop", "dpr", "fit", "fm", "format", "h", "height", "hash", "q", "quality", "resize",
    "rev", "s", "size", "t", "ts", "v", "ver", "version", "w", "width",
];
/// In the names of parameters that tell a visit from another.
const VISIT: [&str; 5] = ["ref", "sess", "sid", "token", "utm_"];
/// Endings of files that are pictures: their names tell them apart.
const ENDINGS: [&str; 9] = ["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"];

/// The name of a picture that is shown; `None` for other elements, for pixels that only count and for inlined pictures.
pub(super) fn name(tree: &Tree, at: u32) -> Option<String> {
    let node = tree.node(at);
    // Its own style does not matter: pictures are often shown by scripts.
    let is_hidden = || {
        tree.nodes
            .get(node.parent as usize)
            .is_some_and(|around| around.is_hidden)
    };
    if node.tag != Some(Tag::Image) || is_hidden() {
        return None;
    }
    let source = tree.str(node.value).trim();
    let is_inline = source
        .get(..5)
        .is_some_and(|head| head.eq_ignore_ascii_case("data:"));
    if source.is_empty() || is_inline {
        return None;
    }
    let name = file(source);
    let words = folded(tree.str(node.label));
    Some(if words.is_empty() {
        name
    } else {
        format!("{name} ({words})")
    })
}

fn file(source: &str) -> String {
    let source = source.split('#').next().unwrap_or(source);
    let (path, query) = source.split_once('?').unwrap_or((source, ""));
    let file = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let file = file.split(';').next().unwrap_or(file);
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let is_file = ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    let parts: Vec<&str> = stem
        .split(['-', '_', '.', '@'])
        .filter(|part| !part.is_empty() && !is_hash_like(part) && !is_size(part))
        .collect();
    // A name that is nothing but a hash is the picture's own.
    let mut name = if parts.is_empty() {
        stem.to_owned()
    } else {
        parts.join("-")
    };
    if !is_file {
        for pair in query.split(['&', ';']) {
            let parameter = pair.split('=').next().unwrap_or(pair).to_ascii_lowercase();
            let is_visit = VISIT.iter().any(|word| parameter.contains(word));
            if !pair.is_empty() && !is_visit && !HOW.contains(&parameter.as_str()) {
                name.push('&');
                name.push_str(pair);
            }
        }
    }
    name
}

/// `300x200`, `2x`, `1024w`, `scaled`.
fn is_size(part: &str) -> bool {
    let mut numbers = part.split('x');
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_pair = part.contains('x') && numbers.all(is_number) && part.len() > 1;
    is_pair
        || part == "scaled"
        || part
            .strip_suffix('w')
            .is_some_and(|text| !text.is_empty() && is_number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_does_not_rename_a_picture() {
        let same = [
            ("/a/photo.jpg", "http://cdn.test/b/photo.jpg?v=77"),
            ("/photo.8f3a90bc.png", "/photo.77ab01ce.png"),
            ("/photo-300x200.png", "/photo-1024x768.png"),
            ("/photo@2x.png", "/photo.webp"),
            ("/image.php?id=7&v=1", "/image.php?id=7&v=2"),
        ];
        for (one, other) in same {
            assert_eq!(file(one), file(other), "{one} {other}");
        }
        let others = [
            ("/photo.jpg", "/portrait.jpg"),
            ("/8f3a90bc77ab01ce.jpg", "/01ce90bc77ab8f3a.jpg"),
            ("/image.php?id=7", "/image.php?id=8"),
            ("/figure-1.png", "/figure-2.png"),
        ];
        for (one, other) in others {
            assert_ne!(file(one), file(other), "{one} {other}");
        }
    }
}
