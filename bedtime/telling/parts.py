"""What a telling works with; handed in by whoever starts it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bedtime.db import Database
from bedtime.spool import Spool
from bedtime.storytellers.language_model import LanguageModel


@dataclass(frozen=True)
class Parts:
    """The file, the spool, the storyteller (None: none is set), the rules, the clocks and the dice.

    Cap, names and time zone as they are set at the machine: what the household chose in the page wins, where it counts.
    """

    database: Database
    spool: Spool
    storyteller: LanguageModel | None
    observe: Callable[[str], None]
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    dice: Callable[[], float]
    cap_micros: int
    max_failures: int
    max_tokens: int | None
    send_names: bool
    zone: str
    faults_told: dict[int, type[Exception]] = field(default_factory=dict)  # of jobs that cannot be recovered: once each
