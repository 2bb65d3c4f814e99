"""Signatures of lines of a log, by a shared key (HMAC-SHA256) or a key pair (Ed25519).

A shared key checks what it signs; so whoever can check can sign (decisions/0017). Of a key pair the
public key is enough to check, for strangers too (decisions/0072).
"""

import hashlib
import hmac
import stat
from pathlib import Path
from typing import Any

import msgspec

from evomask.errors import FileError, ParameterError
from evomask.io.files import read_regular_file

LEAST_KEY_BYTES = 16
SHARED, PAIR = "HMAC-SHA256", "Ed25519"
PRIVATE_MARK, PUBLIC_MARK = b"-----BEGIN PRIVATE KEY-----", b"-----BEGIN PUBLIC KEY-----"


class Signature(msgspec.Struct, frozen=True):
    """A signature, and an identifier of its key that does not reveal the key."""

    algorithm: str
    key: str
    signature: str


def read_key(path: Path) -> bytes:
    """Read a key: a secret or a private key that only its owner can read, or a public key."""
    try:
        key, mode = read_regular_file(path).strip(), path.stat().st_mode
    except OSError as error:
        raise FileError(f"the key {path} cannot be read: {error.strerror or error}") from None
    if key.startswith(PUBLIC_MARK):
        return key
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"others may read the key {path}; restrict it with chmod 600")
    if len(key) < LEAST_KEY_BYTES:
        raise ParameterError(
            f"the key {path} has {len(key)} bytes and needs {LEAST_KEY_BYTES}; "
            "make one with `openssl rand -hex 32`"
        )
    return key


def read_secret(path: Path) -> bytes:
    """Read a secret that only its owner can read."""
    key = read_key(path)
    if key.startswith(PUBLIC_MARK):
        raise ParameterError(f"{path} is a public key; make a secret with `openssl rand -hex 32`")
    return key


def make_signature(line: bytes, key: bytes) -> Signature:
    """Sign a line with a shared or a private key."""
    if key.startswith(PUBLIC_MARK):
        raise ParameterError(
            "a public key checks signatures; sign with the private key of its pair"
        )
    if key.startswith(PRIVATE_MARK):
        private = _loaded(key)
        return Signature(PAIR, _key_name(private.public_key()), private.sign(line).hex())
    return Signature(SHARED, _mac(b"evomask: the name of a key", key)[:16], _mac(line, key))


def is_signature(made: Signature, line: bytes, key: bytes) -> bool:
    """Whether a signature of a line was made by this key, or by the private key of a public one."""
    if made.algorithm == SHARED:
        return hmac.compare_digest(made.signature, _mac(line, key))
    if made.algorithm != PAIR or not key.startswith((PRIVATE_MARK, PUBLIC_MARK)):
        return False
    from cryptography.exceptions import InvalidSignature

    loaded = _loaded(key)
    public = loaded.public_key() if key.startswith(PRIVATE_MARK) else loaded
    try:
        public.verify(bytes.fromhex(made.signature), line)
    except (InvalidSignature, ValueError):
        return False
    return True


def sign(line: bytes, key: bytes) -> bytes:
    """Return the signature of a line of the log, as the content of a file."""
    return msgspec.json.format(msgspec.json.encode(make_signature(line, key)), indent=1) + b"\n"


def has_signature(line: bytes, content: bytes, key: bytes) -> bool:
    """Whether *content* is the signature of the line by the key."""
    try:
        made = msgspec.json.decode(content, type=Signature)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return is_signature(made, line, key)


def _loaded(key: bytes) -> Any:  # noqa: ANN401
    """The Ed25519 key of a PEM text."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise ParameterError(
            "keys of a pair need the package cryptography; install evomask[sign], or use a shared "
            "key made with `openssl rand -hex 32`"
        ) from None
    try:
        if key.startswith(PUBLIC_MARK):
            loaded: Any = serialization.load_pem_public_key(key)
        else:
            loaded = serialization.load_pem_private_key(key, password=None)
    except (ValueError, TypeError):
        loaded = None
    if not isinstance(loaded, (ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey)):
        raise ParameterError(
            "the key is no Ed25519 key without a password; make one with "
            "`openssl genpkey -algorithm ed25519`"
        )
    return loaded


def _key_name(public: Any) -> str:  # noqa: ANN401
    return hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]


def _mac(line: bytes, key: bytes) -> str:
    return hmac.new(key, line, hashlib.sha256).hexdigest()
