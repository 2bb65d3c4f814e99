"""Signing a release: whoever has the key sees whether it is the one that was released.

The signature is HMAC-SHA256 over the last line of the log, which names every file of the release
by its hash and, through the line before, all that was done earlier (decisions/0017).
"""

import hashlib
import hmac
import stat
from pathlib import Path

import msgspec

from evomask.errors import FileError, ParameterError
from evomask.io.files import whole_content

SIGNATURE = "signature.json"
SHORTEST_KEY = 16


class Signature(msgspec.Struct, frozen=True):
    """A signature, and which key made it: the key itself cannot be told from its name."""

    algorithm: str
    key: str
    signature: str


def read_key(path: Path) -> bytes:
    """The key in a file that nobody but its owner can read."""
    try:
        key, mode = whole_content(path).strip(), path.stat().st_mode
    except OSError as error:
        raise FileError(f"the key {path} cannot be read: {error.strerror or error}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"others may read the key {path}; make it yours with chmod 600")
    if len(key) < SHORTEST_KEY:
        raise ParameterError(
            f"the key {path} has {len(key)} bytes and needs {SHORTEST_KEY}; "
            "make one with `openssl rand -hex 32`"
        )
    return key


def signed(line: bytes, key: bytes) -> bytes:
    """The signature of a line of the log, as a file holds it."""
    made = Signature("HMAC-SHA256", _name(key), _mac(line, key))
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"


def is_signed_by(line: bytes, content: bytes, key: bytes) -> bool:
    """Whether a signature is that of the line, made with the key."""
    try:
        made = msgspec.json.decode(content, type=Signature)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return made.algorithm == "HMAC-SHA256" and hmac.compare_digest(made.signature, _mac(line, key))


def _mac(line: bytes, key: bytes) -> str:
    return hmac.new(key, line, hashlib.sha256).hexdigest()


def _name(key: bytes) -> str:
    return _mac(b"evomask: the name of a key", key)[:16]
