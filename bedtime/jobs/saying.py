"""The log's words: one line for each change of a job's status or a queue's, `key=value`, said after the commit."""

import logging

log = logging.getLogger("bedtime.jobs")


def say(job_id: int, status: str, **facts: object) -> None:
    """A job has another status now. `facts` are codes, ids and numbers: never a name, a wish, a story or a key."""
    log.info("job=%d status=%s%s", job_id, status, _pairs(facts))


def say_queue(queue: str, status: str, **facts: object) -> None:
    """A queue was paused or resumed."""
    log.warning("queue=%s status=%s%s", queue, status, _pairs(facts))


def _pairs(facts: dict[str, object]) -> str:
    return "".join(f" {name}={_value(value)}" for name, value in facts.items() if value is not None)


def _value(value: object) -> str:
    """As it is if it is one word, else in quotes, so that a line can be cut at its spaces outside of them."""
    text = str(value).replace('"', "'")
    return text if text and not any(char.isspace() for char in text) else f'"{" ".join(text.split())}"'
