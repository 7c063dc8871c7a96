//! Sizes and times as people write them, on the command line and in project files: `500M`, `2GB`, `90s`, `8h`.
//!
//! One reader for both places, so that what works in one works in the other. What is written reads back as the same number.
//! And numbers with their nouns, as messages tell them: [`count`].

/// `500`, `64k`, `500M`, `2G`, `2GB`: bytes, in powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = split(text);
    let factor: u64 = match unit
        .trim_end_matches(['b', 'B', 'i'])
        .to_ascii_lowercase()
        .as_str()
    {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err("a size is a number followed by k, M, G or T, such as 500M".to_owned()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "a size begins with a whole number, as 500M".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

/// `90`, `90s`, `30m`, `8h`, `2d`: seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let (digits, unit) = split(text);
    let factor = match unit {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err("a time is a number followed by s, m, h or d, such as 30m".to_owned()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "a time begins with a whole number, as 30m".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too long".to_owned())
}

/// `0`, `250ms`, `1s`, `2m`: a short wait, in milliseconds. A bare number would be taken for seconds by half of its readers
/// and for milliseconds by the others, so only 0 goes without a unit.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    const FORM: &str = "a wait is a number with ms, s or m behind it, as 250ms or 1s";
    let (digits, unit) = split(text);
    let factor = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "" if digits == "0" => 1,
        _ => return Err(FORM.to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| FORM.to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too long".to_owned())
}

/// `1 page`, `2 pages`, `3 addresses`, `4 entries`: a number with its noun. Every message counts by this.
pub fn count(number: u64, one: &str) -> String {
    format!("{number} {}", noun(number, one))
}

/// The noun alone, for numbers that are written otherwise.
pub fn noun(number: u64, one: &str) -> String {
    if number == 1 { one.to_owned() } else { plural(one) }
}

/// The plural of an English noun; of several words the last one changes.
fn plural(one: &str) -> String {
    let vowel_before_y = one.chars().rev().nth(1).is_some_and(|c| "aeiou".contains(c));
    match one.strip_suffix('y') {
        Some(stem) if !vowel_before_y => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| one.ends_with(end)) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// The largest unit that says it exactly: `2GB`, `1536MB`, `1000`.
pub fn write_size(bytes: u64) -> String {
    for (unit, shift) in [("TB", 40), ("GB", 30), ("MB", 20), ("kB", 10)] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

pub fn write_seconds(seconds: u64) -> String {
    for (unit, factor) in [("d", 86_400), ("h", 3600), ("m", 60)] {
        if seconds > 0 && seconds.is_multiple_of(factor) {
            return format!("{}{unit}", seconds / factor);
        }
    }
    format!("{seconds}s")
}

pub fn write_milliseconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) {
        return format!("{}s", ms / 1000);
    }
    format!("{ms}ms")
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    (digits, unit.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("2 GB"), Ok(2 << 30));
        assert!(size("lots").is_err());
        assert!(size("99999999T").is_err());
        assert_eq!(seconds("8h"), Ok(28_800));
        assert!(seconds("soon").is_err());
        assert_eq!(milliseconds("0"), Ok(0));
        assert_eq!(milliseconds("250ms"), Ok(250));
        assert_eq!(milliseconds("2s"), Ok(2000));
        assert!(milliseconds("5").is_err(), "seconds or milliseconds?");
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_back(number in proptest::num::u64::ANY) {
            for number in [number, number << 10, number & 0xffff_ffff, number % 7 * 3600] {
                assert_eq!(size(&write_size(number)), Ok(number));
                assert_eq!(seconds(&write_seconds(number)), Ok(number));
                assert_eq!(milliseconds(&write_milliseconds(number)), Ok(number));
            }
        }
    }

    #[test]
    fn numbers_agree_with_their_nouns() {
        for (number, one, text) in [
            (1, "address", "1 address"),
            (123, "address", "123 addresses"),
            (0, "host", "0 hosts"),
            (2, "body", "2 bodies"),
            (2, "day", "2 days"),
            (2, "branch", "2 branches"),
            (2, "dead link", "2 dead links"),
            (5, "entry", "5 entries"),
        ] {
            assert_eq!(count(number, one), text);
        }
    }
}
