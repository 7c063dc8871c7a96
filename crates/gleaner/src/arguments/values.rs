//! Texts of the command line that are more than words: read here, with a sentence for what cannot be read.

use std::net::IpAddr;

pub(super) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 is needed".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("a whole number is needed".to_owned()),
    }
}

/// Seconds to wait: more than none, and not for ever.
pub(super) fn patience(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed, such as 2.5".to_owned()),
    }
}

/// What can stand in a header field.
pub(super) fn field_text(text: &str) -> Result<String, String> {
    if text.contains(|c: char| c.is_control()) {
        return Err("it goes into a header field: no line breaks, no control characters".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn option(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| name.contains('.'));
    let (name, value) = pair.ok_or("write it as PROTOCOL.NAME=VALUE, for example ftp.active=yes")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn resolve(text: &str) -> Result<(String, Vec<IpAddr>), String> {
    let wrong = || "HOST=ADDRESS[,ADDRESS] is needed, such as example.test=127.0.0.1".to_owned();
    let (host, addresses) = text.split_once('=').ok_or_else(wrong)?;
    let addresses = addresses
        .split(',')
        .map(str::parse)
        .collect::<Result<Vec<IpAddr>, _>>()
        .map_err(|_| wrong())?;
    Ok((host.to_ascii_lowercase(), addresses))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        assert_eq!(patience("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", "long"] {
            assert!(patience(wrong).is_err(), "{wrong}");
        }
        assert!(field_text("a\r\nb").is_err());
    }
}
