"""Whether a reply is no story but an excuse."""

import re

from bedtime.lettering import words_aloud
from bedtime.prompt.cleaning import clean
from bedtime.prompt.wrapping import without_thoughts

_MOST_WORDS = 150
_OPENING_CHARACTERS = 400
_UNABLE = (
    r"(?:can't|cannot|can not|won't|will not|(?:(?:must|have to) )?decline to|refuse to"
    r"|(?:am|'m) (?:not able|unable|not allowed|not permitted|not going) to)"
)
_TO_TELL = (
    r"(?:help|assist|write|create|produce|provide|generate|continue|comply|fulfil|fulfill|tell|share|engage|discuss"
    r"|make|do)"
)
_IT = r"(?: you)?(?: with| to| in)? (?:this|that|those|these|your|such|any|a|an|the|stories|content)\b"
_TO_HELP = r"(?:help|assist|comply|continue)(?: you)?(?: with (?:it|this|that))?(?:[.!]|$)"
_EXCUSE = re.compile(
    rf"\bI,? ?{_UNABLE} (?:\w+ )?(?:{_TO_TELL}{_IT}|{_TO_HELP})"
    r"|\bI(?:'m| am) (?:just )?an ai\b|\bas an ai\b|\b(?:content|usage|safety) (?:policy|policies|guidelines)\b"
    r"|\bI (?:must|have to) decline\b|\bI(?:'m| am) not comfortable (?:writing|creating|with)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"[“”„«»「\"]|(?:^|\s)['‘]")


def looks_like_refusal(text: str) -> bool:
    """True for a short reply in which the model itself, not somebody in quotation marks, says that it will not tell."""
    told = without_thoughts(clean(text)).strip().strip('"“”').replace("’", "'")
    if words_aloud(told) > _MOST_WORDS:
        return False
    excuse = _EXCUSE.search(told[:_OPENING_CHARACTERS])
    return excuse is not None and not _SPOKEN.search(told[: excuse.start()])
