//! Pages that want to take long or much.

use super::{one, read};
use crate::forms::{Button, FillError, fill};
use std::time::{Duration, Instant};

#[test]
fn depth_and_number_do_not_hurt() {
    let pages = [
        "<form>".repeat(60_000),
        "<div><form>".repeat(30_000),
        "<form><div></form>".repeat(20_000),
        format!(
            "<form>{}<input name=a>",
            "<fieldset disabled><legend>".repeat(20_000)
        ),
        format!("<form>{}", "<label>".repeat(30_000)),
        format!("<form>{}", "<table><form><tr><td>".repeat(20_000)),
        format!("<form>{}", "<select><optgroup><option>x".repeat(20_000)),
        format!("<form id=f></form>{}", "<input form=f name=x>".repeat(60_000)),
        format!("<form>{}", "<label for=x>a</label><input id=x>".repeat(20_000)),
        format!("<form><label>{}", "text <input name=a>".repeat(20_000)),
        format!("<form><select name=s>{}", "<option>o".repeat(300_000)),
        // End tags that the tree builder ignores: what they seem to close stays open.
        "<span><div></span>".repeat(20_000),
        "<x><section></x><form></form>".repeat(20_000),
        "<div><table><td></div>".repeat(20_000),
        "<div><object></div>".repeat(20_000),
        format!("<svg><p>{}", "<div/>".repeat(20_000)),
        "<div><svg><foreignObject></div>".repeat(20_000),
        "<template><form></template>".repeat(20_000),
        "<template><form><div></form>".repeat(20_000),
    ];
    for page in pages {
        let start = Instant::now();
        let forms = read(&page);
        assert!(forms.len() <= 1000);
        let controls: usize = forms.iter().map(|form| form.controls.len()).sum();
        assert!(controls <= 20_000);
        let head: String = page.chars().take(60).collect();
        println!("{head}: {:?}", start.elapsed());
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:.60}: {:?}",
            page,
            start.elapsed()
        );
    }
}

#[test]
fn a_form_that_was_not_read_whole_is_not_sent() {
    let many = format!("<form>{}</form>", "<input name=a>".repeat(20_001));
    let form = one(&many);
    assert!(form.is_cut);
    assert_eq!(fill(&form, &[], &Button::First).unwrap_err(), FillError::Cut);
    let long = format!(
        "<form><input type=hidden name=a value={}></form>",
        "x".repeat(5 << 20)
    );
    assert!(one(&long).is_cut);
    let state = format!(
        "<form><input type=hidden name=a value={}></form>",
        "x".repeat(1 << 20)
    );
    assert!(!one(&state).is_cut);
}
