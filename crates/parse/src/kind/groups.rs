//! Which group of types a media type or a file name belongs to (A6). The groups are what a project chooses from.

use super::Kind;
use gleaner_model::project::TypeGroup;

/// The kind of a media type, lower case and without parameters. Sitemaps and feeds inside plain XML are told apart later,
/// by their root element.
pub(crate) fn kind_of(media_type: &str) -> Kind {
    let (top, sub) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (top, sub) {
        ("text", "html") => Kind::Html,
        (_, "xhtml+xml") => Kind::Xhtml,
        (_, "rss+xml" | "atom+xml" | "rdf+xml" | "feed+json") => Kind::Feed,
        (_, "json" | "ld+json" | "x-json" | "json+oembed") => Kind::Json,
        ("text", "css") => Kind::Css,
        (_, "javascript" | "x-javascript" | "ecmascript" | "x-ecmascript" | "jscript" | "livescript") => {
            Kind::Script
        }
        (_, "pdf" | "x-pdf") => Kind::Pdf,
        _ if crate::mail::is_mail(media_type) => Kind::Text,
        ("image", _) => Kind::Image,
        (_, "xml" | "xml-dtd" | "xslt+xml" | "xml+oembed") => Kind::Xml,
        ("audio", _) | ("application", "ogg") => Kind::Audio,
        ("video", _) | ("application", "mp4" | "x-mpegurl" | "vnd.apple.mpegurl") => Kind::Video,
        ("font", _) => Kind::Font,
        ("application", _) if sub.contains("font") => Kind::Font,
        _ if is_document(sub) => Kind::Document,
        _ if sub.ends_with("+json") => Kind::Json,
        _ if sub.ends_with("+xml") => Kind::Xml,
        (
            "application",
            "x-sh" | "x-shellscript" | "x-perl" | "x-python" | "x-httpd-php" | "sql" | "yaml" | "toml",
        )
        | ("text", _) => Kind::Text,
        _ if is_archive(sub) => Kind::Archive,
        _ => Kind::Binary,
    }
}

fn is_document(sub: &str) -> bool {
    matches!(
        sub,
        "msword"
            | "rtf"
            | "richtext"
            | "postscript"
            | "epub+zip"
            | "x-tex"
            | "x-latex"
            | "x-dvi"
            | "tex"
            | "oda"
            | "x-mobipocket-ebook"
            | "x-abiword"
            | "wordperfect"
            | "x-msword"
            | "vnd.wordperfect"
            | "x-texinfo"
            | "vnd.visio"
            | "vnd.djvu"
            | "x-fictionbook+xml"
            | "onenote"
            | "x-troff"
            | "vnd.rim.cod"
            | "vnd.lotus-1-2-3"
    ) || sub.starts_with("vnd.ms-excel")
        || sub.starts_with("vnd.ms-powerpoint")
        || sub.starts_with("vnd.ms-word")
        || sub.starts_with("vnd.openxmlformats-officedocument")
        || sub.starts_with("vnd.oasis.opendocument")
        || sub.starts_with("vnd.sun.xml")
        || sub.starts_with("vnd.apple.pages")
        || sub.starts_with("vnd.apple.numbers")
        || sub.starts_with("vnd.apple.keynote")
        || sub.starts_with("vnd.ms-xpsdocument")
        || sub.starts_with("vnd.stardivision")
}

fn is_archive(sub: &str) -> bool {
    matches!(
        sub,
        "zip"
            | "gzip"
            | "x-gzip"
            | "x-tar"
            | "x-bzip"
            | "x-bzip2"
            | "x-xz"
            | "zstd"
            | "x-7z-compressed"
            | "vnd.rar"
            | "x-rar-compressed"
            | "x-compress"
            | "x-compressed"
            | "java-archive"
            | "x-lzip"
            | "x-lzma"
            | "x-lz4"
            | "x-cpio"
            | "x-archive"
            | "vnd.debian.binary-package"
            | "x-debian-package"
            | "x-deb"
            | "x-rpm"
            | "vnd.ms-cab-compressed"
            | "x-iso9660-image"
            | "x-apple-diskimage"
            | "x-zip-compressed"
            | "x-lha"
            | "x-stuffit"
            | "x-gtar"
            | "x-zip"
            | "vnd.android.package-archive"
            | "warc"
    )
}

/// The group of a media type; parameters and case do not matter. What is unknown is [`TypeGroup::Other`].
pub fn group_of(media_type: &str) -> TypeGroup {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    match kind_of(&essence) {
        Kind::Html | Kind::Xhtml => TypeGroup::Html,
        Kind::Xml | Kind::Feed | Kind::Sitemap | Kind::SitemapIndex | Kind::Json => TypeGroup::Xml,
        Kind::Text => TypeGroup::Text,
        Kind::Pdf | Kind::Document => TypeGroup::Documents,
        Kind::Css | Kind::Script | Kind::Font => TypeGroup::Assets,
        Kind::Image => TypeGroup::Images,
        Kind::Audio => TypeGroup::Audio,
        Kind::Video => TypeGroup::Video,
        Kind::Archive | Kind::Binary | Kind::Empty => TypeGroup::Other,
    }
}

/// The group of what was announced as this type under this address: gzip around a document is a document.
pub fn group_at(media_type: &str, path: &str) -> TypeGroup {
    let essence = media_type.split(';').next().unwrap_or("").trim();
    let is_gzip = ["application/gzip", "application/x-gzip"]
        .iter()
        .any(|gzip| essence.eq_ignore_ascii_case(gzip));
    let inside = if is_gzip { packed_group(path) } else { None };
    inside.unwrap_or_else(|| group_of(media_type))
}

/// The group of what lies in a gzip file, by its name: `paper.ps.gz` is a document. Text and documents only: they are read
/// packed, and whatever else is packed is an archive.
pub fn packed_group(path: &str) -> Option<TypeGroup> {
    let unpacked = |path: &str| {
        let end = path.len().checked_sub(GZIP_END.len())?;
        path.as_bytes()[end..]
            .eq_ignore_ascii_case(GZIP_END)
            .then_some(end)
    };
    let once = &path[..unpacked(path)?];
    // As often as gzip is taken off.
    let inner = unpacked(once).map_or(once, |end| &once[..end]);
    plain_group(inner).filter(|group| matches!(group, TypeGroup::Documents | TypeGroup::Text))
}

/// The group that the extension of a URL path suggests; `None` where there is none or it says nothing.
///
/// Names that programs answer under (`.php`, `.asp`, `.cgi`) say HTML only by custom; they give `None`, so that the
/// answer decides.
pub fn group_of_extension(path: &str) -> Option<TypeGroup> {
    packed_group(path).or_else(|| plain_group(path))
}

const GZIP_END: &[u8] = b".gz";
const EXTENSION_BYTES_MAX: usize = 8;

/// What follows the last dot of a path's last part, where that part has a name before it. Only the end is looked at: every
/// link of every page comes by here.
fn extension_of(path: &[u8]) -> Option<&[u8]> {
    let ends = path.iter().rev().take(EXTENSION_BYTES_MAX + 1);
    let length = ends.take_while(|byte| !matches!(byte, b'.' | b'/')).count();
    let (name, extension) = path.split_at(path.len() - length);
    let has_stem = matches!(name, [.., before, b'.'] if *before != b'/');
    (has_stem && (1..=EXTENSION_BYTES_MAX).contains(&length)).then_some(extension)
}

fn plain_group(path: &str) -> Option<TypeGroup> {
    let extension = extension_of(path.as_bytes())?;
    let mut lower = [0u8; EXTENSION_BYTES_MAX];
    for (to, from) in lower.iter_mut().zip(extension) {
        *to = from.to_ascii_lowercase();
    }
    let group = match std::str::from_utf8(&lower[..extension.len()]).ok()? {
        "html" | "htm" | "xhtml" | "xht" | "shtml" | "mhtml" | "mht" => TypeGroup::Html,
        "xml" | "rss" | "atom" | "rdf" | "json" | "jsonld" | "geojson" | "xsl" | "xslt" | "xsd" | "dtd"
        | "kml" | "gml" | "gpx" | "opml" | "owl" | "wsdl" | "ndjson" => TypeGroup::Xml,
        "txt" | "text" | "md" | "markdown" | "csv" | "tsv" | "log" | "rst" | "adoc" | "ini" | "cfg"
        | "conf" | "yaml" | "yml" | "toml" | "c" | "h" | "cc" | "cpp" | "hpp" | "rs" | "go" | "java"
        | "py" | "rb" | "pl" | "pm" | "sh" | "bat" | "sql" | "diff" | "patch" | "vcf" | "ics" | "bib"
        | "srt" | "vtt" | "lua" | "scala" | "kt" | "swift" | "hs" | "lisp" | "el" | "pas" | "f90" | "asm" => {
            TypeGroup::Text
        }
        "pdf" | "ps" | "eps" | "doc" | "docx" | "docm" | "dot" | "dotx" | "xls" | "xlsx" | "xlsm"
        | "xlsb" | "ppt" | "pptx" | "pptm" | "pps" | "ppsx" | "odt" | "ods" | "odp" | "odg" | "odf"
        | "ott" | "rtf" | "tex" | "latex" | "dvi" | "epub" | "mobi" | "azw" | "azw3" | "djvu" | "djv"
        | "xps" | "wpd" | "pages" | "numbers" | "key" | "sxw" | "sxc" | "sxi" | "vsd" | "vsdx" | "fb2"
        | "wps" => TypeGroup::Documents,
        "css" | "js" | "mjs" | "cjs" | "scss" | "less" | "ts" | "tsx" | "jsx" | "map" | "woff" | "woff2"
        | "ttf" | "otf" | "eot" | "fon" => TypeGroup::Assets,
        "png" | "jpg" | "jpeg" | "jpe" | "jfif" | "gif" | "webp" | "avif" | "bmp" | "ico" | "cur" | "svg"
        | "svgz" | "tif" | "tiff" | "heic" | "heif" | "jxl" | "jp2" | "psd" | "apng" | "xcf" | "raw"
        | "ai" | "wmf" | "emf" | "pnm" | "pbm" | "pgm" | "ppm" | "xpm" | "xbm" | "tga" | "dng" | "cr2"
        | "nef" => TypeGroup::Images,
        "mp3" | "ogg" | "oga" | "opus" | "wav" | "flac" | "m4a" | "m4b" | "aac" | "wma" | "aif" | "aiff"
        | "mid" | "midi" | "ra" | "ram" | "amr" | "ape" | "m3u" | "pls" | "weba" => TypeGroup::Audio,
        "mp4" | "m4v" | "webm" | "mkv" | "avi" | "mov" | "qt" | "wmv" | "flv" | "mpg" | "mpeg" | "mpe"
        | "ogv" | "3gp" | "3g2" | "m2ts" | "mts" | "rm" | "rmvb" | "vob" | "asf" | "m3u8" | "f4v"
        | "divx" => TypeGroup::Video,
        "zip" | "gz" | "tgz" | "tar" | "bz2" | "tbz2" | "xz" | "txz" | "zst" | "7z" | "rar" | "lz"
        | "lzma" | "lz4" | "z" | "jar" | "war" | "ear" | "apk" | "ipa" | "exe" | "dll" | "msi" | "msix"
        | "deb" | "rpm" | "dmg" | "pkg" | "iso" | "img" | "bin" | "so" | "dylib" | "o" | "a" | "lib"
        | "class" | "pyc" | "whl" | "egg" | "gem" | "crate" | "nupkg" | "crx" | "xpi" | "swf" | "cab"
        | "arj" | "lha" | "lzh" | "sit" | "sitx" | "hqx" | "cpio" | "warc" | "sqlite" | "db" | "mdb"
        | "accdb" | "dat" | "wasm" | "torrent" | "sig" | "asc" | "p7s" | "crt" | "cer" | "pem" | "der"
        | "p12" | "pfx" | "vhd" | "vmdk" | "ova" | "qcow2" | "bak" | "tmp" | "parquet" | "npy" | "npz"
        | "mat" | "nc" => TypeGroup::Other,
        _ => return None,
    };
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_media_types_have_their_group() {
        let cases = [
            ("text/html; charset=UTF-8", TypeGroup::Html),
            ("application/xhtml+xml", TypeGroup::Html),
            ("TEXT/XML", TypeGroup::Xml),
            ("application/atom+xml", TypeGroup::Xml),
            ("application/vnd.api+json", TypeGroup::Xml),
            ("text/csv", TypeGroup::Text),
            ("message/rfc822", TypeGroup::Text),
            ("application/pdf", TypeGroup::Documents),
            (
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                TypeGroup::Documents,
            ),
            ("text/css", TypeGroup::Assets),
            ("text/javascript", TypeGroup::Assets),
            ("image/svg+xml", TypeGroup::Images),
            ("audio/mpeg", TypeGroup::Audio),
            ("video/mp4", TypeGroup::Video),
            ("application/zip", TypeGroup::Other),
            ("application/octet-stream", TypeGroup::Other),
            ("font/woff2", TypeGroup::Assets),
            ("", TypeGroup::Other),
            ("nonsense", TypeGroup::Other),
        ];
        for (media_type, group) in cases {
            assert_eq!(group_of(media_type), group, "{media_type}");
        }
    }

    #[test]
    fn g4_a_packed_document_is_a_document() {
        let cases = [
            ("application/gzip", "/paper.ps.gz", TypeGroup::Documents),
            ("Application/X-GZip; x=y", "/a/notes.txt.gz", TypeGroup::Text),
            ("application/gzip", "/data.tar.gz", TypeGroup::Other),
            ("application/gzip", "/paper.ps", TypeGroup::Other),
            ("application/zip", "/paper.ps.gz", TypeGroup::Other),
            ("text/html", "/paper.ps.gz", TypeGroup::Html),
        ];
        for (media_type, path, group) in cases {
            assert_eq!(group_at(media_type, path), group, "{media_type} at {path}");
        }
    }

    #[test]
    fn a6_extensions_have_their_group_or_none() {
        let cases = [
            ("/a/b.HTML", Some(TypeGroup::Html)),
            ("/a.b/c", None),
            ("/feed.rss", Some(TypeGroup::Xml)),
            ("/paper.pdf", Some(TypeGroup::Documents)),
            ("/x.tar.gz", Some(TypeGroup::Other)),
            ("/paper.ps.GZ", Some(TypeGroup::Documents)),
            ("/notes.txt.gz", Some(TypeGroup::Text)),
            ("/page.html.gz", Some(TypeGroup::Other)),
            ("/paper.pdf.gz.gz", Some(TypeGroup::Documents)),
            ("/.gz", None),
            ("/x.gz", Some(TypeGroup::Other)),
            ("/x.JpEg", Some(TypeGroup::Images)),
            ("/.htaccess", None),
            ("/index.php", None),
            ("/", None),
            ("", None),
            ("/x.", None),
            ("/v1.2", None),
            ("/über.ü", None),
            ("/x.thisisnotanextension", None),
        ];
        for (path, group) in cases {
            assert_eq!(group_of_extension(path), group, "{path}");
        }
    }
}
