"""A story as a book file that every reader opens, whatever is in it."""

import hashlib
import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime.covers import cover
from bedtime.epub import book

HTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
JAR = Path("/usr/share/java/epubcheck.jar")
FACTS: dict[str, Any] = {
    "language": "en",
    "identifier": "urn:uuid:7c1f8f0a-2f5e-4d8e-9a41-0d6f3c0b1a2e",
    "author": "the built-in book",
    "cover_svg": cover(7, shape="shy-one", place="town", title="The Sneeze Behind the Bakery"),
    "modified": 1_796_000_000.0,
}
HOSTILE = "<script>alert(1)</script> & \"quotes\" 'single' ]]> &lt; {{ 7 * 7 }} 🐉👩‍🚀 \x00\x1b\ud800"
ARABIC = "القمر الذي أضاع وسادته"


def made(title: str = "The Sneeze", paragraphs: tuple[str, ...] = ("One.", "Two."), **facts: Any) -> bytes:
    return book(title, paragraphs, **{**FACTS, **facts})


def member(file: bytes, name: str) -> str:
    return zipfile.ZipFile(io.BytesIO(file)).read(f"book/{name}").decode()


def page(file: bytes, name: str = "story.xhtml") -> ElementTree.Element:
    return ElementTree.fromstring(member(file, name))


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    """What epubcheck says; Debian's is a jar which not every machine can start by its name."""
    command = (
        ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", str(JAR)]
        if JAR.exists()
        else [shutil.which("epubcheck") or ""]
    )
    if not command[0]:
        pytest.fail("epubcheck is not here: apt-get install epubcheck (make test does), or brew install epubcheck")
    return subprocess.run([*command, "--failonwarnings", str(path)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("title", "paragraphs", "facts"),
    [
        (HOSTILE, (HOSTILE, "", "*Hatschi*", "<p hx-post='/x' hx-trigger=load>javascript:1</p>"), {"author": HOSTILE}),
        (ARABIC, (ARABIC, "نام القمر."), {"language": "ar", "author": "", "cover_svg": cover(12, shape="night-watch")}),
        ("x" * 500, ("", "\x00"), {"language": "not a language!"}),
    ],
    ids=["hostile", "arabic", "long and empty"],
)
def test_a_book_passes_epubcheck(
    tmp_path: Path, title: str, paragraphs: tuple[str, ...], facts: dict[str, Any]
) -> None:
    path = tmp_path / "story.epub"
    path.write_bytes(made(title, paragraphs, **facts))
    said = checked(path)
    assert said.returncode == 0, said.stdout + said.stderr


def test_epubcheck_would_say_so_if_a_book_were_broken(tmp_path: Path) -> None:
    path = tmp_path / "story.epub"
    path.write_bytes(made(identifier=""))
    assert checked(path).returncode != 0


def test_the_type_comes_first_and_bare() -> None:
    file = made()
    assert file[30:58] == b"mimetypeapplication/epub+zip"
    assert zipfile.ZipFile(io.BytesIO(file)).infolist()[0].compress_type == zipfile.ZIP_STORED


def test_the_names_and_times_of_members_say_nothing_about_the_story() -> None:
    members = zipfile.ZipFile(io.BytesIO(made(HOSTILE))).infolist()
    assert [member.filename for member in members] == [
        "mimetype", "META-INF/container.xml", "book/package.opf", "book/nav.xhtml", "book/story.xhtml", "book/style.css",
        "book/cover.svg",
    ]  # fmt: skip
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}


def test_the_same_story_is_the_same_file_for_ever() -> None:
    file = made(cover_svg="<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert hashlib.sha256(file).hexdigest() == "6d2c65ac2d0586eb74cff98c7938283fa8657a5d677839542bc40b1925d897fa"
    assert file != made(title="Another")


@given(st.text(), st.lists(st.text()), st.text(), st.text())
def test_whatever_is_in_a_story_every_page_is_well_formed(
    title: str, paragraphs: list[str], author: str, language: str
) -> None:
    file = book(title, paragraphs, **{**FACTS, "author": author, "language": language})
    for name in ("package.opf", "nav.xhtml", "story.xhtml"):
        assert page(file, name) is not None


def test_markup_in_a_story_is_text() -> None:
    root = page(made(HOSTILE, (HOSTILE,), author=HOSTILE))
    assert {element.tag.removeprefix(HTML) for element in root.iter()} == {
        "html", "head", "title", "link", "body", "div", "img", "h1", "p",
    }  # fmt: skip
    assert root.findtext(f"{HTML}head/{HTML}title") == HOSTILE.rstrip(" \x00\x1b\ud800")


def test_paragraphs_keep_their_order_and_empty_ones_are_left_out() -> None:
    root = page(made(paragraphs=("One.", "", "\x00", "Two\nlines.", " ", "Three."), author=""))
    assert [p.text for p in root.iter(f"{HTML}p")] == ["One.", "Two lines.", "Three."]


def test_a_stressed_word_is_stressed_and_a_star_alone_is_a_star() -> None:
    body = member(made(paragraphs=("*Hatschi!* he went, *very* softly.", "2 * 3 * 4", "a*", "*<b>*")), "story.xhtml")
    assert "<p><em>Hatschi!</em> he went, <em>very</em> softly.</p>" in body
    assert "<p>2 * 3 * 4</p>" in body
    assert "<p>a*</p>" in body
    assert "<em>&lt;b&gt;</em>" in body


@pytest.mark.parametrize(
    ("language", "direction"),
    [
        ("ar", "rtl"), ("AR-eg", "rtl"), ("he", "rtl"), ("fa-IR", "rtl"), ("ur", "rtl"), ("yi", "rtl"), ("uz-Arab", "rtl"),
        ("en", "ltr"), ("pt-BR", "ltr"), ("ar-Latn", "ltr"), ("zh-Hant-TW", "ltr"), ("arn", "ltr"), ("", "ltr"),
    ],
)  # fmt: skip
def test_a_language_that_is_read_from_right_to_left_is_set_so(language: str, direction: str) -> None:
    file = made(language=language)
    package = page(file, "package.opf")
    assert page(file).get("dir") == page(file, "nav.xhtml").get("dir") == package.get("dir") == direction
    assert package.find(f"{OPF}spine").get("page-progression-direction") == direction  # type: ignore[union-attr]


@pytest.mark.parametrize("language", ["", "english language", 'en"', "e", "en_US", "en-"])
def test_a_language_that_is_none_is_called_undetermined(language: str) -> None:
    assert page(made(language=language)).get("lang") == "und"


def test_the_package_says_what_the_book_is_and_when_it_was_changed() -> None:
    package = page(made(ARABIC, modified=1_796_000_000.9), "package.opf")
    assert package.findtext(f".//{DC}title") == ARABIC
    assert package.findtext(f".//{DC}creator") == "the built-in book"
    assert package.findtext(f".//{DC}identifier") == FACTS["identifier"]
    assert package.findtext(f".//{OPF}meta") == "2026-11-30T00:53:20Z"


def test_a_thousand_stars_and_spaces_are_read_in_no_time() -> None:
    made(paragraphs=("* " * 30_000, "*" * 60_000, "*" + " " * 60_000 + "x"))
