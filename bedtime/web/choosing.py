"""What a family chooses in the page, checked: each field with a sentence where it is wrong, and all of it kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bedtime import almanac, household, prices, values
from bedtime.db import Connection
from bedtime.household import APPROVAL, EXPIRY_HOURS, LANGUAGE, MONTHLY_CAP, SEND_NAMES, ZONE
from bedtime.web import fields
from bedtime.web.house import House

HIGHEST = 1_000_000
LONGEST_HOURS = 8760
LONGEST_TEXT = 60
MONEY_SENTENCE = "An amount such as 5.00: not below 0, at most 1,000,000, with up to 6 decimals."


@dataclass
class ChoiceForm:
    """The fields as they stand or were typed, by name; what is wrong with each; which of them the family chose itself."""

    texts: dict[str, str]
    chosen: frozenset[str] = frozenset()
    errors: dict[str, str] = field(default_factory=dict)


def read_money(text: str) -> tuple[int | None, str]:
    """Micros, or None and what to type instead. A comma stands for a point, as many families write it."""
    try:
        return values.micros(HIGHEST)(text.strip().replace(",", ".")), ""
    except ValueError:
        return None, MONEY_SENTENCE


def standing(db: Connection, house: House) -> ChoiceForm:
    """What holds now, in the words of the form."""
    chosen = household.choices(db)
    texts = {name: show(chosen[name]) if name in chosen else by_machine(house)[name] for name, show in _SHOWN.items()}
    return ChoiceForm(texts, frozenset(chosen) & _SHOWN.keys())


def by_machine(house: House) -> dict[str, str]:
    """What holds where the family chose nothing."""
    settings = house.settings
    return {
        MONTHLY_CAP: prices.plainly(settings.monthly_cap_micros),
        ZONE: house.zone(),
        SEND_NAMES: "yes" if settings.send_names else "no",
        APPROVAL: "yes",
        LANGUAGE: "en",
        EXPIRY_HOURS: f"{settings.expiry_hours:g}",
    }


def read(typed: Mapping[str, str], stood: ChoiceForm) -> tuple[dict[str, str | None], ChoiceForm]:
    """What is to be chosen now: the fields that were changed."""
    shown = {**stood.texts, **fields.shown_before(typed, _SHOWN)}
    form = ChoiceForm({name: typed.get(name, "").strip()[:LONGEST_TEXT] for name in _SHOWN}, stood.chosen)
    for name in (SEND_NAMES, APPROVAL):
        form.texts[name] = "yes" if form.texts[name] == "yes" else "no"
    changed: dict[str, str | None] = {}
    for name, check in _CHECKS.items():
        was = shown[name]
        if form.texts[name] == was:
            continue
        try:
            value = check(form.texts[name])
        except ValueError as error:
            form.errors[name] = str(error)
            continue
        if value != _value_of(check, was):
            changed[name] = value
    return changed, form


def _value_of(check: Callable[[str], str], text: str) -> str | None:
    """What a text says, so that 5 is no other choice than 5.00; None where it says nothing."""
    try:
        return check(text)
    except ValueError:
        return None


def _cap(text: str) -> str:
    micros, wrong = read_money(text)
    if micros is None:
        raise ValueError(wrong)
    return str(micros)


def _zone(text: str) -> str:
    try:
        almanac.zone_of(text)
    except ValueError as error:
        raise ValueError(f"{str(error)[:1].upper()}{str(error)[1:]}") from None
    return text


def _language(text: str) -> str:
    language = fields.language(text)
    if language is None:
        raise ValueError("A language as in web pages: en, de, pt-BR.")
    return language


def _hours(text: str) -> str:
    try:
        return f"{values.span(LONGEST_HOURS, unit='hours')(text.replace(',', '.')):g}"
    except ValueError:
        raise ValueError("A number of hours, more than 0 and at most 8760, such as 12.") from None


def _as_it_is(text: str) -> str:
    return text


_CHECKS: dict[str, Callable[[str], str]] = {
    MONTHLY_CAP: _cap,
    ZONE: _zone,
    SEND_NAMES: _as_it_is,
    APPROVAL: _as_it_is,
    LANGUAGE: _language,
    EXPIRY_HOURS: _hours,
}
_SHOWN: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(_CHECKS, _as_it_is),
    MONTHLY_CAP: lambda text: prices.plainly(int(text)),
}
