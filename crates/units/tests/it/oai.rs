//! Repositories that answer badly.

use crate::script::{Server, settings};
use gleaner_model::{Clock, Reason, Url};
use gleaner_units::{Ask, Http, ListingEnd, ListingEntry, Oai, OaiSettings, Unit};
use std::sync::Arc;
use std::time::Duration;

fn answer(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">{inside}</OAI-PMH>"
    )
}

fn record(identifier: &str) -> String {
    format!(
        "<record><header><identifier>{identifier}</identifier><datestamp>2020-01-01</datestamp></header></record>"
    )
}

fn said(status: &str, head: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{head}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Answers the questions in turn, the last answer for ever; what a list of it gives.
async fn list(answers: Vec<String>) -> (Vec<ListingEntry>, ListingEnd, Vec<String>) {
    let answers = Arc::new(answers);
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let server = Server::start(move |mut visit| {
        let (answers, next) = (Arc::clone(&answers), Arc::clone(&next));
        async move {
            while visit.request().await.is_some() {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                if !visit.send(&answers[at.min(answers.len() - 1)]).await {
                    return;
                }
            }
        }
    })
    .await;
    let settings = settings();
    let clock: Arc<dyn Clock> = Arc::clone(&settings.net.clock);
    let oai = OaiSettings {
        delay: Duration::ZERO,
        ..OaiSettings::default()
    };
    let unit = Oai::on(Arc::new(Http::new(settings).unwrap()), clock, oai);
    gleaner_units::registry::announce();
    let url = Url::parse(&format!("oai://{}/oai/", server.address)).unwrap();
    let mut entries = Vec::new();
    let end = unit
        .list(&Ask::of(url), &mut |entry| {
            entries.push(entry);
            true
        })
        .await
        .unwrap();
    (entries, end, server.requests())
}

fn part(end: &ListingEnd) -> &str {
    match end {
        ListingEnd::Part { detail } => detail,
        other => panic!("expected a part: {other:?}"),
    }
}

fn page(records: &str, token: &str) -> String {
    said(
        "200 OK",
        "",
        &answer(&format!("<ListRecords>{records}{token}</ListRecords>")),
    )
}

#[tokio::test]
async fn a1_a_list_is_whole_only_when_it_came_to_its_end() {
    let token = "<resumptionToken>next &amp; more</resumptionToken>";
    let (entries, end, requests) = list(vec![
        page(&record("oai:a:1"), token),
        page(&record("oai:a:2"), ""),
    ])
    .await;
    assert_eq!(entries.len(), 2);
    assert!(matches!(end, ListingEnd::Whole), "{end:?}");
    assert!(
        requests[0].contains("/oai?verb=ListRecords&metadataPrefix=oai_dc "),
        "{}",
        requests[0]
    );
    assert!(
        requests[1].contains("resumptionToken=next+%26+more"),
        "{}",
        requests[1]
    );

    // The same page for ever.
    let (entries, end, _) = list(vec![page(&record("oai:a:1"), token)]).await;
    assert_eq!((entries.len(), part(&end)), (2, "the same page again and again"));
    // A token that the server does not know any more.
    let error = said(
        "200 OK",
        "",
        &answer("<error code=\"badResumptionToken\">expired</error>"),
    );
    let (_, end, _) = list(vec![page(&record("oai:a:1"), token), error]).await;
    assert_eq!(part(&end), "badResumptionToken: expired");
    // Fewer than the server speaks of.
    let size = "<resumptionToken completeListSize=\"9\"/>";
    let (_, end, _) = list(vec![page(&record("oai:a:1"), size)]).await;
    assert_eq!(part(&end), "the server speaks of 9 records and listed 1");
    let (_, end, _) = list(vec![page(&record(""), "")]).await;
    assert_eq!(part(&end), "1 records have no identifier");
}

#[tokio::test]
async fn a1_an_empty_repository_is_whole_and_a_broken_one_is_unclear() {
    let none = said("200 OK", "", &answer("<error code=\"noRecordsMatch\"/>"));
    let (entries, end, _) = list(vec![none]).await;
    assert!(entries.is_empty() && matches!(end, ListingEnd::Whole), "{end:?}");
    let wrong = answer("<error code=\"badArgument\">no</error>");
    for (body, detail) in [
        (
            "<html><body>down</body></html>",
            "the answer is not one of OAI-PMH",
        ),
        (
            &wrong[..wrong.len() - "</OAI-PMH>".len()],
            "the answer ends in the middle",
        ),
        (wrong.as_str(), "badArgument: no"),
    ] {
        let (_, end, _) = list(vec![said("200 OK", "", body)]).await;
        let ListingEnd::Unclear(unclear) = end else {
            panic!("{body}: {end:?}")
        };
        assert_eq!(
            (unclear.reason, unclear.detail.as_str()),
            (Reason::BadReply, detail)
        );
    }
}

#[tokio::test]
async fn hc016_a_busy_repository_is_waited_for() {
    let busy = said("503 Busy", "Retry-After: 0\r\n", "");
    let moved = said("301 Moved", "Location: /oai/there\r\n", "");
    let (entries, end, requests) = list(vec![busy, moved, page(&record("oai:a:1"), "")]).await;
    assert_eq!(entries.len(), 1);
    assert!(matches!(end, ListingEnd::Whole), "{end:?}");
    assert!(
        requests[2].starts_with("GET /oai/there?verb=ListRecords&"),
        "{}",
        requests[2]
    );
}
