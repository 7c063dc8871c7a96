//! What a person typed that cannot be understood, in the parser's words and ours: numbers by what is needed, and options of
//! other programs by what they are called here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// How the parsers of the language name a text that is no number, and what a person needs to know.
const NUMBERS: [(&str, &str); 6] = [
    (
        "invalid digit found in string",
        "a whole number is needed, such as 10",
    ),
    (
        "cannot parse integer from empty string",
        "a whole number is needed, such as 10",
    ),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
    (
        "number too small to fit in target type",
        "the number is too small",
    ),
    ("invalid float literal", "a number is needed, such as 2.5"),
    (
        "invalid socket address syntax",
        "an address with a port is needed, such as 192.0.2.1:53",
    ),
];

/// Options as other programs (wget, curl, Scrapy) call them, and what does the same here.
const OPTIONS: [(&[&str], &str); 27] = [
    (&["--output-file", "--logfile"], "this is called --log-file here"),
    (
        &["--loglevel", "--debug"],
        "this is called --log here, for example --log debug",
    ),
    (
        &["-r", "--recursive"],
        "a crawl always follows links; --depth limits how far",
    ),
    (&["-l", "--level"], "this is called --depth here"),
    (
        &["-m", "--mirror"],
        "`gleaner mirror URL FOLDER` writes a browsable copy",
    ),
    (
        &["-k", "--convert-links"],
        "`gleaner mirror URL FOLDER` writes a browsable copy",
    ),
    (&["-n", "--no-parent"], "this is called --scope subtree here"),
    (
        &["-H", "--span-hosts"],
        "this is called --scope web here, or --allow REGEX",
    ),
    (
        &["-D", "--domains"],
        "--scope domain takes in all hosts of a domain; --allow REGEX takes in others",
    ),
    (&["--page-requisites"], "this is called --requisites here"),
    (
        &["-w", "--wait", "--download-delay"],
        "this is called --delay here, in milliseconds",
    ),
    (&["-t"], "this is called --tries here"),
    (
        &["-T", "--timeout"],
        "there are --connect-timeout, --read-timeout and --fetch-timeout here",
    ),
    (&["-U", "--agent"], "this is called --user-agent here"),
    (
        &["-O", "--output-document"],
        "`gleaner cat URL > FILE` writes one document",
    ),
    (
        &["-P", "--directory-prefix", "--out"],
        "this is called --data here",
    ),
    (
        &["-Q", "--quota", "--max-size"],
        "this is called --max-bytes here",
    ),
    (&["--limit-rate", "--max-rate"], "this is called --bandwidth here"),
    (&["--accept-regex", "--include"], "this is called --allow here"),
    (&["--reject-regex", "--exclude"], "this is called --deny here"),
    (&["--http-user", "--username"], "this is called --user here"),
    (
        &["--password", "--http-password", "--ask-password"],
        "a password is not given on the command line, where others can read it; use --password-file or the variable GLEANER_PASSWORD",
    ),
    (&["-e", "--no-robots"], "this is called --ignore-robots here"),
    (
        &["--no-check-certificate", "--insecure"],
        "certificates are always checked; --ca-file trusts one of your own",
    ),
    (
        &["--load-cookies", "--cookies"],
        "write cookies_file = \"cookies.txt\" into a project file (docs/projects.md)",
    ),
    (
        &["--header"],
        "write [headers] into a project file (docs/projects.md)",
    ),
    (&["--max-depth"], "this is called --depth here"),
];

/// The whole message.
pub(crate) fn told(error: &clap::Error) -> String {
    let mut text = error.render().to_string();
    for (theirs, ours) in NUMBERS {
        text = text.replace(theirs, ours);
    }
    text = without_limits_of_types(&text);
    match tip(error) {
        Some(tip) => with_tip(&text, &tip),
        None => text,
    }
}

/// `-1 is not in 0..=4294967295`: where the upper end is only that of the type, it is nobody's concern.
fn without_limits_of_types(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" is not in ") else {
        return text.to_owned();
    };
    let (range, after) = rest.split_once('\n').unwrap_or((rest, ""));
    let (low, high) = range.split_once("..").unwrap_or((range, ""));
    let high = high.trim_start_matches('=');
    let is_type = high.is_empty() || high.parse::<u64>().is_ok_and(|high| high >= u64::from(u32::MAX));
    let needed = if is_type {
        format!("a whole number of at least {low} is needed")
    } else {
        format!("a whole number from {low} to {high} is needed")
    };
    let start = before.rfind(": ").map_or(before.len(), |at| at + 2);
    format!("{}{needed}\n{after}", &before[..start])
}

fn tip(error: &clap::Error) -> Option<String> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let typed = word(ContextKind::InvalidArg)?;
            let name = typed.split('=').next().unwrap_or(typed);
            let known = OPTIONS.iter().find(|(names, _)| names.contains(&name));
            known.map(|(_, tip)| (*tip).to_owned())
        }
        ErrorKind::InvalidSubcommand => {
            let typed = word(ContextKind::InvalidSubcommand)?;
            let is_address = typed.contains("://") || typed.starts_with("www.") || typed.ends_with('/');
            is_address.then(|| format!("to fetch a site, write: gleaner crawl {typed}"))
        }
        ErrorKind::InvalidValue if word(ContextKind::InvalidArg)?.starts_with("--types") => {
            let group = match word(ContextKind::InvalidValue)?.trim_start_matches(['*', '.']) {
                "pdf" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx" | "odt" | "epub" | "ps" => {
                    "documents"
                }
                "jpg" | "jpeg" | "png" | "gif" | "svg" | "webp" | "image" => "images",
                "css" | "js" | "fonts" => "assets",
                "mp4" | "webm" | "videos" => "video",
                "mp3" | "ogg" => "audio",
                _ => return None,
            };
            Some(format!(
                "these belong to {group}; -A chooses by name, for example -A pdf"
            ))
        }
        _ => None,
    }
}

/// Ours stands in the place of what the parser guesses: that is only likeness of letters.
fn with_tip(text: &str, tip: &str) -> String {
    let mut out = String::new();
    let mut is_told = false;
    for line in text.lines() {
        if line.trim_start().starts_with("tip:") {
            continue;
        }
        if (line.starts_with("Usage:") || line.starts_with("For more")) && !is_told {
            is_told = true;
            let trimmed = out.trim_end().len();
            out.truncate(trimmed);
            out.push_str("\n\n  tip: ");
            out.push_str(tip);
            out.push_str("\n\n");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn said(words: &str) -> String {
        let parsed = crate::arguments::Arguments::try_parse_from(words.split(' '));
        told(&parsed.err().expect("a mistake"))
    }

    #[test]
    fn row6_numbers_are_asked_for_in_words() {
        for words in [
            "gleaner crawl a.test --depth ten",
            "gleaner crawl a.test --max-pages 1.5",
            "gleaner report x",
            "gleaner graph near a.test --hops -",
        ] {
            let text = said(words);
            assert!(text.contains("a whole number is needed"), "{text}");
        }
        let text = said("gleaner crawl a.test --depth=-1");
        assert!(
            text.contains("': a whole number of at least 0 is needed\n"),
            "{text}"
        );
        let text = said("gleaner concepts x --words 9");
        assert!(
            text.contains("': a whole number from 1 to 5 is needed\n"),
            "{text}"
        );
        let text = said("gleaner crawl a.test --types pdf");
        assert!(text.contains("tip: these belong to documents"), "{text}");
        assert!(said("gleaner crawl a.test --dns-server x").contains("192.0.2.1:53"));
    }

    #[test]
    fn options_of_other_programs_are_known() {
        let text = said("gleaner crawl -r https://a.test/");
        assert!(text.contains("tip: a crawl always follows links"), "{text}");
        let text = said("gleaner crawl --wait=2 a.test");
        assert!(text.contains("tip: this is called --delay"), "{text}");
        let text = said("gleaner https://a.test/");
        assert!(
            text.contains("tip: to fetch a site, write: gleaner crawl https://a.test/"),
            "{text}"
        );
        for (names, _) in OPTIONS {
            for name in names {
                let parsed =
                    crate::arguments::Arguments::try_parse_from(["gleaner", "crawl", "a.test", name]);
                let error = parsed.err().unwrap_or_else(|| panic!("{name} is an option here"));
                assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{name}");
            }
        }
    }
}
