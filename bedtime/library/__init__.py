"""What a family keeps: children, requests and who is in them, stories, how far they were read.

Functions take a connection: `tx` inside a write transaction, `db` for reading. None of them begins or commits.
"""

from bedtime.library.children import add_child, all_children, children_by_id, find_child
from bedtime.library.requests import (
    Name,
    add_request,
    cast_of,
    known_key,
    listening_names,
    names_of,
    names_of_many,
    request_for,
    set_cast,
    set_first_job,
    set_shape,
)
from bedtime.library.shelf import ShelfStory, book_tales, count_stories, shelf, tale_key, unread
from bedtime.library.stories import add_story, bookmark, mark_opened, read_to, recent_of, story, story_of_job

__all__ = [
    "Name",
    "ShelfStory",
    "add_child",
    "add_request",
    "add_story",
    "all_children",
    "book_tales",
    "bookmark",
    "cast_of",
    "children_by_id",
    "count_stories",
    "find_child",
    "known_key",
    "listening_names",
    "mark_opened",
    "names_of",
    "names_of_many",
    "read_to",
    "recent_of",
    "request_for",
    "set_cast",
    "set_first_job",
    "set_shape",
    "shelf",
    "story",
    "story_of_job",
    "tale_key",
    "unread",
]
