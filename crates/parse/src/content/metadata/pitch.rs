//! What titles say to who looks through results of a search, and no page says of itself: `Start for free`, `Shop …`.

use super::site::plain;

/// Calls that stand alone behind a border.
const CALLS: &[&str] = &[
    "acheter en ligne",
    "achat en ligne",
    "book now",
    "book online",
    "buy now",
    "buy online",
    "comprar online",
    "free delivery",
    "free download",
    "free shipping",
    "free trial",
    "get a free quote",
    "get started",
    "get started for free",
    "get started free",
    "gratis testen",
    "gratis versand",
    "hier bestellen",
    "jetzt bestellen",
    "jetzt kaufen",
    "jetzt online kaufen",
    "kostenlos testen",
    "learn more",
    "livraison gratuite",
    "online bestellen",
    "online kaufen",
    "online kopen",
    "order now",
    "order online",
    "request a demo",
    "shop now",
    "shop online",
    "sign up",
    "sign up for free",
    "sign up free",
    "start for free",
    "start free",
    "start your free trial",
    "try for free",
    "try free",
    "try it for free",
    "try it free",
    "try now",
];
/// Verbs that call the reader to what the page shows.
const VERBS: &[&str] = &[
    "browse",
    "discover",
    "explore",
    "shop",
    "entdecke",
    "entdecken",
    "découvrez",
    "descubre",
    "ontdek",
    "scopri",
];
/// Words by which a name goes on with what it is for or where it is.
const JOINING: &[&str] = &[
    "at", "by", "for", "from", "in", "on", "to", "with", "aus", "bei", "für", "im", "mit", "von", "zum",
    "zur", "avec", "chez", "dans", "pour", "con", "en", "para", "per", "bij", "met", "voor", "com", "em",
];

/// A call and nothing else.
pub(super) fn is_call(part: &str) -> bool {
    CALLS.contains(&plain(part).as_str())
}

/// A title that calls the reader to what another one names: `Shop headphones` beside `All headphones`.
pub(super) fn calls_to(title: &str, other: &str) -> bool {
    let (title, other) = (plain(title), plain(other));
    let Some((verb, rest)) = title.split_once(' ') else {
        return false;
    };
    let is_shared = |word: &str| word.chars().count() >= 4 && other.split(' ').any(|one| one == word);
    VERBS.contains(&verb) && !other.starts_with(verb) && rest.split(' ').any(is_shared)
}

pub(super) fn joins(word: &str) -> bool {
    JOINING.contains(&word.to_lowercase().as_str())
}
