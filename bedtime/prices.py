"""What a model costs: a dated table, the worst case of a prompt, the cost of an answer. Whole micro-units, rounded up."""

import datetime
import functools
import re
import tomllib
from pathlib import Path
from typing import Any

from bedtime.model import Price, Prompt
from bedtime.values import MICROS, micros

__all__ = ["cost", "dated", "exactly", "money", "plainly", "price_of", "price_of_answer", "worst_case"]

FREE = Price(0, 0)
TOKENS_AROUND_A_MESSAGE = 16
TABLE_CURRENCY = "USD"
_CENT = MICROS // 100
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_DATE_BEHIND = re.compile(r"-20\d\d-?[01]\d-?[0-3]\d\Z", re.ASCII)


def price_of(model: str, *, private_host: bool, override: Price | None, currency: str = TABLE_CURRENCY) -> Price | None:
    """What a million tokens cost: as the household says, else as the table does, else free at home; None: nobody knows.

    A model that the table knows costs money on a private host too (something there passes it on). The table is in US
    dollars: in another currency its models have no price until the household names one.
    """
    if override is not None:
        return override
    listed = _listed(model)
    if listed is not None:
        return listed if currency == TABLE_CURRENCY else None
    return FREE if private_host else None


def price_of_answer(price: Price, *, asked: str, answered: str | None, currency: str = TABLE_CURRENCY) -> Price:
    """What an answer is billed at: if it names another model than was asked for, the dearer of both, as far as the table knows.

    What costs nothing stays free: a server at home may call its model by any name.
    """
    other = _other(asked, answered) if answered and currency == TABLE_CURRENCY else None
    if other is None or price == FREE:
        return price
    return Price(max(price.input_micros, other.input_micros), max(price.output_micros, other.output_micros))


def worst_case(prompt: Prompt, price: Price, *, extra_bytes: int = 0) -> int:
    """Micros that one call can cost at most: no token is shorter than a byte, and the answer ends at its limit.

    `extra_bytes`: of what is sent beside the prompt.
    """
    bytes_sent = sum(len(text.encode("utf-8", "surrogatepass")) for text in (prompt.system, prompt.user))
    return cost(bytes_sent + extra_bytes + 2 * TOKENS_AROUND_A_MESSAGE, prompt.max_tokens, price)


def cost(tokens_in: int, tokens_out: int, price: Price) -> int:
    """Micros that this many tokens cost, rounded up. A count below 0 counts as 0."""
    return -(-(max(tokens_in, 0) * price.input_micros + max(tokens_out, 0) * price.output_micros) // MICROS)


def money(amount_micros: int, currency: str, *, down: bool = False) -> str:
    """Money as a parent reads it: a cost rounded up to the cent, what is left (`down`) rounded down."""
    if 0 < amount_micros < _CENT:
        return f"less than {_amount(1, currency)}"
    return _amount(amount_micros // _CENT if down else -(-amount_micros // _CENT), currency)


def exactly(amount_micros: int, currency: str) -> str:
    """Money to the micro-unit: two decimals, or as many as it takes."""
    return _with_currency("-" if amount_micros < 0 else "", plainly(abs(amount_micros)), currency)


def plainly(amount_micros: int) -> str:
    """The same without a currency, for a field and for a spreadsheet. Not below 0."""
    whole, rest = divmod(amount_micros, MICROS)
    return f"{whole}.{f'{rest:06}'.rstrip('0').ljust(2, '0')}"


def dated() -> datetime.date:
    """The day on which the table was true."""
    day: datetime.date = _file()["date"]
    return day


def _listed(model: str) -> Price | None:
    """The table's price of exactly this model, or of the one of which this is a dated version."""
    table = _table()
    return table.get(model) or table.get(_DATE_BEHIND.sub("", model))


def _other(asked: str, answered: str) -> Price | None:
    """The table's price of a model that is not the one that was asked for, nor only a dated version of it."""
    same = answered == asked or (answered not in _table() and _DATE_BEHIND.sub("", answered) == asked)
    return None if same else _listed(answered)


@functools.cache
def _table() -> dict[str, Price]:
    read = micros(1_000_000)
    listed: dict[str, list[str | int]] = _file()["dollars_per_million_tokens"]
    return {model: Price(*(read(str(dollars)) for dollars in pair)) for model, pair in listed.items()}


@functools.cache
def _file() -> dict[str, Any]:
    """The data file; its decimals stay text, since a float cannot hold a tenth."""
    text = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text, parse_float=str)


def _amount(cents: int, currency: str) -> str:
    sign = "-" if cents < 0 else ""
    return _with_currency(sign, f"{abs(cents) // 100}.{abs(cents) % 100:02}", currency)


def _with_currency(sign: str, text: str, currency: str) -> str:
    return f"{sign}{_SIGNS[currency]}{text}" if currency in _SIGNS else f"{sign}{text} {currency}"
