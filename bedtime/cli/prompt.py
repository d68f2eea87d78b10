"""`flask prompt`: exactly what would leave the house for a wish."""

import json
from typing import Any

import click

from bedtime import household, prices, telling
from bedtime.cli.desk import Command, Desk, examples, pass_desk
from bedtime.cli.wish import wish_of, wish_options
from bedtime.errors import Closed
from bedtime.model import Prompt
from bedtime.storytellers.language_model import LanguageModel


@click.command(
    cls=Command,
    epilog=examples(
        "flask prompt --child Mia:4-5:she --idea 'a shy dragon for Mia'",
        "flask prompt -c Mia --continues 7 --json | jq .max_tokens",
    ),
)
@wish_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON: host, model, system, user, max_tokens.")
@pass_desk
def prompt(desk: Desk, /, as_json: bool, **given: Any) -> None:
    """Show exactly what would be sent for a wish if it were asked next. Nothing is sent or written.

    Names of the household are stand-ins here as they are on the wire (unless BEDTIME_SEND_NAMES is yes). Exit code 0, or
    1 if a child or a story is gone, or 2 if an option is wrong.
    """
    with desk.open_database().reading() as db:
        wish = wish_of(desk, db, given)
        planned = telling.preview(
            db,
            wish,
            max_tokens=desk.settings.llm_max_tokens,
            send_names=household.send_names(db, otherwise=desk.settings.send_names),
            now=desk.clock(),
        )
    if desk.storyteller is None or wish.from_book:
        click.echo("Nothing would be sent: the built-in book tells it, and nothing leaves the house.")
    elif as_json:
        click.echo(json.dumps(_fields(desk.storyteller, planned.prompt), ensure_ascii=False, indent=2))
    else:
        _print(desk.storyteller, planned.prompt, desk.settings.currency)


def _fields(storyteller: LanguageModel, sent: Prompt) -> dict[str, Any]:
    return {
        "host": storyteller.host,
        "model": storyteller.model,
        "system": sent.system,
        "user": sent.user,
        "max_tokens": sent.max_tokens,
    }


def _print(storyteller: LanguageModel, sent: Prompt, currency: str) -> None:
    click.echo(f"To {storyteller.host}, model {storyteller.model}, at most {sent.max_tokens} tokens back.")
    click.echo(f"It would cost {_at_most(storyteller, sent, currency)}.")
    for title, text in (("system", sent.system), ("user", sent.user)):
        click.echo(f"\n--- {title} ---\n{text}")


def _at_most(storyteller: LanguageModel, sent: Prompt, currency: str) -> str:
    try:
        return f"at most {prices.money(storyteller.worst_case(sent), currency)}"
    except Closed:
        return "what nobody here knows: set BEDTIME_PRICE_IN and BEDTIME_PRICE_OUT"
