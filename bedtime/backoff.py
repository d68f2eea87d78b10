"""How long a job that certainly was not billed waits until it is tried again.

    outcome of the call                        what the job does                              counted as a failure
    not sent (DNS, refused, connect, TLS)      waits not_sent_delay, until it expires         no
    429                                        waits limited_delay                            yes
    429: quota, or Retry-After over an hour    the queue pauses (limited_delay is None)       -
    401, 402, 403, 404                         the queue pauses                               no

What was refused for good, answered, or may have been billed is never tried again, so no delay is made for it. A claim
that a dead process left behind is due again at once: its lease was the wait. `u` is a random number in [0, 1), so that
what failed together does not come back together.
"""

import math

FIRST_SECONDS = 5.0
LONGEST_SECONDS = 300.0
LONGEST_RETRY_AFTER_SECONDS = 3600.0


def not_sent_delay(attempts: int, u: float) -> float:
    """Seconds until the next try after a call of which not one byte left; `attempts` is 1 at the first claim."""
    return _spread(attempts, u)


def limited_delay(failures: int, retry_after: float | None, u: float, *, quota: bool = False) -> float | None:
    """Seconds until the next try after a 429, never sooner than the provider said; None: pause the queue.

    `failures` counts this one. `retry_after` is seconds as the provider said, in whatever shape: one that is no number
    counts as not said, one below a second as a second.
    """
    said = 1.0 if retry_after is None or math.isnan(retry_after) else max(retry_after, 1.0)
    if quota or said > LONGEST_RETRY_AFTER_SECONDS:
        return None
    return max(said, _spread(failures, u))


def _spread(times: int, u: float) -> float:
    """At random between half of d and d, where d doubles from 5 s to 300 s."""
    longest = min(FIRST_SECONDS * 2.0 ** min(max(times, 1) - 1, 10), LONGEST_SECONDS)
    return longest / 2 + u * longest / 2
