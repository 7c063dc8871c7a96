//! A site that stays as it is: no track calls anything new, changed or gone, however odd its addresses are.

mod applications;
mod blog;
mod copies;
mod drawn;
mod in_vain;
mod listings;
mod sites;
mod slashes;

use super::prose;
