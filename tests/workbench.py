"""The telling of paid stories in the test's own process: real file, real spool, real wire; clock, dice and reaper in our hand."""

import time
import uuid
from collections.abc import Callable
from pathlib import Path

from provider import Provider

from bedtime import asking, jobs, ledger, library, llm
from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.model import STORIES, WRITE_STORY, Call, Job, Listener, Price, Wish
from bedtime.spool import Spool
from bedtime.storytellers.language_model import LanguageModel
from bedtime.telling import Parts, StoryTelling, take_back_overdue
from bedtime.worker import Worker

NOW = 1_800_000_000.0  # in January 2027
DAY = 86_400.0
PRICE = Price(1_000_000, 4_000_000)
MIA = Listener("Mia", "4-5", "she")
RULES = AskRules(STORIES, WRITE_STORY, queue_max=1000, expiry_seconds=400 * DAY)


class Workbench:
    """One house without threads: `tell()` claims the next due job and runs it to its end.

    `at[step]` is done once, in the thread of the telling, when that step is heard: so the world can change in mid-call.
    """

    def __init__(
        self,
        folder: Path,
        provider: Provider | None,
        *,
        url: str = "",
        model: str = "storyteller-1",
        price: Price | None = PRICE,
        cap_micros: int = 5_000_000,
        max_failures: int = 6,
        max_tokens: int | None = None,
        **seconds: float,
    ) -> None:
        self.now = NOW
        self.at: dict[str, Callable[[], object]] = {}
        self.heard: list[str] = []
        self.database = Database(folder / "bedtime.db", observe=self.observe)
        self.database.open()
        endpoint = llm.Endpoint(url or (provider.url if provider else ""), model, "test-key", **seconds)  # type: ignore[arg-type]
        self.parts = Parts(
            database=self.database,
            spool=Spool(folder / "spool"),
            storyteller=LanguageModel(endpoint, price, self.observe, time.monotonic),
            observe=self.observe,
            clock=lambda: self.now,
            monotonic=time.monotonic,
            dice=lambda: 0.5,
            cap_micros=cap_micros,
            max_failures=max_failures,
            max_tokens=max_tokens,
            send_names=False,
            zone="UTC",
        )
        self._worker = Worker(
            self.database,
            STORIES,
            {WRITE_STORY: StoryTelling(self.parts)},
            name="workbench",
            lease_seconds=60,
            max_failures=max_failures,
            clock=lambda: self.now,
            dice=lambda: 0.5,
        )

    def observe(self, step: str) -> None:
        self.heard.append(step)
        act = self.at.pop(step, None)
        if act:
            act()

    def ask(self, key: str | None = None, wish: Wish | None = None) -> int:
        wish = wish or Wish((MIA,), minutes=3)
        return asking.ask(self.database, wish, key=key or uuid.uuid4().hex, rules=RULES, now=self.now).job_id

    def ask_again(self, job_id: int) -> int:
        return asking.ask_again(self.database, job_id, rules=RULES, understood=True, now=self.now)

    def tell(self) -> bool:
        """False if nothing was due."""
        return self._worker.step()

    def told(self, wish: Wish | None = None) -> Job:
        """Ask, tell, and what became of it."""
        job_id = self.ask(wish=wish)
        assert self.tell()
        return self.job(job_id)

    def lose_the_claim(self) -> None:
        """As if the call had taken a day: its lease is over, and the reaper comes by."""
        self.now += DAY
        take_back_overdue(self.parts)

    def cancel(self, job_id: int) -> None:
        asking.cancel(self.database, job_id, now=self.now)

    def resume(self) -> None:
        asking.resume(self.database, STORIES)

    def job(self, job_id: int) -> Job:
        with self.database.reading() as db:
            job = jobs.get(db, job_id)
        assert job
        return job

    def call(self, job_id: int) -> Call:
        """The call of a job that counts; else the last refused one."""
        with self.database.reading() as db:
            call = ledger.call_of(db, job_id)
        assert call
        return call

    def text(self, job_id: int) -> str | None:
        """The kept story of a job."""
        with self.database.reading() as db:
            story_id = library.story_of_job(db, job_id)
            story = library.story(db, story_id) if story_id else None
        return "\n\n".join(story.paragraphs) if story else None

    def committed(self) -> int:
        """Spent and reserved this month, in micros."""
        with self.database.reading() as db:
            return ledger.committed(db, ledger.period_of(self.now, "UTC"))

    def paused(self) -> str | None:
        with self.database.reading() as db:
            why = jobs.paused(db, STORIES)
        return why[0] if why else None
