//! Where in a page does a block stand? In: its path (`div#main/ul.related/li[2]`). Out: what holds it, and the path
//! without names.

/// The elements around a block, nearest first, no more than a few.
///
/// A long path begins with `~` and a hash of what was cut off it; that hash is the block's own and says nothing of what
/// holds it.
pub(super) fn containers(path: &str) -> impl Iterator<Item = &str> {
    const LEVELS: usize = 4;
    let path = match path.split_once('/') {
        Some((first, rest)) if first.starts_with('~') => rest,
        _ => path,
    };
    path.rmatch_indices('/').map(|(at, _)| &path[..at]).take(LEVELS)
}

/// Tags alone: what is left of a path when a test of variants renames its classes.
pub(super) fn tags(path: &str) -> String {
    let mut out = String::new();
    for element in path.split('/') {
        let end = element.find(['#', '.', '[']).unwrap_or(element.len());
        out.push_str(&element[..end]);
        out.push('/');
    }
    out
}

/// The path without ordinals.
pub(super) fn without_ordinals(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut inside = false;
    for character in path.chars() {
        match character {
            '[' => inside = true,
            ']' => inside = false,
            other if !inside => out.push(other),
            _ => {}
        }
    }
    out
}
