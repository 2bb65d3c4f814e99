"""The pictures of docs/web.md, taken from the real app: ``python benchmarks/pictures.py``.

A server of its own protects the bundled survey and every screen is photographed. Needs Chromium,
and ``pip install playwright``.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs" / "pictures"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
FILES = os.environ.get("PICTURE_FILES", "120")
"""How many files the run that is shown tries."""

LONGEST = 1_800_000


def shoot(page: Any, name: str, height: int = 860) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    page.wait_for_timeout(700)
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
    shoot(page, "search", 1010)
    page.emulate_media(color_scheme="dark")
    shoot(page, "search-dark", 1010)
    page.emulate_media(color_scheme="light")
    search = page.url
    page.click("#pins .button")
    page.wait_for_selector("body[data-compared]", timeout=LONGEST)
    shoot(page, "compare")
    page.goto(re.sub("/search.*", "/release", search))
    page.wait_for_selector("#verify")
    page.click("#verify")
    page.wait_for_selector("#verified .banner", timeout=LONGEST)
    shoot(page, "release")
    page.click(".brand")
    page.wait_for_selector("#runs table")
    shoot(page, "runs", 720)


def _make_small(picture: Path) -> None:
    """Fewer colours: the screens have few."""
    from PIL import Image

    colours = Image.open(picture).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    colours.save(picture, optimize=True)


def main() -> None:
    """Serve a folder of its own, walk through it, and leave nothing behind."""
    from playwright.sync_api import sync_playwright

    DOCS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "evomask", "serve", f"{folder}/releases", "--no-browser"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            link = next(line.strip() for line in server.stdout if "token=" in line)
            with sync_playwright() as playwright:
                program = shutil.which("chromium") or shutil.which("google-chrome")
                browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
                page = browser.new_page(device_scale_factor=1)
                page.set_default_timeout(LONGEST)
                walk(page, link)
                browser.close()
        finally:
            server.terminate()
            server.wait(30)
    for picture in sorted(DOCS.glob("*.png")):
        _make_small(picture)
        print(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
