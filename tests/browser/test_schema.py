"""The interface against its own description: schemathesis asks, no answer may surprise.

Schemathesis pins libraries of its own, so it stands in an environment of its own
(``make test-browser`` makes it); ``EVOMASK_EXAMPLES`` says how many requests an address gets.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evomask.web.app import make_app
from evomask.web.guard import Limits
from evomask.web.state import Served

pytestmark = pytest.mark.browser

PROGRAM = Path(__file__).parents[2] / ".venv-schemathesis" / "bin" / "st"
EXAMPLES = os.environ.get("EVOMASK_EXAMPLES", "15")
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


def served_freely(folder):
    """The app with room for many requests."""
    return make_app(Served(folder, PORT, limits=Limits(upload=100_000, rate=1e6, burst=1e6)))


def test_no_answer_is_other_than_described(tmp_path):
    if not PROGRAM.exists():
        pytest.skip("schemathesis is not here; `make test-browser` installs it")
    folder, log = tmp_path / "runs", (tmp_path / "log").open("wb")
    words = [sys.executable, "-c", SERVER, str(folder), str(PORT)]
    server = subprocess.Popen(words, stdout=log, stderr=log, cwd=Path(__file__).parents[2])
    try:
        from tests.browser.conftest import wait_for

        key = wait_for(lambda: (folder / ".web" / "key").exists() and answers(folder))
        out = subprocess.run(
            [
                PROGRAM, "run", f"http://127.0.0.1:{PORT}/api/openapi.json",
                "-H", f"Authorization: Bearer {key}", "--checks", f"not_a_server_error,{CHECKS}",
                "--exclude-path-regex", "/events$", "--max-examples", EXAMPLES,
                "--phases", "fuzzing", "--request-timeout", "60", "--no-color",
            ],
            capture_output=True, text=True, timeout=3000, check=False,
        )  # fmt: skip
        assert out.returncode == 0, out.stdout[-6000:] + out.stderr[-2000:]
        print(out.stdout[-1500:])
    finally:
        server.terminate()
        server.wait(60)
        log.close()


def answers(folder):
    """The key, once somebody answers."""
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    key = (folder / ".web" / "key").read_text()
    about = Request(
        f"http://127.0.0.1:{PORT}/api/about", headers={"Authorization": f"Bearer {key}"}
    )
    try:
        return key if urlopen(about, timeout=5).status == 200 else None
    except (URLError, TimeoutError, ConnectionError):
        return None
