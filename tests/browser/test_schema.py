"""The interface against its own description: schemathesis asks, no answer may surprise.

Schemathesis pins libraries of its own, so it stands in an environment of its own
(``make test-browser`` makes it); ``EVOMASK_EXAMPLES`` says how many requests an address gets.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from evomask.web.app import make_app
from evomask.web.security import Limits
from evomask.web.server import Served
from tests.browser.conftest import wait_for
from tests.browser.large import large_run

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".venv-schemathesis" / "bin" / "st"
EXAMPLES = os.environ.get("EVOMASK_EXAMPLES", "12")
SERVER = """
import sys, uvicorn
from pathlib import Path
from tests.browser.test_schema import served_freely
app, port = served_freely(Path(sys.argv[1])), int(sys.argv[2])
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
"""
CHECKS = ",".join(
    f"{name}_conformance" for name in ("status_code", "content_type", "response_schema")
)
PORT = 8791
STREAM = "/events$"
WORK = "/events$|/risk$|/outlook$|/survey$|/continue$|/compare$|^/api/files/{file_id}$"
"""What starts processes, or takes away the file that is asked about."""


def served_freely(folder):
    """The app with room for many requests."""
    return make_app(Served(folder, PORT, limits=Limits(upload=100_000, rate=1e6, burst=1e6)))


@dataclass
class Asked:
    """A server at work: asked once, or by schemathesis as often as it likes."""

    folder: Path
    address: str = f"http://127.0.0.1:{PORT}"

    @property
    def key(self):
        return f"Bearer {(self.folder / '.web' / 'key').read_text()}"

    def once(self, path, content=None):
        headers = {"Authorization": self.key}
        with urlopen(Request(self.address + path, content, headers), timeout=60) as answer:
            return json.load(answer)

    def answers(self):
        try:
            return self.once("/api/about")
        except (URLError, OSError):
            return None

    def often(self, without, **known):
        """No answer is a server error or other than described; parts of addresses may be given."""
        settings = self.folder.parent / "schemathesis.toml"
        lines = [f'"path.{name}" = "{value}"' for name, value in known.items()]
        settings.write_text("\n".join(["[parameters]", *lines]) + "\n")
        words = [
            PROGRAM, "--config-file", settings, "--no-color", "run",
            f"{self.address}/api/openapi.json", "-H", f"Authorization: {self.key}",
            "--checks", f"not_a_server_error,{CHECKS}", "--exclude-path-regex", without,
            "--max-examples", EXAMPLES, "--phases", "fuzzing", "--request-timeout", "60",
        ]  # fmt: skip
        out = subprocess.run(
            words, capture_output=True, text=True, timeout=6000, check=False, cwd=settings.parent
        )
        assert out.returncode == 0, out.stdout[-6000:] + out.stderr[-2000:]
        print(out.stdout[-700:])


@pytest.fixture
def asked(tmp_path):
    """A server of its own, with a run in its folder."""
    if not PROGRAM.exists():
        pytest.skip("schemathesis is not here; `make test-browser` installs it")
    asked = Asked(tmp_path / "runs")
    large_run(asked.folder / "large", 500, 20)
    words = [sys.executable, "-c", SERVER, str(asked.folder), str(PORT)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(words, stdout=log, stderr=log, cwd=ROOT)
    try:
        wait_for(asked.answers)
        yield asked
    finally:
        server.terminate()
        server.wait(60)


def test_no_answer_is_other_than_described(asked):
    asked.often(STREAM)


def test_no_answer_about_what_is_there_is_other_than_described(asked):
    content = "name,age,school\n" + "".join(f"p{i},{20 + i},{'abc'[i % 3]}\n" for i in range(40))
    file = asked.once("/api/files?name=town.csv", content.encode())["id"]
    asked.often(WORK, file_id=file, name="large")
    assert asked.once(f"/api/files/{file}/columns")["records"] == 40
    assert asked.once("/api/runs/large")["tried"] == 500
