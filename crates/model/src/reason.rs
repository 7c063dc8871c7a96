//! One list of everything that can go wrong with a fetch, or keep one from happening.
//!
//! The codes are stable: reports, the API and people's scripts use them. A code is never renamed or given another
//! meaning; docs/reasons.md is checked against this list by a test. `TABLE` below is the only place to add one.

use std::fmt;

/// What usually helps, said in reports beside the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// It passes by itself; Gleaner asks again, and a later run will too.
    Wait,
    /// Look at the server or the page: nothing on our side is wrong.
    TellTheSite,
    /// A setting of the project decides this.
    ChangeTheProject,
    /// Nothing to do: this is how it should be.
    Nothing,
}

impl Remedy {
    pub fn as_str(self) -> &'static str {
        match self {
            Remedy::Wait => "tried again automatically",
            Remedy::TellTheSite => "check the site",
            Remedy::ChangeTheProject => "a setting of the project decides this",
            Remedy::Nothing => "nothing to do",
        }
    }
}

macro_rules! reasons {
    ($( $name:ident $code:literal $remedy:ident $meaning:literal; )*) => {
        /// Why a fetch did not give a document, or why there was none.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason { $( #[doc = $meaning] $name, )* }

        impl Reason {
            pub const ALL: &'static [Reason] = &[ $( Reason::$name, )* ];

            /// The stable code, as in reports.
            pub fn code(self) -> &'static str {
                match self { $( Reason::$name => $code, )* }
            }

            /// One sentence for people.
            pub fn meaning(self) -> &'static str {
                match self { $( Reason::$name => $meaning, )* }
            }

            pub fn remedy(self) -> Remedy {
                match self { $( Reason::$name => Remedy::$remedy, )* }
            }

            pub fn parse(code: &str) -> Option<Reason> {
                match code { $( $code => Some(Reason::$name), )* _ => None }
            }
        }
    };
}

reasons! {
    // Names and addresses
    DnsNotFound "dns-not-found" TellTheSite "The host name does not exist.";
    DnsTimeout "dns-timeout" Wait "The name server did not answer in time.";
    DnsFailed "dns-failed" Wait "The name server could not answer (SERVFAIL, refused or a broken answer).";
    PrivateAddress "private-address" ChangeTheProject "The host is at a private address; --allow-private would allow it.";
    // Connections
    ConnectTimeout "timeout-connect" Wait "No connection within the limit.";
    ConnectRefused "connect-refused" Wait "The server refused the connection.";
    Unreachable "unreachable" Wait "The network says the host cannot be reached.";
    Reset "reset" Wait "The connection was reset in the middle.";
    Closed "closed" Wait "The server closed the connection without an answer.";
    TlsTimeout "timeout-tls" Wait "The TLS handshake did not finish within the limit.";
    TlsProtocol "tls-protocol" TellTheSite "The TLS handshake failed: no common version or cipher, or the port does not speak TLS.";
    TlsExpired "tls-expired" TellTheSite "The certificate has expired.";
    TlsNotYetValid "tls-not-yet-valid" TellTheSite "The certificate is not valid yet.";
    TlsWrongHost "tls-wrong-host" TellTheSite "The certificate is for other names.";
    TlsUnknownIssuer "tls-unknown-issuer" TellTheSite "The certificate is self-signed or its issuer is not trusted.";
    TlsBadCertificate "tls-bad-certificate" TellTheSite "The certificate is malformed, revoked or not for servers.";
    ProxyFailed "proxy-failed" ChangeTheProject "The proxy refused, asked for other credentials or could not connect.";
    // The answer
    FirstByteTimeout "timeout-first-byte" Wait "Nothing of the answer came within the limit.";
    SilenceTimeout "timeout-silence" Wait "The answer paused in the middle for longer than the limit.";
    FetchTimeout "timeout-fetch" Wait "The whole fetch took longer than the limit.";
    TooSlow "too-slow" Wait "The answer came more slowly than the slowest acceptable rate.";
    HeadersTooLarge "headers-too-large" TellTheSite "The response headers passed their limit.";
    BodyTooLarge "body-too-large" ChangeTheProject "The body passed its limit; the part that came was not kept.";
    BadFraming "bad-framing" TellTheSite "The length or the chunks of the answer are invalid.";
    Truncated "truncated" Wait "The answer ended before its announced length.";
    NotHttp "not-http" TellTheSite "What answered does not speak HTTP.";
    BadStatus "bad-status" TellTheSite "The status code is not a valid HTTP status.";
    Unexpected304 "unexpected-304" TellTheSite "The server said 'not modified' although the request was not conditional.";
    Http2Failed "http2-failed" Wait "The HTTP/2 connection failed and so did HTTP/1.1.";
    // Content encodings
    TooManyEncodings "too-many-encodings" TellTheSite "More content encodings are stacked than the limit allows.";
    UnknownEncoding "unknown-encoding" TellTheSite "The content encoding is not one of gzip, deflate, br, zstd.";
    CorruptEncoding "corrupt-encoding" TellTheSite "The compressed body is damaged: wrong checksum, length or data.";
    DecodedTooLarge "decoded-too-large" TellTheSite "The body grows past its limit when decompressed.";
    // What the server said
    HttpGone "http-410" Nothing "The server says the page is gone.";
    HttpNotFound "http-404" Nothing "The server says there is no such page.";
    HttpUnauthorized "http-401" ChangeTheProject "The server wants a login.";
    HttpForbidden "http-403" ChangeTheProject "The server refuses the page.";
    HttpTooMany "http-429" Wait "The server says we ask too often; Gleaner slows down.";
    HttpUnavailable "http-503" Wait "The server says it is overloaded or down; Gleaner slows down.";
    HttpClient "http-4xx" TellTheSite "The server refuses the request (another 4xx status).";
    HttpServer "http-5xx" Wait "The server failed (another 5xx status).";
    BecameEmpty "became-empty" Wait "A page that had content is now empty; the old version is kept.";
    Soft404 "soft-404" Nothing "The page is the site's 'not found' text with status 200.";
    LoginWall "login-wall" ChangeTheProject "A login page came instead of the content.";
    Blocked "blocked" Wait "A page that asks whether you are human came instead of the content.";
    ErrorPage "error-page" Wait "An error message with status 200 came instead of the content.";
    SameForAll "same-for-all" Wait "The site gives the same page for every address, so it cannot be told what became of this one.";
    NotAsked "not-asked" Nothing "The site's own list says that it did not change since the last look, so it was not fetched.";
    // File servers, news servers and folders
    NotListed "not-listed" Nothing "The complete listing of the folder no longer contains it.";
    EmptyRoot "empty-root" ChangeTheProject "The folder that the project begins with no longer contains any files, as if a disk were not mounted; --believe-empty confirms that it is empty.";
    Expired "expired" Nothing "The server no longer keeps it because of its age; nobody withdrew it.";
    NoSuchFile "no-such-file" Nothing "The server says that there is no such file or folder.";
    AccessDenied "access-denied" ChangeTheProject "The server or the file system refuses to show it.";
    LoginRefused "login-refused" ChangeTheProject "The server refuses the login.";
    ServerBusy "server-busy" Wait "The server has no room for another connection, or ends this one.";
    BadReply "bad-reply" TellTheSite "The server's reply does not follow its protocol.";
    SizeMismatch "size-mismatch" Wait "What came is not as long as the server says.";
    ChangedWhileRead "changed-while-read" Wait "The file was written while it was read; what came may be half old, half new.";
    ListingCut "listing-cut" Wait "The folder could not be listed whole; nothing in it is called gone.";
    NoEncryption "no-encryption" ChangeTheProject "The server does not encrypt what was to be encrypted.";
    HostKeyUnknown "host-key-unknown" ChangeTheProject "The server's key was never seen before; pin it if it is the right one.";
    HostKeyChanged "host-key-changed" ChangeTheProject "The server's key is not the one it had; it may be another server.";
    NotReached "not-reached" ChangeTheProject "No step of the project led to it in this run, and nothing else leads there.";
    // Redirects
    Moved "moved" Nothing "The address now leads elsewhere.";
    RedirectLoop "redirect-loop" TellTheSite "The redirects lead back to where they began.";
    TooManyRedirects "too-many-redirects" TellTheSite "The chain of redirects is longer than the limit.";
    BadRedirect "bad-redirect" TellTheSite "The redirect has no usable target.";
    RedirectScheme "redirect-scheme" Nothing "The redirect leads to a scheme that is not followed; it is kept as a link.";
    // Our own manners and rules
    RobotsDenied "robots-denied" Nothing "robots.txt asks us not to fetch this.";
    RobotsUnreachable "robots-unreachable" Wait "robots.txt could not be read, so nothing on this host is fetched.";
    NoIndex "noindex" Nothing "The page asks not to be kept (robots meta or X-Robots-Tag).";
    OutOfScope "out-of-scope" ChangeTheProject "The URL is outside the scope.";
    RuleDenied "rule-denied" ChangeTheProject "A rule of the project denies this URL.";
    NotKept "not-kept" ChangeTheProject "Every step that reaches the page has `keep = false`: it is only the way to others.";
    UnwantedType "unwanted-type" ChangeTheProject "The project does not take documents of this type.";
    UrlTooLong "url-too-long" TellTheSite "The URL is longer than the limit.";
    TooDeep "too-deep" ChangeTheProject "The page is deeper than the depth limit.";
    LimitPages "limit-pages" ChangeTheProject "The limit on pages was reached.";
    SiteLeft "site-left" ChangeTheProject "The library left the site: its share was used up, or it gave nothing more.";
    FolderPaused "folder-paused" Nothing "The library passed the folder over: it gave nothing so far.";
    LimitBytes "limit-bytes" ChangeTheProject "The limit on bytes was reached.";
    LimitTime "limit-time" ChangeTheProject "The limit on time was reached.";
    LimitSitemaps "limit-sitemaps" TellTheSite "The host names more sitemaps than the limit; the others were not read.";
    HostPaused "host-paused" Wait "The host asked for a pause longer than this run; its pages are fetched next time.";
    // Traps
    TrapRepeating "trap-repeating" Nothing "Path segments repeat: a link that appends to itself.";
    TrapParameters "trap-parameters" Nothing "The query has more parameters than any honest page.";
    TrapDepth "trap-depth" Nothing "The path is deeper than any honest page.";
    TrapCopies "trap-copies" Nothing "URLs of this shape keep giving the same content.";
    TrapGrowth "trap-growth" Nothing "URLs of this shape multiply without end.";
    TrapCalendar "trap-calendar" Nothing "Dates in the URL go on beyond the site's content.";
    View "view" Nothing "Another view of a page that is kept, in another order or for another purpose: they are one document.";
    AsBefore "as-before" Nothing "It led elsewhere or had an unwanted type when it was last fetched; it is tried again now and then.";
    ScriptLink "script-link" Nothing "An address in a script, a comment or a form, of a kind that led nowhere; it was not fetched.";
    TrapBudget "trap-budget" ChangeTheProject "The host used up its budget of pages.";
    // Reading
    XmlTooComplex "xml-too-complex" TellTheSite "The XML nests or multiplies beyond its limits.";
    ParserFailed "parser-failed" TellTheSite "The parser failed on the page; the bytes are kept.";
    // Documents: PDF, office formats, books
    DocumentLocked "document-locked" TellTheSite "The document is protected with a password, so its text cannot be read; the bytes are kept.";
    DocumentDamaged "document-damaged" TellTheSite "The document is damaged, so its text cannot be read; the bytes are kept.";
    DocumentNoText "document-no-text" Nothing "The document contains no text: it is empty, or its pages are pictures.";
    DocumentUnknown "document-unknown" Nothing "The format of the document is not supported; the bytes are kept.";
    DocumentTooLarge "document-too-large" TellTheSite "The document grows past the limits of memory, entries or text when it is read.";
    DocumentToolMissing "document-tool-missing" Nothing "Reading the document needs a program that is not installed here; the detail names it.";
    DocumentTimeout "document-timeout" TellTheSite "Reading the document took longer than the limit.";
    DocumentCrashed "document-crashed" TellTheSite "The process that reads the document crashed; nothing else was affected.";
    // Our own side
    CutShort "cut-short" Wait "The run was stopped before this was fetched.";
    AddressUnreadable "address-unreadable" Nothing "The stored address cannot be read, so it could not be fetched; `gleaner verify` says more.";
    VersionDamaged "version-damaged" Nothing "The stored version cannot be read, so changes cannot be detected; `gleaner verify` shows the damage.";
    Lost "lost" Wait "The stored bytes are damaged or missing; the next run fetches them again.";
    UnknownReason "unknown-reason" Nothing "A newer version of Gleaner noted a reason that this one does not know.";
}

impl Reason {
    /// A reason by its stored code, which a newer version may have written.
    pub fn stored(code: &str) -> Reason {
        Reason::parse(code).unwrap_or(Reason::UnknownReason)
    }

    /// The reason for an HTTP status that is not a success.
    pub fn of_status(status: u16) -> Reason {
        match status {
            401 => Reason::HttpUnauthorized,
            403 => Reason::HttpForbidden,
            404 => Reason::HttpNotFound,
            410 => Reason::HttpGone,
            429 => Reason::HttpTooMany,
            503 => Reason::HttpUnavailable,
            400..=499 => Reason::HttpClient,
            500..=599 => Reason::HttpServer,
            _ => Reason::BadStatus,
        }
    }

    /// The trap rules left it out, or what they learned did.
    pub fn is_trap(self) -> bool {
        matches!(
            self,
            Reason::TrapRepeating
                | Reason::TrapParameters
                | Reason::TrapDepth
                | Reason::TrapCopies
                | Reason::TrapGrowth
                | Reason::TrapCalendar
                | Reason::View
                | Reason::ScriptLink
        )
    }

    /// Worth another try within the same run.
    pub fn is_passing(self) -> bool {
        let is_for_the_next_run = matches!(
            self,
            Reason::CutShort
                | Reason::Lost
                | Reason::HostPaused
                | Reason::Blocked
                | Reason::ErrorPage
                | Reason::SameForAll
        );
        self.remedy() == Remedy::Wait && !is_for_the_next_run
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_read_back() {
        let mut seen = HashSet::new();
        for &reason in Reason::ALL {
            assert!(seen.insert(reason.code()), "code used twice: {reason}");
            assert_eq!(Reason::parse(reason.code()), Some(reason));
            assert_eq!(Reason::stored(reason.code()), reason);
        }
        assert_eq!(Reason::stored("of-next-year"), Reason::UnknownReason);
    }

    #[test]
    fn gone_is_never_taken_from_a_passing_failure() {
        for status in [400, 401, 403, 429, 500, 502, 503, 504] {
            assert!(!matches!(
                Reason::of_status(status),
                Reason::HttpNotFound | Reason::HttpGone
            ));
        }
    }
}
