"""The pictures of docs/web.md, taken from the real app: ``python benchmarks/pictures.py``.

A server of its own protects the bundled survey and every screen is photographed. Needs Chromium,
and ``pip install playwright``.
"""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from browsing import LONGEST, browsed, served

DOCS = Path(__file__).parent.parent / "docs" / "pictures"
FILES = os.environ.get("PICTURE_FILES", "120")
"""How many files the run that is shown tries."""

SAID = 4000
"""Milliseconds after which the page says no more that a point was pinned."""


def shoot(page: Any, name: str, height: int = 860) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    page.wait_for_timeout(700)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(200)
    page.screenshot(path=DOCS / f"{name}.png")


def walk(page: Any, link: str) -> None:
    """Every screen, in the order of the way."""
    page.goto(link)
    page.wait_for_selector("#survey")
    page.click("#survey")
    page.wait_for_selector("#uniques .big")
    shoot(page, "columns")
    page.click("[data-step=risk]")
    page.wait_for_selector("#risk .banner")
    shoot(page, "risk")
    page.click("[data-step=goal]")
    page.fill("[name=files]", FILES)
    page.wait_for_selector("#members input", state="attached")
    shoot(page, "goal", 980)
    page.click("text=Start the search")
    page.wait_for_url(re.compile("/search$"))
    page.wait_for_selector("body[data-state=finished]", timeout=LONGEST)
    buttons = page.locator("#front button")
    for place in (1, buttons.count() // 2):
        buttons.nth(place).click()
    page.wait_for_timeout(SAID)
    page.evaluate("document.getElementById('front').scrollTop = 0")
    shoot(page, "search", 1010)
    search = page.url
    page.click("#pins .button")
    page.wait_for_selector("body[data-compared]", timeout=LONGEST)
    shoot(page, "compare")
    page.goto(re.sub("/search.*", "/release", search))
    page.wait_for_selector("#verify")
    shoot(page, "release")
    page.click(".brand")
    page.wait_for_selector("#runs table")
    shoot(page, "runs", 720)


def _make_small(picture: Path) -> None:
    """Fewer colours: the screens have few."""
    from PIL import Image

    colours = (
        Image.open(picture)
        .convert("RGB")
        .quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    )
    colours.save(picture, optimize=True)


def main() -> None:
    """Serve a folder of its own, walk through it, and leave nothing behind."""
    DOCS.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "releases") as server,
        browsed() as page,
    ):
        walk(page, server.link)
    for picture in sorted(DOCS.glob("*.png")):
        _make_small(picture)
        print(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
