"""When a planned evening is due, whatever the clocks do."""

import datetime
import itertools
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedtime.almanac import Schedule, due_dates, next_due
from bedtime.web.house import zone_of_the_machine

EVERY_DAY = frozenset(range(7))
ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "America/Santiago",
    "UTC",
)  # fmt: skip
FIVE_YEARS = 5 * 366 * 86_400

times = st.builds(datetime.time, st.integers(0, 23), st.integers(0, 59))
days = st.frozensets(st.integers(0, 6), min_size=1)
starts = st.floats(1_600_000_000, 2_000_000_000)


def unix(zone: str, *fields: int, fold: int = 0) -> float:
    return datetime.datetime(*fields, tzinfo=ZoneInfo(zone), fold=fold).timestamp()  # type: ignore[arg-type, misc]


def daily(zone: str, hour: int, minute: int = 0) -> Schedule:
    return Schedule(EVERY_DAY, datetime.time(hour, minute), zone)


def test_the_next_evening_is_the_next_one_on_the_familys_clock() -> None:
    evening = daily("Europe/Berlin", 17, 30)
    assert next_due(evening, after=unix("Europe/Berlin", 2026, 11, 30, 12)) == unix(
        "Europe/Berlin", 2026, 11, 30, 17, 30
    )
    assert next_due(evening, after=unix("Europe/Berlin", 2026, 11, 30, 18)) == unix(
        "Europe/Berlin", 2026, 12, 1, 17, 30
    )


def test_a_moment_that_is_due_is_not_due_again() -> None:
    due = unix("Europe/Berlin", 2026, 11, 30, 17, 30)
    assert next_due(daily("Europe/Berlin", 17, 30), after=due) == due + 86_400
    assert next_due(daily("Europe/Berlin", 17, 30), after=due - 0.001) == due


def test_only_the_days_that_were_chosen_are_due() -> None:
    weekend = Schedule(frozenset({4, 5}), datetime.time(19), "America/New_York")
    found = due_dates(weekend, since=unix("UTC", 2026, 11, 1), until=unix("UTC", 2026, 11, 30))
    assert [date.day for date, _ in found] == [6, 7, 13, 14, 20, 21, 27, 28]


def test_the_evening_stays_where_it_is_when_summer_time_ends() -> None:
    before = next_due(daily("Europe/Berlin", 17, 30), after=unix("Europe/Berlin", 2026, 10, 24, 12))
    behind = next_due(daily("Europe/Berlin", 17, 30), after=before)
    assert behind - before == 25 * 3600


@pytest.mark.parametrize(
    ("zone", "date", "wanted", "runs"),
    [
        ("Europe/Berlin", (2026, 3, 29), (2, 30), (3, 0)),
        ("Europe/Berlin", (2026, 3, 29), (2, 0), (3, 0)),
        ("Europe/Berlin", (2026, 3, 29), (3, 0), (3, 0)),
        ("America/New_York", (2026, 3, 8), (2, 59), (3, 0)),
        ("Australia/Lord_Howe", (2026, 10, 4), (2, 15), (2, 30)),
        ("America/Santiago", (2026, 9, 6), (0, 30), (1, 0)),
    ],
)
def test_a_time_that_the_clocks_jump_over_is_due_at_the_first_moment_after(
    zone: str, date: tuple[int, int, int], wanted: tuple[int, int], runs: tuple[int, int]
) -> None:
    schedule = daily(zone, *wanted)
    since = unix(zone, *date) - 3 * 3600
    found = dict(due_dates(schedule, since=since, until=since + 2 * 86_400))
    assert found[datetime.date(*date)] == unix(zone, *date, *runs)


@pytest.mark.parametrize(
    ("zone", "date", "wanted"),
    [
        ("Europe/Berlin", (2026, 10, 25), (2, 30)),
        ("America/New_York", (2026, 11, 1), (1, 0)),
        ("Australia/Lord_Howe", (2026, 4, 5), (1, 45)),
    ],
)
def test_a_time_that_comes_twice_is_due_at_the_first_of_the_two_and_only_then(
    zone: str, date: tuple[int, int, int], wanted: tuple[int, int]
) -> None:
    first, second = unix(zone, *date, *wanted), unix(zone, *date, *wanted, fold=1)
    assert first < second
    assert next_due(daily(zone, *wanted), after=first - 60) == first
    assert next_due(daily(zone, *wanted), after=first) > second


def test_a_jump_over_midnight_moves_the_evening_to_the_first_moment_of_the_next_date() -> None:
    jump = unix("America/Toronto", 1919, 3, 31, 0, 30)
    schedule = daily("America/Toronto", 23, 45)
    assert next_due(schedule, after=jump - 1) == jump
    assert next_due(schedule, after=jump) == unix("America/Toronto", 1919, 3, 31, 23, 45)


def test_a_date_that_a_zone_left_out_is_left_out() -> None:
    since, until = unix("Pacific/Apia", 2011, 12, 28, 12), unix("Pacific/Apia", 2012, 1, 1, 12)
    for hour, dates in ((0, [29, 31, 1]), (17, [28, 29, 31])):
        found = due_dates(daily("Pacific/Apia", hour), since=since, until=until)
        assert [date.day for date, _ in found] == dates
        assert len({moment for _, moment in found}) == len(found)


@settings(max_examples=25)
@given(st.sampled_from(ZONES), times, days, starts)
def test_over_five_years_every_chosen_date_is_due_exactly_once_and_in_order(
    zone: str, at: datetime.time, chosen: frozenset[int], start: float
) -> None:
    found = due_dates(Schedule(chosen, at, zone), since=start, until=start + FIVE_YEARS)
    dates, moments = [date for date, _ in found], [moment for _, moment in found]
    expected = [
        date
        for number in range(dates[0].toordinal(), dates[-1].toordinal() + 1)
        if (date := datetime.date.fromordinal(number)).weekday() in chosen
    ]
    assert dates == expected
    assert all(one < other for one, other in itertools.pairwise(moments))
    assert all(datetime.datetime.fromtimestamp(moment, ZoneInfo(zone)).date() == date for date, moment in found)


@settings(max_examples=60)
@given(st.sampled_from(ZONES), times, days, starts)
def test_to_ask_for_the_next_again_and_again_is_to_ask_for_all(
    zone: str, at: datetime.time, chosen: frozenset[int], start: float
) -> None:
    schedule, moment, asked = Schedule(chosen, at, zone), start, []
    for _ in range(20):
        moment = next_due(schedule, after=moment)
        asked.append(moment)
    assert asked == [due for _, due in due_dates(schedule, since=start, until=moment)]


@given(st.sampled_from(ZONES), times, starts, st.integers(0, 40 * 86_400), st.integers(0, 40 * 86_400))
def test_two_spans_that_meet_miss_no_evening_and_tell_none_twice(
    zone: str, at: datetime.time, start: float, first: int, second: int
) -> None:
    schedule, middle, end = Schedule(EVERY_DAY, at, zone), start + first, start + first + second
    parts = due_dates(schedule, since=start, until=middle) + due_dates(schedule, since=middle, until=end)
    assert parts == due_dates(schedule, since=start, until=end)


@pytest.mark.parametrize(
    ("zone", "advice"),
    [
        ("Europe/Berln", "did you mean Europe/Berlin?"),
        ("Europe", "did you mean"),
        ("", "expected a name such as Europe/Berlin"),
        ("../../etc/passwd", "expected a name such as"),
        ("Europe/Ber\x00lin", "did you mean Europe/Berlin?"),
        ("x" * 5000, "expected a name such as"),
        ("\ud800", "expected a name such as"),
    ],
)
def test_a_zone_that_nobody_knows_is_refused_with_advice(zone: str, advice: str) -> None:
    with pytest.raises(ValueError, match="is not a time zone") as refused:
        daily(zone, 17)
    assert advice in str(refused.value)


@pytest.mark.parametrize("wrong", [frozenset(), frozenset({7}), frozenset({-1, 0})])
def test_days_are_days_of_the_week(wrong: frozenset[int]) -> None:
    with pytest.raises(ValueError, match="expected one or more of 0"):
        Schedule(wrong, datetime.time(17), "UTC")


def test_a_time_has_no_zone_of_its_own() -> None:
    with pytest.raises(ValueError, match="without a zone of its own"):
        Schedule(EVERY_DAY, datetime.time(17, tzinfo=datetime.UTC), "UTC")


@pytest.mark.parametrize(
    ("file", "zone"),
    [
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Etc/UTC", "Etc/UTC"),
        ("/etc/localtime", "UTC"),
        ("/usr/share/zoneinfo/Mars/Olympus", "UTC"),
    ],
)
def test_the_machine_says_its_zone_by_where_its_clock_file_leads(
    monkeypatch: pytest.MonkeyPatch, file: str, zone: str
) -> None:
    monkeypatch.setattr(Path, "resolve", lambda path: Path(file))
    assert zone_of_the_machine() == zone
