"""The life of a `write_story` job: spool, mark, send, receive, finish; and of a tale from the book.

claim ── spool reserved ── mark ───────── POST … bytes to the spool ── receive ── parse ── finish
         nothing was sent │ fence + budget + ledger row, one commit    │ raw kept   │ never the network
                          └ from here on the outcome may be unknown    └ then the spool goes
"""

from bedtime.telling.book import BookTelling
from bedtime.telling.estimate import Cost, Estimate
from bedtime.telling.keys import foreign_host, trust_host, use_key
from bedtime.telling.parts import Parts
from bedtime.telling.plain import plain_job, plain_story
from bedtime.telling.preview import preview
from bedtime.telling.progress import JobView, progress, progress_of
from bedtime.telling.recovery import recover_dead, take_back_overdue
from bedtime.telling.words import message, why_paused
from bedtime.telling.writing import StoryTelling

__all__ = [
    "BookTelling",
    "Cost",
    "Estimate",
    "JobView",
    "Parts",
    "StoryTelling",
    "foreign_host",
    "message",
    "plain_job",
    "plain_story",
    "preview",
    "progress",
    "progress_of",
    "recover_dead",
    "take_back_overdue",
    "trust_host",
    "use_key",
    "why_paused",
]
