"""Every tale of the built-in book keeps to the rules; `pytest tests/test_tales.py -q -k my-slug` looks at one."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tale_checks import ALONE, BESIDE

import bedtime
from bedtime.model import BANDS
from bedtime.storytellers.tales import SHAPES, Tale, load

FOLDER = Path(bedtime.__file__).parent / "tales"
BOOK = load(FOLDER)
FEWEST_TALES = 24


def slug(tale: Tale) -> str:
    return tale.slug


def name(check: Callable[..., Iterator[str]]) -> str:
    return check.__name__


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[a-z0-9]*.md")), ids=lambda path: path.stem)
def test_the_book_takes_every_tale_in_the_folder(path: Path) -> None:
    faults = [fault for fault in BOOK.faults if fault.startswith(f"{path.name}:")]
    complain(faults)


@pytest.mark.parametrize("check", ALONE, ids=name)
@pytest.mark.parametrize("tale", BOOK.tales, ids=slug)
def test_a_tale_keeps_to(tale: Tale, check: Callable[[Tale], Iterator[str]]) -> None:
    complain([f"{tale.slug}.md: {fault}" for fault in check(tale)])


@pytest.mark.parametrize("check", BESIDE, ids=name)
@pytest.mark.parametrize("tale", BOOK.tales, ids=slug)
def test_a_tale_has(tale: Tale, check: Callable[[Tale, Tale], Iterator[str]]) -> None:
    others = (other for other in BOOK.tales if other is not tale)
    complain([f"{tale.slug}.md: {fault}" for other in others for fault in check(tale, other)])


def complain(faults: list[str]) -> None:
    faults = list(dict.fromkeys(faults))
    more = f"\n… and {len(faults) - 10} more" if len(faults) > 10 else ""
    if faults:
        pytest.fail("\n".join(faults[:10]) + more, pytrace=False)


def test_the_book_has_enough_tales() -> None:
    if len(BOOK.tales) < FEWEST_TALES:
        complain([f"{len(BOOK.tales)} tales; expected {FEWEST_TALES} or more\n{table()}"])


def test_the_book_has_every_band_and_every_shape() -> None:
    bands, shapes = Counter(tale.band for tale in BOOK.tales), Counter(tale.shape for tale in BOOK.tales)
    missing = [band for band in BANDS if bands[band] < 4] + [shape for shape in SHAPES if not shapes[shape]]
    if missing:
        complain([f"too few of {', '.join(missing)}; expected 4 tales of each band and 1 of each shape\n{table()}"])


def table() -> str:
    counted = Counter((tale.shape, tale.band) for tale in BOOK.tales)
    head = f"{'':20}" + "".join(f"{band:>6}" for band in BANDS)
    return "\n".join(
        [head, *(f"{shape:20}" + "".join(f"{counted[shape, band]:6}" for band in BANDS) for shape in SHAPES)]
    )
