"""Asking for a story, and what may be asked of one that was asked for; each with a transaction of its own."""

from bedtime.asking.asks import Asked, Asker, AskRules, ask
from bedtime.asking.presses import BY_HAND, ask_again, cancel, pause, resume, tale_now
from bedtime.asking.wishes import ask_for

__all__ = [
    "BY_HAND",
    "AskRules",
    "Asked",
    "Asker",
    "ask",
    "ask_again",
    "ask_for",
    "cancel",
    "pause",
    "resume",
    "tale_now",
]
