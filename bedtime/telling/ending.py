"""A whole answer: kept raw first, then read, then a story; from the thread that asked for it, or after a crash."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from bedtime import casting, checks, jobs, ledger, library, llm, prompt
from bedtime.covers.setting import setting_of
from bedtime.db import Connection
from bedtime.errors import ClaimLost, NotFound
from bedtime.lettering import words_aloud
from bedtime.loop import log_bug
from bedtime.model import Call, Draft, Job, Role, StoryRequest
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What became of an answer: a draft and why it is held, if it is; or why there is no draft."""

    answer: llm.Answer
    draft: Draft | None
    code: str
    held: tuple[str, ...] = ()


def receive_and_finish(parts: Parts, job: Job, call_id: int, *, sent: Sequence[Role] | None = None) -> None:
    """Keep the whole answer that is in the spool, let the spool go, and make the story of it. Never the network.

    Losing the claim is no reason to stop: a late answer is kept all the same. `sent`: the stand-ins of this very call,
    where they are known; the request may have others by now, if it was asked again.
    """
    raw = parts.spool.read(job.id, job.attempts)
    if raw is not None:
        _receive(parts, job, call_id, raw, sent)
        parts.spool.remove(job.id, job.attempts)
    finish(parts, job, call_id, sent=sent)


def arrived(parts: Parts, job: Job) -> tuple[str | None, int]:
    """What text stands in the spool, in the form in which it is kept, and its words; None if there is none."""
    raw = parts.spool.read(job.id, job.attempts) or b""
    text = llm.text_so_far(raw) or llm.text_of_another_shape(raw)
    return _slotted(parts, job, text, None) if text else None, words_aloud(text)


def _receive(parts: Parts, job: Job, call_id: int, raw: bytes, sent: Sequence[Role] | None) -> None:
    answer = llm.read_answer(raw)
    text = answer.text if answer else llm.text_so_far(raw)
    draft, now = _slotted(parts, job, text, sent), parts.clock()
    with parts.database.transaction("receive") as tx:
        kept = ledger.receive(tx, call_id, raw=raw, draft=draft, words=words_aloud(text), now=now)
    if kept:
        log.info("call=%d job=%d status=received bytes=%d", call_id, job.id, len(raw))


def _slotted(parts: Parts, job: Job, text: str, sent: Sequence[Role] | None) -> str:
    """With slots in place of stand-ins. A long text takes its time: never inside a transaction, for which all would wait."""
    with parts.database.reading() as db:
        roles = sent or library.cast_of(db, job.payload["request_id"])
    return casting.to_slots(text, roles)


def finish(parts: Parts, job: Job, call_id: int, *, sent: Sequence[Role] | None = None) -> None:
    """Story, settled cost and completed job in one commit. Of two that do this one finds it done, and writes nothing."""
    with parts.database.reading() as db:
        call = ledger.get(db, call_id)
        request = library.request_for(db, job.payload["request_id"])
        verdict = _read(db, call, request, sent)
    parts.observe("finish.parsed")
    if call is None or request is None or verdict is None:
        raise NotFound(f"job {job.id}: its answer, or its request, is gone")
    try:
        with parts.database.transaction("finish") as tx:
            cancelled = _finish(tx, parts, job, call, request, verdict)
    except ClaimLost as error:
        return log.info('job=%d finish=lost reason="%s"', job.id, error)
    log.info("call=%d job=%d status=settled outcome=%s", call_id, job.id, verdict.code)
    if verdict.held:
        log.info("job=%d held=%s", job.id, ",".join(verdict.held))
    if verdict.draft is None:
        return jobs.say(job.id, "failed", reason=verdict.code, attempt=job.attempts)
    jobs.say(job.id, "completed", attempt=job.attempts)
    if cancelled is not None:
        jobs.say(cancelled, "cancelled", reason="late_answer", retry_of=job.id)


def _read(
    db: Connection, call: Call | None, request: StoryRequest | None, sent: Sequence[Role] | None
) -> _Verdict | None:
    if call is None or call.raw is None or request is None:
        return None
    answer = llm.read_answer(call.raw)
    if answer is None:
        return None
    try:
        return _story_in(db, answer, request, sent or library.cast_of(db, request.id))
    except Exception as error:  # a fault of ours: what was paid for is shown all the same, to a grown-up first
        log_bug(log, f"call={call.id} answer=as_it_came", error)
        draft = prompt.as_it_came(answer.text)
        return _Verdict(answer, draft, "told" if draft else "unreadable", ("as_it_came",) if draft else ())


def _story_in(db: Connection, answer: llm.Answer, request: StoryRequest, roles: Sequence[Role]) -> _Verdict:
    if answer.refusal or prompt.looks_like_refusal(answer.text):
        return _Verdict(answer, None, "refused")
    try:
        told = prompt.read_reply(answer.text, cut_short=answer.finish_reason == "length")
    except ValueError:
        return _Verdict(answer, None, "unreadable")
    draft = casting.draft_to_slots(told, roles)
    return _Verdict(answer, draft, "told", _held(db, request, roles, draft, answer))


def _held(
    db: Connection, request: StoryRequest, roles: Sequence[Role], draft: Draft, answer: llm.Answer
) -> tuple[str, ...]:
    """Why a grown-up should look at it first. A name that one in the story has too is not another child's."""
    people = library.all_children(db)
    present = {child.nickname.casefold() for child in people for role in roles if role.child_id == child.id}
    others = [child for child in people if child.nickname.casefold() not in present]
    asked = checks.Asked(
        words=request.wish.expected_words,
        language=request.wish.language,
        positions=frozenset(role.position for role in roles),
        finish_reason=answer.finish_reason,
        gap=answer.gap,
        names_another=bool(casting.named(f"{draft.title}\n{draft.text}", others)),
    )
    return checks.held(draft, asked)


def _finish(tx: Connection, parts: Parts, job: Job, call: Call, request: StoryRequest, verdict: _Verdict) -> int | None:
    """The id of a job that was asked again for this one, and is not needed any more."""
    now, cancelled = parts.clock(), None
    if verdict.draft is None:
        jobs.fail(tx, job, code=verdict.code, text=_reason(verdict), now=now)
    else:
        jobs.complete_late(tx, job, now=now)
        library.add_story(tx, job, request, verdict.draft, _told(call, verdict.draft, verdict.held), now=now)
        cancelled = jobs.cancel_successor(tx, job, now=now)
    ledger.settle(
        tx,
        call.id,
        spent_micros=_cost(parts, call, verdict.answer),
        tokens_in=verdict.answer.tokens_in,
        tokens_out=verdict.answer.tokens_out,
        finish_reason=verdict.answer.finish_reason,
        outcome=verdict.code,
        now=now,
    )
    if library.forget_stand_ins(tx, being_told=jobs.running_payloads(tx, "request_id")):  # who left while it was told
        ledger.forget_raw_of(tx, [job.id])
    return cancelled


def _told(call: Call, draft: Draft, held: tuple[str, ...]) -> library.Told:
    place, season = setting_of(f"{draft.title} {draft.text}")
    return library.Told(by=call.model, place=place, season=season, held=held)


def _cost(parts: Parts, call: Call, answer: llm.Answer) -> int | None:
    """By the price of the storyteller that told it; None if another one is set by now: a model at home may cost nothing."""
    teller = parts.storyteller
    if teller is None or (teller.host, teller.model) != (call.host, call.model):
        return None
    return teller.cost(answer, reserved_micros=call.reserved_micros)


def _reason(verdict: _Verdict) -> str:
    if verdict.code == "refused":
        return "the storyteller declined to tell this one"
    return f"there was no text in the answer (finish reason: {verdict.answer.finish_reason})"
