"""Who may come in: a key in a file of its owner, links that work once, and the cookie they give."""

import hmac
import os
import secrets
import time
from hashlib import sha256
from pathlib import Path

from evomask.errors import FileError
from evomask.runs.kept.glance import keep_note

LINK_SECONDS = 3600.0
"""How long a link can be opened after it was made."""

AHEAD = 5.0
"""Seconds by which clocks of two processes may differ."""


class Keyring:
    """Makes links and cookies from a secret that is kept in a file, and knows them again.

    The cookie stays good when the server is restarted; a link is good once, and not any more
    after a restart.

    Args:
        path: the file of the secret, readable by its owner alone; made where it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.secret = _secret_in(path)
        self._began = time.time()
        self._used: set[str] = set()

    @property
    def cookie(self) -> str:
        """What a browser shows after it came in by a link."""
        return self._signed("cookie")

    def link_token(self) -> str:
        """A new token for the address that a browser is opened with."""
        about = f"{time.time():.3f}.{secrets.token_urlsafe(9)}"
        return f"{about}.{self._signed(about)}"

    def admits_link(self, token: str) -> bool:
        """Whether a token is ours, new enough, and not used before; from now on it is."""
        about, _, mark = token.rpartition(".")
        if not _same(mark, self._signed(about)) or token in self._used:
            return False
        made = float(about.rpartition(".")[0])
        self._used.add(token)
        return self._began - AHEAD <= made and time.time() - made <= LINK_SECONDS

    def admits_cookie(self, value: str) -> bool:
        """Whether a cookie is the one we gave."""
        return _same(value, self.cookie)

    def admits_key(self, value: str) -> bool:
        """Whether a program knows the secret itself."""
        return _same(value, self.secret)

    def _signed(self, text: str) -> str:
        return hmac.new(self.secret.encode(), text.encode(), sha256).hexdigest()


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _secret_in(path: Path) -> str:
    try:
        if not path.exists():
            _make_secret(path)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{path} cannot be read; remove it for a new one") from None


def _make_secret(path: Path) -> None:
    """A new secret, whole from the beginning; where two begin at once, the first one's stays."""
    draft = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
    keep_note(draft, secrets.token_hex(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
