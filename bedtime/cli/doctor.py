"""`flask doctor`: what is set, and what is wrong or worth a look; it writes no wish and spends nothing."""

from collections.abc import Iterator
from itertools import chain

import click

from bedtime import jobs, llm, prices
from bedtime.cli import checks
from bedtime.cli.checks import Finding
from bedtime.cli.desk import Command, Desk, examples, pass_desk, sentence
from bedtime.cli.tables import span
from bedtime.errors import BedtimeError, Closed, NotBilled, NotSent
from bedtime.settings import Settings
from bedtime.settings.showing import shown
from bedtime.storytellers.language_model import LanguageModel
from bedtime.telling import use_key, why_paused
from bedtime.values import MICROS


@click.command(cls=Command, epilog=examples("flask doctor", "flask doctor || mail -s 'Bedtime needs a look' you@home"))
@pass_desk
def doctor(desk: Desk) -> None:
    """Look the house over: settings and where each came from, files, disk, SQLite, clock, server, storyteller, price.

    Keys are never shown. The storyteller is only asked for its list of models, which costs nothing. Exit code 0: nothing
    is wrong; 1: something is, and what to do about it.
    """
    for line in _settings(desk.settings):
        click.echo(line)
    click.echo()
    wrong = 0
    for finding in _findings(desk):
        click.echo(f"{finding.level:5}  {finding.subject:11}  {finding.text}")
        wrong += finding.level == "wrong"
    if wrong:
        raise click.ClickException(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.")


def _settings(settings: Settings) -> Iterator[str]:
    lines = shown(settings)
    width = max(len(line.name) for line in lines)
    for line in lines:
        yield f"{line.name:{width}}  {line.value}  ({line.source})"


def _findings(desk: Desk) -> Iterator[Finding]:
    instance = desk.settings.instance
    yield from chain(checks.sqlite(), checks.files(instance), checks.disk(instance))
    yield from checks.clock(instance, now=desk.clock())
    yield from _database(desk)
    yield checks.backups(instance, now=desk.clock())
    if desk.somebody_works():
        yield Finding("ok", "server", "it runs, and tells stories")
    else:
        yield Finding("wrong", "server", "none runs now, so nothing is told: start one with make run")
    if desk.storyteller is None:
        yield Finding("ok", "storyteller", "the built-in book: no key, no network, no cost")
    else:
        yield _tied(desk.storyteller, desk) or _reached(desk.storyteller, desk)
        yield _priced(desk.storyteller, desk.settings)


def _database(desk: Desk) -> Iterator[Finding]:
    try:
        database = desk.open_database()
        with database.reading() as db:
            queues = jobs.queues_now(db)
    except BedtimeError as error:
        yield Finding("wrong", "database", sentence(error).rstrip("."))
        return
    yield Finding("ok", "database", f"it opens; {database.wal_bytes() // 1000} kB are not copied into it yet")
    for queue in queues:
        if queue.paused_at is not None:
            since = span(desk.clock() - queue.paused_at)
            text = (
                f"{queue.name} is paused since {since} ({queue.paused_reason}): {why_paused(queue.paused_reason or '')}"
            )
            yield Finding("wrong", "queue", text)


def _tied(storyteller: LanguageModel, desk: Desk) -> Finding | None:
    """Nothing if the key may be sent to where the storyteller is: to ask for its models is to use the key."""
    try:
        use_key(desk.open_database(), storyteller, now=desk.clock())
    except Closed as error:
        return Finding("wrong", "storyteller", f"{error}, so it was not asked: {why_paused(error.reason)}")
    except BedtimeError as error:
        return Finding("note", "storyteller", f"not asked: {sentence(error).rstrip('.')}")
    return None


def _reached(storyteller: LanguageModel, desk: Desk) -> Finding:
    try:
        names = llm.models(storyteller.endpoint, monotonic=desk.monotonic)
    except NotSent as error:
        return Finding("wrong", "storyteller", f"{error}: check BEDTIME_LLM_URL, and whether it runs")
    except Closed as error:
        return Finding("wrong", "storyteller", f"{error}, so it does not take our key: check BEDTIME_LLM_KEY")
    except NotBilled as error:
        return Finding("note", "storyteller", f"{error} when it was asked for its models: it may work all the same")
    if names is None:
        return Finding("note", "storyteller", f"{storyteller.host} answers, but keeps no list of models to look in")
    if not llm.knows(names, storyteller.model):
        text = f"{storyteller.host} does not list {storyteller.model}, but {', '.join(names[:8]) or 'no model at all'}"
        return Finding("wrong", "storyteller", f"{text}: check BEDTIME_LLM_MODEL")
    return Finding("ok", "storyteller", f"{storyteller.host} answers, and knows {storyteller.model}")


def _priced(storyteller: LanguageModel, settings: Settings) -> Finding:
    price = storyteller.price
    if price is None:
        text = f"nobody here knows what {storyteller.model} costs, so nothing is sent: set BEDTIME_PRICE_IN and _OUT"
        return Finding("wrong", "price", text)
    own = settings.price_in_micros is not None
    source = "as the settings say" if own else f"by the table of {prices.dated().isoformat()}"
    if price == prices.FREE:
        return Finding("ok", "price", f"free ({'as the settings say' if own else 'it is at home'})")
    each = [f"{micros / MICROS:g}" for micros in (price.input_micros, price.output_micros)]
    return Finding("ok", "price", f"{each[0]} in and {each[1]} out, {settings.currency} a million tokens, {source}")
