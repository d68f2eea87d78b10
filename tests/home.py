"""A house with the built-in book in the test's own process: children, tales, plans; its clock in our hand."""

from dataclasses import replace
from pathlib import Path

from provider import Provider
from workbench import NOW, Workbench

import bedtime
from bedtime import family, library
from bedtime.evenings import Planner, PlanRules
from bedtime.model import BOOK, STORIES, TELL_TALE, WRITE_STORY, Child, Job, Listener, Story, Wish
from bedtime.storytellers.book import BookTeller
from bedtime.telling import BookTelling
from bedtime.worker import Worker

HOUR, DAY = 3600.0, 86400.0
THE_BOOK = BookTeller(Path(bedtime.__file__).parent / "tales")


class Home(Workbench):
    """`tell_tale()` runs the book's queue, `tell()` the provider's. `plan_step()` is a minute of the planner."""

    def __init__(self, folder: Path, provider: Provider | None = None, **more: object) -> None:
        super().__init__(folder, provider, url="" if provider else "http://127.0.0.1:9/v1", **more)  # type: ignore[arg-type]
        self.now = NOW
        self._book = Worker(
            self.database,
            BOOK,
            {TELL_TALE: BookTelling(self.parts, THE_BOOK)},
            name="home",
            lease_seconds=60,
            max_failures=6,
            clock=lambda: self.now,
            dice=lambda: 0.5,
        )
        goes_to = (STORIES, WRITE_STORY) if provider else (BOOK, TELL_TALE)
        self._planner = Planner(self.database, PlanRules(*goes_to, 12 * HOUR), clock=lambda: self.now)

    def child(self, nickname: str, band: str = "4-5", pronouns: str = "she", **more: str) -> Child:
        child = Child(0, nickname, band, pronouns, **more)
        return replace(child, id=family.add_child(self.database, child, now=self.now))

    def wish(self, *children: Child, **more: object) -> Wish:
        return Wish(tuple(Listener(child_id=child.id) for child in children), **more)  # type: ignore[arg-type]

    def tale(self, *children: Child, **more: object) -> Story:
        """A tale from the book that is on the shelf."""
        job_id = self.ask(wish=self.wish(*children, from_book=True, **more))
        self.tell_tales()
        with self.database.reading() as db:
            story_id = library.story_of_job(db, job_id)
            story = library.story(db, story_id) if story_id else None
        assert story
        return story

    def tell_tales(self) -> int:
        """How many the book told."""
        told = 0
        while self._book.step():
            told += 1
        return told

    def plan(self, *children: Child, days: str = "0123456", at: str, zone: str, **more: object) -> int:
        fields = {"minutes": 3, "mood": "calm", "themes": (), "language": "en", **more}
        with self.database.transaction("plan") as tx:
            return library.add_schedule(
                tx,
                children=tuple(child.id for child in children),
                days=frozenset(map(int, days)),
                at=at,
                zone=zone,
                now=self.now,
                **fields,  # type: ignore[arg-type]
            )

    def plan_step(self) -> None:
        self._planner.step()

    def planned(self) -> list[tuple[str, Job]]:
        """Date and job of every evening that was planned, in the order of the dates."""
        with self.database.reading() as db:
            rows = db.execute("SELECT date, job_id FROM planned_evenings ORDER BY date, schedule_id").fetchall()
        return [(row["date"], self.job(row["job_id"])) for row in rows]

    def request_of(self, job: Job) -> Wish:
        with self.database.reading() as db:
            request = library.request_for(db, job.payload["request_id"])
        assert request
        return request.wish
