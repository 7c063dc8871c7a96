use super::*;

const XML: &str = r#"<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="http://v.test/1">
    <skos:prefLabel xml:lang="en">web archiving</skos:prefLabel>
    <skos:altLabel xml:lang="en">archiving of the web</skos:altLabel>
    <skos:prefLabel xml:lang="de">Webarchivierung</skos:prefLabel>
  </skos:Concept>
  <rdf:Description rdf:about="http://v.test/2"><skos:prefLabel>R&amp;D</skos:prefLabel></rdf:Description>
</rdf:RDF>"#;

const TURTLE: &str = r#"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://v.test/1> a skos:Concept ;
    skos:prefLabel "Webarchivierung"@de, "web archiving"@en ;
    skos:altLabel "archiving of the web"@en .
"#;

fn tagged(vocabulary: &Vocabulary, text: &str, code: &str) -> Vec<(String, usize)> {
    let finder = vocabulary.tagger(Analyser::of(code));
    finder
        .tags(text)
        .into_iter()
        .map(|tag| (tag.term.id.clone(), tag.passages.len()))
        .collect()
}

#[test]
fn plain_lines_and_skos_name_the_same_term() {
    let text = "Web archives are made by web archiving. The archiving of the Web is old.";
    for (source, id) in [
        (XML, "http://v.test/1"),
        (TURTLE, "http://v.test/1"),
        ("# terms\nweb archiving\tarchiving of the web\n", "web archiving"),
    ] {
        let vocabulary = Vocabulary::read(source).expect("a vocabulary");
        assert_eq!(vocabulary.terms[0].name, "web archiving");
        assert_eq!(tagged(&vocabulary, text, "en"), [(id.to_owned(), 3)], "{source}");
    }
}

#[test]
fn names_of_another_language_are_not_looked_for() {
    let vocabulary = Vocabulary::read(XML).expect("a vocabulary");
    assert_eq!(
        tagged(&vocabulary, "Die Webarchivierung ist alt.", "de"),
        [("http://v.test/1".to_owned(), 1)]
    );
    assert_eq!(tagged(&vocabulary, "Die Webarchivierung ist alt.", "en"), []);
    assert_eq!(vocabulary.terms[1].name, "R&D");
}

#[test]
fn the_longer_name_counts_and_a_comma_parts_words() {
    let vocabulary = Vocabulary::read("neural network\nnetwork\nneural").expect("a vocabulary");
    assert_eq!(
        tagged(&vocabulary, "Neural networks.", "en"),
        [("neural network".to_owned(), 1)]
    );
    assert_eq!(
        tagged(&vocabulary, "Neural, networks.", "en"),
        [("network".to_owned(), 1), ("neural".to_owned(), 1)]
    );
}

#[test]
fn a_broken_vocabulary_is_named_with_its_line() {
    let broken = Vocabulary::read(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<http://v.test/1> skos:prefLabel \"open",
    );
    assert!(
        matches!(
            broken,
            Err(VocabularyError::Format {
                format: "Turtle",
                line: 2,
                ..
            })
        ),
        "{broken:?}"
    );
    assert_eq!(Vocabulary::read("\n# nothing\n"), Err(VocabularyError::Empty));
}
