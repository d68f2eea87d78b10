"""POST, poll, shelf and story beside a hello-world route and bare handlers, in one server and one run."""

import itertools
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from bench.measure import percentile, table

CLIENTS = 8
WAITING = 8
HTML = {"Accept": "text/html"}
ASSET = re.compile(r'(?:href|src)="(/(?:static|look)/[^"]+|/stories/\d+/cover\.svg)"')
LENGTH = re.compile(rb"\r\ncontent-length: ([0-9]+)", re.IGNORECASE)
FRAGMENT = {"HX-Request": "true", "Accept": "text/html"}
PACKED = {"Accept-Encoding": "gzip, br"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}


@dataclass(frozen=True)
class Kind:
    """One request that is measured; `body` makes a new one each time for a POST."""

    name: str
    path: str
    headers: dict[str, str]
    body: Callable[[], str] | None = None


@dataclass(frozen=True)
class Sizes:
    stories: int = 10_000
    times: int = 200
    rounds: int = 5


def run(sizes: Sizes = Sizes()) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.web_server", folder, str(sizes.stories)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout and server.stdin
            port, job_id = map(int, server.stdout.readline().split())
            try:
                return "\n\n".join(
                    ["### The web", _rates(port, job_id, sizes), _crowd(port, sizes.times), _bytes(port, job_id, sizes)]
                )
            finally:
                server.stdin.close()


def _kinds(job_id: int, stories: int) -> list[Kind]:
    return [
        Kind("hello-world route", "/bench/hello", {}),
        Kind("bare poll", "/bench/poll", FRAGMENT),
        Kind("poll", f"/stories/jobs/{job_id}", FRAGMENT),
        Kind("bare POST", "/bench/post", FORM, form),
        Kind("POST", "/stories/generate", FORM, form),
        Kind(f"shelf of {stories:,} stories", "/stories", HTML),
        Kind("story page", f"/stories/{stories // 2}", HTML),
        Kind("Tonight", "/", HTML),
    ]


def _rates(port: int, job_id: int, sizes: Sizes) -> str:
    """Each kind in turns, one client: so that a slow moment of the machine meets all of them."""
    kinds = _kinds(job_id, sizes.stories)
    spans: dict[str, list[float]] = {kind.name: [] for kind in kinds}
    with _connected(port) as connection:
        for kind in kinds:
            _ask(connection, kind, max(sizes.times // 10, 1))
        for _ in range(sizes.rounds):
            for kind in kinds:
                spans[kind.name] += _ask(connection, kind, sizes.times)
    p50 = {name: percentile(of, 0.5) for name, of in spans.items()}
    against = {"poll": "bare poll", "POST": "bare POST"}
    rows = [
        (
            name,
            f"{1000 / p50[name]:,.0f}/s",
            f"{p50[name]:.2f} ms",
            f"{percentile(of, 0.99):.2f} ms",
            f"{p50[against[name]] / p50[name]:.2f} of the {against[name]}" if name in against else "",
        )
        for name, of in spans.items()
    ]
    return table(["one client", "by its p50", "p50", "p99", ""], rows)


def _crowd(port: int, times: int) -> str:
    kind = Kind("POST", "/stories/generate", FORM, form)
    found: list[list[float]] = [[] for _ in range(CLIENTS)]

    def one(own: list[float]) -> None:
        with _connected(port) as connection:
            own += _ask(connection, kind, times)

    threads = [threading.Thread(target=one, args=(own,)) for own in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spans = list(itertools.chain.from_iterable(found))
    p50, p99 = percentile(spans, 0.5), percentile(spans, 0.99)
    return table(
        [f"{CLIENTS} clients", "p50", "p99", "p99 / p50"],
        [("POST", f"{p50:.1f} ms", f"{p99:.1f} ms", f"{p99 / p50:.1f}")],
    )


def _bytes(port: int, job_id: int, sizes: Sizes) -> str:
    """Of a poll and of pages; of a first visit, with all that Tonight asks the browser to load."""
    named = {kind.name: kind for kind in _kinds(job_id, sizes.stories)}
    with _connected(port) as connection:
        rows = [(name, f"{len(_once(connection, named[name])):,} bytes") for name in ("poll", "story page")]
        page = _once(connection, named["Tonight"])
        files = sorted(set(ASSET.findall(page.decode())))
        whole = len(page) + sum(len(_once(connection, Kind(path, path, PACKED))) for path in files)
    rows.append((f"first visit: Tonight with its {len(files)} files", f"{whole:,} bytes"))
    return table(["answer", "size"], rows)


def _ask(connection: socket.socket, kind: Kind, times: int) -> list[float]:
    """Milliseconds of each. No more wishes wait than in a household: they are called off now and then, off the clock."""
    spans = []
    for number in range(times):
        if kind.body and number % WAITING == 0:
            _once(connection, Kind("empty", "/bench/empty", {}))
        start = time.perf_counter()
        _once(connection, kind)
        spans.append((time.perf_counter() - start) * 1000)
    return spans


def _once(connection: socket.socket, kind: Kind) -> bytes:
    """The body of the answer. By hand: Python's own client takes longer over a dozen headers than the server does."""
    body = (kind.body() if kind.body else "").encode()
    headers = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **kind.headers}
    lines = [
        f"{'POST' if kind.body else 'GET'} {kind.path} HTTP/1.1",
        *(f"{name}: {headers[name]}" for name in headers),
    ]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _received(connection)
    head, _, content = answer.partition(b"\r\n\r\n")
    assert head[9:12] in (b"200", b"303"), (kind.name, answer[:300])
    length = int(LENGTH.search(head)[1])  # type: ignore[index]
    while len(content) < length:
        content += _received(connection)
    return content


def _received(connection: socket.socket) -> bytes:
    found = connection.recv(65536)
    assert found, "the server hung up"
    return found


def _connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


_KEYS = itertools.count()


def form(name: str = "bench") -> str:
    """A wish that nobody sent before."""
    fields = {
        "idempotency_key": f"{name}-{next(_KEYS)}",
        "child": "1",
        "minutes": "6",
        "mood": "calm",
        "idea": "a lamp",
    }
    return urlencode(fields)
