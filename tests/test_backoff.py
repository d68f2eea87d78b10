"""How long a job that was not billed waits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime.backoff import limited_delay, not_sent_delay

chance = st.floats(0, 1, exclude_max=True)
counts = st.integers(0, 10**6)


@pytest.mark.parametrize(
    ("attempts", "longest"), [(1, 5), (2, 10), (3, 20), (4, 40), (5, 80), (6, 160), (7, 300), (8, 300), (10**6, 300)]
)
def test_the_wait_doubles_from_five_seconds_to_five_minutes(attempts: int, longest: float) -> None:
    assert not_sent_delay(attempts, 0) == longest / 2
    assert not_sent_delay(attempts, 0.5) == longest * 0.75
    assert longest * 0.99 < not_sent_delay(attempts, 0.999) < longest


@given(counts, chance)
def test_a_job_that_was_not_sent_never_waits_longer_than_five_minutes(attempts: int, u: float) -> None:
    assert 2.5 <= not_sent_delay(attempts, u) <= 300


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [(None, 2.5), (0, 2.5), (-5, 2.5), (math.nan, 2.5), (-math.inf, 2.5), (1, 2.5), (30, 30), (3600, 3600)],
)
def test_the_wait_after_a_429_is_what_the_provider_said_but_not_less_than_ours(
    retry_after: float | None, seconds: float
) -> None:
    assert limited_delay(1, retry_after, 0) == seconds


@pytest.mark.parametrize("retry_after", [3600.1, 86_400, 1e300, math.inf])
def test_a_provider_that_wants_more_than_an_hour_pauses_the_queue(retry_after: float) -> None:
    assert limited_delay(1, retry_after, 0) is None


@pytest.mark.parametrize("retry_after", [None, 5, 86_400])
def test_a_quota_that_is_used_up_pauses_the_queue(retry_after: float | None) -> None:
    assert limited_delay(1, retry_after, 0, quota=True) is None


@given(counts, st.none() | st.floats(), chance)
def test_no_wait_after_a_429_is_shorter_than_said_or_longer_than_an_hour(
    failures: int, retry_after: float | None, u: float
) -> None:
    delay = limited_delay(failures, retry_after, u)
    if delay is None:
        assert retry_after is not None
        assert retry_after > 3600
    else:
        assert 2.5 <= delay <= 3600
        assert retry_after is None or math.isnan(retry_after) or delay >= retry_after
