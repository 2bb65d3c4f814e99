"""Households and panels from file to release: written, read back, verified, chosen again."""

import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import polars_from
from evomask.data.scenario import Scenario
from evomask.data.units import unit_levels
from evomask.errors import FileError
from evomask.io.datasets import write_survey
from evomask.io.readback import ReleaseSpec, check_written
from evomask.io.tables import PrivacyRequirements, read_frame, release_spec, write_table
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input, load

SMALL = ("--seed", 5, "--evaluations", 25, "--json", "--quiet")
ATTRIBUTES = """
[attributes.home]
kind = "nominal"
role = "household"
{renumber}
[attributes.rooms]
kind = "ordinal"
role = "quasi-identifier"
[attributes.place]
kind = "nominal"
role = "quasi-identifier"
[attributes.sex]
kind = "nominal"
role = "quasi-identifier"
[attributes.age]
kind = "continuous"
role = "quasi-identifier"
"""
PANEL = '[attributes.person]\nkind = "nominal"\nrole = "person"\n'
SCENARIO = '[scenarios.neighbour]\nknows = ["rooms", "place", "sex"]\nunit = "household"\n'


def write_people(folder, panel=False, renumber=False, scenario=SCENARIO):
    """Ninety rows of thirty households or so, with a schema; in a panel three rows a person."""
    rng = np.random.default_rng(2)
    person = np.arange(90) // 3 if panel else np.arange(90)
    home = rng.integers(0, 30, 90)[person]
    frame = pl.DataFrame(
        {
            "home": [f"h{number}" for number in home],
            "person": [f"p{number}" for number in person],
            "rooms": rng.integers(1, 6, 30)[home],
            "place": [f"town {number}" for number in rng.integers(0, 4, 30)[home]],
            "sex": [("f", "m")[number] for number in rng.integers(0, 2, 90)[person]],
            "age": rng.integers(20, 60, 90),
        }
    )
    frame = frame if panel else frame.drop("person")
    frame.write_csv(folder / "people.csv")
    text = ATTRIBUTES.format(renumber="renumber = true" if renumber else "")
    text += (PANEL if panel else "") + scenario
    (folder / "people.toml").write_text(text, encoding="utf-8")
    return folder / "people.csv", folder / "people.toml"


def fewest(frame, names, unit):
    """Fewest units in a class, with the unit of each row."""
    classes = defaultdict(set)
    for row, number in zip(frame.select(names).iter_rows(), unit, strict=True):
        classes[row].add(number)
    return min(map(len, classes.values()))


def varying(frame, names, unit):
    """Units with several values of an attribute."""
    found = defaultdict(set)
    for row, number in zip(frame.select(names).iter_rows(), unit, strict=True):
        found[number].add(row)
    return [number for number, rows in found.items() if len(rows) > 1]


def test_masking_keeps_households_together(evomask, tmp_path):
    data, schema = write_people(tmp_path)
    out = tmp_path / "masked.csv"
    words = (
        "--schema",
        schema,
        "--method",
        "independent-noise",
        "--attributes",
        "age",
        "--out",
        out,
    )
    assert evomask("mask", data, *words, "--quiet").code == 0
    words = ("--method", "pram", "--attributes", "rooms,place,sex", "--out", out, "--force")
    assert evomask("mask", data, "--schema", schema, *words, "--quiet").code == 0
    masked, homes = pl.read_csv(out), pl.read_csv(data)["home"]
    assert "home" not in masked.columns
    assert varying(masked, ["rooms", "place"], homes) == []
    assert varying(masked, ["sex"], homes)


def protected(evomask, folder, *words, **how):
    data, schema = write_people(folder, **how)
    out = folder / "release"
    made = evomask(
        "protect", data, "--schema", schema, "--require", "k=3", *SMALL, *words, "--out", out
    )
    assert made.code == 0, made.err
    return out, json.loads(made.out)


def test_households_of_a_person_file_are_protected_chosen_and_verified(evomask, tmp_path):
    out, answer = protected(evomask, tmp_path, "--keep-order")
    homes = pl.read_csv(tmp_path / "people.csv")["home"].to_numpy()
    for point in (answer["chosen"]["point"], answer["front"][0]["point"]):
        again = evomask("choose", out, "--point", point, "--keep-order", "--json", "--quiet")
        assert again.code == 0
        masked = pl.read_csv(out / "masked/people.csv")
        owners = homes[np.load(out / "order.npy")]
        assert fewest(masked, ["rooms", "place", "sex"], owners) >= 3
        assert varying(masked, ["rooms", "place"], owners) == []
        assert evomask("verify", out, "--quiet").code == 0
    record = json.loads((out / "record.json").read_bytes())
    assert record["checked"]["k"] >= 3
    assert record["before"]["households"]["households"] == len(set(homes))
    (of_scenario,) = record["points"]["chosen"]["parts"]["scenarios"]
    assert (of_scenario["individuals"], of_scenario["counts_households"]) == (len(set(homes)), True)
    assert "of 1,000 households" in answer["scenarios"][0]["sentence"]


def test_persons_of_a_panel_are_protected(evomask, tmp_path):
    out, _ = protected(evomask, tmp_path, "--keep-order", panel=True, scenario="")
    rows = pl.read_csv(tmp_path / "people.csv")[np.load(out / "order.npy")]
    masked = pl.read_csv(out / "masked/people.csv")
    assert {"home", "person"}.isdisjoint(masked.columns)
    assert fewest(masked, ["rooms", "place", "sex", "age"], rows["person"]) >= 3
    parts = json.loads((out / "record.json").read_bytes())["points"]["chosen"]["parts"]
    assert parts["people"] == parts["scenarios"][0]["individuals"] == rows["person"].n_unique()
    assert varying(masked, ["sex"], rows["person"]) == []
    assert varying(masked, ["rooms", "place"], rows["home"]) == []
    assert evomask("verify", out, "--quiet").code == 0


def test_new_numbers_are_released_on_request(evomask, tmp_path):
    out, _ = protected(evomask, tmp_path, "--keep-order", renumber=True)
    masked = pl.read_csv(out / "masked/people.csv")
    homes = pl.read_csv(tmp_path / "people.csv")["home"][np.load(out / "order.npy")]
    assert len(Counter(zip(masked["home"], homes, strict=True))) == homes.n_unique()
    assert masked["home"].n_unique() == homes.n_unique()
    assert varying(masked, ["rooms", "place"], masked["home"]) == []
    assert evomask("verify", out, "--quiet").code == 0


def test_verification_counts_units_in_the_written_bytes(evomask, tmp_path):
    out, _ = protected(evomask, tmp_path)
    promise = json.loads((out / "promise.json").read_bytes())["promise"]
    file = out / "masked/people.csv"
    spec = ReleaseSpec(
        90, tuple(promise["columns"]), units={"home": tuple(promise["units"]["home"])},
        constant={"home": ("rooms", "place")},
    )  # fmt: skip
    assert check_written(file, spec).inconsistent == {}
    lines = file.read_text(encoding="utf-8").splitlines()
    homes = promise["units"]["home"]
    row = next(i for i, number in enumerate(homes) if homes.count(number) > 1)
    lines[row + 1] = "99" + lines[row + 1][lines[row + 1].index(",") :]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FileError, match="'rooms' differs within a home"):
        check_written(file, spec)
    assert evomask("verify", out, "--quiet").code == 1


def test_only_numbers_of_units_are_drawn_anew(evomask, tmp_path):
    data, schema = write_people(tmp_path)
    text = schema.read_text(encoding="utf-8").replace('role = "household"', 'role = "other"')
    text = text.replace('role = "other"', 'role = "other"\nrenumber = true').split("[scen")[0]
    schema.write_text(text, encoding="utf-8")
    answer = evomask(
        "mask", data, "--schema", schema, "--method", "pram", "--out", tmp_path / "o.csv"
    )
    assert answer.code == 1
    assert "only numbers of households and persons are drawn anew" in answer.err


def test_three_households_share_what_a_neighbour_of_the_survey_knows(tmp_path):
    loaded = load(Input(write_survey(tmp_path, 600)[0], tmp_path / "survey.toml"))
    table = loaded.table
    neighbour = Scenario(
        name="neighbour", knows=("municipality", "household_size", "age", "sex"), unit="household"
    )
    table = table.with_schema(replace(table.schema, scenarios=(neighbour,)))
    found = Enforcement.of(table, Requirement(3))(table)
    frame, homes = polars_from(found), table["household"]
    names = ["region", *neighbour.knows]
    assert fewest(frame, names, homes) >= 3
    assert varying(frame, ["municipality", "household_size", "area", "visited"], homes) == []


def test_persons_of_a_chunked_file_are_refused(evomask, tmp_path):
    data, schema = write_people(tmp_path, panel=True, scenario="")
    words = ("--schema", schema, "--method", "pram", "--in-parts", "--out", tmp_path / "parts")
    answer = evomask("mask", data, *words)
    assert answer.code == 1
    assert "chunked files do not count persons" in answer.err


def test_households_of_a_chunked_file_are_refused(evomask, tmp_path):
    data, schema = write_people(tmp_path, scenario="")
    given, out = ("--schema", schema, "--in-parts", "--quiet"), tmp_path / "parts"
    answer = evomask("mask", data, *given, "--method", "pram", "--out", out)
    assert answer.code == 1
    assert "chunked files do not keep households together" in answer.err
    assert not out.exists()


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".xlsx", ".sav", ".dta"])
@pytest.mark.parametrize("seed", range(4))
def test_written_files_of_every_format_hold_households_together(tmp_path, ending, seed):
    data, schema = write_people(tmp_path)
    loaded = load(Input(data, schema))
    rng = np.random.default_rng(seed)
    shuffled = {"rooms": rng.permutation(loaded.table["rooms"])} if seed % 2 else {}
    k = int(rng.integers(2, 6))
    guarantees = Enforcement.of(loaded.table, Requirement(k))
    masked = guarantees(loaded.table.with_columns(shuffled))
    spec = release_spec(
        masked, by_scenario={"neighbour": PrivacyRequirements(k)}, levels=unit_levels(loaded.table)
    )
    out = write_table(masked, tmp_path / f"masked{ending}", spec=spec).path
    homes = pl.read_csv(data)["home"]
    frame = read_frame(out)
    assert fewest(frame, ["rooms", "place", "sex"], homes) >= k
    assert varying(frame, ["rooms", "place"], homes) == []
