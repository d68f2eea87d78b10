"""Bedtime, put together: settings → database → storytellers → pages → threads; and served until it is told to stop.

`python app.py` serves for years (`make run`). `flask run` and a WSGI server take `create_app`.
"""

import logging
import os
import random
import secrets
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click
from flask import Flask
from flask.helpers import get_debug_flag
from waitress.server import create_server
from werkzeug.serving import WSGIRequestHandler, is_running_from_reloader

from bedtime import cli, doorkeeper, premises, web
from bedtime.asking import AskRules
from bedtime.crew import Crew, nobody_works, somebody_works
from bedtime.db import Database
from bedtime.errors import BedtimeError
from bedtime.evenings import Planner, PlanRules
from bedtime.keeping import Keeper
from bedtime.logs import write_logs
from bedtime.loop import Loop
from bedtime.model import BOOK, STORIES, TELL_TALE, WRITE_STORY
from bedtime.reaper import Reaper
from bedtime.settings import Settings, from_machine
from bedtime.spool import Spool
from bedtime.storytellers.book import BookTeller
from bedtime.storytellers.language_model import LanguageModel, language_model
from bedtime.telling import BookTelling, Estimate, Parts, StoryTelling, recover_dead, take_back_overdue
from bedtime.watcher import Watcher
from bedtime.web import fields, forms
from bedtime.web.house import Health, House, zone_of_the_machine
from bedtime.worker import Handler, Worker

ROOT = Path(__file__).parent
THREADS = 8

log = logging.getLogger("bedtime")

Observer = Callable[[str], None]


def create_app() -> Flask:
    """What `flask run` and WSGI servers call. The worker starts with the server, never for a command or a test."""
    try:
        settings = from_machine(ROOT)
        if _seeks_a_command():
            return _for_commands(settings)
        app, crew = build(settings, keeps_connections=_command() != "run")
    except BedtimeError as error:
        _stop_with(error)
    if _command() is None:
        app.before_request(crew.start)  # a WSGI server: in the process that serves, however it was forked
    elif _command() == "run" and _serves_here():
        WSGIRequestHandler.version_string = lambda self: "Bedtime"  # type: ignore[method-assign]
        _print_link(settings, host=_listens_on(settings), port=click.get_current_context().params["port"])
        crew.start()
    return app


def build(
    settings: Settings, *, observe: Observer = lambda point: None, keeps_connections: bool = True
) -> tuple[Flask, Crew]:
    """The application and its threads, not started. Raises BedtimeError, saying what to do."""
    os.umask(0o077)
    write_logs(settings.log_level)
    premises.check(settings, host=_listens_on(settings), debug=_is_debugged())
    heard: list[Observer] = [observe]

    def tell_all(point: str) -> None:
        for hears in heard:
            hears(point)

    database = Database(settings.instance / "bedtime.db", observe=tell_all)
    database.open()
    premises.close_to_others(database.path)
    doorkeeper.await_set_up(database, settings.instance, secrets.token_bytes)
    parts = _parts(settings, database, tell_all)
    book = BookTeller(ROOT / "bedtime" / "tales")
    crew = Crew(settings.instance / "worker.lock", _loops(settings, parts, book), lambda: recover_dead(parts))
    heard.insert(0, crew.hear)
    return web.create_app(_house(settings, parts, crew, book, keeps_connections=keeps_connections)), crew


def main(observe: Observer = lambda point: None) -> None:
    """Serve until SIGTERM or SIGINT; then claim nothing more, let the running call end, and exit 0. A second one ends at once."""
    try:
        settings = from_machine(ROOT)
        listening = premises.listen(settings.host, settings.port)  # before anything is opened, or works
        app, crew = build(settings, observe=observe)
        server = create_server(
            app,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            clear_untrusted_proxy_headers=False,
            asyncore_loop_timeout=10,  # whatever comes wakes it: this only looks for connections long silent
        )
    except (BedtimeError, OSError) as error:
        _stop_with(error)
    signals = _listen_to_signals()
    crew.start()
    threading.Thread(target=server.run, name="server", daemon=True).start()
    port = listening.getsockname()[1]
    click.echo(f"Bedtime is open at {premises.url_of(settings.host, port)}")  # in one write, where print makes two
    _print_link(settings, host=settings.host, port=port)
    log.info("status=stopping signal=%d", _next(signals))
    threading.Thread(target=lambda: os._exit(128 + _next(signals)), name="at_once", daemon=True).start()
    observe("shutdown.during_grace")
    crew.stop()
    observe("shutdown.after_grace")
    server.task_dispatcher.shutdown()
    server.close()


def _parts(settings: Settings, database: Database, observe: Observer) -> Parts:
    return Parts(
        database=database,
        spool=Spool(settings.instance / "spool"),
        storyteller=language_model(settings, observe=observe, monotonic=time.monotonic),
        observe=observe,
        clock=time.time,
        monotonic=time.monotonic,
        dice=random.random,
        cap_micros=settings.monthly_cap_micros,
        max_failures=settings.max_failures,
        max_tokens=settings.llm_max_tokens,
        send_names=settings.send_names,
        zone=zone_of_the_machine(),
    )


def _loops(settings: Settings, parts: Parts, book: BookTeller) -> list[Loop]:
    """One thread for the book, never behind a slow call; one or more for paid stories; who wakes them; the reaper."""
    for fault in book.faults:
        log.warning('tale=left_out reason="%s"', fault)
    workers: list[tuple[str, dict[str, Handler], str]] = [(BOOK, {TELL_TALE: BookTelling(parts, book)}, "book")]
    for number in range(1, settings.workers + 1):
        workers.append((STORIES, {WRITE_STORY: StoryTelling(parts)}, f"stories-{number}"))
    loops = []
    for queue, handlers, name in workers:
        worker = Worker(
            parts.database,
            queue,
            handlers,
            name=f"{os.getpid()}:{name}",
            lease_seconds=settings.lease_seconds,
            max_failures=settings.max_failures,
            clock=parts.clock,
            dice=parts.dice,
        )
        loops.append(Loop(name, worker.step, worker.rest, monotonic=time.monotonic, claims=True))
    reaper = Reaper(parts.database, lambda: take_back_overdue(parts), seconds=settings.reap_seconds, clock=parts.clock)
    planner = Planner(
        parts.database, PlanRules(*_goes_to(parts.storyteller), settings.expiry_hours * 3600), clock=parts.clock
    )
    keeper = Keeper(parts.database, parts.spool, observe=parts.observe, clock=parts.clock)
    watcher = Watcher(parts.database, [loop.wake for loop in loops])
    return [
        *loops,
        Loop("watcher", watcher.step, watcher.rest, monotonic=time.monotonic),
        Loop("reaper", reaper.step, reaper.rest, monotonic=time.monotonic),
        Loop("evenings", planner.step, planner.rest, monotonic=time.monotonic),
        Loop("keeping", keeper.step, keeper.rest, monotonic=time.monotonic),
    ]


def _goes_to(storyteller: LanguageModel | None) -> tuple[str, str]:
    """The queue and the kind of what a family asks for."""
    return (BOOK, TELL_TALE) if storyteller is None else (STORIES, WRITE_STORY)


def _rules(settings: Settings, storyteller: LanguageModel | None) -> AskRules:
    return AskRules(*_goes_to(storyteller), settings.queue_max, settings.expiry_hours * 3600)


def _house(settings: Settings, parts: Parts, crew: Crew, book: BookTeller, *, keeps_connections: bool) -> House:
    return House(
        settings=settings,
        database=parts.database,
        rules=_rules(settings, parts.storyteller),
        estimate=Estimate(parts.storyteller, settings.monthly_cap_micros, settings.llm_max_tokens, parts.zone),
        observe=parts.observe,
        clock=time.time,
        continues=book.continues,
        new_key=_new_key,
        secret_key=premises.secret_key(settings.instance, secrets.token_bytes),
        health=lambda: _health(crew),
        keeps_connections=keeps_connections,
    )


def _new_key() -> str:
    return secrets.token_urlsafe(24)


def _for_commands(settings: Settings) -> Flask:
    """Where `flask` finds our commands. Nothing is opened before one needs it; they log only what goes wrong."""
    os.umask(0o077)
    write_logs("warning" if settings.sources["log_level"] == "default" else settings.log_level)
    storyteller = language_model(settings, observe=lambda point: None, monotonic=time.monotonic)
    desk = cli.Desk(
        settings=settings,
        rules=_rules(settings, storyteller),
        storyteller=storyteller,
        read_wish=forms.read,
        read_key=fields.idempotency_key,
        new_key=_new_key,
        draw=secrets.token_bytes,
        somebody_works=lambda: somebody_works(settings.instance / "worker.lock"),
        nobody_works=lambda: nobody_works(settings.instance / "worker.lock"),
        clock=time.time,
        monotonic=time.monotonic,
        rest=time.sleep,
    )
    app = Flask("bedtime")
    for command in cli.commands(desk):
        app.cli.add_command(command)
    return app


def _health(crew: Crew) -> Health:
    beat = crew.oldest_beat()
    worker = "here" if crew.working else "elsewhere" if crew.started else "none"
    return Health(worker, None if beat is None else time.monotonic() - beat, tuple(crew.dead()))


def _print_link(settings: Settings, *, host: str, port: int) -> None:
    token = premises.known_setup_token(settings.instance)
    if token is not None and (settings.hosts or not premises.is_loopback(host)):
        click.echo(premises.invitation(settings, host=host, port=port, token=token))


def _listen_to_signals() -> int:
    """A pipe out of which SIGTERM and SIGINT are read as they come.

    A handler in Python runs only when the main thread next runs Python: one that has just begun to wait never hears it.
    What writes into the pipe is the interpreter itself (https://docs.python.org/3/library/signal.html#signal.set_wakeup_fd).
    """
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)
    return reads


def _next(signals: int) -> int:
    return os.read(signals, 1)[0]


def _command() -> str | None:
    """Which `flask` command runs; None under another server."""
    context = click.get_current_context(silent=True)
    return context.info_name if context else None


def _listens_on(settings: Settings) -> str:
    context = click.get_current_context(silent=True)
    return str(context.params.get("host") or settings.host) if context else settings.host


def _is_debugged() -> bool:
    context = click.get_current_context(silent=True)
    return get_debug_flag() or bool(context and context.params.get("debugger"))


def _seeks_a_command() -> bool:
    """`flask` itself asks for the application, to see which commands it has; its own commands ask from within."""
    context = click.get_current_context(silent=True)
    return context is not None and context.parent is None


def _serves_here() -> bool:
    """Under the reloader the parent process only watches files."""
    context = click.get_current_context(silent=True)
    asked = context.params.get("reload") if context else False
    reloads = get_debug_flag() if asked is None else asked
    return is_running_from_reloader() or not reloads


def _stop_with(error: Exception) -> NoReturn:
    raise SystemExit(f"Bedtime cannot start: {error}")


if __name__ == "__main__":
    main()
