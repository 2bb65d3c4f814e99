import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from evomask.masking import catalogue as methods


def test_a_masked_file_is_written(evomask, people, tmp_path):
    answer = evomask("mask", people, "-k", 3, "--out", tmp_path / "masked.csv")
    assert answer.code == 0
    masked = pl.read_csv(tmp_path / "masked.csv")
    assert masked.columns == ["age", "income", "region"]
    assert masked.group_by("age", "income").len()["len"].min() >= 3


def test_json_is_all_there_is_on_stdout(evomask, people, tmp_path):
    answer = evomask("mask", people, "-k", 3, "--out", tmp_path / "masked.csv", "--json")
    found = json.loads(answer.out)
    assert {"method", "records", "seconds", "sse", "il", "groups"} <= found.keys()
    assert (found["method"], found["records"], found["groups"]) == ("mdav", 20, 6)


def test_a_note_says_what_was_assumed(evomask, people, tmp_path):
    answer = evomask("mask", people, "-k", 3, "--out", tmp_path / "masked.csv")
    assert "using all 2 numeric columns" in answer.err


def test_quiet_means_no_word_on_stderr(evomask, people, tmp_path):
    answer = evomask("mask", people, "-k", 3, "--out", tmp_path / "masked.csv", "--quiet")
    assert answer.err == ""


def test_only_the_named_columns_are_masked(evomask, people, tmp_path):
    evomask("mask", people, "-k", 3, "--quasi", "age", "--out", tmp_path / "masked.csv")
    masked = pl.read_csv(tmp_path / "masked.csv")
    assert masked["income"].to_list() == pl.read_csv(people)["income"].to_list()


def test_identifiers_are_never_written(evomask, people, tmp_path):
    evomask("mask", people, "-k", 3, "--drop", "region", "--out", tmp_path / "masked.csv")
    assert pl.read_csv(tmp_path / "masked.csv").columns == ["age", "income"]


def test_a_schema_file_says_what_columns_are(evomask, people, tmp_path):
    schema = tmp_path / "schema.toml"
    schema.write_text('[attributes.income]\nrole = "quasi-identifier"\n', encoding="utf-8")
    answer = evomask(
        "mask", people, "-k", 3, "--schema", schema, "--out", tmp_path / "masked.csv", "--json"
    )
    assert json.loads(answer.out)["attributes"] == ["income"]


def test_parquet_is_written_by_its_ending(evomask, people, tmp_path):
    evomask("mask", people, "-k", 3, "--out", tmp_path / "masked.parquet")
    assert pl.read_parquet(tmp_path / "masked.parquet").height == 20


def test_a_methods_own_option_is_understood(evomask, people, tmp_path):
    answer = evomask("mask", people, "--ending", "classic", "--out", tmp_path / "masked.csv")
    assert answer.code == 0


def test_an_unknown_option_is_wrong_usage(evomask, people, tmp_path):
    answer = evomask("mask", people, "--endnig", "classic", "--out", tmp_path / "masked.csv")
    assert answer.code == 2
    assert "mdav has no option --endnig; it has -k, --ending" in answer.err


def test_the_list_explains_every_method(evomask):
    answer = evomask("mask", "--list")
    assert "mdav: Group k similar records by MDAV" in answer.out


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        ("0", "k must be at least 2, got 0"),
        ("-1", "k must be at least 2, got -1"),
        ("2.5", "k must be a whole number, got 2.5"),
        ("21", "got k = 21 for 20"),
    ],
)
def test_a_bad_k_is_one_sentence_and_writes_nothing(evomask, people, tmp_path, k, sentence):
    answer = evomask("mask", people, "-k", k, "--out", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "masked.csv").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,inf\n2,3\n", "column 'b' holds an infinite value in record 1"),
        (b"a,b\n1,2\n3\n4,5\n", "record 2 of"),
        (b"a,b\n1,2\n3,4,5\n", "has 3 fields, and the header has 2"),
        (b"", "is empty"),
        (b"a,b\n", "has a header and no records"),
        (b"a,a\n1,2\n", "two columns named 'a'"),
        (b"a,\n1,2\n", "column 2"),
        (b"a,b\n\x00\x01\x02,3\n", "is not text"),
    ],
)
def test_a_bad_file_is_one_sentence_and_writes_nothing(evomask, tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    answer = evomask("mask", path, "-k", 2, "--out", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "masked.csv").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--quasi", "agee"), "no column 'agee' in the data, which has age, income, region"),
        (("--quasi", "region"), "masks continuous attributes, and no quasi-identifier is one"),
        (("--attributes", "region"), "'region' is nominal; declare it continuous"),
        (("--schema", "nowhere.toml"), "there is no schema file nowhere.toml"),
        (("--encoding", "utf-99"), "no encoding is called 'utf-99'"),
        (("--method", "magic"), "no method is called 'magic'"),
    ],
)
def test_wrong_names_are_one_sentence(evomask, people, tmp_path, words, sentence):
    answer = evomask("mask", people, *words, "--out", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert not (tmp_path / "masked.csv").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[attributes.shoe]\nkind = "nominal"\n', "no column 'shoe' in the data"),
        (
            '[attributes.age]\nkind = "round"\n',
            "is not a schema: column 'age', key 'kind': there is no kind 'round'",
        ),
        ('[attributes.age]\nknid = "nominal"\n', "unknown key 'knid'"),
        ("[attributes.age\n", "is not a schema"),
        ('[attributes.region]\nkind = "continuous"\n', "'region' is declared continuous"),
    ],
)
def test_a_wrong_schema_is_one_sentence(evomask, people, tmp_path, text, sentence):
    schema = tmp_path / "schema.toml"
    schema.write_text(text, encoding="utf-8")
    out = tmp_path / "masked.csv"
    answer = evomask("mask", people, "--schema", schema, "--out", out, "--quiet")
    assert answer.code == 1
    assert sentence in answer.err
    assert not out.exists()


def test_a_constant_column_works_with_a_note(evomask, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b\n" + "".join(f"{i},7\n" for i in range(9)), encoding="utf-8")
    answer = evomask("mask", path, "-k", 3, "--out", tmp_path / "masked.csv")
    assert answer.code == 0
    assert "'b' is constant" in answer.err


def test_an_output_that_exists_is_kept(evomask, people, tmp_path):
    out = tmp_path / "masked.csv"
    out.write_text("precious", encoding="utf-8")
    answer = evomask("mask", people, "--out", out, "--quiet")
    assert answer.code == 1
    assert "exists; choose another name or overwrite it with --force" in answer.err
    assert out.read_text(encoding="utf-8") == "precious"


def test_a_wrong_encoding_is_one_sentence_and_writes_nothing(evomask, tmp_path):
    path, out = tmp_path / "bad.csv", tmp_path / "masked.csv"
    path.write_bytes(b"a,b\n1,caf\xe9\n2,tea\n")
    answer = evomask("mask", path, "-k", 2, "--encoding", "utf-8", "--out", out, "--quiet")
    assert answer.code == 1
    assert "is not utf-8" in answer.err
    assert not out.exists()


def test_an_unusual_dialect_is_shown_and_kept(evomask, tmp_path):
    path, out = tmp_path / "european.csv", tmp_path / "masked.csv"
    path.write_text("a;b\n1,5;x\n2,5;y\n3,5;x\n", encoding="utf-8")
    answer = evomask("mask", path, "-k", 3, "--out", out)
    assert "delimiter ';', decimal comma" in answer.err
    assert out.read_text(encoding="utf-8").splitlines() == ["a;b", "2,5;x", "2,5;y", "2,5;x"]


def test_force_overwrites(evomask, people, tmp_path):
    out = tmp_path / "masked.csv"
    out.write_text("old", encoding="utf-8")
    assert evomask("mask", people, "--out", out, "--force").code == 0
    assert out.read_text(encoding="utf-8").startswith("age,income,region")


def test_a_missing_output_folder_is_named(evomask, people, tmp_path):
    answer = evomask("mask", people, "--out", tmp_path / "none" / "masked.csv", "--quiet")
    assert answer.code == 1
    assert "does not exist; create it first" in answer.err


def test_an_output_folder_that_is_not_writable_is_named(evomask, people, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    answer = evomask("mask", people, "--out", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 1
    assert "is not writable" in answer.err


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder nobody can write to")
def test_a_folder_that_nobody_can_write_to_is_named(evomask, people):
    answer = evomask("mask", people, "--out", "/proc/self/masked.csv", "--quiet")
    assert answer.code == 1
    assert "/proc/self" in answer.err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk_leaves_no_half_file(people, tmp_path, ending):
    out = tmp_path / f"masked.{ending}"
    words = ["mask", str(people), "--out", str(out), "--quiet"]
    answer = subprocess.run(
        [sys.executable, "-m", "evomask", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "EVOMASK_CACHE": str(_compiled_cache())},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
    )
    assert answer.returncode == 1
    assert "could not be written" in answer.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def _compiled_cache():
    from evomask.kernels.groups import mdav  # noqa: F401
    from evomask.kernels.jit import CACHE

    return CACHE.parent


def test_an_error_is_json_too_when_asked_for(evomask, people, tmp_path):
    answer = evomask("mask", people, "-k", 0, "--out", tmp_path / "masked.csv", "--json")
    assert json.loads(answer.out)["error"].startswith("k must be at least 2")


def test_missing_arguments_are_wrong_usage(evomask):
    assert evomask("mask").code == 2


def test_help_names_every_command(evomask):
    assert "mask" in evomask("--help").out


def test_the_version_is_told(evomask):
    assert evomask("--version").out.startswith("evomask 0.")


WITH_FILES = ("generalization", "matrix-pram")
METHODS = [entry.name for entry in methods.METHODS if entry.name not in WITH_FILES]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_masks_a_file(evomask, people, tmp_path, name):
    data = ["--quasi", "age,income,region", "--ordinal", "age"]
    answer = evomask("mask", people, "--method", name, *data, "--out", tmp_path / "masked.csv")
    assert (answer.code, pl.read_csv(tmp_path / "masked.csv").height) == (0, 20)


def test_the_list_names_every_method_and_option(evomask):
    listed = json.loads(evomask("mask", "--list", "--json").out)["methods"]
    assert [method["name"] for method in listed] == [entry.name for entry in methods.ALL_METHODS]
    assert all(option["meaning"] for method in listed for option in method["options"])


@pytest.fixture
def with_schema(tmp_path):
    """Options that declare the region nominal, with a hierarchy or as a stratum."""

    def options(line):
        (tmp_path / "region.csv").write_text("n;far;*\ns;near;*\nw;near;*\n", encoding="utf-8")
        schema = tmp_path / "schema.toml"
        schema.write_text(f"[attributes.region]\n{line}\n", encoding="utf-8")
        return ["--schema", schema, "--out", tmp_path / "masked.csv"]

    return options


def test_generalization_takes_hierarchies_from_the_schema(evomask, people, tmp_path, with_schema):
    said = with_schema('role = "quasi-identifier"\nhierarchy = "region.csv"')
    answer = evomask("mask", people, "--method", "generalization", "--levels", "1", *said)
    assert answer.code == 0
    assert set(pl.read_csv(tmp_path / "masked.csv")["region"]) == {"far", "near"}


def test_generalization_without_a_hierarchy_says_so(evomask, people, with_schema):
    said = with_schema('role = "quasi-identifier"')
    answer = evomask("mask", people, "--method", "generalization", *said)
    assert answer.code == 1
    assert "no hierarchy for 'region'" in answer.err


def test_strata_of_the_schema_are_masked_apart(evomask, people, tmp_path, with_schema):
    said = with_schema('role = "stratum"')
    options = ["--quasi", "income", "--window", "50"]
    evomask("mask", people, "--method", "rank-swapping", *options, *said)
    before, after = pl.read_csv(people), pl.read_csv(tmp_path / "masked.csv")
    for region in "nsw":
        inside = [
            frame.filter(region=region)["income"].sort().to_list() for frame in (before, after)
        ]
        assert inside[0] == inside[1]


def test_confidential_columns_are_what_l_speaks_of(evomask, people, tmp_path):
    data = ["--quasi", "age,income", "--confidential", "region"]
    options = ["-k", "3", "-l", "3", "--out", tmp_path / "masked.csv"]
    assert evomask("mask", people, "--method", "repair", *data, *options).code == 0
    classes = pl.read_csv(tmp_path / "masked.csv").group_by("age", "income")
    assert classes.agg(pl.col("region").n_unique())["region"].min() == 3


def test_own_matrices_change_categories(evomask, people, tmp_path):
    (tmp_path / "region.csv").write_text("from,n,s,w\nn,0,1,0\ns,0,0,1\nw,1,0,0\n")
    out = tmp_path / "masked.csv"
    words = ("--method", "matrix-pram", "--quasi", "region", "--matrices", tmp_path, "--out", out)
    assert evomask("mask", people, *words).code == 0
    renamed = {"n": "s", "s": "w", "w": "n"}
    before, after = pl.read_csv(people)["region"], pl.read_csv(out)["region"]
    assert after.to_list() == [renamed[region] for region in before]


def test_own_matrices_must_be_given(evomask, people, tmp_path):
    out = tmp_path / "masked.csv"
    answer = evomask(
        "mask", people, "--method", "matrix-pram", "--quasi", "region", "--out", out, "--quiet"
    )
    assert answer.code == 1
    assert "matrix-pram needs --matrices, a folder" in answer.err
