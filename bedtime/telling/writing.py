"""A `write_story` job from its claim to the whole answer on the disk."""

import logging
import threading

from bedtime import household, jobs, ledger, library
from bedtime.errors import Closed, DatabaseBusy, NotFound, OverBudget, ProviderError, RuleChanged
from bedtime.model import Job
from bedtime.spool import SpoolFile
from bedtime.storytellers.language_model import LanguageModel
from bedtime.telling import ending, keys, outcomes
from bedtime.telling.noting import Noting
from bedtime.telling.parts import Parts
from bedtime.telling.preparing import Plan, plan

log = logging.getLogger("bedtime.telling")

GRACE_SECONDS = 30.0
DISK_FULL_SECONDS = 60.0
BUSY_TRIES, BUSY_SECONDS = 4, 2.0  # each try may take the 5 s of the write lock: together less than the grace


class StoryTelling:
    """The handler of `write_story`. Raises ClaimLost when somebody else has the job; every other outcome is written down."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def __call__(self, job: Job) -> None:
        try:
            storyteller, made = self._prepare(job)
            worst_case_micros = storyteller.worst_case(made.prompt)
        except Closed as error:
            return outcomes.closed_before_sending(self._parts, job, error)
        except NotFound as error:
            return outcomes.fail(self._parts, job, code="refused", text=str(error))
        try:
            spool = self._parts.spool.reserve(job.id, job.attempts)
        except OSError as error:
            return outcomes.put_back(
                self._parts, job, seconds=DISK_FULL_SECONDS, code="disk_full", text=str(error.strerror)
            )
        with spool:
            self._parts.observe("spool.reserved")
            self._mark_and_send(job, storyteller, made, worst_case_micros, spool)

    def _prepare(self, job: Job) -> tuple[LanguageModel, Plan]:
        parts = self._parts
        if parts.storyteller is None:
            raise Closed("no storyteller is set: set BEDTIME_LLM_URL and BEDTIME_LLM_MODEL", reason="storyteller")
        with parts.database.reading() as db:
            named = household.send_names(db, otherwise=parts.send_names)
            return parts.storyteller, plan(db, job, max_tokens=parts.max_tokens, send_names=named, now=parts.clock())

    def _mark_and_send(
        self, job: Job, storyteller: LanguageModel, made: Plan, worst_case_micros: int, spool: SpoolFile
    ) -> None:
        try:
            call_id = self._mark(job, storyteller, made, worst_case_micros)
        except OverBudget as error:
            self._parts.spool.remove(job.id, job.attempts)
            return outcomes.fail(self._parts, job, code="over_budget", text=str(error))
        except Closed as error:
            self._parts.spool.remove(job.id, job.attempts)
            return outcomes.closed_before_sending(self._parts, job, error)
        except RuleChanged as error:
            self._parts.spool.remove(job.id, job.attempts)
            return outcomes.put_back(self._parts, job, seconds=0, code="rule_changed", text=str(error))
        except Exception:
            self._parts.spool.remove(job.id, job.attempts)
            raise
        self._send(job, call_id, storyteller, made, worst_case_micros, spool)

    def _mark(self, job: Job, storyteller: LanguageModel, made: Plan, worst_case_micros: int) -> int:
        """The point of no return: fence, budget and ledger row in one commit, before the first byte.

        What the household chose is what stands in the database at this moment.
        """
        parts, now = self._parts, self._parts.clock()
        with parts.database.transaction("mark") as tx:
            keys.bind(tx, storyteller, now=now)
            if made.send_names != household.send_names(tx, otherwise=parts.send_names):
                raise RuleChanged("whether names are sent was changed a moment ago")
            jobs.mark(tx, job, lease_expires_at=now + storyteller.deadline_seconds + GRACE_SECONDS, now=now)
            library.set_cast(tx, made.request.id, made.roles)
            library.set_shape(tx, made.request.id, made.shape)
            return ledger.reserve(
                tx,
                job,
                model=storyteller.model,
                host=storyteller.host,
                worst_case_micros=worst_case_micros,
                cap_micros=household.cap_micros(tx, otherwise=parts.cap_micros),
                zone=household.zone(tx, otherwise=parts.zone),
                now=now,
            )

    def _send(
        self, job: Job, call_id: int, storyteller: LanguageModel, made: Plan, reserved_micros: int, spool: SpoolFile
    ) -> None:
        log.info("call=%d job=%d status=sending attempt=%d", call_id, job.id, job.attempts)
        noting = Noting(self._parts, call_id, made.roles)
        try:
            storyteller.tell(made.prompt, keep=spool.append, on_text=noting)
        except (ProviderError, OSError) as error:
            self._write_down(job, call_id, error, free=reserved_micros == 0)
            return self._parts.spool.remove(job.id, job.attempts)
        _sync(job, spool)
        self._parts.observe("spool.synced")
        ending.receive_and_finish(self._parts, job, call_id, sent=made.roles)

    def _write_down(self, job: Job, call_id: int, error: Exception, *, free: bool) -> None:
        """What the wire said stands nowhere else: a file that is busy is asked again while the claim lasts. Left to the
        reaper, a refusal that is certain would have become one that may have been billed.
        """
        for left in reversed(range(BUSY_TRIES)):
            try:
                return outcomes.after_sending(self._parts, job, call_id, error, free=free)
            except DatabaseBusy as busy:
                if not left:
                    raise
                log.warning('job=%d outcome=%s written=later reason="%s"', job.id, type(error).__name__, busy)
                threading.Event().wait(BUSY_SECONDS)


def _sync(job: Job, spool: SpoolFile) -> None:
    """A disk that cannot promise to keep a whole answer is no reason not to make the story of it."""
    try:
        spool.sync()
    except OSError as error:
        log.warning("job=%d spool=not_synced reason=%s", job.id, error.strerror)
