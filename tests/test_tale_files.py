"""What the book makes of the files in its folder: good ones are read, bad ones are named and left out."""

from pathlib import Path

import pytest

from bedtime.storytellers.tales import Book, load

HEADER = """\
title: A Plain Tale
band: 4-5
minutes: 5
shape: guest
motifs: spoon, moon
place: house
season: any
cast: nobody else
"""


def book(folder: Path, *files: tuple[str, str]) -> Book:
    for name, text in files:
        (folder / name).write_bytes(text.encode())
    return load(folder)


def test_a_tale_is_read_whole(tmp_path: Path) -> None:
    text = HEADER + "companion: the owl\nrecap: {lead} slept.\n\n{lead} and {companion} slept.\n\nSo did the owl.\n"
    tale = book(tmp_path, ("a-tale.md", text)).tales[0]
    assert (tale.slug, tale.title, tale.band, tale.minutes, tale.shape) == ("a-tale", "A Plain Tale", "4-5", 5, "guest")
    assert (tale.motifs, tale.place, tale.season, tale.cast) == (("spoon", "moon"), "house", "any", "nobody else")
    assert (dict(tale.defaults), tale.recap, tale.after) == ({"companion": "the owl"}, "{lead} slept.", None)
    assert tale.body == "{lead} and {companion} slept.\n\nSo did the owl."


def test_tales_stand_by_slug_and_other_files_are_no_tales(tmp_path: Path) -> None:
    good = HEADER + "\n{lead} slept."
    files = ("b.md", good), ("a.md", good), ("README.md", "# hello"), (".c.md", "x"), ("d.md~", "x")
    read = book(tmp_path, *files)
    assert ([tale.slug for tale in read.tales], read.faults) == (["a", "b"], ())


def test_a_file_of_another_editor_is_read_as_well(tmp_path: Path) -> None:
    windows = "\ufeff" + (HEADER + " \n\n{lead} slept.\n \n{lead} woke.\n").replace("\n", "\r\n")
    read = book(tmp_path, ("a.md", windows))
    assert read.faults == ()
    assert read.tales[0].body == "{lead} slept.\n\n{lead} woke."


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("title: A Plain Tale\n", "", "bad.md:1: header 'title' is missing: add a line 'title: …'"),
        ("band: 4-5", "band: 5-6", "bad.md:2: unknown band '5-6': expected one of 2-3, 4-5, 6-7, 8-10"),
        ("minutes: 5", "minutes: five", "bad.md:3: minutes is 'five': expected a whole number from 1 to 15"),
        ("shape: guest", "shape: ghost", "bad.md:4: unknown shape 'ghost': expected one of lost-and-found,"),
        ("place: house", "place: hut", "bad.md:6: unknown place 'hut'"),
        ("season: any", "season: May", "bad.md:7: unknown season 'May'"),
        ("cast: nobody else", "casts: x", "bad.md:8: unknown header 'casts': did you mean cast?"),
        ("cast: nobody else", "cast: {laed}", "bad.md:8: unknown slot '{laed}': did you mean {lead}?"),
        ("motifs: spoon", "motifs: {lead}", "bad.md:5: a slot in header 'motifs'"),
        ("band: 4-5", "band: 4-5\nband: 4-5", "bad.md:3: header 'band' stands twice: keep one"),
        ("band: 4-5", "band 4-5", "bad.md:2: 'band 4-5' is no header line"),
        ("BODY", "{lead} slept.\n\n{laed} slept.", "bad.md:12: unknown slot '{laed}': did you mean {lead}?"),
        ("BODY", "\n\n{laed} slept.", "bad.md:12: unknown slot"),
        ("BODY", "{lead slept.", "bad.md:10: a lone '{': every slot opens and closes once"),
        ("BODY", "lead} slept.", "bad.md:10: a lone '}'"),
        ("BODY", "{lead.thye} slept.", "did you mean {lead.they}?"),
        ("BODY", "{alone|one} slept.", "expected {alone|text for one child|text for several}"),
        ("BODY", "{alone|a|{alone|b|c}} slept.", "{alone|…|…} inside another one"),
        ("BODY", "{second} slept.", "'{second}' with one child is nobody"),
        ("BODY", "{alone|{second}|x} slept.", "'{second}' with one child is nobody"),
        ("BODY", "A {companion} slept.", "{companion} brings its own article"),
        ("BODY", "{Thing} slept.", "{thing} is used but has no default: add a line 'thing: …'"),
        ("BODY", "", "no prose"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_remedy(tmp_path: Path, old: str, new: str, fault: str) -> None:
    good = HEADER + "\nBODY"
    read = book(tmp_path, ("bad.md", good.replace(old, new)), ("good.md", good))
    assert [tale.slug for tale in read.tales] == ["good"]
    assert any(fault in each for each in read.faults), read.faults
    assert all(each.startswith("bad.md:") for each in read.faults)


def test_every_mistake_of_a_tale_is_named_at_once(tmp_path: Path) -> None:
    text = (HEADER + "\n{laed} and {sceond} slept.").replace("4-5", "old")
    assert len(book(tmp_path, ("bad.md", text)).faults) == 3


def test_what_is_no_text_at_all_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "bytes.md").write_bytes(HEADER.encode() + b"\n\xff\xfe")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "Big Name.md").write_text(HEADER)
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "huge.md").write_text(HEADER + "\n" + "words " * 20_000)
    read = load(tmp_path)
    assert read.tales == ()
    for fault in ("bytes.md:10: not UTF-8", "folder.md:1: cannot be read", "Big Name.md:1: unfit", "huge.md:1: 1201"):
        assert any(each.startswith(fault) for each in read.faults), (fault, read.faults)
    assert any(each.startswith("empty.md:") for each in read.faults)


def test_a_folder_without_tales_is_named(tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere").faults
    assert load(tmp_path).faults


@pytest.mark.parametrize("after", ["nowhere", "part-two"])
def test_a_next_part_needs_its_first_part(tmp_path: Path, after: str) -> None:
    part = HEADER + f"after: {after}\n\n{{lead}} slept."
    read = book(tmp_path, ("part-two.md", part), ("other.md", HEADER + "\n{lead} slept."))
    assert [tale.slug for tale in read.tales] == ["other"]
    assert read.faults[0].startswith(f"part-two.md:1: after is '{after}': expected the slug of a tale")
