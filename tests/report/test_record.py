import hashlib
import shutil
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, RunError
from evomask.masking.composition import InTurn, transitions_of
from evomask.masking.randomization.pram import Design, Pram
from evomask.report.build import matrix_note, rule_violations
from evomask.report.describe import simple_name
from evomask.report.public_record import build_public_record, parse_matrix_policy
from evomask.report.record import (
    MatrixNote,
    Statement,
    carry_over_statement,
    decode_record,
    encode_record,
    with_statement,
)
from evomask.runs.protect import choose
from evomask.runs.release import load_record
from tests.tables import numbers

PLAIN = MatrixNote(
    "school",
    ("none", "basic", "rare one"),
    ((0.9, 0.07, 0.03), (0.1, 0.85, 0.05), (0.2, 0.2, 0.6)),
    invariant=False,
    rare=(False, False, True),
)
INVARIANT = MatrixNote(
    "side", ("n", "s"), ((0.9, 0.1), (0.1, 0.9)), invariant=True, rare=(False,) * 2
)


def with_matrices(record):
    return msgspec.structs.replace(record, matrices=(PLAIN, INVARIANT))


def test_a_record_is_read_as_it_was_written(record):
    assert decode_record(encode_record(record)) == record


def test_points_of_a_record_that_named_them_by_their_files_are_numbered_by_loss(record):
    def unnamed(note):
        return msgspec.structs.replace(note, point=note.file, file=None)

    before = msgspec.structs.replace(
        record.points,
        original=unnamed(record.points.original),
        chosen=unnamed(record.points.chosen),
        front=tuple(map(unnamed, record.points.front)),
        others=tuple(map(unnamed, record.points.others)),
        simple=tuple(map(unnamed, record.points.simple)),
    )
    kept = msgspec.structs.replace(record, points=before)
    again = decode_record(encode_record(kept)).points
    assert (again.front, again.chosen) == (record.points.front, record.points.chosen)


def test_a_record_of_another_version_is_refused(record):
    with pytest.raises(RunError, match="has format 99"):
        decode_record(encode_record(msgspec.structs.replace(record, format=99)))


def test_what_is_no_record_is_refused():
    with pytest.raises(RunError, match="not a record"):
        decode_record(b'{"format": 1}')


def test_a_folder_without_a_record_is_refused(tmp_path):
    with pytest.raises(RunError, match="holds no record"):
        load_record(tmp_path)


def test_it_holds_what_a_release_record_needs(done, record):
    assert record.seed == done.protection.maker.seed
    assert record.input.sha256 == done.record.input.sha256
    assert record.required == {"k": 3.0}
    assert record.achieved["k"] >= 3
    assert record.chosen.loss == done.chosen.loss
    assert record.points.tried == len(done.protection.state.candidates)
    assert {one.name for one in record.measures} == set(
        done.protection.findings[done.chosen.number].measures
    )
    assert (
        len(record.attacks) == len(done.protection.findings[done.chosen.number].audit.attacks) > 0
    )
    assert sum(one.share for one in record.searches) == pytest.approx(100)
    assert record.dropped == ("name",)


def test_the_hash_is_that_of_the_released_file(done, record):
    assert record.output.sha256 == hashlib.sha256(done.written.path.read_bytes()).hexdigest()


def test_every_point_beside_the_front_has_a_place_of_its_own(record):
    places = {(round(2 * p.loss), round(2 * p.risk)) for p in record.points.others}
    assert len(places) == len(record.points.others)


def test_the_evolution_of_a_search_never_rises(record):
    for search in record.searches:
        scores = [score for _, score in search.evolution]
        assert scores == sorted(scores, reverse=True)


def test_a_simple_method_is_the_balanced_one_of_its_kind(done, record):
    for point in record.points.simple:
        if point.method == "MDAV":
            kind = [c for c in done.protection.state.candidates if simple_name(c.making) == "MDAV"]
            assert point.score == min(one.worst for one in kind)


def test_invariant_matrices_are_not_told_by_default(record):
    assert [m.attribute for m in build_public_record(with_matrices(record)).matrices] == ["school"]


def test_all_matrices_are_told_when_asked(record):
    told = build_public_record(with_matrices(record), "all").matrices
    assert [m.attribute for m in told] == ["school", "side"]


def test_no_matrix_is_told_when_asked(record):
    assert build_public_record(with_matrices(record), "none").matrices == ()


def test_rare_categories_of_a_matrix_are_one(record):
    (told,) = build_public_record(with_matrices(record)).matrices
    assert told.categories == ("none", "basic", "all others")
    assert told.rows == ((0.9, 0.07, 0.03), (0.1, 0.85, 0.05))


@pytest.mark.parametrize(("cells", "told"), [(0, "none"), (3, "fewer than 10"), (10, "10")])
def test_few_suppressed_cells_are_not_counted_in_public(record, cells, told):
    attributes = tuple(msgspec.structs.replace(one, suppressed=cells) for one in record.attributes)
    changed = msgspec.structs.replace(record, attributes=attributes)
    assert {one.suppressed for one in build_public_record(changed).attributes} == {told}


def test_what_was_said_stays_where_nothing_new_is_said(record):
    first = with_statement(record, Statement(reason="because", by="me"))
    assert with_statement(first, Statement(by="you")).statement == Statement(
        reason="because", by="you"
    )


def test_of_another_point_only_what_does_not_hang_on_the_choice_is_kept(record):
    before = with_statement(
        record, Statement(purpose="research", reason="because", by="me", date="today")
    )
    points = msgspec.structs.replace(
        record.points, chosen=msgspec.structs.replace(record.chosen, point=2, file=-2)
    )
    other = carry_over_statement(msgspec.structs.replace(record, points=points), before)
    assert other.statement == Statement(purpose="research", by="me")
    assert carry_over_statement(record, before).statement == before.statement


def test_an_unreadable_record_in_the_folder_says_nothing(done, tmp_path):
    shutil.copytree(done.folder, tmp_path / "run")
    (tmp_path / "run" / "record.json").write_text("{}", encoding="utf-8")
    again = choose(tmp_path / "run")
    assert again.record.statement == Statement()


def test_another_word_for_matrices_is_refused():
    with pytest.raises(ParameterError, match="one of plain, all, none"):
        parse_matrix_policy("some")


def categories(counts):
    schema = Schema(
        (Attribute("side", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("abcde"[: len(counts)])),)
    )
    return Table(schema, {"side": np.repeat(np.arange(len(counts)), counts)})


@pytest.mark.parametrize("invariant", [True, False])
def test_a_matrix_that_keeps_the_frequencies_is_noticed(invariant):
    method = Pram(("side",), Design.ENTROPY, 0.3, invariant=invariant)
    table = categories([60, 30, 20])
    note = matrix_note(table, "side", method.matrix(table, "side"))
    assert note.invariant == invariant


def test_records_that_break_a_rule_are_counted():
    table = numbers(a=[1.0, 2.0, 3.0], b=[2.0, 2.0, 2.0])
    ruled = table.with_schema(replace(table.schema, edits=("a <= b", "a >= 0")))
    assert rule_violations(ruled) == {"a <= b": 1, "a >= 0": 0}


def test_matrices_of_methods_in_turn_are_found():
    table = categories([60, 30, 5])
    method = InTurn((Pram(("side",), Design.DIAGONAL, 0.3),))
    (matrix,) = transitions_of(method, table).values()
    assert np.allclose(matrix, method.methods[0].matrix(table, "side"))
    note = matrix_note(table, "side", matrix)
    assert note.rare == (False, False, True)
