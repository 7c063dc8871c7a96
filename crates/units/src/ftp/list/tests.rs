use super::super::mlsd;
use super::*;
use crate::ftp::dates::{DAY, MINUTE, SECOND, utc_of};
use crate::ftp::lessons::UNKNOWN_LAG;
use proptest::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// The listings of the corpora were taken in the summer of 2002.
fn now() -> Timestamp {
    utc_of(b"20020711120000").unwrap().at
}

fn read(line: &str) -> Read {
    Lines::new(now(), Duration::ZERO).read(line.as_bytes())
}

fn entry(line: &str) -> Line {
    match read(line) {
        Read::Entry(entry) => entry,
        other => panic!("{line}: {other:?}"),
    }
}

/// Name, kind, size, time and precision on one line.
fn told(line: &Line) -> String {
    let size = line.meta.size.map_or("-".to_owned(), |size| size.to_string());
    let (time, precision) = match line.meta.modified {
        Some(modified) => (gleaner_model::date::http_date(modified.at), modified.precision),
        None => ("-".to_owned(), Duration::ZERO),
    };
    let name = String::from_utf8_lossy(&line.name);
    format!("{name}|{:?}|{size}|{time}|{}", line.kind, precision.as_secs())
}

fn corpora() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/ftp-list");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no corpora");
    None
}

/// Lines that one parser of Commons Net must refuse, because each of its parsers knows one style, and that another of its
/// parsers must take, because they are good lines of that other style. One reader for all styles takes them.
const BAD_FOR_ONE_STYLE_ONLY: [(&str, &str, &str); 3] = [
    (
        "EnterpriseUnixFTPEntryParserTest",
        "root ",
        "a good line of UnixFTPEntryParserTest",
    ),
    (
        "EnterpriseUnixFTPEntryParserTest",
        "staff",
        "a good line of UnixFTPEntryParserTest",
    ),
    (
        "NTFTPEntryParserTest",
        "DIR   05-",
        "a good line of OS2FTPEntryParserTest",
    ),
];

fn is_good_elsewhere(corpus: &serde_json::Value, parser: &str, line: &str) -> bool {
    let others = corpus
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != parser);
    let mut good = others.flat_map(|(_, lines)| lines["good"].as_array().into_iter().flatten());
    // The same style, if not the same line.
    let is_named = BAD_FOR_ONE_STYLE_ONLY
        .iter()
        .any(|(named, mark, _)| *named == parser && line.contains(mark));
    is_named || good.any(|other| other == line)
}

#[test]
fn lines_of_commons_net() {
    let Some(folder) = corpora() else { return };
    let text = std::fs::read_to_string(folder.join("commons-net.json")).unwrap();
    let corpus: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (mut passed, mut total, mut elsewhere) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (parser, lines) in corpus.as_object().unwrap() {
        for (verdict, is_good) in [("good", true), ("bad", false)] {
            for line in lines[verdict].as_array().into_iter().flatten() {
                let line = line.as_str().unwrap();
                let is_read = if parser.starts_with("MLSx") {
                    mlsd::read(line.as_bytes()).is_some()
                } else {
                    matches!(read(line), Read::Entry(_))
                };
                total += 1;
                if is_read == is_good {
                    passed += 1;
                } else if !is_good && is_good_elsewhere(&corpus, parser, line) {
                    elsewhere += 1;
                } else {
                    wrong.push(format!("{parser}, {verdict}: {line}"));
                }
            }
        }
    }
    println!("commons-net: {passed} of {total} as told, {elsewhere} bad for one style and good for another");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn lines_of_mozilla() {
    let Some(folder) = corpora() else { return };
    let (mut passed, mut total) = (0, 0);
    let mut wrong = Vec::new();
    for file in std::fs::read_dir(folder.join("mozilla")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "in") {
            continue;
        }
        let log = std::fs::read(&path).unwrap();
        let mut lines = Lines::new(now(), Duration::ZERO);
        let found: Vec<String> = log
            .split(|byte| *byte == b'\n')
            .filter_map(
                |line| match lines.read(line.strip_suffix(b"\r").unwrap_or(line)) {
                    Read::Entry(entry) => Some(as_mozilla(&entry)),
                    _ => None,
                },
            )
            .collect();
        let truth = std::fs::read_to_string(path.with_extension("out")).unwrap();
        let expected: Vec<&str> = truth
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .map(|line| before_arrow(line.trim_end()))
            .collect();
        total += expected.len();
        passed += expected
            .iter()
            .zip(&found)
            .filter(|(one, two)| one == two)
            .count();
        if found != expected {
            let pairs = found.iter().zip(&expected);
            let first = pairs.into_iter().find(|(found, expected)| found != *expected);
            wrong.push(format!(
                "{}: {} of {}, {first:?}",
                path.display(),
                found.len(),
                expected.len()
            ));
        }
    }
    println!("mozilla: {passed} of {total} entries equal");
    assert_eq!(wrong, Vec::<String>::new());
}

fn before_arrow(line: &str) -> &str {
    line.split(" -> ").next().unwrap_or(line)
}

fn as_mozilla(entry: &Line) -> String {
    let modified = entry.meta.modified.expect("all have dates");
    let (year, month, day) = gleaner_model::date::civil_from_days(modified.at.0.div_euclid(86_400_000));
    let clock = gleaner_model::date::http_date(modified.at);
    let what = match entry.kind {
        EntryKind::Folder => format!("      {:<15}", "<DIR>"),
        EntryKind::Link => format!("      {:<15}", "<JUNCTION>"),
        _ => format!(
            "{:>20} ",
            entry.meta.size.map_or(String::new(), |size| size.to_string())
        ),
    };
    let name = String::from_utf8_lossy(&entry.name);
    format!("{month:02}-{day:02}-{year}  {} {what}{name}", &clock[17..25])
}

#[test]
fn hc096_styles_and_their_precision() {
    let minute = MINUTE.as_secs();
    let day = DAY.as_secs();
    let second = SECOND.as_secs();
    let cases = [
        (
            "-rw-r--r-- 1 a b 7 Feb 29 10:00 leap",
            "leap|File|7|Tue, 29 Feb 2000 10:00:00 GMT",
            minute,
        ),
        (
            "-rw-r--r-- 1 a b 7 Jul 12 10:00 soon",
            "soon|File|7|Fri, 12 Jul 2002 10:00:00 GMT",
            minute,
        ),
        (
            "-rw-r--r-- 1 a b 7 Aug 12 10:00 old",
            "old|File|7|Sun, 12 Aug 2001 10:00:00 GMT",
            minute,
        ),
        (
            "-rw-r--r-- 1 a b 7 Aug 12  1999  two blanks",
            " two blanks|File|7|Thu, 12 Aug 1999 00:00:00 GMT",
            day,
        ),
        (
            "-rw-r--r-- 1 a b 7 12 Okt 10:00 tag",
            "tag|File|7|Fri, 12 Oct 2001 10:00:00 GMT",
            minute,
        ),
        ("-rw-r--r-- 1 a b 7 Xyz 12 10:00 what", "what|File|7|-", 0),
        (
            "-rw-r--r-- 1 a b 7 2001-03-04 05:06 iso",
            "iso|File|7|Sun, 04 Mar 2001 05:06:00 GMT",
            minute,
        ),
        (
            "-rw-r--r-- 1 a b 7 2001-03-04 05:06:07.000 +0100 iso",
            "iso|File|7|Sun, 04 Mar 2001 04:06:07 GMT",
            second,
        ),
        (
            "-rw-r--r-- 1 a b 7 Mar 4 05:06:07 2001 long",
            "long|File|7|Sun, 04 Mar 2001 05:06:07 GMT",
            second,
        ),
        (
            "-rw-r--r-- 1 a b 18446744073709551616 Mar 4 2001 huge",
            "huge|File|-|Sun, 04 Mar 2001 00:00:00 GMT",
            day,
        ),
        (
            "-rw-r--r-- 1 a b -5 Mar 4 2001 less",
            "less|File|-|Sun, 04 Mar 2001 00:00:00 GMT",
            day,
        ),
        (
            "-[R----F--]  1 raj 857 Oct 20 15:27 cx",
            "cx|File|857|Sat, 20 Oct 2001 15:27:00 GMT",
            minute,
        ),
        (
            "lrwxrwxrwx 1 a b 7 Mar 4 2001 up -> ..",
            "up|Link|-|Sun, 04 Mar 2001 00:00:00 GMT",
            day,
        ),
        (
            "srwxrwxrwx 1 a b 7 Mar 4 2001 sock",
            "sock|Other|-|Sun, 04 Mar 2001 00:00:00 GMT",
            day,
        ),
        (
            "+i83.29,m824255902,r,s612,\ta b",
            "a b|File|612|Tue, 13 Feb 1996 23:58:22 GMT",
            second,
        ),
        (
            "+i83.29,m824255902,/,\tdev",
            "dev|Folder|-|Tue, 13 Feb 1996 23:58:22 GMT",
            second,
        ),
        (
            "CORE.DIR;1          1/3      8-SEP-1996 16:09 [SYSTEM] (RWE,RWE,RE,RE)",
            "CORE|Folder|-|Sun, 08 Sep 1996 16:09:00 GMT",
            minute,
        ),
        (
            "X.TXT;7  2  4-JUN-1997 11:02:33.07",
            "X.TXT|File|-|Wed, 04 Jun 1997 11:02:33 GMT",
            second,
        ),
        (
            "2019-03-01  10:00AM  12 a b",
            "a b|File|12|Fri, 01 Mar 2019 10:00:00 GMT",
            minute,
        ),
        (
            "DESIGN1.DOC   11264 05-11-95   14:20",
            "DESIGN1.DOC|File|11264|Thu, 11 May 1995 14:20:00 GMT",
            minute,
        ),
        (
            "CMT   <DIR>   Nov 16 1994   17:16",
            "CMT|Folder|-|Wed, 16 Nov 1994 17:16:00 GMT",
            minute,
        ),
        (
            "B10142 3390   2006/03/20  2   31  F       80    80  PS   MDI.OKL.WORK",
            "MDI.OKL.WORK|File|-|-",
            0,
        ),
        (
            "B10142 3390   2006/03/20  2   31  F       80    80  PO   MDI.LIB",
            "MDI.LIB|Folder|-|-",
            0,
        ),
        (
            "TBSHELF   01.03 2002/09/12 2002/10/11 09:37    11    11     0 KIL001",
            "TBSHELF|File|-|Fri, 11 Oct 2002 09:37:00 GMT",
            minute,
        ),
    ];
    for (line, expected, precision) in cases {
        assert_eq!(told(&entry(line)), format!("{expected}|{precision}"), "{line}");
    }
}

/// All entries of a listing, as [`told`]; how many lines could not be read.
fn listed(lines: &[&str]) -> (Vec<String>, usize) {
    let mut reader = Lines::new(now(), Duration::ZERO);
    let (mut entries, mut unread) = (Vec::new(), 0);
    for line in lines {
        match reader.read(line.as_bytes()) {
            Read::Entry(entry) => entries.push(told(&entry)),
            Read::Nothing => {}
            Read::Unreadable => unread += 1,
        }
    }
    (entries, unread)
}

#[test]
fn case12_dls_puts_the_name_first_and_a_description_last() {
    let (entries, unread) = listed(&[
        "README              763  Jul 11 09:05  Information about this server",
        "bin/                  -  Apr 28  1994",
        "etc/                  =  11 Jul 09:04",
        "ls-lR.Z               3  05 Sep 1994",
        "pub/                  =  Jul 10 21:04  Public area",
        "morgan               14  Apr 18 09:39  -> ../real/morgan",
        "A-NAME-TOO-LONG-FOR-ITS-COLUMN.tar.Z",
        "                  79215  Jul 10 21:04",
    ]);
    let expected = [
        "README|File|763|Thu, 11 Jul 2002 09:05:00 GMT|60",
        "bin|Folder|-|Thu, 28 Apr 1994 00:00:00 GMT|86400",
        "etc|Folder|-|Thu, 11 Jul 2002 09:04:00 GMT|60",
        "ls-lR.Z|File|3|Mon, 05 Sep 1994 00:00:00 GMT|86400",
        "pub|Folder|-|Wed, 10 Jul 2002 21:04:00 GMT|60",
        "morgan|Link|-|Thu, 18 Apr 2002 09:39:00 GMT|60",
        "A-NAME-TOO-LONG-FOR-ITS-COLUMN.tar.Z|File|79215|Wed, 10 Jul 2002 21:04:00 GMT|60",
    ];
    assert_eq!((entries, unread), (expected.map(str::to_owned).to_vec(), 0));
    // Without dates: only behind a folder of the style.
    let undated = [
        "bin/                  -",
        "README              763  Information",
        "ls-lR 0",
    ];
    let (entries, unread) = listed(&undated);
    assert_eq!(
        entries,
        ["bin|Folder|-|-|0", "README|File|763|-|0", "ls-lR|File|0|-|0"]
    );
    assert_eq!(unread, 0);
    assert_eq!(
        listed(&["README              763  Information", "hello 1 there"]).0,
        [""; 0]
    );
}

#[test]
fn case12_supertcp_and_hellsoft() {
    for (line, expected) in [
        (
            "CMT.CSV                  0      07/06/95        14:56",
            "CMT.CSV|File|0|Thu, 06 Jul 1995 14:56:00 GMT|60",
        ),
        (
            "INSTALL         <DIR>           11-16-94        17:18",
            "INSTALL|Folder|-|Wed, 16 Nov 1994 17:18:00 GMT|60",
        ),
        (
            "-[RWCEAFMS] 1 supervis      256 Nov 15 14:21 a name",
            "a name|File|256|Thu, 15 Nov 2001 14:21:00 GMT|60",
        ),
        (
            "d[R----F--]  1 carl  512 Jan 16 18:53 login",
            "login|Folder|-|Wed, 16 Jan 2002 18:53:00 GMT|60",
        ),
    ] {
        assert_eq!(told(&entry(line)), expected, "{line}");
    }
}

#[test]
fn case12_vms_with_wrapped_names_blocks_and_owners_of_their_own() {
    let (entries, unread) = listed(&[
        "Directory DISK$USER:[PUBLIC]",
        "A-FILE-WITH-A-LONG-NAME.TXT;7",
        "                    12/15    8-SEP-1996 16:09",
        "                    [GROUP,OWNER] (RWED,RWED,RE,)",
        "readme.dir;1        1/3      8-SEP-1996 16:09:11",
        "NODOT;3             155      2-JUL-2001 10:30:13.64",
        "SECRET.DAT;1        %RMS-E-PRV, insufficient privilege or file protection violation",
        "",
        "Total of 4 files, 168/173 blocks.",
    ]);
    let expected = [
        "A-FILE-WITH-A-LONG-NAME.TXT|File|-|Sun, 08 Sep 1996 16:09:00 GMT|60",
        "readme|Folder|-|Sun, 08 Sep 1996 16:09:11 GMT|1",
        "NODOT|File|-|Mon, 02 Jul 2001 10:30:13 GMT|1",
        "SECRET.DAT|File|-|-|0",
    ];
    assert_eq!((entries, unread), (expected.map(str::to_owned).to_vec(), 0));
    // An owner that belongs to nothing is no heading.
    assert_eq!(
        listed(&["                    [GROUP,OWNER] (RWED,RWED,RE,)"]).1,
        1
    );
}

#[test]
fn hc096_a_time_without_a_zone_is_trusted_only_when_it_is_old_everywhere() {
    let stamped = |lag: Duration, line: &str| {
        let mut lines = Lines::new(now(), lag);
        let Read::Entry(entry) = lines.read(line.as_bytes()) else {
            panic!("{line}");
        };
        entry.meta.stamp(now()).is_some()
    };
    let (day, hours) = (UNKNOWN_LAG, Duration::from_hours);
    // Seen on July 11 at noon, UTC.
    for (lag, printed, is_trusted) in [
        (day, "Jul 11 11:00", false),
        (day, "Jul 10 10:01", false),
        (day, "Jul 10 09:57", true),
        (day, "Jul 12 02:00", false), // ahead of us, in the east
        (hours(6), "Jul 11 06:30", false),
        (hours(6), "Jul 11 05:50", true),
        (hours(1), "Jul 11 10:50", true),
        (day, "Jul  4  2001", true),
    ] {
        let line = format!("-rw-r--r-- 1 a b 7 {printed} x.txt");
        assert_eq!(stamped(lag, &line), is_trusted, "{lag:?} {printed}");
    }
    // Seconds of UTC need no zone.
    let an_hour_ago = now().0 / 1000 - 3600;
    let line = format!("+i8388621.29609,m{an_hour_ago},r,s7,\tx.txt");
    assert!(stamped(day, &line));
}

#[test]
fn hc096_the_first_file_with_a_time_to_the_minute_tells_the_zone() {
    let mut lines = Lines::new(now(), UNKNOWN_LAG);
    for line in [
        "total 3",
        "drwxr-xr-x 2 a b 7 Jul 10 10:00 folder",
        "-rw-r--r-- 1 a b 7 Jul  4  2001 old.txt",
        "-rw-r--r-- 1 a b 7 Jul 10 10:00 young.txt",
        "-rw-r--r-- 1 a b 7 Jul 10 11:00 younger.txt",
    ] {
        assert_ne!(lines.read(line.as_bytes()), Read::Unreadable, "{line}");
    }
    let (name, printed) = lines.sample().expect("one");
    assert_eq!(name, b"young.txt");
    assert_eq!(printed.at, utc_of(b"20020710100000").unwrap().at);
    assert_eq!(printed.precision, MINUTE, "as printed");
}

#[test]
fn a_long_name_goes_on_in_the_next_line() {
    let mut lines = Lines::new(now(), Duration::ZERO);
    assert_eq!(lines.read(b"A-LONG-NAME.TXT;7"), Read::Nothing);
    assert!(lines.is_cut());
    let Read::Entry(entry) = lines.read(b"          2/4      4-JUN-1997 11:02") else {
        panic!("an entry");
    };
    assert_eq!(entry.name, b"A-LONG-NAME.TXT");
    assert!(!lines.is_cut());
    assert_eq!(lines.read(b"A-LONG-NAME.TXT;7"), Read::Nothing);
    assert_eq!(lines.read(b"OTHER.TXT;1 1 4-JUN-1997 11:02"), Read::Unreadable);
}

#[test]
fn headings_are_no_entries_and_errors_are_no_headings() {
    for heading in [
        "",
        "total 12",
        "insgesamt 4",
        "Directory DISK$PCSA:[ANONYM]",
        "Total of 11 Files, 23 Blocks.",
    ] {
        assert_eq!(read(heading), Read::Nothing, "{heading}");
    }
    for error in [
        "ls: cannot open directory '.': Permission denied",
        "a name",
        "total disaster",
        "421 Timeout",
        "drwxr-xr-x   2 root     root         4096 Aug 26  201 zztpp",
    ] {
        assert_eq!(read(error), Read::Unreadable, "{error}");
    }
}

#[test]
fn hc093_any_bytes_are_read_without_a_fall() {
    let seed: Vec<u8> = (0..=255).collect();
    for start in 0..seed.len() {
        let mut line = b"-rw-r--r-- 1 a b 7 Mar 4 2001 ".to_vec();
        line.extend_from_slice(&seed[start..]);
        assert!(matches!(
            Lines::new(now(), Duration::ZERO).read(&line),
            Read::Entry(_)
        ));
        let _any = Lines::new(now(), Duration::ZERO).read(&seed[start..]);
        let _any = mlsd::read(&seed[start..]);
        for cut in 0..line.len().min(40) {
            let _any = Lines::new(now(), Duration::ZERO).read(&line[cut..]);
            let _any = Lines::new(now(), Duration::ZERO).read(&line[..cut]);
        }
    }
}

#[test]
fn mlsd_says_what_a_thing_is() {
    let kind = |line: &str| match mlsd::read(line.as_bytes()) {
        Some(mlsd::Fact::Entry(line)) => told(&line),
        Some(mlsd::Fact::Here) => "here".to_owned(),
        None => "refused".to_owned(),
    };
    let cases = [
        (
            "type=file;size=7;modify=20010304050607;unique=8U2; a b",
            "a b|File|7|Sun, 04 Mar 2001 05:06:07 GMT|1",
        ),
        ("type=dir;sizd=4096; sub", "sub|Folder|-|-|0"),
        ("Type=OS.unix=slink:file1.txt;Size=9; lnk", "lnk|Link|-|-|0"),
        ("type=OS.unix=symlink; lnk", "lnk|Link|-|-|0"),
        ("type=OS.unix=chr-13/29; dev", "dev|Other|-|-|0"),
        ("type=cdir; .", "here"),
        ("type=pdir; ..", "here"),
        ("type=file;size=-1; less", "less|File|-|-|0"),
        ("type=file;size=7;  two blanks", " two blanks|File|7|-|0"),
        ("type=file;size=7;", "refused"),
    ];
    for (line, expected) in cases {
        assert_eq!(kind(line), expected, "{line}");
    }
}

proptest! {
    #[test]
    fn hc093_no_line_makes_a_reader_fall(line in "[-dlrwx+ ;:/<>,.a-zA-Z0-9\\[\\]\t月日年]{0,80}", bytes in any::<Vec<u8>>()) {
        for line in [line.as_bytes(), &bytes] {
            let mut lines = Lines::new(now(), Duration::ZERO);
            let _any = lines.read(line);
            let _any = lines.read(line);
            if let Some(mlsd::Fact::Entry(entry)) = mlsd::read(line) {
                prop_assert!(!entry.name.is_empty());
            }
        }
    }
}
