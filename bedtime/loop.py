"""A thread that calls a step again and again, rests when there is nothing to do, and survives every error."""

import logging
import threading
import traceback
from collections.abc import Callable

from bedtime.errors import BedtimeError

log = logging.getLogger("bedtime.loop")

SECONDS_AFTER_AN_ERROR = 1.0


class Loop:
    """`step()` says whether it found work; `rest(wake)` waits for the next reason to look.

    `beat_at` is its last sign of life (monotonic); `claims`: it works on a queue, and is woken when something is enqueued.
    """

    def __init__(
        self,
        name: str,
        step: Callable[[], bool],
        rest: Callable[[threading.Event], None],
        *,
        monotonic: Callable[[], float],
        claims: bool = False,
    ) -> None:
        self.name = name
        self.claims = claims
        self.wake = threading.Event()
        self.beat_at = monotonic()
        self._step = step
        self._rest = rest
        self._monotonic = monotonic
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """No further step begins; the one that runs ends first: see join."""
        self._stopping.set()
        self.wake.set()

    def join(self, timeout_seconds: float | None = None) -> None:
        self._thread.join(timeout_seconds)

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.beat_at = self._monotonic()
            self.wake.clear()
            try:
                if not self._step() and not self._stopping.is_set():
                    self._rest(self.wake)
            except BedtimeError as error:
                log.warning('loop=%s error=%s reason="%s"', self.name, type(error).__name__, error)
                self._stopping.wait(SECONDS_AFTER_AN_ERROR)
            except Exception as error:
                log_bug(log, f"loop={self.name}", error)
                self._stopping.wait(SECONDS_AFTER_AN_ERROR)


def log_bug(logger: logging.Logger, what: str, error: BaseException) -> None:
    """A fault of ours, with its traceback but without its message, which might quote a name or a story."""
    frames = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    logger.error("%s bug=%s\n%s", what, type(error).__name__, frames)
