"""Pseudonyms: stable with the key, without meaning without it, and links between releases."""

import hashlib
import hmac
import tomllib

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2

import evomask
from evomask.data.pseudonyms import PseudonymKey
from evomask.errors import ParameterError, SchemaError
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.apply import ApplyJob, apply_file
from evomask.runs.difference import DifferenceJob, difference
from evomask.runs.inputs import Input
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import ProtectJob, choose, protect_file
from evomask.runs.store.verify import verify

SCHEMA = """
[attributes.patient]
role = "pseudonym"

[attributes.age]
kind = "continuous"
role = "quasi-identifier"

[attributes.illness]
role = "confidential"

[pseudonyms]
key = "secret.key"
project = "hospital"
stable = {stable}
"""


@pytest.fixture
def source(tmp_path):
    """Patients, with a schema and a key; records of a patient may be several."""

    def make(stable="true", waves=1, name="people"):
        rng = np.random.default_rng(5)
        patients = [f"P-{i:04d}" for i in range(60)] * waves
        frame = pl.DataFrame(
            {
                "patient": patients,
                "age": np.repeat(rng.integers(20, 70, 60)[None], waves, axis=0).ravel(),
                "illness": rng.choice(["flu", "cold", "none"], len(patients)),
            }
        )
        frame.write_csv(tmp_path / f"{name}.csv")
        (tmp_path / "secret.key").write_text("0123456789abcdef" * 2, encoding="utf-8")
        (tmp_path / "secret.key").chmod(0o600)
        schema = tmp_path / f"{name}.toml"
        schema.write_text(SCHEMA.format(stable=stable), encoding="utf-8")
        return Input(tmp_path / f"{name}.csv", schema)

    return make


def protect(source, folder, **more):
    job = ProtectJob(source, folder, Requirement(k=3), evaluations=12, seed=7, **more)
    return protect_file(job)


def released_codes(path):
    return set(pl.read_csv(path, infer_schema=False)["patient"])


def test_a_pseudonym_is_hmac_sha256_under_a_key_derived_for_the_project():
    secret = b"0123456789abcdef"
    message = b"".join(len(p).to_bytes(4, "big") + p for p in (b"evomask pseudonym 1", b"x", b""))
    derived = hmac.new(secret, message, hashlib.sha256).digest()
    expected = hmac.new(derived, b"P-1", hashlib.sha256).hexdigest()[:32]
    assert PseudonymKey(secret, "x").pseudonyms(["P-1", ""]) == [expected, ""]


def test_stable_pseudonyms_are_the_same_in_every_release_and_table(source, tmp_path):
    first = protect(source(), tmp_path / "one")
    before = released_codes(first.written.path)
    again = choose(first.folder, "knee")
    assert before == released_codes(again.written.path)
    assert verify(first.folder).holds
    key = PseudonymKey((tmp_path / "secret.key").read_bytes(), "hospital")
    assert before == set(key.pseudonyms(f"P-{i:04d}" for i in range(60)))
    mask_file(MaskJob(source(name="other"), "mdav", tmp_path / "m.csv", {"k": "3"}))
    assert before == released_codes(tmp_path / "m.csv")
    codes = evomask.pseudonyms(["P-0000", None], tmp_path / "secret.key", project="hospital")
    assert codes[0] in before
    assert codes[1] is None


def test_releases_get_new_pseudonyms_by_default(source, tmp_path):
    first = protect(source("false"), tmp_path / "one")
    before = released_codes(first.written.path)
    assert not before & released_codes(choose(first.folder, "knee").written.path)
    assert len(before) == 60


def test_the_same_person_has_one_pseudonym_and_k_counts_persons(source, tmp_path):
    done = protect(source(waves=4), tmp_path / "panel")
    frame = pl.read_csv(done.written.path, infer_schema=False)
    assert frame["patient"].n_unique() == 60
    assert (frame.group_by("patient").len()["len"] == 4).all()
    assert (frame.group_by("patient").agg(pl.col("age").n_unique())["age"] == 1).all()
    assert frame.group_by("age").agg(pl.col("patient").n_unique())["patient"].min() >= 3


def test_no_file_of_a_release_holds_an_original_number_or_the_key(source, tmp_path):
    done = protect(source(), tmp_path / "one")
    public = [done.written.path, done.reports.public, done.reports.public_record]
    for path in public:
        content = path.read_bytes()
        assert b"P-00" not in content
        assert b"0123456789abcdef" not in content


def test_pseudonyms_link_releases_for_an_intruder(source, tmp_path):
    stable = [protect(source(), tmp_path / name).written.path for name in ("a", "b")]
    found = difference(DifferenceJob(tuple(map(str, stable)), key="patient"))
    assert found.scenarios[0].people == 60
    fresh = [protect(source("false"), tmp_path / name).written.path for name in ("c", "d")]
    found = difference(DifferenceJob(tuple(map(str, fresh)), key="patient"))
    assert found.scenarios[0].people == 120


def test_difference_tells_that_stable_pseudonyms_link_all_people(source, tmp_path):
    for name in ("a", "b"):
        protect(source(), tmp_path / name)
    found = difference(DifferenceJob((str(tmp_path / "a"), str(tmp_path / "b"))))
    assert found.linkable == 100.0
    assert "patient" in found.link
    for name in ("c", "d"):
        protect(source("false"), tmp_path / name)
    found = difference(DifferenceJob((str(tmp_path / "c"), str(tmp_path / "d"))))
    assert "patient" not in found.link


def test_bits_of_pseudonyms_are_uniform():
    key = PseudonymKey(b"0123456789abcdef", "x")
    codes = key.pseudonyms(map(str, range(20_000)))
    bits = np.unpackbits(np.frombuffer(bytes.fromhex("".join(codes)), dtype=np.uint8))
    ones = bits.reshape(-1, 128).sum(axis=0)
    statistic = float(((ones - 10_000) ** 2 / 5_000).sum())
    assert statistic < chi2.ppf(0.999, 128)
    assert len(set(codes)) == 20_000


@pytest.mark.parametrize("seed", range(20))
def test_without_the_key_an_attack_is_no_better_than_guessing(seed):
    """Every person is guessed by all unkeyed hashes, by wrong keys, and by the order of codes."""
    rng = np.random.default_rng(seed)
    people = [f"{number:08d}" for number in rng.choice(10**8, 200, replace=False)]
    codes = PseudonymKey(rng.bytes(32), "project").pseudonyms(people)
    known = set(codes)
    for name in ("sha256", "sha1", "md5"):
        guesses = {hashlib.new(name, own.encode()).hexdigest()[:32] for own in people}
        assert not guesses & known
    for guess in (b"\0" * 32, b"key" * 8, rng.bytes(32)):
        assert not set(PseudonymKey(guess, "project").pseudonyms(people)) & known
    by_order = dict(zip(sorted(people), sorted(codes), strict=True))
    right = sum(by_order[own] == code for own, code in zip(people, codes, strict=True))
    assert right <= 7  # Poisson with mean 1: more in 1 of 100,000 attacks


def test_a_recipe_declares_the_role_and_needs_a_key(source, tmp_path):
    done = protect(source(), tmp_path / "one", searches=("recipes",))
    recipe = tomllib.loads(done.recipe.read_text())
    assert recipe["attributes"]["patient"]["role"] == "pseudonym"
    people = tmp_path / "people.csv"
    with pytest.raises(SchemaError, match=r"no key; make one with .*openssl"):
        apply_file(ApplyJob(done.recipe, Input(people), tmp_path / "next.csv"))
    job = ApplyJob(done.recipe, source(), tmp_path / "next.csv")
    apply_file(job)
    assert released_codes(job.out) == released_codes(done.written.path)


def test_a_key_that_others_can_read_and_a_project_without_name_are_refused(source, tmp_path):
    given = source()
    (tmp_path / "secret.key").chmod(0o644)
    with pytest.raises(ParameterError, match="others may read the key"):
        protect(given, tmp_path / "one")
    text = given.schema.read_text().replace('project = "hospital"\n', "")
    given.schema.write_text(text)
    (tmp_path / "secret.key").chmod(0o600)
    with pytest.raises(SchemaError, match="need the name of their project"):
        protect(given, tmp_path / "one")
    assert not (tmp_path / "one").exists()
