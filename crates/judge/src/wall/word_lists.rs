//! The words that messages of servers and sites are made of, by what they say. Lists only; what follows from them is for
//! [`super::words`] to say.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Single words, in lower case.
pub(super) type Words = LazyLock<HashSet<&'static str>>;

/// All words that messages are made of, those of phrases too: nearly every word of every title is asked for here.
pub(super) static KNOWN: Words = LazyLock::new(|| {
    let of_phrases = ABSENT
        .iter()
        .chain(WRONG_PHRASES)
        .flat_map(|phrase| phrase.split(' '));
    let single = WRONG.iter().chain(FILLING.iter()).copied();
    single.chain(of_phrases).collect()
});

fn words_in(text: &'static str) -> HashSet<&'static str> {
    text.split(' ').collect()
}

/// Words that say that something is wrong.
pub(super) static WRONG: Words = LazyLock::new(|| {
    words_in(
        "\
    error errors 404 403 410 500 502 503 504 unavailable maintenance forbidden denied suspended offline blocked \
    fehler wartung wartungsarbeiten erreur indisponible introuvable errore manutenzione mantenimiento manutenção \
    manutencao erro fout foutmelding onderhoud ошибка недоступен недоступна błąd przerwa fel underhåll fejl \
    vedligeholdelse chyba",
    )
});

/// The same in several words.
pub(super) const WRONG_PHRASES: &[&str] = &[
    "went wrong",
    "back soon",
    "back shortly",
    "right back",
    "be back",
    "just a moment",
    "under construction",
    "attention required",
    "one moment",
    "bad gateway",
    "too many requests",
    "checking your browser",
    "verify you are",
    "are you human",
    "are you a robot",
    "not available",
    "nicht verfügbar",
    "nicht erreichbar",
    "gleich zurück",
    "bald zurück",
    "schiefgelaufen",
    "volvemos pronto",
    "no disponible",
    "não disponível",
    "voltamos",
    "non disponibile",
    "niet beschikbaar",
    "de retour",
    "bientôt",
    "технические работы",
    "технических работ",
    "доступ запрещён",
    "доступ запрещен",
    "technical difficulties",
    "service temporarily",
];

/// Phrases that say that there is nothing.
pub(super) const ABSENT: &[&str] = &[
    "404",
    "410",
    "not found",
    "not be found",
    "not exist",
    "doesnt exist",
    "no longer exists",
    "no longer available",
    "no such page",
    "nothing here",
    "nothing found",
    "nicht gefunden",
    "existiert nicht",
    "gibt es nicht",
    "introuvable",
    "n existe",
    "nexiste",
    "non trouvée",
    "pas été trouvée",
    "no encontrada",
    "no encontrado",
    "no existe",
    "não encontrada",
    "não encontrado",
    "não existe",
    "non trovata",
    "non trovato",
    "non esiste",
    "niet gevonden",
    "bestaat niet",
    "не найдена",
    "не найден",
    "не существует",
    "nie znaleziona",
    "nie znaleziono",
    "nie istnieje",
    "hittades inte",
    "finns inte",
    "ikke fundet",
    "nenalezena",
];

/// What else stands in such messages, in the languages that most of them are written in.
pub(super) static FILLING: Words = LazyLock::new(|| {
    words_in(
        "\
    a about accessing access account address again all an and any anymore application are at available back bad be \
    been before browser but by can cannot cant checking code connect connecting connection construction content \
    could couldnt currently database deleted did difficulties do document does doesnt domain down due encountered \
    established establishing exist exists experiencing expired failed fatal few file find for found from gateway \
    general gone happened has have here http human if in internal is isnt it item its just later longer looking \
    many might minutes missing moment moved no not nothing occurred of on oops or our page pages permission \
    planned please post problem product record removed request requested requests required resource right robot \
    scheduled security server service shortly site something soon sorry status still such system technical \
    temporarily temporary that the there this time timed timeout to too topic try unable under unexpected \
    unfortunately unknown until uh oh url us verify was we web webpage website weve were well went while whoops \
    will with wrong yet you your youre attention check upgrade updating work working \
    aktuell anfrage angeforderte artikel auf bald beim da das dass datenbank datenbankverbindung der derzeit die \
    diese dieser dieses ein eine einen es existiert gefunden gewünschte gibt gleich hier im ihre interner ist \
    konnte kurze kürze leider mehr momentan nicht sein seite serverfehler sind unsere verfügbar verweigert \
    vorübergehend wartungsmodus webseite wegen werden wieder wir wird wurde zugriff zur zurück zurzeit erreichbar \
    accès au avez base ce cette cours de des demandée désolé données du en est et été existe interne la le les \
    maintenance momentanément nest n ne non nous pas plus pour recherchée refusé retour revenons se serveur sommes \
    temporairement trouvée une un vous d l \
    acceso acesso alla breve buscas con dados datos del denegado di disponibile disponible disponível el em \
    encontrada encontrado esiste esta está estamos este fue ha hemos interno lo los ma não negado nel o pagina \
    página por pronto que questa richiesta sentimos servicio servidor serviço servizio si siamo sito sitio stata \
    solicitada temporalmente temporaneamente temporariamente torneremo trovata trovato um una voltamos volvemos è \
    é \
    deze bestaat beschikbaar er even gevonden het kon niet op tijdelijk wegens werd worden zijn zo terug \
    временно доступ запрещен запрещён запрашиваемая извините к сожалению на найден найдена не обслуживании \
    обслуживание ресурс работы сайт сайте сервер сервера сервис страница существует техническое техническом \
    технические эта такой страницы нет \
    być nie strona strony serwera techniczna została znaleziona znaleziono istnieje sidan hittades inte finns \
    siden ikke fundet findes stránka nebyla nalezena serveru",
    )
});

/// Scripts that put no blanks between words: what stands in short headings.
pub(super) const UNSPACED: &[&str] = &[
    "見つかりません",
    "メンテナンス中",
    "エラー",
    "ご利用いただけません",
    "页面不存在",
    "未找到",
    "找不到",
    "维护中",
    "維護中",
    "服务器错误",
    "无法访问",
    "찾을 수 없습니다",
    "점검 중",
];

/// How texts begin that programs print when they break.
pub(super) const PROGRAM_ERRORS: &[&str] = &[
    "fatal error",
    "parse error",
    "warning: ",
    "notice: ",
    "uncaught ",
    "traceback (most recent call last)",
    "exception in ",
    "error establishing a database connection",
    "error: ",
    "internal server error",
    "unhandled exception",
    "server error in ",
    "could not connect to ",
];
