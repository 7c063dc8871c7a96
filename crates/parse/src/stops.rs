//! Where does a text go on with something to look at? In: a table of the bytes that a scanner stops at. Out: the place of the
//! first.
//!
//! Most of a style sheet or script is none of them, so eight bytes are asked about together.

pub(crate) fn first(stops: &[bool; 256], bytes: &[u8]) -> Option<usize> {
    let is_stop = |byte: &u8| stops[usize::from(*byte)];
    let (eights, _) = bytes.as_chunks::<8>();
    let holds_none = |eight: &&[u8; 8]| !eight.iter().fold(false, |any, byte| any | is_stop(byte));
    let passed = 8 * eights.iter().take_while(holds_none).count();
    bytes[passed..].iter().position(is_stop).map(|at| passed + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_found_wherever_it_stands() {
        let mut stops = [false; 256];
        (stops[usize::from(b'/')], stops[usize::from(b'(')]) = (true, true);
        for length in 0..40 {
            let plain = vec![b'x'; length];
            assert_eq!(first(&stops, &plain), None);
            for at in 0..length {
                let mut text = plain.clone();
                (text[length - 1], text[at]) = (b'(', b'/');
                assert_eq!(first(&stops, &text), Some(at), "{length}");
            }
        }
    }
}
