"""How a tale is worded: every slot filled, English that agrees, no worn phrase, clean type."""

import re
from collections.abc import Iterator, Sequence

from tale_measures import everything_told, mixes, named, told

from bedtime.model import Child
from bedtime.storytellers.rendering import render
from bedtime.storytellers.tales import Tale

BANNED = {
    r"little did \w+ know": "little did they know",
    r"and so it was that": "and so it was that",
    r"hearts?\b[^.!?]{0,20}\bswel|swel\w+ hearts?\b": "a heart that swells",
    r"\bstars?\b[^.!?]{0,30}\btwinkl|twinkl\w+ stars?\b": "stars that twinkle",
    r"\btapestr(y|ies)\b": "tapestry",
    r"\btestament\b": "testament",
    r"\bwhispers? of\b": "whisper of",
    r"\bdances? of\b": "dance of",
    r"\blearn(ed|t) that\b": "learned that",
    r"\blearn(ed|t) (a|an|the|his|her|their)\b.{0,20}\blesson\b": "learned a lesson",
    r"\bthe moral\b": "the moral",
    r"(^|[.!?…]\s)the end\b": "the end",
    r"once upon a time": "once upon a time",
    r"and they all lived": "and they all lived",
}
BAD_ENGLISH = {
    r"\b[Tt]hey (was|is|has|does|[a-z]+(ks|ls|ns|ps|ts))\b": "a verb that does not go with they",
    r"\b([Ss]he|[Hh]e) (were|are|have|do)\b": "a verb that does not go with she or he",
    r"\b[Tt]hey’s\b": "they’s",
    r"  ": "two spaces",
    r" [,.;:!?…](?!\w)": "a space before a mark",
    r"\b[Aa] (?!one|uni|use|eu)[aeiou]": "a where an should stand",
    r"\b[Aa]n (?!hour|honest|heir)[^aeiouAEIOU\s]": "an where a should stand",
    r"\b(\w+) \1 \1\b|\b(the|a|an|and|to|of) \2\b": "a word twice",
    r",,|\.\.|“ | ”": "marks in disorder",
}
BAD_TYPE = {
    r"[\"'`]": "a straight quote: write “ ” and ’",
    r"\.\.\.": "three dots: write …",
    r"(?m)^(#|>|[-+*] |\d+\. |---|\*\*\*)|\*\*|__|\]\(|<\w": "Markdown: only *asterisks* round a sound or a word",
}


def slots_filled(tale: Tale) -> Iterator[str]:
    for children in mixes():
        draft = render(tale, children)
        who = listening(children)
        for where, text in everything_told(draft):
            left = re.sub(rf"\{{child:[1-{len(children)}]\}}", "", text)
            if "{" in left or "}" in left:
                bound = f"expected {{child:1}} to {{child:{len(children)}}} at most"
                yield f"{where}, {who}: a brace is left in '{text}'; {bound}"


def english_right(tale: Tale) -> Iterator[str]:
    for children in mixes():
        who = listening(children)
        for where, text in everything_told(render(tale, children)):
            for pattern, what in BAD_ENGLISH.items():
                if match := re.search(pattern, named(text)):
                    yield f"{where}, {who}: {what} in '{named(text)[max(0, match.start() - 25) : match.end() + 15]}'"


def listening(children: Sequence[Child]) -> str:
    return f"with {len(children)} ({', '.join(child.pronouns for child in children)})"


def wording_clean(tale: Tale) -> Iterator[str]:
    for children in (1, 3):
        for where, text in everything_told(told(tale, children)):
            for pattern, what in BANNED.items():
                if match := re.search(pattern, text, re.IGNORECASE):
                    yield f"{where}: '{match[0]}' is on the list of banned phrases ({what}); say it another way"


def type_clean(tale: Tale) -> Iterator[str]:
    for number, paragraph in enumerate(told(tale, 3).paragraphs, start=1):
        for pattern, what in BAD_TYPE.items():
            if match := re.search(pattern, paragraph):
                yield f"paragraph {number}: '{match[0]}' is {what}"
        if paragraph.count("“") != paragraph.count("”"):
            opened, closed = paragraph.count("“"), paragraph.count("”")
            yield f"paragraph {number}: {opened} quotes open and {closed} close; expected as many"
        if paragraph.count("*") % 2:
            yield f"paragraph {number}: {paragraph.count('*')} asterisks; expected an even number"
