//! Which end of a name fits a media type? A browser that opens a file has nothing else to go by.

/// The ends that browsers take for this type; the first is given to names without any. Types that no browser shows by itself
/// are here only where a name helps to open them.
const ENDS: &[(&str, &[&str])] = &[
    ("text/html", &["html", "htm"]),
    // Pages that call themselves XHTML are read as HTML under such a name, by browsers as on the web.
    ("application/xhtml+xml", &["xhtml", "xht", "html", "htm"]),
    ("text/css", &["css"]),
    ("text/javascript", &["js", "mjs"]),
    ("application/javascript", &["js", "mjs"]),
    ("application/x-javascript", &["js", "mjs"]),
    (
        "application/json",
        &["json", "map", "webmanifest", "topojson", "geojson"],
    ),
    ("application/ld+json", &["json", "jsonld"]),
    ("application/feed+json", &["json"]),
    ("application/manifest+json", &["webmanifest", "json"]),
    (
        "text/xml",
        &["xml", "rss", "atom", "rdf", "xsl", "xslt", "xsd", "opml", "kml"],
    ),
    (
        "application/xml",
        &["xml", "rss", "atom", "rdf", "xsl", "xslt", "xsd", "opml", "kml"],
    ),
    ("application/rss+xml", &["xml", "rss"]),
    ("application/atom+xml", &["xml", "atom"]),
    ("application/rdf+xml", &["xml", "rdf"]),
    ("application/xslt+xml", &["xsl", "xslt", "xml"]),
    ("image/png", &["png"]),
    ("image/apng", &["png", "apng"]),
    ("image/jpeg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/avif", &["avif"]),
    ("image/svg+xml", &["svg"]),
    ("image/bmp", &["bmp"]),
    ("image/tiff", &["tif", "tiff"]),
    ("image/x-icon", &["ico"]),
    ("image/vnd.microsoft.icon", &["ico"]),
    ("font/woff", &["woff"]),
    ("font/woff2", &["woff2"]),
    ("font/ttf", &["ttf"]),
    ("font/otf", &["otf"]),
    ("audio/mpeg", &["mp3", "mpga"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/wav", &["wav"]),
    ("audio/flac", &["flac"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/webm", &["webm"]),
    ("video/ogg", &["ogv", "ogg"]),
    ("application/pdf", &["pdf"]),
    ("application/zip", &["zip"]),
    ("application/gzip", &["gz", "tgz", "svgz"]),
    ("application/epub+zip", &["epub"]),
    ("application/postscript", &["ps", "eps"]),
    ("application/rtf", &["rtf"]),
    ("application/msword", &["doc", "dot"]),
    ("message/rfc822", &["eml", "mht", "mhtml"]),
];

/// Ends of programs that made a page: they say nothing about what was made.
const PROGRAMS: &[&str] = &[
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "jsf", "do", "action",
    "cgi", "pl", "py", "rb", "cfm", "dll", "exe", "fcgi", "shtml",
];

/// What has to happen to a name that ends in `end` (empty: in nothing) so that it fits the type.
pub(crate) fn missing_end(media_type: &str, end: &str) -> Option<&'static str> {
    let end = end.to_ascii_lowercase();
    let known = ENDS.iter().find(|(of, _)| *of == media_type);
    if let Some((_, ends)) = known {
        return (!ends.contains(&end.as_str())).then_some(ends[0]);
    }
    if !media_type.starts_with("text/") {
        return None; // Nobody knows a better name than its author.
    }
    // Plain text has many names; only those that mean something else are wrong.
    let means_other = ENDS.iter().any(|(_, ends)| ends.contains(&end.as_str()));
    let is_program = PROGRAMS.contains(&end.as_str());
    (end.is_empty() || means_other || is_program).then_some("txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_end_that_a_browser_needs() {
        let cases = [
            ("text/html", "html", None),
            ("text/html", "HTM", None),
            ("text/html", "php", Some("html")),
            ("text/html", "", Some("html")),
            ("text/html", "png", Some("html")),
            ("application/xhtml+xml", "html", None),
            ("application/xhtml+xml", "php", Some("xhtml")),
            ("image/jpeg", "jpeg", None),
            ("image/jpeg", "png", Some("jpg")),
            ("text/css", "", Some("css")),
            ("text/plain", "", Some("txt")),
            ("text/plain", "c", None),
            ("text/plain", "html", Some("txt")),
            ("text/plain", "php", Some("txt")),
            ("text/markdown", "md", None),
            ("application/octet-stream", "", None),
            ("application/octet-stream", "bin", None),
        ];
        for (of, end, want) in cases {
            assert_eq!(missing_end(of, end), want, "{of} {end}");
        }
    }
}
