"""Fault → tests, by kind. A test is `file::name`, with all its parameters, or with one of them in brackets."""

_OUTCOME = "test_outcomes.py::test_what_a_provider_answers_decides_what_becomes_of_the_wish"
_SLOW = "test_outcomes.py::test_a_provider_that_keeps_us_waiting_is_left_with_what_did_arrive"


def _modes(*modes: str) -> tuple[str, ...]:
    return tuple(f"{_OUTCOME}[{mode}]" for mode in modes)


_PROVIDER = {
    "slow to the first byte": (
        *_modes("slow_first_byte@0.3"),
        "test_llm_wire.py::test_the_first_byte_has_a_deadline_of_its_own",
        "test_llm_wire.py::test_a_slow_answer_within_its_deadlines_is_a_whole_one",
    ),
    "drip": (
        f"{_SLOW}[drip@0.002]",
        f"{_SLOW}[drip_headers]",
        f"{_SLOW}[drip_framing]",
        "test_llm_wire.py::test_a_drip_does_not_overrun_the_deadline_of_the_whole_call",
    ),
    "time-out": (f"{_SLOW}[timeout]", f"{_SLOW}[hang]", f"{_SLOW}[hang_mid]"),
    "reset before the body": _modes("reset_before", "reset_in_request", "reset_after_read"),
    "reset in the body": _modes("reset_in"),
    "reset after the body": _modes("reset_after"),
    "429 with every kind of Retry-After": (
        *_modes("429", "429:1", "429:120", "429:3600", "429:-5", "429:0", "429:nan", "429:soon", "429:past"),
        *_modes("429:3601", "429:99999999999999999999", "429:date", "429:quota"),
        "test_llm.py::test_every_retry_after_is_understood_or_left_out",
    ),
    **{str(status): _modes(f"status:{status}") for status in (400, 401, 402, 403, 404, 408, 500, 503)},
    "empty 200": _modes("empty200"),
    "cut JSON": _modes("cut_json", "cut_length"),
    "cut stream": _modes("cut_stream"),
    "HTML with 200": _modes("html200"),
    "a story in another shape with 200": _modes("text200", "other_json"),
    "error inside a 200": _modes("error200", "error200_json"),
    "10 MB of text": (*_modes("huge"), "test_llm.py::test_ten_megabytes_end_at_eight_and_may_have_been_billed"),
    "invalid UTF-8": _modes("bad_utf8"),
    "lone surrogate": _modes("surrogate"),
    "NUL": _modes("nul"),
    "refusal": _modes("refusal", "refusal_text"),
    "content: null": _modes("null_content"),
    "finish_reason length": _modes("finish_length"),
    "finish_reason content_filter": _modes("finish_content_filter", "status:400:content_filter"),
    "finish_reason unknown": _modes("finish_unknown"),
    "reasoning beside the text": _modes("reasoning_beside"),
    "reasoning inside the text": _modes("think_inside"),
    "no title": _modes("no_title"),
    "no trailer": _modes("no_trailer"),
    "JSON instead of text": _modes("json_text", "json_story"),
    "usage missing": _modes("usage_missing"),
    "usage negative": _modes("usage_negative"),
    "usage absurd": _modes("usage_absurd"),
    "usage of nothing beside a story": _modes("usage_zero"),
    "thinking in the total only": _modes("usage_thinking"),
    "307 to another port": (*_modes("redirect"), "test_llm_wire.py::test_a_redirect_is_not_followed"),
}
_STORAGE = {
    "a tiny file system": (
        "test_storage.py::test_a_full_disk_answers_503_and_keeps_every_wish_that_was_accepted",
        "test_storage.py::test_without_room_for_the_answer_nothing_is_bought_and_it_is_told_when_there_is_room",
        "test_db_faults.py::test_a_full_disk_refuses_what_comes_and_loses_nothing_that_was_accepted",
        "test_db_faults.py::test_a_disk_that_is_really_full_is_still_read_and_takes_up_again_when_there_is_room",
    ),
    "RLIMIT_FSIZE": (
        "test_storage.py::test_a_process_that_may_not_write_more_says_so_and_goes_on_when_it_may",
        "test_spool.py::test_a_limit_on_files_is_known_before_anything_is_bought",
    ),
    "read-only file": (
        "test_db_faults.py::test_a_file_or_a_folder_that_may_not_be_written_is_named",
        "test_storage_files.py::test_a_folder_that_may_only_be_read_is_named",
    ),
    "locked by another process": (
        "test_storage_files.py::test_a_database_that_another_program_holds_is_read_and_the_wish_comes_in_when_it_lets_go",
        "test_db.py::test_another_program_that_holds_the_file_is_waited_for_and_then_named",
        "test_storage_files.py::test_a_file_that_is_held_when_the_answer_comes_has_the_story_when_it_is_let_go",
        "test_late_answers.py::test_what_the_wire_said_is_written_down_although_the_file_is_busy",
    ),
    "corrupt page": (
        "test_storage_files.py::test_a_damaged_file_is_refused_at_the_start_and_a_damaged_page_on_the_page_that_needs_it",
    ),
    "zero-byte file": (
        "test_storage_files.py::test_an_empty_file_becomes_a_house",
        "test_db_faults.py::test_an_empty_file_becomes_a_database",
    ),
    "not a database": ("test_storage_files.py::test_a_file_that_is_no_database_is_refused_and_left_alone",),
    "-wal gone": (
        "test_storage_files.py::test_a_log_that_is_deleted_while_the_house_runs_is_not_written_to",
        "test_storage_files.py::test_a_log_that_was_deleted_while_the_house_was_stopped_takes_nothing_else_along",
    ),
    "file replaced while running": (
        "test_storage_files.py::test_a_house_whose_file_was_taken_away_accepts_nothing_that_nobody_would_see",
        "test_db_faults.py::test_a_file_that_was_replaced_while_we_run_is_not_written_to",
    ),
    "full between mark and receive": (
        "test_storage.py::test_a_disk_that_fills_up_after_the_mark_keeps_the_answer_and_finishes_when_there_is_room",
        "test_storage.py::test_a_house_whose_disk_filled_up_in_mid_call_has_the_story_after_a_restart",
    ),
}
_GUNICORN = (
    "test_gunicorn.py::test_one_of_two_processes_works_and_the_other_takes_over_when_it_is_killed",
    "test_gunicorn.py::test_what_the_killed_process_was_buying_is_not_bought_again",
)
_PROCESS = {
    "SIGKILL during a call": (
        "test_crash.py::test_a_crash_loses_no_wish_buys_nothing_twice_and_keeps_what_was_paid_for",
        "test_processes.py::test_when_the_one_that_works_is_killed_the_other_takes_over_and_tells_what_waits",
    ),
    "SIGTERM during a call": (
        "test_processes.py::test_a_stop_in_the_middle_of_a_call_ends_with_the_story_kept[SIGTERM]",
        "test_processes.py::test_a_second_stop_ends_at_once_and_nothing_is_bought_twice",
        "test_crash_stop.py::test_a_second_stop_ends_at_once",
    ),
    "SIGINT during a call": (
        "test_processes.py::test_a_stop_in_the_middle_of_a_call_ends_with_the_story_kept[SIGINT]",
        "test_crash_stop.py::test_a_stop_lets_the_running_call_end",
    ),
    "SIGSTOP longer than the lease": (
        "test_processes.py::test_frozen_longer_than_the_call_may_take_it_is_one_bill_and_what_arrived_is_kept",
        "test_processes.py::test_frozen_while_the_answer_comes_it_goes_on_where_it_was_and_keeps_the_story",
    ),
    "two processes on one file": (
        "test_processes.py::test_of_two_on_one_folder_one_works_and_both_serve",
        "test_processes.py::test_one_key_sent_to_both_is_one_story",
        "test_crowd.py::test_eight_processes_claim_four_hundred_jobs_each_of_them_once",
    ),
    "the debug reloader": (
        "test_processes.py::test_the_reloader_restarts_while_one_story_is_told_and_one_waits",
        "test_processes.py::test_however_it_is_started_one_worker_tells_the_story_once",
    ),
    "gunicorn -w 2": tuple(f"{test}[each loads for itself]" for test in _GUNICORN),
    "gunicorn -w 2 --preload": tuple(f"{test}[preload]" for test in _GUNICORN),
    "the worker's thread hit by an exception": (
        "test_loop.py::test_it_survives_every_error",
        "test_worker.py::test_what_goes_wrong_after_it_was_sent_stays_for_the_reaper",
        "test_worker.py::test_what_goes_wrong_before_anything_was_sent_is_tried_again_later",
        "test_crash_presses.py::test_a_fault_of_ours_before_anything_was_sent_is_tried_again",
    ),
}
_CLOCK = {
    "three days forward while running": (
        "test_clock.py::test_three_days_forward_in_mid_call_lose_no_answer_and_buy_nothing_twice",
        "test_clock.py::test_three_days_forward_while_it_waits_end_it_unbought",
    ),
    "three days back while running": (
        "test_clock.py::test_three_days_back_in_mid_call_lose_no_answer_and_buy_nothing_twice",
        "test_clock.py::test_three_days_back_between_two_wishes_change_no_order",
        "test_clock.py::test_a_wait_that_was_begun_before_the_clock_was_set_back_is_over_within_the_hour",
        "test_backups.py::test_a_clock_that_jumps_and_comes_back_costs_no_day_and_no_newest_backup",
    ),
    "both changes to and from summer time": (
        "test_evenings.py::test_each_date_has_one_story_over_the_change_of_the_clocks",
        "test_evenings.py::test_a_time_that_the_clocks_skip_comes_at_the_first_moment_after",
        "test_evenings.py::test_a_time_that_comes_twice_counts_once",
    ),
}
_PEOPLE = {
    "double tap": (
        "test_journey.py::test_a_double_tap_on_tell_it_buys_one_story",
        "test_journey.py::test_a_second_press_while_the_first_is_on_its_way_buys_one_story",
    ),
    "back and submit again": (
        "test_journey.py::test_back_and_the_same_press_again_leads_to_the_first_story",
        "test_journey.py::test_back_and_an_edited_wish_shows_the_form_again_with_a_link_to_the_first_story",
        "test_journey.py::test_back_with_javascript_gives_a_fresh_form_for_another_story",
    ),
    "two phones with one form": ("test_crowd.py::test_two_phones_with_one_form_get_one_story_and_one_bill",),
    "50 presses at the bound": (
        "test_crowd.py::test_fifty_presses_at_the_bound_admit_exactly_eight",
        "test_crowd.py::test_fifty_presses_with_one_key_make_one_request_and_one_job",
        "test_crowd.py::test_fifty_presses_of_ask_again_make_one_job",
        "test_crowd.py::test_fifty_scripts_at_the_bound_are_told_apart_and_eight_stories_are_told",
    ),
    "50 presses at the edge of the cap": (
        "test_crowd.py::test_fifty_presses_at_the_edge_of_the_cap_buy_what_fits",
        "test_crowd.py::test_eight_workers_at_the_edge_of_the_cap_stay_under_it",
    ),
}
_ALWAYS = {
    "never a 500 without a page, never a bare traceback": (
        "test_bad_fields.py::test_no_field_of_a_script_can_break_anything",
        "test_bad_fields.py::test_no_field_of_the_form_can_break_anything",
        "test_bad_settings.py::test_a_setting_that_is_wrong_is_named_with_what_is_expected",
        "test_storage_files.py::test_a_damaged_file_is_refused_at_the_start_and_a_damaged_page_on_the_page_that_needs_it",
    ),
}
FAULTS = {
    (kind, fault): tests
    for kind, faults in (
        ("provider", _PROVIDER),
        ("storage", _STORAGE),
        ("process", _PROCESS),
        ("clock", _CLOCK),
        ("people", _PEOPLE),
        ("always", _ALWAYS),
    )
    for fault, tests in faults.items()
}
