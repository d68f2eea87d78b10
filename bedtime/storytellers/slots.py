"""The slots of a tale: which there are, what is wrong with one, and how each is filled.

Two passes: `choose` picks the parts of `{alone|…|…}`, then `fill` puts words into the rest, a paragraph at a time.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PERSONS = ("lead", "group")
FURNISHED = ("companion", "thing", "food", "spot")
SEVERAL_ONLY = ("second", "third")
PRONOUN_FORMS = {
    "she": {"they": "she", "them": "her", "their": "her", "theirs": "hers", "themself": "herself"},
    "he": {"they": "he", "them": "him", "their": "his", "theirs": "his", "themself": "himself"},
    "they": {"they": "they", "them": "them", "their": "their", "theirs": "theirs", "themself": "themself"},
}
VERB_FORMS = {"is": "are", "was": "were", "has": "have", "does": "do", "s": "", "es": ""}

_FORMS = (*PRONOUN_FORMS["they"], *VERB_FORMS)
_FORMED = tuple(f"{person}.{form}" for person in PERSONS for form in (*_FORMS, *(f.capitalize() for f in _FORMS[:-2])))
SLOTS = frozenset((*PERSONS, *SEVERAL_ONLY, *_FORMED, *FURNISHED, *(slot.capitalize() for slot in FURNISHED)))

_PART = r"((?:[^{}|]|\{[^{}]*\})*)"
_ALONE = re.compile(rf"\{{alone\|{_PART}\|{_PART}\}}")
_SLOT = re.compile(r"\{([^{}]*)\}")
_ARTICLE = re.compile(r"\b[Aa]n? \{(lead|group|second|third|companion|thing)\}")
_SENTENCE_START = re.compile(r"(?:^|[.?!] |\.” )[“‘*]*$")
_AN = re.compile(r"(?!one|uni|use|usu|eu)[aeiou]|hour|honest|heir", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills slots: one to three names, lead first, the lead's pronouns, noun phrases for the furnished ones."""

    names: tuple[str, ...]
    pronouns: str
    furnished: Mapping[str, str]

    @property
    def several(self) -> bool:
        return len(self.names) > 1


# --- what is wrong with them ----------------------------------------------------------------------


def faults(text: str) -> list[tuple[int, str]]:
    """Each mistake in the text's slots: its offset, and what it is with its remedy."""
    found = [fault for match in _ALONE.finditer(text) for fault in _faults_of_choice(match)]
    outside = _ALONE.sub(_blank, text)
    found += _faults_of_slots(outside, 0, several=False)
    left = _SLOT.sub(_blank, outside)
    found += [
        (match.start(), f"a lone '{match[0]}': every slot opens and closes once") for match in re.finditer("[{}]", left)
    ]
    for match in _ARTICLE.finditer(text):
        found.append(
            (match.start(), f"'{match[0]}': {{{match[1]}}} brings its own article, or is a name; take the article out")
        )
    return sorted(found)


def _faults_of_choice(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    for part, several in ((1, False), (2, True)):
        if "{alone" in match[part]:
            yield match.start(part), "{alone|…|…} inside another one: write two sentences"
        else:
            yield from _faults_of_slots(match[part], match.start(part), several=several)


def _faults_of_slots(text: str, offset: int, *, several: bool) -> Iterator[tuple[int, str]]:
    for match in _SLOT.finditer(text):
        if match[1].startswith("alone"):
            yield offset + match.start(), f"'{match[0]}': expected {{alone|text for one child|text for several}}"
        elif match[1] not in SLOTS:
            near = difflib.get_close_matches(match[1], sorted(SLOTS), n=1)
            hint = f"did you mean {{{near[0]}}}?" if near else "README.md lists the slots"
            yield offset + match.start(), f"unknown slot '{match[0]}': {hint}"
        elif match[1] in SEVERAL_ONLY and not several:
            yield (
                offset + match.start(),
                f"'{match[0]}' with one child is nobody: put it in the second part of {{alone|…|…}}",
            )


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def used(text: str) -> frozenset[str]:
    """The furnished slots that occur in the text, in lower case."""
    return frozenset(name.lower() for name in _SLOT.findall(text)) & frozenset(FURNISHED)


# --- filling them ---------------------------------------------------------------------------------


def choose(text: str, *, several: bool) -> str:
    """The text with the right part of every `{alone|…|…}`."""
    return _ALONE.sub(lambda match: match[2 if several else 1], text)


def fill(text: str, filling: Filling) -> str:
    """One chosen paragraph, every slot filled; sentence starts, a or an, possessives and verbs set right."""
    told, end = "", 0
    for match in _SLOT.finditer(text):
        told += text[end : match.start()]
        end = match.end()
        value = _value(match, filling)
        if _SENTENCE_START.search(told):
            value = _capital(value)
        told = _with_article(told, value) + value
        if text.startswith("’s", end) and _is_plural_phrase(value):
            told, end = told + "’", end + 2
    return told + text[end:]


def _value(match: re.Match[str], filling: Filling) -> str:
    name, _, form = match[1].partition(".")
    if form:
        value = _bend(match, name, form.lower(), filling)
        return _capital(value) if form[0].isupper() else value
    if name == "group":
        return _listed(filling.names)
    if name in ("lead", *SEVERAL_ONLY):
        wanted = ("lead", *SEVERAL_ONLY).index(name)
        return filling.names[min(wanted, len(filling.names) - 1)]
    value = filling.furnished[name.lower()]
    return _capital(value) if name[0].isupper() else value


def _bend(match: re.Match[str], person: str, form: str, filling: Filling) -> str:
    several = person == "group" and filling.several
    if form in VERB_FORMS:
        plural = several or (filling.pronouns == "they" and not _subject_is_name(match, person))
        return VERB_FORMS[form] if plural else form
    if several and form == "themself":
        return "themselves"
    return PRONOUN_FORMS["they" if several else filling.pronouns][form]


def _subject_is_name(match: re.Match[str], person: str) -> bool:
    """Whether the verb goes with the name ("Bo was") and not with the pronoun ("they were"): what follows it decides,
    or else the nearest subject before it."""
    subject = re.compile(rf"\{{{person}(\.[Tt]hey)?\}}")
    behind = subject.match(match.string, match.end() + 1)
    before = list(subject.finditer(match.string, 0, match.start()))
    nearest = behind or (before[-1] if before else None)
    return nearest is not None and nearest[1] is None


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(value: str) -> str:
    return value[:1].upper() + value[1:]


def _with_article(told: str, value: str) -> str:
    article = re.search(r"\b([Aa])n? $", told)
    if not article:
        return told
    return told[: article.start()] + article[1] + ("n " if _AN.match(value) else " ")


def _is_plural_phrase(value: str) -> bool:
    """ "the shoes", not "the bus", not "Hops"."""
    return value.startswith(("the ", "The ")) and re.search(r"[^suio]s$", value) is not None
