"""`python -m bench [section …] [--minutes N]`: Markdown on standard output; an evening only if it is asked for."""

import argparse
from collections.abc import Callable

from bench import evening, idle, latency, peers, queue, web
from bench.measure import machine

SECTIONS: dict[str, Callable[[], str]] = {
    "queue": queue.run,
    "latency": latency.run,
    "idle": idle.run,
    "web": web.run,
    "peers": peers.run,
}
EVENING = "evening"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"{', '.join(SECTIONS)}, {EVENING}")
    parser.add_argument("--minutes", type=float, default=30.0, help="how long the evening is")
    asked = parser.parse_args(words)
    unknown = [name for name in asked.sections if name not in SECTIONS and name != EVENING]
    if unknown:
        parser.error(f"there is no section {unknown[0]!r}: choose from {', '.join(SECTIONS)}, {EVENING}")
    if not 0 < asked.minutes <= 600:
        parser.error(f"--minutes is {asked.minutes:g}: expected more than 0 and at most 600")
    sections: dict[str, Callable[[], str]] = {
        **SECTIONS,
        EVENING: lambda: evening.run(evening.Evening(seconds=asked.minutes * 60)),
    }
    print(f"{machine()}\n", flush=True)
    for name in asked.sections or SECTIONS:
        print(sections[name](), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
