//! What does a page ask its reader for? A password, or a proof of being human: seen in its markup, never in its words.

/// What a page shows besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signs {
    pub asks_password: bool,
    pub asks_human: bool,
}

/// Marks of the services that tell people from programs.
const GUARDS: [&str; 8] = [
    "g-recaptcha",
    "h-captcha",
    "hcaptcha.com",
    "cf-turnstile",
    "cf-challenge",
    "challenge-platform",
    "challenge-form",
    "captcha-delivery.com",
];

impl Signs {
    pub fn of(body: &[u8]) -> Signs {
        let text = String::from_utf8_lossy(body).to_lowercase();
        let (mut asks_password, mut asks_human) = (false, false);
        for tag in tags(&text) {
            let is_field = tag.starts_with("input") || tag.starts_with("iframe") || tag.starts_with("form");
            asks_password |= tag.starts_with("input")
                && ["type=\"password\"", "type='password'", "type=password"]
                    .iter()
                    .any(|kind| tag.contains(kind));
            asks_human |= GUARDS.iter().any(|mark| tag.contains(mark)) || is_field && tag.contains("captcha");
        }
        Signs {
            asks_password,
            asks_human,
        }
    }
}

/// The insides of tags that could be signs.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|piece| {
        let tag = piece.split('>').next()?;
        let is_asking = ["input", "iframe", "form", "div", "script", "span", "section"]
            .iter()
            .any(|name| tag.starts_with(name));
        is_asking.then_some(tag)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc071_signs_of_walls() {
        assert!(Signs::of(b"<input TYPE='password' name=p>").asks_password);
        assert!(Signs::of(b"<div class=\"g-recaptcha\">").asks_human);
        assert!(Signs::of(b"<p>Type what you see</p><input name=\"captcha_code\">").asks_human);
        assert_eq!(Signs::of(b"<p>words</p>"), Signs::default());
    }

    #[test]
    fn case08_an_article_about_captchas_asks_for_none() {
        let article = b"<h1>Captchas: a history</h1><p>Are you a robot? A captcha asks to verify you are human, and a field of \
            type=password asks for more.</p><img src=\"/captcha.png\">";
        assert_eq!(Signs::of(article), Signs::default());
    }
}
