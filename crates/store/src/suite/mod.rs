//! What every store promises, as tests that are written once and run on each of them.
//!
//! A promise is a plain function over a store that nothing was put into; its name says what is promised. The list below runs
//! each of them on every store there is.

mod folders;
mod following;
mod leases;
mod libraries;
mod lists;
mod on_sqlite;
mod pages;
mod random;
mod reading;
mod runs;
mod scores;
mod settling;
mod sites;
mod steps;
mod tracking;
mod work;

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
    folders {
        b2_an_entry_under_its_old_stamp_is_as_it_was,
        b2_an_entry_with_another_stamp_or_none_is_asked_for,
        a_folder_that_comes_in_pieces_waits_until_the_last,
        a_folder_that_begins_anew_forgets_its_earlier_pieces,
        what_comes_after_the_end_of_a_folder_is_no_piece_of_it,
        files_of_a_folder_are_named_whether_taken_or_not,
    }
    following {
        changes_are_told_run_by_run_once_they_are_final,
        what_was_taken_back_before_the_end_is_never_told,
        a_run_that_goes_on_after_its_end_is_told_again,
        a_follower_goes_on_where_it_was,
    }
    leases {
        a_host_that_somebody_has_is_given_to_nobody_else,
        a_lease_that_lapsed_is_given_to_who_asks_next,
        a_lease_that_is_renewed_lives_on,
        a_host_that_was_released_is_given_at_once_as_it_was_left,
        of_two_states_for_one_lease_the_first_holds,
        hosts_without_rows_are_not_given_until_they_have_some,
        a2_hosts_of_later_steps_are_given_when_their_turn_has_come,
        a_page_of_a_lost_lease_changes_nothing_and_is_told,
        what_comes_after_the_time_is_kept_where_nobody_took_the_host,
        a_page_that_was_loaded_before_its_host_was_given_away_is_late,
        a_host_that_was_lost_is_not_given_up,
        a_run_is_finished_when_no_row_waits_and_no_lease_lives,
        each_run_has_leases_of_its_own,
        pages_that_are_kept_bring_their_hosts_to_be_given,
    }
    libraries {
        a_library_is_made_once_and_has_the_newest_settings,
        a_change_of_a_library_is_kept_whole_or_not_at_all,
        the_last_verdict_counts_and_the_others_are_remembered,
        what_was_learned_is_replaced_or_forgotten,
    }
    lists {
        robots_are_given_back_as_read_and_their_sitemaps_queued,
        a_guessed_sitemap_that_was_not_there_is_not_asked_for_again,
        a_guessed_sitemap_that_was_there_is_a_guess_no_more,
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
    reading {
        a_ledger_sees_what_was_kept_before_it_was_opened,
        held_answers_come_from_one_state,
        changes_come_in_pages_in_the_order_they_were_found,
        documents_say_whether_they_are_there,
        a_project_is_told_as_it_was_at_the_end_of_a_run,
        links_are_those_of_now_or_of_then,
        an_address_leads_to_where_its_redirect_led_then,
        content_is_what_was_sent_also_where_it_lay_there_before,
        an_extract_can_be_read_without_the_rest,
        versions_come_in_the_order_they_were_kept,
        what_is_not_there_is_named_as_such,
    }
    runs {
        a_project_is_made_once_and_has_the_newest_settings,
        a_new_name_holds_for_the_project_and_its_unfinished_run,
        a_project_that_never_ran_goes_and_one_that_ran_is_archived,
        no_run_starts_without_its_project,
        a_run_that_is_not_there_is_named_as_such,
        the_newest_run_that_is_not_finished_is_found,
        a_run_tells_how_it_ended_until_it_goes_on,
        settings_of_a_run_are_its_own,
        cookies_and_time_come_with_a_batch_and_cookies_go_with_the_run,
        the_time_of_a_run_comes_also_where_nothing_was_kept,
        a_run_is_counted_from_its_rows,
        a_track_that_was_cut_off_counts_what_it_has_not_asked_for,
        a_store_that_was_tidied_goes_on,
    }
    scores {
        a11_rows_come_by_step_and_then_by_score,
        a11_a_load_goes_on_behind_rows_with_and_without_a_score,
        a11_rows_that_are_scored_anew_come_in_their_new_order,
        a11_a_page_whose_score_changed_meanwhile_is_kept,
        a11_rows_of_a_host_that_was_lost_keep_their_scores,
        a11_hosts_are_given_with_the_score_of_their_best_row,
        a11_a_step_that_came_later_finds_the_score_of_the_row,
    }
    settling {
        candidates_come_in_the_order_they_were_found,
        a_document_that_moved_keeps_its_number_at_its_new_address,
        a_document_that_is_elsewhere_too_is_the_same,
        hosts_are_counted_where_not_all_is_as_it_was,
        a_version_that_was_none_is_taken_back_with_its_links,
        documents_of_a_host_that_is_away_are_not_gone,
        a_new_document_that_is_none_is_dropped,
        a_document_that_came_back_and_is_dropped_is_gone_again,
        b5_documents_that_no_way_leads_to_are_orphans_until_one_does,
        b5_what_a_sitemap_names_is_no_orphan,
        settled_runs_doubt_what_was_learned_but_not_what_a_person_said,
        numbers_of_what_left_are_never_given_again,
        documents_that_no_listing_named_are_judged_once,
        one_worker_settles_a_run_until_it_is_sealed_or_goes_on,
        a_redirect_of_the_root_leads_to_its_folder,
    }
    sites {
        addresses_of_a_domain_are_those_of_its_hosts,
        an_underscore_in_a_domain_is_only_that,
        rules_are_learned_unless_a_person_pinned_them,
        addresses_that_turn_out_to_be_one_stay_apart_under_the_first_key,
        noises_and_trap_memories_are_what_was_kept_last,
    }
    steps {
        a2_a_page_waits_for_all_steps_of_one_turn_in_one_row,
        a2_a_page_that_an_earlier_step_wants_moves_to_the_front,
        a2_a_step_that_came_while_a_page_was_on_its_way_gets_a_look_of_its_own,
        a2_an_answer_for_a_row_that_moved_queues_nothing,
        a2_what_a_step_names_is_never_asked_about,
        a2_a_refusal_holds_for_the_key_that_was_asked_about,
        a2_documents_are_looked_at_where_the_steps_come_in,
        a2_a_link_of_a_step_counts_also_where_the_page_was_asked_for_without_steps,
    }
    tracking {
        documents_come_in_the_order_of_their_numbers,
        documents_are_asked_listed_or_out,
        links_of_documents_come_with_their_targets,
        links_that_gave_no_document_are_asked_or_rest,
        what_a_run_took_up_otherwise_does_not_rest,
        others_of_the_last_run_are_what_is_no_document_and_no_trap,
        a_list_of_links_ends_with_the_run_that_finds_another,
        two_runs_may_take_turns_at_the_links_of_one_page,
    }
    work {
        what_a_run_begins_with_waits_once,
        rows_come_by_priority_and_then_by_discovery,
        a_load_gives_what_lies_behind_below_and_is_not_held,
        a_page_is_kept_with_its_links_and_its_row_goes,
        a_second_answer_for_one_row_changes_nothing,
        equal_payloads_are_copies_within_a_batch_and_of_earlier_ones,
        what_is_to_be_asked_again_keeps_its_place_and_says_when,
        an_address_is_met_once_by_a_run_but_for_redirects_back,
        what_a_batch_would_take_up_is_told_before_it_is_kept,
        what_is_met_says_what_the_last_run_had_of_it,
        a_known_document_comes_with_its_row,
        a_version_that_repeats_another_is_compared_with_that_one,
        a_page_that_is_gone_is_known_as_such_until_it_is_back,
        a_document_that_was_made_meanwhile_is_the_one_at_its_address,
        a_document_without_a_record_has_no_version_of_another,
        what_came_in_place_of_a_page_is_remembered_until_it_is_back,
        validators_that_lied_are_told_with_the_rows,
        giving_up_a_host_ends_its_rows_with_the_reason,
        redirects_of_seeds_are_told_hop_by_hop_within_their_site,
        hosts_are_held_until_their_time,
        cuts_are_taken,
    }
}
