"""The register of releases: appended, chained, signed for strangers, withdrawn."""

import json
import shutil
import subprocess
import tomllib

import pytest

import evomask
from evomask.errors import EvomaskError, ParameterError, RunError
from evomask.runs.protect import choose, protect_file
from evomask.runs.store.register import (
    add_release,
    check_register,
    invalid_signatures,
    read_register,
    withdraw_release,
)
from evomask.runs.store.release import file_hash
from evomask.runs.store.signature import make_signature, read_key, read_secret
from evomask.runs.store.verify import verify
from tests.runs.test_protect import job_for, write_town


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run", evaluations=15))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "releases.toml"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """An Ed25519 key pair in PEM, as openssl writes it."""
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    folder, key = tmp_path_factory.mktemp("keys"), Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "office.pem").write_bytes(private)
    (folder / "office.pem").chmod(0o600)
    (folder / "office.pub").write_bytes(public)
    return folder / "office.pem", folder / "office.pub"


def add(path, done, to="public", key=None):
    return add_release(path, done.folder, to=to, project="town", key=key)


def test_an_entry_says_what_was_released_to_whom_under_which_recipe(path, done):
    add(path, done)
    (entry,) = tomllib.loads(path.read_text())["entries"]
    assert entry["to"] == "public"
    assert entry["original"] == file_hash(done.folder.parent / "town.csv")
    assert entry["masked"] == file_hash(done.written.path)
    assert entry["recipe"] == file_hash(done.folder / "recipe.toml")
    assert entry["required"] == "k=3"
    assert entry["loss"] == pytest.approx(done.chosen.loss, abs=1e-4)
    assert "age" not in path.read_text()


def test_entries_are_appended_and_earlier_bytes_never_change(path, done):
    add(path, done)
    before = path.read_bytes()
    add(path, done, to="researchers")
    withdraw_release(path, 1, reason="a mistake", key=None)
    assert path.read_bytes().startswith(before)
    assert [entry.did for entry in read_register(path)] == ["released", "released", "withdrawn"]
    assert check_register(path, None)[1]


@pytest.mark.parametrize(
    ("old", "new"), [('to = "public"', 'to = "nobody"'), ("risk = ", "risk = 1"), ("k=3", "k=9")]
)
def test_a_changed_entry_breaks_the_chain(path, done, old, new):
    add(path, done)
    add(path, done, to="researchers")
    text = path.read_text()
    path.write_text(text.replace(old, new, 1))
    sentence, holds = check_register(path, None)
    assert not holds
    assert "entry 2" in sentence
    with pytest.raises(RunError, match="was changed; restore it"):
        add(path, done, to="others")


def test_a_removed_entry_breaks_the_chain(path, done):
    for to in ("a", "b", "c"):
        add(path, done, to=to)
    parts = path.read_text().split("[[entries]]")
    path.write_text("[[entries]]".join([parts[0], parts[1], parts[3]]))
    assert not check_register(path, None)[1]


def test_strangers_check_signatures_with_the_public_key_alone(path, done, pair):
    private, public = (read_key(file) for file in pair)
    add(path, done, key=private)
    add(path, done, to="researchers", key=private)
    assert check_register(path, public) == (
        "2 entries, chain intact, all signed by this key", True
    )  # fmt: skip
    with pytest.raises(ParameterError, match="sign with the private key"):
        add(path, done, to="others", key=public)
    last = read_register(path)[-1]
    forged = path.read_text().replace('to = "researchers"', 'to = "everybody"')
    path.write_text(forged)
    assert check_register(path, None)[1]  # nothing follows the last entry, only its signature tells
    assert invalid_signatures(read_register(path), public) == [last.number]


def test_openssl_accepts_a_signature(path, done, pair, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    entry = add(path, done, key=read_key(pair[0]))
    (tmp_path / "content").write_bytes(entry.content)
    (tmp_path / "signature").write_bytes(bytes.fromhex(entry.signature.signature))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", pair[1], "-rawin", "-in",
               tmp_path / "content", "-sigfile", tmp_path / "signature"]  # fmt: skip
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_a_shared_key_signs_and_checks_too_and_another_does_not(path, done):
    add(path, done, key=b"0123456789abcdef")
    assert check_register(path, b"0123456789abcdef")[1]
    assert not check_register(path, b"another key of 16")[1]


def test_a_release_is_signed_with_a_key_pair(done, pair):
    choose(done.folder, "1", key=pair[0])
    assert verify(done.folder, pair[1]).holds
    signature = json.loads((done.folder / "signature.json").read_text())
    assert signature["algorithm"] == "Ed25519"


def test_a_changed_release_and_a_second_entry_for_the_same_people_are_refused(path, done, tmp_path):
    add(path, done)
    with pytest.raises(RunError, match=r"is entry 1 of .* already, to the same"):
        add(path, done)
    shutil.copytree(done.folder, tmp_path / "copy")
    masked = tmp_path / "copy" / "masked" / "town.csv"
    masked.write_text(masked.read_text() + "1\n")
    with pytest.raises(RunError, match="is not as it was released"):
        add_release(path, tmp_path / "copy", to="others", project="", key=None)


@pytest.mark.parametrize(("number", "why"), [(2, "has no release 2"), (1, "was withdrawn already")])
def test_only_a_release_that_is_there_can_be_withdrawn_once(path, done, number, why):
    add(path, done)
    withdraw_release(path, 1, reason="a mistake", key=None)
    with pytest.raises(ParameterError, match=why):
        withdraw_release(path, number, reason="again", key=None)


def test_a_file_that_is_no_register_is_refused(path, done):
    path.write_text("[[entries]]\nnumber = 1\n")
    with pytest.raises(RunError, match="is no register"):
        add(path, done)
    assert path.read_text() == "[[entries]]\nnumber = 1\n"


def test_a_secret_is_no_public_key_and_a_bad_pem_is_a_sentence(pair, tmp_path):
    with pytest.raises(ParameterError, match="is a public key"):
        read_secret(pair[1])
    bad = b"-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"
    with pytest.raises(EvomaskError, match="no Ed25519 key"):
        make_signature(b"line", bad)


def test_the_register_from_python(done, tmp_path):
    register = evomask.Register(tmp_path)
    assert register.add(done.folder, to="public") == 1
    register.withdraw(1, reason="a mistake")
    assert register.check()
    row = register.releases.to_dicts()[0]
    assert (row["to"], row["reason"]) == ("public", "a mistake")
