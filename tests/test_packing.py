"""What is the same for everybody goes out packed; a page never does."""

from collections.abc import Callable

import requests
from running import ROOT, Running


def sent(house: Running, path: str, *, encoding: str, **more: str) -> requests.Response:
    return house.get(path, headers={"Accept": "text/html", "Accept-Encoding": encoding, **more})


def test_a_sheet_is_packed_for_who_can_unpack_it_and_is_the_same_file(household: Callable[..., Running]) -> None:
    house = household()
    plain, packed = (sent(house, "/static/css/base.css", encoding=encoding) for encoding in ("identity", "gzip"))
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert packed.content == plain.content == (ROOT / "static" / "css" / "base.css").read_bytes()
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"])
    assert {"Accept-Encoding"} <= {name.strip() for name in packed.headers["Vary"].split(",")}
    known = sent(house, "/static/css/base.css", encoding="gzip", **{"If-None-Match": packed.headers["ETag"]})
    assert known.status_code == 304


def test_a_page_and_a_font_go_out_as_they_are(household: Callable[..., Running]) -> None:
    house = household()
    for path in ("/", "/static/fonts/literata.woff2"):
        assert "Content-Encoding" not in sent(house, path, encoding="gzip, br").headers
