"""The history checker: at the end of a run the three witnesses must agree, point by point of what was promised.

`faults(...)` lists what is broken, each with the number of its promise; `told(...)` is what the witnesses said.

1 accepted and never lost      2 one job, one bill           3 paid for and kept       4 whole answer, one story
5 money counted, cap held      6 one key, one job            8 a sound file            (7, approval, comes with devices)
"""

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from provider import Provider
from running import ENDED
from witnesses import Client, File, Row, Watch

WITH_A_REASON = ("refused", "unreadable")  # ends of a job whose whole answer makes no story


@dataclass(frozen=True)
class Run:
    """What the witnesses say. `arrived` is the text that had come when a process died, by job."""

    client: Client
    file: File
    bills: list[Row]
    arrived: Mapping[int, str]
    watched: list[str]

    def jobs_of(self, request: Row) -> list[Row]:
        """The first one and those that were asked again for it; not the free tale beside them."""
        mine = [job for job in self.file.jobs if job["id"] == request["job_id"]]
        while again := [job for job in self.file.jobs if mine and job["retry_of"] == mine[-1]["id"]]:
            mine += again
        return mine

    def bills_of(self, request: Row) -> list[Row]:
        return [bill for bill in self.bills if request["idea"] and request["idea"] in bill["body"]]

    def open_calls(self, job: Row) -> list[Row]:
        """Calls that may have been billed, as the file has it."""
        return [call for call in self.file.calls if call["job_id"] == job["id"] and call["status"] != "refused"]

    def stories_of(self, job: Row) -> list[Row]:
        return [story for story in self.file.stories if story["job_id"] == job["id"]]


def faults(client: Client, provider: Provider, watch: Watch, *, arrived: Mapping[int, str] | None = None) -> list[str]:
    """What is broken, as `number: sentence`."""
    watch.look()
    run = Run(client, File.read(client.house.folder), provider.bills(), arrived or {}, watch.faults)
    points = {
        1: _accepted_is_never_lost,
        2: _no_job_is_billed_twice,
        3: _paid_for_is_kept,
        4: _a_whole_answer_is_one_story,
        5: _money_is_counted,
        6: _one_key_is_one_job,
        8: _the_file_is_sound,
    }
    return [f"{number}: {fault}" for number, point in points.items() for fault in dict.fromkeys(point(run))]


def _accepted_is_never_lost(run: Run) -> Iterator[str]:
    requests = {request["idempotency_key"]: request for request in run.file.requests}
    for sent in run.client.asked:
        if sent.job_id is None:
            continue
        request = requests.get(sent.key)
        if request is None or request["job_id"] != sent.job_id:
            yield f"wish {sent.key} was answered with job {sent.job_id}; the file has {request and request['job_id']}"
    for job in run.file.jobs:
        if job["status"] not in ENDED and not (job["status"] == "pending" and job["queue"] in run.file.paused):
            yield f"job {job['id']} is {job['status']} at the end, and nobody is asked to do anything"
        shown = run.client.house.job(job["id"])
        if shown["status"] != job["status"] or not shown["message"]:
            yield f"job {job['id']} is {job['status']}; its page says {shown['status']}: {shown['message']!r}"
    for job in run.file.jobs:
        if job["id"] in run.client.called_off and (job["status"] != "cancelled" or run.stories_of(job)):
            yield f"job {job['id']} was called off, that was acknowledged, and it is {job['status']}"


def _no_job_is_billed_twice(run: Run) -> Iterator[str]:
    for job in run.file.jobs:
        calls = run.open_calls(job)
        if len(calls) > 1:
            yield f"job {job['id']} has {len(calls)} calls that may have been billed"
        if calls and job["status"] == "cancelled":
            yield f"job {job['id']} is cancelled, and has a call that may have been billed"
    for request in run.file.requests:
        jobs, bills = run.jobs_of(request), run.bills_of(request)
        calls = [call for job in jobs for call in run.open_calls(job)]
        free = bool(calls) and not any(call["reserved_micros"] for call in calls)
        if len(bills) > len(calls) and not free:
            yield f"request {request['id']}: {len(bills)} bills, {len(calls)} calls that count, {len(jobs)} jobs"
        presses = len(set(run.client.asked_again) & {job["id"] for job in jobs})
        if len(jobs) > 1 + presses:
            yield f"request {request['id']}: {len(jobs)} jobs, asked again of {presses} of them"
    nobodys = len(run.bills) - sum(len(run.bills_of(request)) for request in run.file.requests)
    if nobodys:
        yield f"{nobodys} bills belong to no request"


def _paid_for_is_kept(run: Run) -> Iterator[str]:
    for request in run.file.requests:
        jobs = run.jobs_of(request)
        if run.bills_of(request) and not any(run.stories_of(job) or _is_explained(run, job) for job in jobs):
            yield f"request {request['id']} was billed; there is no story, and no reason why"
    for job in run.file.jobs:
        text = run.file.slotted(_request_id(run, job), run.arrived.get(job["id"], ""))
        kept = [call["draft"] for call in run.open_calls(job)]
        if text.strip() and not run.stories_of(job) and not any(draft.strip() == text.strip() for draft in kept):
            yield f"job {job['id']}: {len(text)} letters had come, {[len(draft) for draft in kept]} are kept"


def _is_explained(run: Run, job: Row) -> bool:
    """Billed without a story: nobody can know, or the answer says why there is none."""
    statuses = [call["status"] for call in run.open_calls(job)]
    unknown = job["error_code"] == "maybe_billed" and statuses == ["unknown"]
    return job["status"] == "failed" and (unknown or (job["error_code"] in WITH_A_REASON and statuses == ["settled"]))


def _request_id(run: Run, job: Row) -> int:
    return next(
        request["id"] for request in run.file.requests if job["payload"] == f'{{"request_id": {request["id"]}}}'
    )


def _a_whole_answer_is_one_story(run: Run) -> Iterator[str]:
    for job_id, count in Counter(story["job_id"] for story in run.file.stories).items():
        if count > 1:
            yield f"job {job_id} has {count} stories"
    for job in run.file.jobs:
        stories, raw = run.stories_of(job), [call for call in run.open_calls(job) if call["raw"] is not None]
        if bool(stories) != (job["status"] == "completed"):
            yield f"job {job['id']} is {job['status']}, and has {len(stories)} stories"
        if raw and not stories and not _is_explained(run, job):
            yield f"job {job['id']} has its whole answer, no story, and says {job['error_code']}"
        if raw and raw[0]["status"] != "settled":
            yield f"job {job['id']} has its whole answer, and its call is {raw[0]['status']}"
    for left in sorted((run.client.house.folder / "spool").glob("*")):
        yield f"the spool still holds {left.name}"


def _money_is_counted(run: Run) -> Iterator[str]:
    yield from run.watched


def _one_key_is_one_job(run: Run) -> Iterator[str]:
    first: dict[str, Row] = {}
    known: dict[str, int] = {}
    for sent in run.client.asked:
        if sent.job_id is not None and known.setdefault(sent.key, sent.job_id) != sent.job_id:
            yield f"wish {sent.key} was answered with jobs {known[sent.key]} and {sent.job_id}"
        if sent.job_id is not None and first.setdefault(sent.key, sent.fields) != sent.fields:
            yield f"wish {sent.key} came with other fields, and was answered with {sent.status}"


def _the_file_is_sound(run: Run) -> Iterator[str]:
    yield from run.file.faults
    for story in run.file.stories:
        if hashlib.sha256(f"{story['title']}\n{story['text']}".encode()).hexdigest() != story["sha256"]:
            yield f"story {story['id']} is not what was written"


def told(client: Client, provider: Provider) -> str:
    """What a person needs who looks for the reason."""
    lines = [f"client: {sent.key} answered {sent.status} with job {sent.job_id}" for sent in client.asked]
    asked = provider.requests()
    lines += [f"provider: mode={each['mode']} status={each['status']} bill={each['bill']}" for each in asked]
    with contextlib.suppress(sqlite3.OperationalError):  # no file, or an empty one
        file = File.read(client.house.folder)
        lines += [_some("job", job, "id queue status attempts failures error_code sent_at") for job in file.jobs]
        lines += [_some("call", call, "id job_id attempt status reserved_micros spent_micros") for call in file.calls]
        lines += [_some("story", story, "id job_id title") for story in file.stories]
    log = client.house.log
    return "\n".join([*lines, "log:", log.read_text()[-3000:] if log.exists() else ""])


def _some(what: str, row: Row, names: str) -> str:
    return f"{what}: " + " ".join(f"{name}={row[name]}" for name in names.split())
