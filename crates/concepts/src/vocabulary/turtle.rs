//! SKOS as Turtle or N-Triples: the labels of everything that has some.

use oxrdf::{NamedOrBlankNode, Term as Value};
use oxttl::TurtleParser;

use super::rdf_xml::Labels;
use super::{Term, VocabularyError};

pub(super) fn read(text: &str) -> Result<Vec<Term>, VocabularyError> {
    let mut labels = Labels::default();
    for triple in TurtleParser::new().for_slice(text) {
        let triple = triple.map_err(|error| VocabularyError::Format {
            format: "Turtle",
            line: error.location().start.line as usize + 1,
            what: error.message().to_owned(),
        })?;
        let is_preferred = match triple.predicate.as_str().rsplit(['#', '/']).next() {
            Some("prefLabel") => true,
            Some("altLabel" | "hiddenLabel") => false,
            _ => continue,
        };
        let id = match &triple.subject {
            NamedOrBlankNode::NamedNode(node) => node.as_str().to_owned(),
            NamedOrBlankNode::BlankNode(node) => node.to_string(),
        };
        if let Value::Literal(label) = &triple.object {
            labels.add(
                id,
                is_preferred,
                label.value(),
                label.language().map(str::to_owned),
            );
        }
    }
    Ok(labels.terms())
}
