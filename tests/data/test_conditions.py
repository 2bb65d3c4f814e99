"""Edit rules with conditions: understood or refused, counted from outside, and repaired."""

import csv
import operator

import numpy as np
import polars as pl
import pytest

from evomask.data.conditions import is_conditional, parse_conditions, violated
from evomask.data.edits import EditRepair, rules_of
from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.errors import EvomaskError, SchemaError
from evomask.io.tables import write_table
from evomask.masking.catalogue import method_named
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement

RULES = (
    "if age < 16 then job is missing",
    "sex = m implies pregnant = no",
    "(region, town) in {(north, a), (north, b), (south, c), (south, d)}",
    "if town in {a, b} and sex = f then grade in {low, middle}",
    "birth <= entry",
    "if entry > 2015-06-30 then grade != high or job is missing",
    "town != birthplace",
)


def people(seed, n=80):
    """Records that obey all rules."""
    rng = np.random.default_rng(seed)
    town = rng.choice(list("abcd"), n)
    age = rng.integers(5, 70, n)
    sex = rng.choice(["m", "f"], n)
    entry = np.datetime64("2010-01-01") + rng.integers(0, 3650, n)
    job = np.where(age < 16, None, rng.choice(["clerk", "smith", "cook"], n))
    late = entry > np.datetime64("2015-06-30")
    grade = rng.choice(["low", "middle", "high"], n)
    grade = np.where((late & (job != None)) | (np.isin(town, ["a", "b"]) & (sex == "f")),  # noqa: E711
                     rng.choice(["low", "middle"], n), grade)  # fmt: skip
    return pl.DataFrame(
        {
            "age": age,
            "sex": sex,
            "pregnant": np.where(sex == "m", "no", rng.choice(["yes", "no"], n)),
            "region": np.where(np.isin(town, ["a", "b"]), "north", "south"),
            "town": town,
            "birthplace": [rng.choice([t for t in "abcd" if t != own]) for own in town],
            "job": job.tolist(),
            "grade": grade,
            "birth": (entry - rng.integers(5_000, 20_000, n)).astype(str),
            "entry": entry.astype(str),
        }
    )


def declared():
    quasi = {n: Declaration(role=Role.QUASI_IDENTIFIER) for n in ("age", "sex", "town", "job")}
    dates = {n: Declaration(Kind.DATE, Role.QUASI_IDENTIFIER) for n in ("birth", "entry")}
    grade = Declaration(Kind.ORDINAL, Role.CONFIDENTIAL, ("low", "middle", "high"))
    return {**quasi, **dates, "grade": grade, "region": Declaration(role=Role.QUASI_IDENTIFIER)}


def table_with(rules, seed=1, n=80):
    table = table_from(people(seed, n), declared())
    schema = table.schema
    return table.with_schema(type(schema)(schema.attributes, edits=tuple(rules)))


COLUMNS = dict(
    zip(
        RULES,
        (
            ("age", "job"),
            ("sex", "pregnant"),
            ("region", "town"),
            ("town", "sex", "grade"),
            ("birth", "entry"),
            ("entry", "grade", "job"),
            ("town", "birthplace"),
        ),
        strict=True,
    )
)


def obeys(row, rule):
    """One rule on the texts of a written record, by hand; true where a cell of it says nothing."""
    if any(row[name] == "*" or row[name].startswith(("[", "{")) for name in COLUMNS[rule]):
        return True
    is_child = rule == RULES[0] and row["age"] != "" and float(row["age"]) < 16
    checks = {
        RULES[0]: not is_child or row["job"] == "",
        RULES[1]: row["sex"] != "m" or row["pregnant"] in ("no", ""),
        RULES[2]: (row["region"], row["town"])
        in {("north", "a"), ("north", "b"), ("south", "c"), ("south", "d")},
        RULES[3]: row["town"] not in ("a", "b") or row["sex"] != "f" or row["grade"] != "high",
        RULES[4]: row["birth"] <= row["entry"],
        RULES[5]: row["entry"] <= "2015-06-30" or row["grade"] != "high" or row["job"] == "",
        RULES[6]: row["town"] != row["birthplace"],
    }
    return checks[rule]


METHODS = (
    ("mdav-generic", {"k": "3"}), ("rank-swapping", {"window": "20"}), ("pram", {}),
    ("independent-noise", {"percent": "30"}), ("mondrian", {"k": "3"}),
)  # fmt: skip


def written(tmp_path, seed):
    """A random selection of rules, a random masking, k or not; the file, or None if refused."""
    rng = np.random.default_rng(seed)
    rules = [rule for rule in RULES if rng.random() < 0.5] or [RULES[0]]
    table = table_with(rules, seed)
    name, options = METHODS[rng.integers(len(METHODS))]
    entry = method_named(name)
    names = [n for n in table.schema.quasi_identifiers if table.attribute(n).kind in entry.kinds]
    requirement = Requirement(k=3) if rng.random() < 0.5 else Requirement()
    try:
        guarantees = Enforcement.of(table, requirement)
        masked = guarantees(entry.build(names, options).mask(table, rng))
    except EvomaskError:
        return rules, None
    if guarantees.mender.rules.broken_by(masked).any():
        return rules, None
    path = tmp_path / f"{seed}.csv"
    write_table(masked, path)
    with path.open(encoding="utf-8") as file:
        return rules, list(csv.DictReader(file))


def count_obeyed(tmp_path, seeds):
    obeyed = refused = 0
    for seed in seeds:
        rules, rows = written(tmp_path, seed)
        if rows is None:
            refused += 1
            continue
        obeyed += all(obeys(row, rule) for row in rows for rule in rules)
    return obeyed, refused


def test_every_written_file_obeys_the_rules_or_is_refused(tmp_path):
    obeyed, refused = count_obeyed(tmp_path, range(40))
    assert obeyed + refused == 40
    assert refused <= 10


@pytest.mark.slow
def test_a_thousand_written_files_obey_the_rules_or_are_refused(tmp_path):
    obeyed, refused = count_obeyed(tmp_path, range(1000, 2000))
    assert obeyed + refused == 1000


@pytest.mark.parametrize("rule", RULES)
def test_the_original_obeys_and_a_broken_record_is_counted(rule):
    table = table_with([rule])
    assert rules_of(table.schema).violations(table) == {}
    frame = people(1)
    wrong = {
        RULES[0]: {"age": 10, "job": "cook"},
        RULES[1]: {"sex": "m", "pregnant": "yes"},
        RULES[2]: {"region": "south", "town": "a"},
        RULES[3]: {"town": "a", "sex": "f", "grade": "high"},
        RULES[4]: {"birth": "2030-01-01"},
        RULES[5]: {"entry": "2016-01-01", "grade": "high", "job": "cook"},
        RULES[6]: {"town": "a", "birthplace": "a"},
    }[rule]
    row = pl.int_range(pl.len()) == 7
    frame = frame.with_columns(
        pl.when(row).then(pl.lit(v)).otherwise(pl.col(n)).alias(n) for n, v in wrong.items()
    )
    broken = table_from(frame, declared()).with_schema(table.schema)
    rules = rules_of(table.schema)
    assert rules.violations(broken) == {rule: 1}
    assert np.flatnonzero(rules.broken_by(broken)).tolist() == [7]
    mended = EditRepair.of(table).mended(broken)
    assert not rules.broken_by(mended).any()
    for name in table.schema.names:
        after, before = np.delete(mended[name], 7), np.delete(broken[name], 7)
        assert np.array_equal(after, before, equal_nan=after.dtype.kind == "f")


def test_a_missing_suppressed_or_generalized_cell_breaks_no_rule_unless_all_its_values_do():
    table = table_with([RULES[0]])
    frame = people(1).with_columns(pl.lit(None, dtype=pl.Int64).alias("age"))
    unknown = table_from(frame, declared())
    assert not violated(parse_conditions(RULES[0]), unknown).any()
    wide = (
        method_named("mondrian").build(["age"], {"k": "60"}).mask(table, np.random.default_rng(0))
    )
    assert not rules_of(table.schema).broken_by(wide).any()


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("if age < 16", "no then"),
        ("if age < 16 then nothing", "a condition is written"),
        ("if agee < 16 then job is missing", "names 'agee'"),
        ("if age < old then job is missing", "compares 'age' with a text"),
        ("if job < cook then sex = m", "needs an order, and 'job' is nominal"),
        ("if grade < top then sex = m", "a category that it does not have"),
        ("(region, town) in {a, b}", "must have 2 parts"),
        ("age in {", "a condition is written"),
        ("if entry < 15 then sex = m", "it holds dates"),
        ("age != town", "of different kinds"),
    ],
)
def test_a_rule_that_is_not_understood_is_quoted_with_the_reason(rule, why):
    with pytest.raises(SchemaError, match=why) as error:
        rules_of(table_with([rule]).schema)
    assert rule in str(error.value)


def test_sums_are_no_conditions():
    assert not any(map(is_conditional, ("start <= end", "total = a + 2 * b - 1", "`is` <= 3")))
    assert all(map(is_conditional, RULES[:4]))
    assert operator.not_(is_conditional("birth <= entry"))
