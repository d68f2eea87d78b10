"""What people type, as a checked `Wish`: or a sentence for each field that says what to do, with all of it kept."""

import itertools
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest

from bedtime.model import BANDS, MOODS, PRONOUNS, Listener, Wish
from bedtime.web import fields

NICKNAME, IDEA, TODAY, LESSON = 40, 500, 300, 200
MOST_CHILDREN = 3
CHILD = ("nickname", "band", "pronouns")
NAMESAKES = "Two of them have the same name: add a letter, so that the story can tell them apart."
IN_WORDS = {  # what a form calls the choices, where the sentence of a script names their values
    "band": "How old? 2 to 3, 4 to 5, 6 to 7 or 8 to 10.",
    "mood": "What kind of evening? Calm, funny, adventure or sleepy.",
}
KNOWN = frozenset(
    {"children", "idea", "today", "minutes", "mood", "lesson", "language", "continues", "from_book", "idempotency_key"}
)


@dataclass
class WishForm:
    """The fields as they came, for showing them again, and what is wrong with each."""

    children: set[int] = field(default_factory=set)
    new: list[dict[str, str]] = field(default_factory=list)
    idea: str = ""
    today: str = ""
    minutes: int | str = 6
    mood: str = "calm"
    lesson: str = ""
    language: str = "en"
    continues: int | str = ""
    from_book: bool = False
    errors: dict[str, str] = field(default_factory=dict)


def said(errors: Mapping[str, str]) -> dict[str, str]:
    """The sentences of a form's page: they name its choices as they read there."""
    return {name: IN_WORDS.get(name, sentence) for name, sentence in errors.items()}


def raw_fields(request: Request) -> Mapping[str, Any]:
    """The fields of a form or of a JSON object, unchecked, under the same names. Raises BadRequest for anything else."""
    if request.mimetype == "application/json":
        try:
            body = json.loads(request.get_data(), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON") from None
        if not isinstance(body, dict):
            raise BadRequest("the body is JSON, but not an object with the fields of a wish")
        return {name: value for name, value in body.items() if value is not None}
    return _of_form(request.form)


def read(raw: Mapping[str, Any]) -> tuple[Wish | None, WishForm]:
    """The wish, if every field is right; the form with its errors in any case."""
    form = WishForm()
    for name in sorted(set(raw) - KNOWN):
        form.errors["form"] = (
            f"there is no field “{fields.clean(str(name))[:40]}”: known are {', '.join(sorted(KNOWN))}"
        )
    children = _children(raw.get("children"), form)
    texts = {
        name: _text(raw, form, name, most) for name, most in (("idea", IDEA), ("today", TODAY), ("lesson", LESSON))
    }
    minutes = _minutes(raw.get("minutes", 6), form)
    mood = _choice(raw, form, "mood", MOODS, "calm")
    language = _language(raw.get("language"), form)
    continues = _continues(raw.get("continues"), form)
    form.from_book = _yes(raw.get("from_book"), form)
    if form.errors:
        return None, form
    wish = Wish(
        children,
        minutes=minutes,
        mood=mood,
        language=language,
        continues=continues,
        from_book=form.from_book,
        **texts,
    )
    return wish, form


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _of_form(form: MultiDict[str, str]) -> dict[str, Any]:
    rows = itertools.zip_longest(*(form.getlist(name) for name in CHILD), fillvalue="")
    new = [dict(zip(CHILD, row, strict=True)) for row in rows if any(text.strip() for text in row)]
    raw: dict[str, Any] = {name: form[name] for name in form if name not in ("child", *CHILD)}
    return {**raw, "children": [*form.getlist("child"), *new]}


def _children(raw: Any, form: WishForm) -> tuple[Listener, ...]:
    if not isinstance(raw, list) or not 1 <= len(raw) <= MOST_CHILDREN:
        form.errors["children"] = "Say who is listening: one child, two or three."
        raw = raw if isinstance(raw, list) else []
    listeners = [_listener(one, form) for one in raw[: MOST_CHILDREN * 2]]
    names = [unicodedata.normalize("NFKC", one.nickname).casefold() for one in listeners if one.nickname]
    ids = [one.child_id for one in listeners if one.child_id is not None]
    if len(set(names)) < len(names) or len(set(ids)) < len(ids):
        form.errors["children"] = NAMESAKES
    return tuple(listeners)


def _listener(raw: Any, form: WishForm) -> Listener:
    number = fields.whole(raw)
    if number is not None:
        form.children.add(number)
        return Listener(child_id=number)
    if not isinstance(raw, dict):
        form.errors["children"] = "A child is the number of a profile, or a nickname with band and pronouns."
        return Listener()
    row = {name: fields.clean(raw[name]) if isinstance(raw.get(name), str) else "" for name in CHILD}
    form.new.append(row)
    if set(raw) - set(CHILD):
        form.errors["children"] = f"A new child has {', '.join(CHILD)}, and nothing else."
    if not 1 <= len(row["nickname"]) <= NICKNAME:
        form.errors["nickname"] = f"What do you call them? Between one letter and {NICKNAME}."
    if row["band"] not in BANDS:
        form.errors["band"] = f"How old? One of {', '.join(BANDS)}."
    if row["pronouns"] not in PRONOUNS:
        form.errors["pronouns"] = f"In the story: {', '.join(PRONOUNS)}?"
    return Listener(row["nickname"], row["band"], row["pronouns"])


def _text(raw: Mapping[str, Any], form: WishForm, name: str, most: int) -> str:
    value = raw.get(name, "")
    if not isinstance(value, str):
        form.errors[name] = "This is text, or nothing at all."
        return ""
    text = fields.clean(value)
    setattr(form, name, text)
    if len(text) > most:
        form.errors[name] = f"This is {len(text)} characters long, and {most} fit: shorten it a little."
    return text


def _minutes(raw: Any, form: WishForm) -> int:
    number = fields.whole(raw)
    form.minutes = number if number is not None else _as_text(raw)[:10]
    if number is None or not 3 <= number <= 15:
        form.errors["minutes"] = "A whole number of minutes, from 3 to 15."
        return 6
    return number


def _choice(raw: Mapping[str, Any], form: WishForm, name: str, words: tuple[str, ...], default: str) -> str:
    value = raw.get(name, default)
    if value not in words:
        form.errors[name] = f"One of {', '.join(words)}."
        return default
    setattr(form, name, value)
    return str(value)


def _language(raw: Any, form: WishForm) -> str:
    text = fields.clean(_as_text(raw)) or "en"
    form.language = text[:35]
    language = fields.language(text)
    if language is None:
        form.errors["language"] = "A language as in web pages: en, de, pt-BR."
        return "en"
    form.language = language
    return language


def _continues(raw: Any, form: WishForm) -> int | None:
    if raw in (None, ""):
        return None
    number = fields.whole(raw)
    if number is None:
        form.errors["form"] = "The story to go on from is named by its number."
        return None
    form.continues = number
    return number


def _yes(raw: Any, form: WishForm) -> bool:
    """A tale from the book at once: true in JSON, `yes` from the button of the form."""
    if raw not in ("", "yes") and raw is not None and not isinstance(raw, bool):
        form.errors["form"] = "Whether it comes from the book is true or false."
    return raw is True or raw == "yes"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)[:200]
