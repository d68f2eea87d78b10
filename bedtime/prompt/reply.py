"""A reply → a draft. Whatever the model sent is shown as a story, if there is a word in it."""

import itertools
import re
from collections.abc import Iterator, Sequence

from bedtime.model import Draft
from bedtime.prompt.marks import heading, is_bold, is_item, item, stressed, unquoted
from bedtime.prompt.trailer import is_break, part
from bedtime.prompt.wrapping import presents_a_story, unwrap

_LONGEST_TITLE = 120
_MOST_TITLE_WORDS = 14
_BREAK = "***"
_HEADING = re.compile(r"\s*(?:#{1,6}\s*|(?:\*\*|__).*(?:\*\*|__)\s*$)")
_TITLE_LABEL = re.compile(r"(?:title|titel|titre|título|titolo)[*_]*\s*[:：]\s*", re.IGNORECASE)
_QUOTES = ("“”", '""', "„“", "«»", "‘’", "''", "「」", "『』", "《》")
_OPENING = tuple("“\"„«‘'「『—–-")
_STOPS = tuple(".,;:…。،؛")
_UNQUOTED = str.maketrans("", "", '“”"„«»「」『』')
_SENTENCE_ENDS = tuple(".!?…。！？؟")
_ENDS = (*_SENTENCE_ENDS, *'"”’»)*:」』')


def read_reply(text: str, *, cut_short: bool) -> Draft:
    """The draft in a reply. Nothing of its visible text is lost; a title that is missing is made of the first words.

    Raises ValueError if there is no text at all.
    """
    told = unwrap(text)
    parted = part(told.text.split("\n"))
    title, body = _bare(" ".join(told.title.split())), parted.story
    if not title:
        title, body = _titled(body, more=any(map(_bare, parted.after)))
    if len(title) > _LONGEST_TITLE:
        title, body = "", [title, "", *body]
    paragraphs = (*_paragraphs(body), *_paragraphs(parted.after)) or _paragraphs([title, *told.text.split("\n")])
    if not _is_seen("".join(paragraphs)):
        raise ValueError("the reply holds no text")
    flags = [*(["cut_short"] if cut_short else []), *([] if title else ["no_title"])]
    recap, cast = (" ".join(filter(None, both)) for both in ((told.recap, parted.recap), (told.cast, parted.cast)))
    return Draft(title or _first_words(paragraphs), paragraphs, recap, cast, tuple(flags))


def as_it_came(text: str) -> Draft | None:
    """A reply that could not be read, as plain paragraphs: nothing is looked for in it. None if nothing can be seen of it."""
    seen = "".join(char for char in text if char.isprintable() or char == "\n")
    paragraphs = tuple(part.strip() for part in seen.split("\n\n") if part.strip())
    return Draft(_first_words(paragraphs), paragraphs, flags=("no_title",)) if paragraphs else None


# --- the title ------------------------------------------------------------------------------------


def _titled(lines: list[str], *, more: bool) -> tuple[str, list[str]]:
    """The title, or "", and the lines that are left. A line that nothing follows is no title."""
    start = next((at for at, line in enumerate(lines) if _bare(line)), len(lines))
    first, rest = "".join(lines[start : start + 1]), [*lines[start + 1 :], ""]
    if not more and not any(_bare(line) for line in rest):
        return "", lines
    below = _title_below(lines, start, more=more)
    if below:
        return _bare(lines[below]), ["", *lines[below + 1 :]]
    title = _bare(first)
    is_marked = bool(_HEADING.match(first) or _TITLE_LABEL.match(first.strip("*_ ")))
    is_title = title and (is_marked or _looks_like_title(first, title, rest[0]))
    return (title, rest) if is_title else ("", lines)


def _title_below(lines: list[str], start: int, *, more: bool) -> int:
    """Where a marked title stands alone below a line of politeness; 0 if none does, or no story follows it."""
    after = [at for at in range(start + 1, len(lines)) if lines[at].strip() and not is_break(lines[at])]
    if not after or after[0] == start + 1 or after[1:2] == [after[0] + 1] or not (more or after[1:]):
        return 0
    line = lines[after[0]].strip()
    is_marked = heading(line) or is_bold(line)
    if not is_marked or not 0 < len(_bare(line)) <= _LONGEST_TITLE or _HEADING.match(lines[start]):
        return 0
    return after[0] if presents_a_story(lines[start]) else 0


def _bare(line: str) -> str:
    """A title without its marks, its label and its quotation marks."""
    text = stressed(line.strip().lstrip("#"), "").strip("*_ ")
    text = _TITLE_LABEL.sub("", text, count=1).strip("*_ ") if _TITLE_LABEL.match(text) else text
    if len(text) > 2 and text[0] + text[-1] in _QUOTES:
        text = text[1:-1].strip()
    return text if _is_seen(text) and not is_break(text) else ""


def _is_seen(text: str) -> bool:
    return any(letter.isprintable() and not letter.isspace() for letter in text)


def _looks_like_title(line: str, title: str, following: str) -> bool:
    is_quoted = title[0] != line.strip()[0] and title[-1] != line.strip()[-1]
    if title.endswith(_STOPS) or (is_quoted and title.endswith(("!", "?"))):
        return False
    if len(title.split()) > _MOST_TITLE_WORDS or (not is_quoted and title.startswith(_OPENING)):
        return False
    return not following.strip() or is_break(following) or (len(title) <= 60 and not following.strip()[0].islower())


def _first_words(paragraphs: Sequence[str]) -> str:
    """Up to the end of a sentence, seven words or 48 characters."""
    spoken = (stressed(paragraph, "").translate(_UNQUOTED).strip("*_#'’ ") for paragraph in paragraphs)
    words = next((paragraph.split() for paragraph in spoken if _is_seen(paragraph)), ["…"])
    title = words[0][:48]
    for word in words[1:7]:
        if title.endswith(_SENTENCE_ENDS) or len(title) + len(word) >= 48:
            break
        title += f" {word}"
    is_whole = title.endswith(_SENTENCE_ENDS) or title == " ".join(words)
    return (title.rstrip(".,;:…*_") or title) + ("" if is_whole else "…")


# --- the paragraphs -------------------------------------------------------------------------------


def _paragraphs(lines: Sequence[str]) -> tuple[str, ...]:
    """Block by block; a break between two of them stays, as a paragraph of its own."""
    told: list[str] = []
    for block in _blocks([*map(unquoted, lines), ""]):
        if block != [_BREAK]:
            told += map(stressed, _unwrapped(block))
        elif told and told[-1] != _BREAK:
            told.append(_BREAK)
    return tuple(told[:-1] if told[-1:] == [_BREAK] else told)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Blank lines and breaks part them; a heading is one by itself, and so is each line of a list."""
    block: list[str] = []
    for line, following in itertools.pairwise([*lines, ""]):
        alone = _BREAK if line and is_break(heading(line) or line) else heading(line)
        if block and (not line or alone or _is_next_item(block, line, following)):
            yield block
            block = []
        if alone:
            yield [alone]
        elif line:
            block.append(item(line))


def _is_next_item(block: list[str], line: str, following: str) -> bool:
    """A dash in mid-sentence may begin a line, too."""
    in_list = is_item(block[0]) or is_item(block[-1]) or is_item(following)
    return is_item(line) and (in_list or block[-1].endswith(_ENDS))


def _unwrapped(block: list[str]) -> Iterator[str]:
    """Lines that were broken in mid-sentence are joined; lines that are sentences each are paragraphs."""
    finished = sum(line.endswith(_ENDS) for line in block)
    if finished * 4 < len(block) * 3:
        yield " ".join(block)
        return
    open_lines: list[str] = []
    for line in block:
        open_lines.append(line)
        if line.endswith(_ENDS):
            yield " ".join(open_lines)
            open_lines = []
    if open_lines:
        yield " ".join(open_lines)
