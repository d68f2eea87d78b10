"""What can go wrong, in families: whoever raises chooses the family, two doors catch (the worker's step, Flask's handlers)."""


class BedtimeError(Exception):
    """Anything that Bedtime raises on purpose. The message never holds a name, a wish, a story or a key."""


# --- set-up and the machine -----------------------------------------------------------------------


class SettingsError(BedtimeError):
    """A setting is wrong: the message names it, its value, and what is expected."""


class DatabaseUnusable(BedtimeError):
    """The file cannot be used as it is (newer schema, not a database, read-only, replaced): the message says what to do."""


class DatabaseBusy(BedtimeError):
    """The write lock was not to be had in time, or the disk is full: try again shortly."""


# --- doors ----------------------------------------------------------------------------------------


class TooManyGuesses(BedtimeError):
    """The next guess has to wait for `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many wrong guesses: the next one may come in {seconds} s")
        self.seconds = seconds


# --- asking ---------------------------------------------------------------------------------------


class QueueFull(BedtimeError):
    """As many wishes wait as may wait; the key is not used up."""


class TooManyWishes(BedtimeError):
    """As many wishes of this device wait for a grown-up as may wait."""


class KeyReused(BedtimeError):
    """A known idempotency key came with other fields."""

    def __init__(self, job_id: int) -> None:
        super().__init__(f"this idempotency key already belongs to job {job_id} with other fields")
        self.job_id = job_id


class OverDailyCap(BedtimeError):
    """A script would spend more within a day than a grown-up allowed it; the key is not used up."""


class NotFound(BedtimeError):
    """No such row."""


class Namesakes(BedtimeError):
    """Two who listen have the same nickname: no listener could tell them apart."""


# --- jobs and money -------------------------------------------------------------------------------


class ClaimLost(BedtimeError):
    """The claim no longer holds: what was about to be written is rolled back."""


class OverBudget(BedtimeError):
    """The worst case of this call does not fit under the cap any more; nothing was sent."""


class MayCostTwice(BedtimeError):
    """Nobody knows whether the first was billed, and nobody has said that they understood; nothing was asked again."""


class RuleChanged(BedtimeError):
    """What the household chose was changed after this telling was prepared; nothing was sent, and it is prepared anew."""


# --- the wire -------------------------------------------------------------------------------------


class ProviderError(BedtimeError):
    """A call did not bring a whole answer."""


class NotBilled(ProviderError):
    """Certainly not billed: safe to try again."""


class NotSent(NotBilled):
    """Not one byte left the house: name not resolved, refused, connect time-out, certificate."""


class Limited(NotBilled):
    """429. `retry_after` is seconds as the provider said, or None; `quota` when the money there is used up."""

    def __init__(self, message: str, *, retry_after: float | None = None, quota: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.quota = quota


class Closed(NotBilled):
    """401, 402, 403, 404, or no price, or no storyteller: nothing goes through until a grown-up mends it.

    `reason` is the code under which the queue pauses: key, key_host, money, model, price, storyteller.
    """

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class Refused(ProviderError):
    """The provider understood and said no (400, 413, 415, 422). `billed` for a content filter's refusal."""

    def __init__(self, message: str, *, billed: bool = False) -> None:
        super().__init__(message)
        self.billed = billed


class MaybeBilled(ProviderError):
    """Sent, outcome unknown: a person decides."""
