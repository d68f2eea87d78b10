"""The product in its server, and a bare Flask application beside it: `python -m bench.web_server FOLDER STORIES`.

Prints the port and a job that waits. The bare handlers run the very statements that ours ran for the same request, those of the
doors too, recorded once at the start; they render the same template with values that were worked out before.
"""

import dataclasses
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, redirect, render_template, request
from waitress.server import create_server
from werkzeug.middleware.dispatcher import DispatcherMiddleware

import app as product
from bedtime import asking, jobs, library, settings, web
from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.library import Told
from bedtime.model import BOOK, TELL_TALE, Draft, Listener, Wish
from bedtime.telling import progress
from bedtime.web import views
from bench.bare import RecordingDatabase, Step, replay
from bench.web import FORM, FRAGMENT, form

NOW = time.time()
PARAGRAPH = "The lamp hopped and clanked along the wall, and behind it came somebody who was in no hurry at all. " * 2
WAITING = AskRules("stories", "write_story", queue_max=10**6, expiry_seconds=86400.0)
HOME = {"base_url": "http://127.0.0.1"}


def made(folder: Path, stories: int) -> tuple[Any, int]:
    """Product and bare application under one roof, and the job that waits."""
    house = settings.load({"BEDTIME_INSTANCE": str(folder), "BEDTIME_LOG_LEVEL": "error"}, root=product.ROOT)
    app, _ = product.build(dataclasses.replace(house, queue_max=10**6))
    database = app.extensions["bedtime"].database
    _fill(database, stories)
    job_id = asking.ask(database, _wish("it waits"), key="waits", rules=WAITING, now=NOW).job_id
    poll = _recorded(app, lambda client: client.get(f"/stories/jobs/{job_id}", headers=FRAGMENT, **HOME))
    post = _recorded(app, lambda client: client.post("/stories/generate", data=form("recorded"), headers=FORM, **HOME))
    return DispatcherMiddleware(app, {"/bench": _bare(database, job_id, poll, post)}), job_id


def serve(folder: Path, stories: int) -> None:
    app, job_id = made(folder, stories)
    server = create_server(app, host="127.0.0.1", port=0, threads=product.THREADS, ident=None)
    print(server.effective_port, job_id, flush=True)  # type: ignore[union-attr]
    threading.Thread(target=server.run, daemon=True).start()
    sys.stdin.read()  # until whoever measures has gone


def _recorded(app: Flask, act: Callable[[Any], Any]) -> list[list[Step]]:
    """What one request runs, transaction by transaction."""
    house = app.extensions["bedtime"]
    recording = RecordingDatabase(house.database)
    answer = act(web.create_app(dataclasses.replace(house, database=recording)).test_client())
    assert answer.status_code in (200, 303), answer.text
    return recording.transactions


def _bare(database: Database, job_id: int, poll: list[list[Step]], post: list[list[Step]]) -> Flask:
    app = Flask("bench", template_folder=str(product.ROOT / "templates"))
    app.jinja_options = {"autoescape": True, "trim_blocks": True}
    with database.reading() as db:
        view = progress(db, job_id)
    assert view is not None
    page, sky = views.job_page(view, now=NOW), "/look/moon-0.svg"

    def bare_poll() -> str:
        for steps in poll:
            replay(database._connection(), steps, {}, begin="BEGIN")
        return render_template("stories/_status.html", view=page, sky=sky)

    def bare_post() -> Any:
        *before, ask = post
        for steps in before:
            replay(database._connection(), steps, {}, begin="BEGIN")
        replay(database._connection(), ask, {"key": request.form["idempotency_key"]})
        return redirect(f"/stories/jobs/{job_id}", 303)

    def empty() -> str:
        with database.transaction("empty") as tx:
            tx.execute(
                "UPDATE jobs SET status = 'cancelled', completed_at = :now WHERE status = 'pending' AND id <> :job_id",
                {"now": NOW, "job_id": job_id},
            )
        return ""

    app.add_url_rule("/empty", "empty", empty)
    app.add_url_rule("/hello", "hello", lambda: Response("Hello"))
    app.add_url_rule("/poll", "poll", bare_poll)
    app.add_url_rule("/post", "post", bare_post, methods=["POST"])
    app.add_url_rule("/stories/jobs/<int:job_id>", "stories.job", build_only=True)
    app.add_url_rule("/stories/jobs/<int:job_id>/cancel", "stories.cancel", build_only=True)
    return app


def _fill(database: Database, stories: int) -> None:
    draft = Draft("A lamp for the hedgehogs", (PARAGRAPH,) * 12)
    rules = AskRules(BOOK, TELL_TALE, queue_max=10**6, expiry_seconds=86400.0)
    with database.transaction("fill") as tx:
        for n in range(stories):
            request_id, _ = asking.asks.write_down(tx, _wish(""), key=f"s{n}", rules=rules, now=NOW)
            job, request = (
                jobs.claim(tx, BOOK, worker="b", lease_seconds=60, now=NOW),
                library.request_for(tx, request_id),
            )
            assert job is not None
            assert request is not None
            library.add_story(tx, job, request, draft, Told("book"), now=NOW)
            jobs.complete(tx, job, now=NOW)
    database.checkpoint()


def _wish(idea: str) -> Wish:
    return Wish((Listener("Mia", "4-5", "she"),), idea=idea)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
