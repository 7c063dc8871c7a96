//! Honest pages that sound like errors, and servers that make it hard to tell.

use super::site::{Site, SiteRequest, framed_with};
use crate::hostile::{Reply, page, status};

/// A title, and a text of its own below it.
#[derive(Debug, Clone, Copy)]
pub struct Honest {
    pub title: &'static str,
    pub text: &'static str,
}

/// How a server answers addresses that it does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// 404.
    Plain,
    /// 200 with a page that says so.
    Soft,
    /// 200 with its start page.
    Start,
    /// It looks at the path alone; its links carry a query.
    IgnoresQuery,
    /// `/item/5/anything` is item 5.
    IgnoresName,
    /// All pages are one program: `/page.php?id=5`.
    Program,
}

pub const SERVERS: [Server; 6] = [
    Server::Plain,
    Server::Soft,
    Server::Start,
    Server::IgnoresQuery,
    Server::IgnoresName,
    Server::Program,
];

impl Server {
    /// The address of the n-th page.
    pub fn path(self, n: usize) -> String {
        match self {
            Server::Plain | Server::Soft | Server::Start => format!("/p/{n}.html"),
            Server::IgnoresQuery => format!("/p/{n}.html?ref=home"),
            Server::IgnoresName => format!("/item/{n}/about-it"),
            Server::Program => format!("/page.php?id={n}"),
        }
    }

    /// Which page an address means.
    pub fn page(self, target: &str) -> Option<usize> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let number = match self {
            Server::Plain | Server::Soft | Server::Start | Server::IgnoresQuery => {
                path.strip_prefix("/p/")?.strip_suffix(".html")?
            }
            Server::IgnoresName => path.strip_prefix("/item/")?.split('/').next()?,
            Server::Program => query.strip_prefix("id=").filter(|_| path == "/page.php")?,
        };
        number.parse().ok()
    }

    /// The answer where there is no page; `start` is the start page.
    pub fn absent(self, site: Site, start: &str) -> Reply {
        match self {
            Server::Soft | Server::Program => {
                let text = "<p>Sorry, there is no such page.</p>";
                page(framed_with(site, "Page not found", text, &["/"])).into()
            }
            Server::Start => page(start).into(),
            Server::Plain | Server::IgnoresQuery | Server::IgnoresName => status(404).into(),
        }
    }

    /// Whether this is the address of the start page.
    pub fn is_start(self, asked: &SiteRequest) -> bool {
        asked.target == "/"
    }
}

/// A table that reads as one.
macro_rules! honest {
    ($( $title:literal $text:literal; )*) => {
        pub const HONEST: &[Honest] = &[ $( Honest { title: $title, text: $text }, )* ];
    };
}

honest! {
    "Fiat 500 review" "A small car with a long history, and still the easiest thing to park in Turin.";
    "Error handling in Rust" "Results are values, and the question mark passes them on. Panics are for what cannot happen.";
    "Captchas: a history" "Are you a robot? In 1997 a search engine asked that for the first time, to keep programs from adding links.";
    "404 Not Found: a history of the error page" "The number comes from a table, not from a room at CERN, as a story has it.";
    "Maintenance of bicycles" "Oil the chain every month, look at the brakes, and keep the tyres hard.";
    "Forbidden Planet" "A film of 1956 with a robot called Robby and a score made of circuits.";
    "The 500 best albums" "A list that a magazine prints every few years, and that nobody agrees with.";
    "Access denied: doors in the Middle Ages" "Locks were rare and dear, so most doors were barred from inside.";
    "Room 404" "A hotel in Lyon has no room of that number, because guests took the plate.";
    "503 Squadron" "Formed in 1926 as a bomber squadron and disbanded twelve years later.";
    "Service unavailable on Sundays" "The ferry does not run on Sundays between October and March.";
    "Not found guilty" "The jury was out for nine minutes, and the baker went home.";
    "Lost and found" "Umbrellas are kept for a year, gloves for a month, and dogs for a day.";
    "Blocked drains and how to clear them" "Begin with hot water, then a plunger, then a spring.";
    "Under construction: the new bridge" "The piers stand, and the deck follows in spring.";
    "Welcome back, swallows" "They came on the ninth of April this year, two days early.";
    "Password managers compared" "Six programs that remember so that you need not, and what each of them costs.";
    "How to log in to the library" "Take your card to the desk once; after that the number on its back is enough.";
    "Sign in the window" "The sign said closed for ten years, and one day it was gone.";
    "Suspended sentences" "A judge may put a sentence off, and often does at the first offence.";
    "Suspended ceilings" "Hang the frame first, level it twice, and lay the tiles from the middle.";
    "Errors" "A short essay on mistakes that turned out well: penicillin, potato crisps and rubber.";
    "Maintenance" "Our workshop services boilers, pumps and lifts. Call us between eight and four.";
    "Offline first" "An application that works on a train works everywhere.";
    "The day the database was down" "A story from 1987 about a bank, a tape and a spilled cup of tea.";
    "Temporarily yours" "A novel about a typist who stays a week in each of forty offices.";
    "Domain for sale: the end of an estate" "The house, the wood and the two ponds are sold together.";
    "Cookies and how to bake them" "Butter, sugar, flour, and ten minutes at 180 degrees.";
    "Before you continue: a crossing guard's memoir" "He stopped the traffic at one corner for thirty years.";
    "Choose your language school" "Twelve schools in the city, with the hours and the fees of each.";
    "Index of prices" "Bread, milk and coal, from 1913 to 1923, month by month.";
    "It works! Confessions of an inventor" "The first forty lamps did not.";
    "Just a moment in time" "Photographs of one street corner at noon, a year long.";
    "Too many requests at the bar" "The band plays what it likes after eleven.";
    "Internal server" "The tennis term for a player who serves from inside the line, and why it is a fault.";
    "Bad Gateway" "A farm in Kent whose gate has fallen on three tractors.";
    "Unavailable light" "Photography at night without a flash, with long times and a steady hand.";
    "Gone" "A poem in four lines about a heron that was there.";
    "Nothing here but sand" "A walk of three days through the erg, with one well.";
    "Page not found in the archive" "Folio 12 of the chronicle was cut out before 1650, and we know by whom.";
    "Timeout" "In basketball each side may stop the clock five times.";
    "Exception to the rule" "Why English has sheep and sheep but not goat and goat.";
    "Fatal error at the summit" "What the report says about the rope, the weather and the hour.";
    "Parse error, he said" "A short play for two compilers.";
    "Wartung von Fahrrädern" "Die Kette wird jeden Monat geölt, und die Bremsen werden vor jeder Fahrt geprüft.";
    "Fehlerkultur im Betrieb" "Wer einen Fehler meldet, wird gelobt; wer ihn versteckt, versteckt den nächsten.";
    "Nicht gefunden, aber gesucht" "Die schönsten Kleinanzeigen eines langen Jahres.";
    "Fehler 404 und andere Zahlen" "Woher die Nummern kommen und was sie bedeuten.";
    "Zugriff verweigert: Bibliotheken im Krieg" "Viele Säle waren geschlossen, die Bücher lagen im Keller.";
    "Erreur de jeunesse" "Un film sur trois amis qui ouvrent un café au mauvais endroit.";
    "Introuvables: cent livres perdus" "Des titres que chacun cite et que personne n'a lus.";
    "La maintenance des orgues" "On accorde les tuyaux au printemps, quand la nef est tiède.";
    "Accès refusé aux chiens" "Les plages ouvertes et fermées, commune par commune.";
    "Error de cálculo" "La historia de un puente que quedó diez centímetros corto.";
    "Mantenimiento de jardines" "Podar en febrero, abonar en marzo, y regar al amanecer.";
    "No encontrado en los mapas" "Pueblos que existen y que nadie dibujó.";
    "Erro de português" "Um poema de Oswald de Andrade sobre a chegada e a chuva.";
    "Manutenção de barcos" "Lixar, pintar e esperar pelo bom tempo.";
    "Errori e orrori della lingua" "Piccolo catalogo di congiuntivi mancati.";
    "Onderhoud van molens" "De wieken worden elk voorjaar nagekeken, de stenen om de vijf jaar.";
    "Ошибка резидента" "Фильм 1968 года о разведчике, который вернулся слишком рано.";
    "Не найдено на карте" "Деревни, которые есть, хотя их никто не нарисовал.";
    "Błąd w sztuce" "O obrazach, które wiszą do góry nogami, i o tych, którzy tego nie widzą.";
    "メンテナンスの本" "自転車を長く使うための手入れについて、やさしく書かれた一冊です。";
    "维护城墙的人" "他们每天早上巡视城墙，修补石头之间的缝隙。";
    "Login-Skript für Schauspieler" "Ein Monolog in drei Akten über eine vergessene Rolle.";
    "The captcha of the Sphinx" "What goes on four legs in the morning? Verify that you are human, or be eaten.";
    "Robots at the gate" "Unusual traffic was reported when forty lawn mowers left the factory by themselves.";
    "Forbidden fruit" "Quinces, medlars and sloes: what to do with what nobody eats raw.";
    "Error" "A play in one act. A clerk looks for a missing penny and finds a friend.";
    "The page that was not there" "A detective story for children who like libraries.";
    "Back soon" "A film about a shopkeeper who left a note on his door in 1961.";
    "Security check at the airport" "Shoes off, belts off, and the toy sword of a boy of five.";
    "No results" "Our football team played nine matches this autumn, and all of them were drawn.";
    "Site under water" "The dig at the lake shore was flooded again, so we swam.";
    "Site suspended between two cliffs" "The chapel hangs from four chains over the river.";
    "Access" "By tram 4 to the last stop, then ten minutes on foot along the canal.";
    "Are you human? A questionnaire of 1964" "Forty questions for visitors of a fair, with the answers of the mayor.";
    "Verify you are at the right platform" "Trains to the north leave from below, trains to the south from above.";
    "Unexpected visitors" "An otter, two nuns and a tax inspector, all on one Tuesday.";
    "410 Gone" "A song about the tram line 410, which was closed in the summer.";
    "500" "The number of days that the expedition spent in the ice.";
    "502 Bad Street" "A house with three chimneys and no door, and the people who live in it.";
    "Welcome to nginx: a beginner's course" "Six evenings on web servers, in the school behind the church.";
    "For sale" "One pram, two skis and a piano that was tuned last year.";
    "This domain" "The lands of the abbey reached from the river to the ridge.";
    "Please wait" "A study of queues in post offices, with drawings.";
    "Checking your brakes" "Ride slowly, pull one lever, then the other, then both.";
    "Server not responding" "The waiter had fallen asleep behind the counter, and we let him.";
    "Connection lost" "Two letters that crossed the sea in 1912 and never met.";
    "Temporarily closed" "The bird hides of the marsh, with the months in which they are open.";
    "Sign in" "The first line of the guest book is by a king, the second by his cook.";
    "Seite nicht gefunden: Verlorene Blätter" "Aus dem Kodex fehlen drei Seiten, und wir wissen, welche.";
    "Service indisponible le dimanche" "Le bac ne passe pas le dimanche, sauf à la Saint-Jean.";
    "Cerrado por mantenimiento del órgano" "Los conciertos vuelven en mayo, con un programa nuevo.";
    "Zabezpieczenie przed powodzią" "Wały, pompy i ludzie, którzy czuwają nocą.";
    "Страница истории" "О том, как в городе появился первый трамвай.";
    "エラーの楽しみ" "失敗から生まれた料理を集めた小さな本です。";
}
