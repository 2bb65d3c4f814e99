"""The documentation as a site: every page has its place, every link of the built ones leads on."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

ROOT = Path(__file__).parents[2]
SPHINX = ROOT / ".venv-site" / "bin" / "sphinx-build"
CAPTIONS = ["Tutorial", "How to", "Reference", "Explanation"]


def trees():
    """The pages under each caption of the front page."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    found = re.findall(r"```\{toctree\}\n:caption: (.*?)\n:hidden:\n\n(.*?)```", text, re.S)
    return {caption: re.findall(r"[\w./-]+(?=>?$)", body, re.M) for caption, body in found}


def test_pages_are_a_tutorial_how_to_reference_and_explanation():
    assert list(trees()) == CAPTIONS


def test_every_page_stands_under_one_caption():
    listed = sorted(name for names in trees().values() for name in names)
    pages = {page.stem for page in ROOT.glob("docs/*.md")} - {"index"}
    others = {f"../{page.stem}" for page in ROOT.glob("*.md")} | {"../decisions/index"}
    assert listed == sorted(pages | others)


class Links(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, page):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.places.add(named.get("id"))
        self.links += [value for name in ("href", "src") if (value := named.get(name))]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if not SPHINX.exists():
        pytest.skip("what makes the site is not here; run `make site` once")
    folder = tmp_path_factory.mktemp("site")
    words = ["-q", "-W", "--keep-going", "-c", ROOT / "docs", ROOT, folder]
    done = subprocess.run([SPHINX, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    pages = {page.resolve(): Links(page) for page in site.rglob("*.html")}
    wrong = []
    for page, found in pages.items():
        for link in found.links:
            if re.match(r"(https?|mailto|data):", link):
                continue
            path, place = urldefrag(link)
            target = (page.parent / unquote(path.split("?")[0])).resolve() if path else page
            known = pages.get(target)
            if not target.exists() or (place and known and unquote(place) not in known.places):
                wrong.append(f"{page.relative_to(site)}: {link}")
    assert not wrong, "\n".join(wrong)
    loaded = [
        f"{page.relative_to(site)}: {source}"
        for page in pages
        for source in re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text("utf-8")
        )
    ]
    assert not loaded, "\n".join(loaded)


@pytest.mark.slow
def test_words_are_found_by_the_search_of_the_site(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert all(word in index for word in ("microaggreg", "suda2", "sdcmicro"))
