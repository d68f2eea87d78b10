"""A request becomes a prompt: names out, stand-ins in, and what the last stories had is left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bedtime import casting, library, prompt
from bedtime.db import Connection
from bedtime.errors import NotFound
from bedtime.model import Child, Job, Prompt, Role, Story, StoryRequest

_RECENT = 6
_REACTED = 3
_OPENING_WORDS = 12


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a call needs, decided before anything is sent. `send_names`: the prompt holds them."""

    request: StoryRequest
    roles: tuple[Role, ...]
    shape: str
    prompt: Prompt
    send_names: bool


@dataclass(frozen=True, slots=True)
class _Before:
    """What was told before, with names filled in: it is hidden again together with the rest."""

    shapes: tuple[str, ...]
    openings: tuple[str, ...]
    recap: str
    cast: str
    part: int
    reactions: tuple[str, ...]
    reacted_to_last: bool
    notes: tuple[str, ...]


def plan(db: Connection, job: Job, *, max_tokens: int | None, send_names: bool, now: float) -> Plan:
    """Read what the job's request needs. Raises NotFound if the request or all its children are gone."""
    request = library.request_for(db, job.payload["request_id"])
    if request is None or not request.children:
        raise NotFound(f"the request of job {job.id} is gone")
    return plan_request(db, request, max_tokens=max_tokens, send_names=send_names, now=now)


def plan_request(
    db: Connection, request: StoryRequest, *, max_tokens: int | None, send_names: bool, now: float
) -> Plan:
    """The plan of a request, whether it is kept or only looked at."""
    household = _household(db, request)
    before = _before(db, request, now=now)
    kept = library.cast_of(db, request.id)
    roles = _in_their_places(_cast(request, household, before, kept, send_names=send_names), kept)
    shape = prompt.choose_shape(before.shapes, seed=request.id)
    facts = _facts(request, roles, household, before, shape)
    return Plan(request, roles, shape, prompt.compose(facts, max_tokens=max_tokens), send_names)


def _cast(
    request: StoryRequest, household: list[Child], before: _Before, kept: Sequence[Role], *, send_names: bool
) -> tuple[Role, ...]:
    """Who plays tonight: the listeners, and whom tonight's wish, a friend of the profile or the part before names.

    A name that only stands in an earlier opening, a note, a liking or what is left out puts nobody into the story.
    """
    wish, children = request.wish, request.children
    tonight = [wish.idea, wish.today, wish.lesson, *(child.friends for child in children), before.recap, before.cast]
    profiles = [text for child in children for text in (child.likes, child.leave_out)]
    gone = [role.stand_in for role in kept if role.child_id is None]  # an answer that comes late may still have them
    beside = [*profiles, *before.openings, *before.notes, *gone]
    return casting.cast(children, household, tonight, beside=beside, seed=request.id, send_names=send_names)


def _in_their_places(roles: Sequence[Role], kept: Sequence[Role]) -> tuple[Role, ...]:
    """Who has a place in this request's stories keeps it, or a place that a deleted child left would become another's."""
    places = {role.child_id: role.position for role in kept}
    last = max((role.position for role in kept), default=0)
    new = (role.child_id for role in roles if role.child_id not in places)
    places |= {child_id: position for position, child_id in enumerate(new, start=last + 1)}
    return tuple(replace(role, position=places[role.child_id]) for role in roles)


def _household(db: Connection, request: StoryRequest) -> list[Child]:
    """Every profile, and who would become one by this request."""
    kept = library.all_children(db)
    known = {child.id for child in kept}
    return [*kept, *(child for child in request.children if child.id not in known)]


def _before(db: Connection, request: StoryRequest, *, now: float) -> _Before:
    recent = library.recent_of(db, request.children[0].id, most=_RECENT)
    part = library.story(db, request.wish.continues) if request.wish.continues else None
    reactions, to_last = _newest_reactions(db, recent[:_REACTED])
    return _Before(
        shapes=tuple(story.shape for story in recent if story.shape),
        openings=tuple(_named(db, story, _opening(story)) for story in recent),
        recap=_named(db, part, part.recap) if part else "",
        cast=_named(db, part, part.cast) if part else "",
        part=part.part + 1 if part else 1,
        reactions=reactions,
        reacted_to_last=to_last,
        notes=tuple(note.text for note in library.current_notes(db, now=now)),
    )


def _newest_reactions(db: Connection, recent: Sequence[Story]) -> tuple[tuple[str, ...], bool]:
    """What they said of the newest story of which they said anything, and whether it is the last one.

    Of two stories they may say opposite things: mixed, those would contradict each other.
    """
    for at, story in enumerate(recent):
        said = tuple(reaction.replace("_", " ") for reaction in library.reactions_to(db, story.id))
        if said:
            return said, at == 0
    return (), True


def _opening(story: Story) -> str:
    return " ".join(story.paragraphs[0].split()[:_OPENING_WORDS])


def _named(db: Connection, story: Story, text: str) -> str:
    return casting.fill(text, library.names_of(db, story.request_id))


def _facts(
    request: StoryRequest, roles: tuple[Role, ...], household: list[Child], before: _Before, shape: str
) -> prompt.Facts:
    def hide(text: str) -> str:
        return casting.hide(text, roles, household)

    wish = request.wish
    return prompt.Facts(
        listeners=tuple(
            prompt.FactsListener(
                role.stand_in, child.band, child.pronouns, hide(child.likes), hide(child.friends), hide(child.leave_out)
            )
            for child, role in zip(request.children, roles, strict=False)
        ),
        words=wish.expected_words,
        minutes=wish.minutes,
        idea=hide(wish.idea),
        today=hide(wish.today),
        mood=wish.mood,
        lesson=hide(wish.lesson),
        language=wish.language,
        shape=shape,
        avoid_openings=tuple(hide(opening) for opening in before.openings),
        recap=hide(before.recap),
        cast=hide(before.cast),
        part=before.part,
        reactions=before.reactions,
        reacted_to_last=before.reacted_to_last,
        notes=tuple(hide(note) for note in before.notes),
        mentioned=tuple((role.stand_in, role.pronouns) for role in roles if not role.listens),
    )
