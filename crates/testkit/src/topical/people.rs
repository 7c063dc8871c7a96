//! Who writes? Made-up people.

use crate::sessions::Random;

const FIRST: &[&str] = &[
    "Alice", "Amit", "Anna", "Bruno", "Carla", "Chen", "David", "Elena", "Erik", "Fatima", "Georg", "Hanna",
    "Igor", "Ines", "James", "Julia", "Kenji", "Laura", "Lukas", "Maria", "Martin", "Mei", "Nadia", "Olaf",
    "Paulo", "Petra", "Rahul", "Rosa", "Samuel", "Sofia", "Stefan", "Tamara", "Thomas", "Ursula", "Viktor",
    "Wei", "Yusuf", "Zoe",
];
const LAST: &[&str] = &[
    "Abbott", "Almeida", "Andersen", "Bakker", "Becker", "Bianchi", "Brandt", "Carvalho", "Clarke", "Costa",
    "Dubois", "Eriksson", "Farkas", "Ferrari", "Fischer", "Garcia", "Gupta", "Haas", "Hansen", "Huang",
    "Ivanov", "Jansen", "Johnson", "Kaur", "Keller", "Kim", "Kowalski", "Kumar", "Larsen", "Lehmann",
    "Lopez", "Marino", "Meyer", "Mishra", "Moreau", "Nakamura", "Nielsen", "Novak", "Okafor", "Olsen",
    "Parker", "Pereira", "Petrov", "Ricci", "Roberts", "Rossi", "Santos", "Sato", "Schmidt", "Silva",
    "Singh", "Tanaka", "Taylor", "Vogel", "Wagner", "Walker", "Wang", "Weber", "Wilson", "Yamada", "Young",
    "Zhang", "Zimmer",
];
const PLACES: &[&str] = &[
    "Ahlen",
    "Brennfeld",
    "Castleford",
    "Dunmore",
    "Eastbrook",
    "Farnham",
    "Glenrock",
    "Hollin",
    "Ivybridge",
    "Jarrow",
    "Kelham",
    "Lindau",
    "Marwick",
    "Norwood",
    "Oakridge",
    "Penrith",
    "Quarrington",
    "Ravensby",
    "Stoneham",
    "Tilbury",
    "Upton",
    "Valmont",
    "Westerly",
    "Yarmley",
];

pub(super) fn surname(random: &mut Random) -> &'static str {
    LAST[random.within(0, LAST.len() - 1)]
}

pub(super) fn person(random: &mut Random) -> String {
    format!("{} {}", random.pick(FIRST), random.pick(LAST))
}

pub(super) fn place(random: &mut Random) -> &'static str {
    PLACES[random.within(0, PLACES.len() - 1)]
}
