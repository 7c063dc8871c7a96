//! Is this type of document wanted? (A6)
//!
//! In: the groups a project takes, then the group of one document, told by its extension before the request or by its
//! header before the body. Which extension and media type belong to which group is the parse room's knowledge.

use gleaner_model::Project;
use gleaner_model::project::TypeGroup;

/// The wanted groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    bits: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeVerdict {
    Take,
    /// Not kept as a document, but read for its links: a project that takes only PDF still walks over HTML.
    PassThrough,
    Refuse,
}

impl Wanted {
    pub fn new(groups: &[TypeGroup]) -> Wanted {
        Wanted {
            bits: groups.iter().fold(0, |bits, group| bits | bit(*group)),
        }
    }

    /// What a project keeps; with requisites also what its pages need to look as they do.
    pub fn of(project: &Project) -> Wanted {
        let mut groups = project.types.clone();
        if project.requisites {
            groups.extend([TypeGroup::Assets, TypeGroup::Images]);
        }
        Wanted::new(&groups)
    }

    /// Of them, those that are parts of pages and no pages themselves.
    #[must_use]
    pub fn parts(self) -> Wanted {
        let parts = [
            TypeGroup::Assets,
            TypeGroup::Images,
            TypeGroup::Audio,
            TypeGroup::Video,
        ];
        Wanted {
            bits: self.bits & Wanted::new(&parts).bits,
        }
    }

    pub fn takes(self, group: TypeGroup) -> bool {
        self.bits & bit(group) != 0
    }

    /// Before the request. An extension is a hint only: without a known one the header must tell.
    pub fn by_extension(self, group: Option<TypeGroup>) -> TypeVerdict {
        group.map_or(TypeVerdict::Take, |group| self.decide(group))
    }

    /// After the response header, before the body.
    pub fn decide(self, group: TypeGroup) -> TypeVerdict {
        match group {
            group if self.takes(group) => TypeVerdict::Take,
            TypeGroup::Html => TypeVerdict::PassThrough,
            _ => TypeVerdict::Refuse,
        }
    }
}

fn bit(group: TypeGroup) -> u16 {
    1 << group as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_what_is_not_wanted_costs_no_download() {
        let wanted = Wanted::new(&[TypeGroup::Documents]);
        assert_eq!(wanted.by_extension(Some(TypeGroup::Documents)), TypeVerdict::Take);
        assert_eq!(wanted.by_extension(Some(TypeGroup::Video)), TypeVerdict::Refuse);
        assert_eq!(
            wanted.by_extension(Some(TypeGroup::Html)),
            TypeVerdict::PassThrough
        );
        assert_eq!(
            wanted.by_extension(None),
            TypeVerdict::Take,
            "only the header can tell"
        );
        for group in TypeGroup::ALL {
            assert!(Wanted::new(&TypeGroup::ALL).takes(group));
            assert!(!Wanted::new(&[]).takes(group));
        }
    }
}
