//! What every store promises, as tests that are written once and run on each of them.
//!
//! A promise is a plain function over a store that nothing was put into; its name says what is promised. The list below runs
//! each of them on every store there is.

mod lists;
mod on_sqlite;
mod pages;
mod random;

macro_rules! store_contract {
    ($($about:ident { $($promise:ident,)+ })+) => {
        mod memory {
            $(mod $about {
                $(#[test]
                fn $promise() {
                    let store = crate::MemoryStore::default();
                    crate::wait(crate::suite::$about::$promise(&store));
                })+
            })+
        }

        mod sqlite {
            $(mod $about {
                $(#[test]
                fn $promise() {
                    let opened = crate::suite::on_sqlite::Opened::new();
                    crate::wait(crate::suite::$about::$promise(opened.store()));
                })+
            })+
        }
    };
}

store_contract! {
    lists {
        robots_are_given_back_as_read_and_their_sitemaps_queued,
        a_guessed_sitemap_that_was_not_there_is_not_asked_for_again,
        pages_wait_for_a_list_until_it_is_read,
        nobody_waits_for_the_second_try_of_a_list,
        who_waits_for_an_index_waits_for_the_lists_it_names,
        pages_that_a_list_dates_are_given_with_their_last_look,
        a_page_behind_another_is_found_also_when_another_host_was_asked_between,
        a_page_that_its_site_vouches_for_is_done_with_unasked,
        a_page_that_failed_last_time_is_asked_whatever_its_list_says,
        lists_that_announce_enough_changes_are_trusted_until_they_deny_one,
        rounds_count_the_runs_of_one_project,
    }
}
