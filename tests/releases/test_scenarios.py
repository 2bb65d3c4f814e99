"""What scenarios require holds in the file that was written, whoever reads it."""

from contextlib import suppress
from itertools import combinations

import numpy as np
import pytest

from evomask.errors import FileError, SchemaError
from evomask.io.tables import write_table
from evomask.masking.catalogue import METHODS, method_named
from evomask.masking.composition import within_strata
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.prepare import prepare_file
from evomask.runs.inputs import Input, load
from evomask.runs.release import requirements_by_scenario
from tests.oracles import PYTHON, answers
from tests.releases import files
from tests.releases.test_written_files import IMPOSSIBLE, some_method

FILES, PORTION = 1000, 50


def with_scenarios(made, rng):
    """Scenarios added to the schema of a random file: what is known, and the least k of each."""
    wanted, text = [], made.schema.read_text(encoding="utf-8")
    for number in range(int(rng.integers(1, 4))):
        known = rng.permutation(made.quasi)[: int(rng.integers(1, len(made.quasi) + 1))].tolist()
        k = int(rng.choice([2, 3, 4]))
        text += f'[scenarios.s{number}]\nrequire = "k={k}"\n'
        if len(known) > 2 and rng.random() < 0.4:
            text += f"knows = {known[:1]}\nany = 1\nof = {known[1:]}\n".replace("'", '"')
            wanted += [((known[0], other), k) for (other,) in combinations(known[1:], 1)]
        else:
            text += f"knows = {known}\n".replace("'", '"')
            wanted.append((tuple(known), k))
    made.schema.write_text(text, encoding="utf-8")
    return wanted


def released(folder, number, attempt):
    """File *number*, what must hold in it, and how many of these did not hold before."""
    folder.mkdir()
    rng = np.random.default_rng([number, attempt, 79])
    made = files.random_file(
        folder, rng, files.ENDINGS[number // len(METHODS) % len(files.ENDINGS)]
    )
    wanted = with_scenarios(made, rng)
    loaded = load(Input(made.path, made.schema))
    entry = method_named(METHODS[number % len(METHODS)].name)
    method = within_strata(some_method(entry, loaded.table, rng), loaded.table)
    masked = Enforcement.of(loaded.table)(method.mask(loaded.table, rng))
    order = rng.permutation(len(masked))
    written = write_table(
        masked.take(order), made.path.with_stem("masked"), dialect=loaded.dialect,
        origin=loaded.origin.shuffled(order),
        by_scenario=requirements_by_scenario(loaded.table, Requirement()),
    )  # fmt: skip
    return written, wanted, made


def written_file(folder, number):
    """File *number*; what is impossible for a random file is tried with another one."""
    for attempt in range(60):
        with suppress(*IMPOSSIBLE):
            return released(folder / f"{number}-{attempt}", number, attempt)
    raise AssertionError(f"file {number}: sixty were impossible")


def check_files(folder, numbers):
    """Make files and let both judges look at them."""
    questions, short, before = [], [], 0
    for number in numbers:
        written, wanted, made = written_file(folder, number)
        columns, original = files.cells(written.path), files.cells(made.path)
        smallest = [files.smallest_class(columns, names) for names, _ in wanted]
        short += [
            (number, names, found)
            for found, (names, k) in zip(smallest, wanted, strict=True)
            if found < k
        ]
        before += any(files.smallest_class(original, names) < k for names, k in wanted)
        assert written.reading.k == min(smallest)
        for names, k in wanted:
            shown = {name: columns[name] for name in (*names, "secret")}
            question = {"columns": shown, "quasi": list(names), "confidential": "secret"}
            questions.append((question, k))
    assert short == []
    assert 2 * before > len(numbers)
    if PYTHON.exists():
        judged = answers("ask_pycanon.py", [question for question, _ in questions], folder)
        assert all(a["k"] >= k for a, (_, k) in zip(judged, questions, strict=True))


def test_a_hundred_written_files_satisfy_what_their_scenarios_require(tmp_path):
    check_files(tmp_path, range(100))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_000 + FILES, PORTION))
def test_a_thousand_written_files_satisfy_what_their_scenarios_require(tmp_path, first):
    check_files(tmp_path, range(first, first + PORTION))


def test_a_file_that_violates_what_a_scenario_requires_is_removed(tmp_path):
    source, schema, out = tmp_path / "a.csv", tmp_path / "a.toml", tmp_path / "b.csv"
    source.write_text("x,y\n" + "\n".join(f"{i % 5},{i % 4}" for i in range(40)))
    roles = "".join(f'[attributes.{n}]\nrole = "quasi-identifier"\n' for n in "xy")
    schema.write_text(
        f'{roles}[scenarios.both]\nknows = ["x", "y"]\n[scenarios.one]\nknows = ["y"]'
    )
    table = load(Input(source, schema)).table
    asked = requirements_by_scenario(table, Requirement(3))
    with pytest.raises(FileError, match="k = 2 instead of 3 in scenario 'both'"):
        write_table(table, out, by_scenario=asked)
    assert not out.exists()
    written = write_table(table, out, by_scenario=requirements_by_scenario(table, Requirement(2)))
    assert [(one.name, one.k) for one in written.reading.scenarios] == [("both", 2), ("one", 10)]


def test_files_in_parts_refuse_requirements_in_scenarios(tmp_path):
    source, schema = tmp_path / "a.csv", tmp_path / "a.toml"
    source.write_text("x,y\n" + "\n".join(f"{i % 5},{i % 4}" for i in range(40)))
    roles = "".join(f'[attributes.{n}]\nrole = "quasi-identifier"\n' for n in "xy")
    schema.write_text(f'{roles}[scenarios.one]\nknows = ["y"]\n')
    settings, out = {"generalization": "k=3"}, tmp_path / "out"
    with (
        pytest.raises(SchemaError, match="in parts enforces no requirement in scenarios"),
        prepare_file(Input(source, schema), out, settings, seed=1),
    ):
        pass
