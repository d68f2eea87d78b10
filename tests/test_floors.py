"""The shape of the code, read from its syntax trees: floors, doors, sizes, and SQL that is written out."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST_FILE, LONGEST_FUNCTION = 200, 40
LONGER = {  # files that may be longer, up to here
    "bedtime/model.py": 225,  # all the words in one place, one frozen dataclass after the other
    "app.py": 296,  # the composition root: every part is named once, and nothing is decided
}

FLOORS = (
    ("lettering",),
    ("model", "errors", "values"),
    ("settings", "backoff", "prompt", "casting", "prices", "almanac", "covers", "epub", "checks", "charts"),
    ("db", "llm", "spool", "loop", "logs"),
    ("jobs", "ledger", "library", "household", "storytellers", "premises"),
    ("asking", "telling", "evenings", "family", "doorkeeper", "approving", "wishing", "accounts", "keeping"),
    ("worker", "watcher", "reaper", "crew", "web", "cli"),
    ("app",),
)
FLOOR = {part: floor for floor, parts in enumerate(FLOORS) for part in parts}

DOORS = {
    "sqlite3": {"db"},
    "psycopg": {"db"},
    "requests": {"llm"},
    "urllib3": {"llm"},
    "http": {"llm"},
    "flask": {"web", "app"},
    "werkzeug": {"web", "app"},
    "htmx_flask": {"web"},
    "waitress": {"app"},
    "signal": {"app"},
    "subprocess": set(),
    "fcntl": {"db", "crew"},
    "secrets": {"app", "web"},
    "uuid": {"app", "web"},
    "time": {"app", "web", "db"},  # db: only the deadline of the write lock, see the test of clocks
}
WRITERS = {
    "jobs": "jobs",
    "queues": "jobs",
    "calls": "ledger",
    "children": "library",
    "story_requests": "library",
    "casts": "library",
    "stories": "library",
    "readings": "library",
    "wishes": "library",
    "secrets": "household",
    "devices": "household",
    "pairings": "household",
    "guesses": "household",
    "settings": "household",
}
NOT_LITERAL = {  # who may run a statement that is not written out in the call
    "bedtime/db/connection.py": "the pragmas of a connection, a tuple of literals",
    "bedtime/db/migrations.py": "the statements of schema/*.sql, and PRAGMA user_version, which takes no parameter",
}


def _files() -> list[Path]:
    return [ROOT / "app.py", *sorted((ROOT / "bedtime").rglob("*.py"))]


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _part(file: Path) -> str:
    """Which part of the house a file belongs to: its name below `bedtime`, or that of its package."""
    inside = file.relative_to(ROOT).with_suffix("").parts
    return inside[1] if len(inside) > 1 else inside[0]


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            whole = node.module == "bedtime"
            yield from (f"bedtime.{name.name}" for name in node.names) if whole else [str(node.module)]


def _places(found: list[tuple[Path, ast.AST]]) -> list[str]:
    return [f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}" for file, node in found]


def _everywhere() -> list[tuple[Path, ast.AST]]:
    return [(file, node) for file in _files() for node in ast.walk(_tree(file))]


def test_every_file_has_a_floor() -> None:
    parts = {_part(file) for file in _files()} - {"__init__"}
    assert sorted(parts - FLOOR.keys()) == [], "give it a floor in design.md, and in FLOORS"


def test_imports_go_down_and_files_of_one_floor_do_not_know_each_other() -> None:
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in _files()
        for name in _imports(file)
        if name.startswith("bedtime.")
        and name.split(".")[1] != _part(file)
        and FLOOR.get(name.split(".")[1], 0) >= FLOOR.get(_part(file), 0)
    ]
    assert wrong == []


def test_each_outside_thing_has_one_door() -> None:
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in _files()
        for name in _imports(file)
        if _part(file) not in DOORS.get(name.split(".")[0], {_part(file)})
    ]
    assert wrong == []


def test_only_the_settings_read_the_environment() -> None:
    names = ("environ", "environb", "getenv")
    reads = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Attribute)
        and node.attr in names
        and _part(file) != "settings"
        and ast.unparse(node) != "request.environ"
    ]
    assert _places(reads) == []


def test_every_import_stands_at_the_top() -> None:
    late = [
        (file, node)
        for file in _files()
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in _tree(file).body
    ]
    assert _places(late) == []


def test_clocks_and_dice_are_used_at_the_doors_only() -> None:
    """Below the doors `random` stands only in a generator with a seed, and `time` only where the database waits."""
    allowed = {"random": {"Random"}, "time": set[str]()}
    wrong = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr not in allowed.get(node.value.id, {node.attr})
        and _part(file) not in ("app", "web")
        and file.name not in ("lock.py", "originals.py")
    ]
    assert _places(wrong) == []


def test_nobody_asks_what_day_it_is() -> None:
    asks = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today") and _is_a_day(node.value)
    ]
    assert _places(asks) == []


def _is_a_day(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("datetime", "date")


def test_threads_are_made_where_they_are_started() -> None:
    """`llm` has one too: it cuts the line when the call's own deadline passes, whatever the socket is doing."""
    made = {_part(file) for file, node in _everywhere() if isinstance(node, ast.Attribute) and node.attr == "Thread"}
    assert made <= {"app", "crew", "loop", "llm"}


def test_sql_is_a_literal_in_the_call_that_runs_it() -> None:
    built = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Call)
        and _called(node) in ("execute", "executemany", "executescript")
        and not isinstance(node.args[0], ast.Constant)
        and str(file.relative_to(ROOT)) not in NOT_LITERAL
    ]
    assert _places(built) == []


def test_no_script_commits_behind_our_back() -> None:
    found = [(file, node) for file, node in _everywhere() if isinstance(node, ast.Call)]
    assert _places([(file, node) for file, node in found if _called(node) == "executescript"]) == []


def test_one_part_writes_each_table() -> None:
    wrong = []
    for file, node in _everywhere():
        if isinstance(node, ast.Call) and _called(node).startswith("execute"):
            text = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            for table in re.findall(r"\b(?:INSERT INTO|DELETE FROM|(?<!DO )UPDATE)\s+(\w+)", str(text)):
                if WRITERS.get(table, _part(file)) != _part(file):
                    wrong.append(f"{file.relative_to(ROOT)} writes {table}")
    assert wrong == []


def test_only_the_database_and_those_who_open_transactions_begin_and_commit() -> None:
    """A function that is handed a connection writes in somebody else's transaction."""
    wrong = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Attribute)
        and node.attr in ("commit", "rollback", "transaction")
        and _part(file) in ("jobs", "ledger", "library", "household")
    ]
    assert _places(wrong) == []


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def test_no_function_is_longer_than_forty_lines() -> None:
    long = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert _places(long) == []


def test_no_file_is_longer_than_two_hundred_lines() -> None:
    lengths = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in _files()}
    assert {file: lines for file, lines in lengths.items() if lines > LONGER.get(file, LONGEST_FILE)} == {}


def test_a_file_says_first_what_it_is() -> None:
    assert [str(file.relative_to(ROOT)) for file in _files() if not ast.get_docstring(_tree(file))] == []


def test_story_text_is_always_escaped() -> None:
    trusted = [
        (file, node) for file, node in _everywhere() if isinstance(node, ast.Name) and node.id in ("Markup", "markup")
    ]
    assert _places(trusted) == []
    loose = re.compile(r"\|\s*safe\b|autoescape\s+false|Markup\(")
    templates = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    assert templates
    assert [str(path) for path in templates if loose.search(path.read_text(encoding="utf-8"))] == []


def test_no_error_is_swallowed_without_a_word() -> None:
    silent = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.ExceptHandler) and (node.type is None or isinstance(node.body[0], ast.Pass))
    ]
    assert _places(silent) == []


@pytest.mark.parametrize("word", ["CRASH_AT", "SIGKILL", "pytest", "crash_at"])
def test_no_word_of_a_test_stands_in_the_product(word: str) -> None:
    assert [str(file.relative_to(ROOT)) for file in _files() if word in file.read_text(encoding="utf-8")] == []


def test_no_test_asserts_a_time() -> None:
    """A machine is busy when it likes. What has to end, ends before pytest's own time-out; what grows, `growth` compares."""
    stopwatches, clocks = {"perf_counter", "process_time", "thread_time"}, {"monotonic", "time"}
    tests = [
        (file, node) for file in (ROOT / "tests").glob("test_*.py") for node in ast.walk(ast.parse(file.read_text()))
    ]
    timed = [(file, node) for file, node in tests if isinstance(node, ast.Call) and _called(node) in stopwatches]
    asserted = [
        (file, call)
        for file, node in tests
        if isinstance(node, ast.Assert)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and _called(call) in clocks
    ]
    assert _places(timed + asserted) == []


def test_no_script_of_a_test_leaves_the_page_that_has_to_answer_it() -> None:
    """The page may be gone before its answer is: now and then, and on a busy machine. Playwright's own verbs wait."""
    leaving = re.compile(
        r"history\.(back|forward|go)\b|location(\.href)? *=[^=]|location\.\w+\(|\.submit\(|=> htmx\.ajax"
    )
    left = [
        (file, node)
        for file in (ROOT / "tests").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and _called(node) == "evaluate" and leaving.search(ast.unparse(node))
    ]
    assert _places(left) == []


def test_no_statement_needs_a_newer_sqlite_than_we_ask_for() -> None:
    """`->` and `->>` came with 3.38 (https://sqlite.org/json1.html): json_extract says the same, and is older."""
    arrows = [
        (file, node)
        for file, node in _everywhere()
        if isinstance(node, ast.Call)
        and _called(node) in ("execute", "executemany")
        and isinstance(node.args[0], ast.Constant)
        and "->" in str(node.args[0].value)
    ]
    assert _places(arrows) == []
