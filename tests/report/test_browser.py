"""Both reports in a browser: axe-core finds nothing wrong, and they print.

Run by ``pytest -m browser``. Needs Chromium on the path, and axe-core: ``npm install axe-core``
in ``.browser``, or its file named by ``EVOMASK_AXE``.
"""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evomask.report.pages import internal_page, public_page
from evomask.report.public_record import build_public_record

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / ".browser" / "node_modules" / "axe-core"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")
CHECK = """
axe.run().then(found => {
  const told = document.createElement("pre");
  told.id = "found";
  told.textContent = JSON.stringify(found.violations.map(v => [v.id, v.nodes[0].html]));
  document.body.appendChild(told);
});
"""


@pytest.fixture(scope="module")
def chromium():
    """Run Chromium with some words."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium on the path; install it")

    def run(*words):
        done = subprocess.run(
            [program, *FLAGS, *words], capture_output=True, text=True, check=True, timeout=120
        )
        return done.stdout

    return run


@pytest.fixture(scope="module")
def axe():
    path = Path(os.environ.get("EVOMASK_AXE", FOLDER / "axe.min.js"))
    if not path.exists():
        pytest.skip("axe-core is not here; run `npm install axe-core` in .browser")
    return path.read_text(encoding="utf-8")


@pytest.fixture(params=["internal", "public"])
def page(request, record):
    return (
        internal_page(record)
        if request.param == "internal"
        else public_page(build_public_record(record))
    )


def test_axe_finds_no_violation(chromium, axe, page, tmp_path):
    scripts = f"<script>{axe}</script><script>{CHECK}</script></body>"
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", scripts), encoding="utf-8")
    seen = chromium("--virtual-time-budget=60000", "--dump-dom", path.as_uri())
    found = re.search(r'<pre id="found">(.*?)</pre>', seen, re.S)
    assert json.loads(html.unescape(found[1])) == []


def test_it_prints(chromium, page, tmp_path):
    path, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(page, encoding="utf-8")
    chromium(f"--print-to-pdf={printed}", path.as_uri())
    assert printed.read_bytes().startswith(b"%PDF")
