//! The words of which dates are made: names of months and of days of the week, in the languages that most pages speak.
//!
//! One table for all rooms. Calendars cut the names of months short in many ways (`Sept`, `janv`, `Okt`), so the beginning
//! of one counts too; beginnings of days are common words (`son`, `die`), so those in use are listed. Nobody is asked which
//! language a page speaks: a word that means two months in two languages is the first of them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A beginning of a month's name has so many letters at least.
const LETTERS_MIN: usize = 3;

/// By month, in lower case. Cases that differ from the beginning on stand by themselves (`maja`, `мая`), and so do
/// shortenings that are no beginnings (`mrz`).
const MONTHS: [&str; 12] = [
    "january januar januari jänner janvier enero janeiro gennaio styczeń stycznia leden ledna január \
     ianuarie январь января січень січня ocak tammikuu",
    "february februar februari februára feber février fevrier febrero fevereiro febbraio luty lutego únor \
     února februarie февраль февраля лютий лютого şubat helmikuu",
    "march märz maerz mrz mars marts maart mrt marzo março marco marzec marca březen března marec martie \
     март марта березень березня maaliskuu",
    "april avril abril aprile kwiecień kwietnia duben dubna apríl április aprilie апрель апреля квітень \
     квітня nisan huhtikuu",
    "may mai mayo maio maggio mei maj maja květen května máj мая май травень травня mayıs toukokuu",
    "june juni juin junio junho giugno czerwiec czerwca červen června jún júna június iunie июнь июня \
     червень червня haziran kesäkuu",
    "july juli juillet julio julho luglio lipiec lipca červenec července júl júla július iulie июль июля \
     липень липня temmuz heinäkuu",
    "august augustus augusti août aout agosto sierpień sierpnia srpen srpna augusta augusztus август \
     августа серпень серпня ağustos elokuu",
    "september septembre septiembre setiembre setembro settembre wrzesień września září septembra \
     szeptember septembrie сентябрь сентября вересень вересня eylül syyskuu",
    "october oktober octobre octubre outubro ottobre październik października říjen října október \
     octombrie октябрь октября жовтень жовтня ekim lokakuu",
    "november novembre noviembre novembro listopad listopada novembra noiembrie ноябрь ноября kasım \
     marraskuu",
    "december dezember décembre decembre diciembre dezembro dicembre grudzień grudnia prosinec prosince \
     decembra decembrie декабрь декабря грудень грудня aralık joulukuu",
];

/// From Monday on, in lower case.
const WEEKDAYS: [&str; 7] = [
    "monday mon montag lundi lunes lunedì lun segunda maandag måndag mandag",
    "tuesday tue tues dienstag mardi martes martedì terça dinsdag tisdag tirsdag",
    "wednesday wed mittwoch mercredi mer miércoles miercoles mié mercoledì quarta woensdag onsdag",
    "thursday thu thur thurs donnerstag jeudi jeu jueves jue giovedì gio quinta donderdag torsdag",
    "friday fri freitag vendredi ven viernes vie venerdì sexta vrijdag fredag",
    "saturday sat samstag sonnabend samedi sam sábado sabado sáb sabato zaterdag lördag lørdag",
    "sunday sun sonntag dimanche dim domingo dom domenica zondag söndag søndag",
];

/// Days of the week in the heads of calendars.
const DAYS_OF_TWO_LETTERS: [&str; 12] = [
    "mo", "tu", "we", "th", "fr", "sa", "su", "di", "mi", "do", "so", "lu",
];

static MONTH_OF: LazyLock<HashMap<&'static str, i64>> = LazyLock::new(|| {
    let names = numbered(&MONTHS);
    let mut months = HashMap::new();
    for (name, month) in &names {
        for (end, _) in name.char_indices().skip(LETTERS_MIN) {
            let known = months.entry(&name[..end]).or_insert(*month);
            *known = (*known).min(*month);
        }
    }
    months.extend(names);
    months
});

static WEEKDAY_OF: LazyLock<HashMap<&'static str, i64>> = LazyLock::new(|| numbered(&WEEKDAYS));

fn numbered(table: &[&'static str]) -> HashMap<&'static str, i64> {
    let rows = (1..).zip(table);
    rows.flat_map(|(number, names)| names.split(' ').map(move |name| (name, number)))
        .collect()
}

/// The month that a word names, from 1 on.
pub fn month_of(word: &str) -> Option<i64> {
    MONTH_OF.get(word.to_lowercase().as_str()).copied()
}

/// The day of the week that a word names, from 1 for Monday on; not those of two letters.
pub fn weekday_of(word: &str) -> Option<i64> {
    WEEKDAY_OF.get(word.to_lowercase().as_str()).copied()
}

/// Whether a word names a month or a day of the week, and be it in two letters.
pub fn is_month_or_day(word: &str) -> bool {
    let word = word.to_lowercase();
    MONTH_OF.contains_key(word.as_str())
        || WEEKDAY_OF.contains_key(word.as_str())
        || DAYS_OF_TWO_LETTERS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_and_days_are_known_whole_and_cut_short() {
        for (word, month) in [
            ("May", 5),
            ("Sept", 9),
            ("janv", 1),
            ("FÉVR", 2),
            ("Okt", 10),
            ("dez", 12),
            ("ago", 8),
            ("października", 10),
            ("мая", 5),
            ("янв", 1),
            ("mrz", 3),
            ("Juni", 6),
            ("juil", 7),
        ] {
            assert_eq!(month_of(word), Some(month), "{word}");
        }
        for word in ["", "ma", "maybe", "marble", "decide", "augment", "12"] {
            assert_eq!(month_of(word), None, "{word}");
        }
        assert_eq!(weekday_of("Thurs"), Some(4));
        assert_eq!(weekday_of("sonnabend"), Some(6));
        assert!(is_month_or_day("Mo") && is_month_or_day("jue") && !is_month_or_day("son"));
    }
}
