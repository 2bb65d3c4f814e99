import sys
from dataclasses import replace

import numpy as np
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.engine.specialists import left_out, note_on_strata, specialists_for
from evomask.errors import ParameterError
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.searches.base import SearchInput

pl = pytest.importorskip("polars")


def file_of(kinds, requirement=NOTHING, stratum=None):
    columns = {name: [i * 7 % 11 for i in range(80)] for name in kinds}
    declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n, kind in kinds.items()}
    if stratum:
        columns[stratum] = ["x", "y"] * 40
        declared[stratum] = Declaration(Kind.NOMINAL, Role.STRATUM)
    return SearchInput(table_from(pl.DataFrame(columns), declared), requirement, "strict")


NUMBERS = dict.fromkeys("abc", Kind.CONTINUOUS)
MIXED = {"a": Kind.CONTINUOUS, "b": Kind.NOMINAL, "c": Kind.ORDINAL}


def searches(file):
    return {member.search for member in specialists_for(file).values()}


def test_recipes_come_first():
    assert next(iter(specialists_for(file_of(NUMBERS)))) == "recipes"


def test_attributes_are_grouped_where_all_are_numbers():
    assert "grouping" in searches(file_of(NUMBERS))
    assert "grouping" not in searches(file_of(MIXED))


def test_records_are_grouped_whatever_their_kinds():
    assert "partition" in searches(file_of(MIXED))


def test_values_are_generalized_where_value_trees_came_with_the_file():
    file = file_of(MIXED)
    assert "generalization" not in searches(file)
    trees = {name: [(str(value), "*") for value in range(11)] for name in "ab"}
    named = specialists_for(replace(file, hierarchies=trees))["generalization"]
    assert named.parameters["attributes"] == ("a", "b")


def test_categories_change_by_chance_where_there_are_no_numbers():
    assert "pram" not in searches(file_of(MIXED))
    assert "pram" in searches(file_of({"b": Kind.NOMINAL, "c": Kind.ORDINAL}))


def test_no_group_is_smaller_than_required():
    found = specialists_for(file_of(NUMBERS, Requirement(k=7)))
    sizes = [m.parameters["k"] for m in found.values() if m.search == "partition"]
    assert sizes == [7, 10]


def test_what_puts_records_of_several_strata_together_takes_no_part():
    file = file_of(NUMBERS, stratum="s")
    assert searches(file) == {"recipes", "files", "partition"}
    (note,) = left_out(file)
    assert "grouping would combine records of several strata" in note
    assert left_out(file_of(MIXED, stratum="s")) == ()
    assert left_out(file_of(NUMBERS)) == ()


def test_a_search_of_its_own_that_does_so_is_noted():
    file = file_of(NUMBERS, stratum="s")
    assert note_on_strata("grouping", file.table) == (
        "grouping combines records of several strata of s",
    )
    assert note_on_strata("grouping", file_of(NUMBERS).table) == ()
    assert note_on_strata("partition", file.table) == ()


def test_no_group_is_larger_than_the_smallest_stratum():
    file = file_of(NUMBERS, stratum="s")
    few = replace(file, table=file.table.take(np.r_[0:80:2, 1:16:2]))
    sizes = [m.parameters["k"] for m in specialists_for(few).values() if m.search == "partition"]
    assert sizes == [3]


def test_only_the_searches_that_are_wanted_take_part():
    found = specialists_for(file_of(NUMBERS), ["partition"])
    assert {member.search for member in found.values()} == {"recipes", "partition"}


def test_a_search_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match="'sorting'"):
        specialists_for(file_of(NUMBERS), ["sorting"])


def test_wanting_only_what_does_not_apply_is_refused():
    with pytest.raises(ParameterError, match="cannot mask this file"):
        specialists_for(file_of(MIXED), ["grouping"])


def test_members_stand_in_the_order_their_seeds_are_drawn_in():
    file = file_of(dict.fromkeys("bc", Kind.NOMINAL))
    trees = {"b": [(str(value), "*") for value in range(11)]}
    assert list(specialists_for(replace(file, hierarchies=trees))) == [
        "recipes", "files-front", "files-balanced", "generalization", "generalization-local",
        "pram", "pram-invariant", "equations", "clustered", "partition-3", "partition-10",
    ]  # fmt: skip


def test_a_search_from_another_package_takes_part_after_ours(toy):
    found = specialists_for(file_of(NUMBERS))
    assert list(found)[-2:] == ["toy", "toy-coarse"]
    assert found["toy-coarse"].parameters == {"levels": 4}
    assert "toy" not in searches(file_of(MIXED))


def test_a_search_without_variants_takes_no_part(toy, monkeypatch):
    monkeypatch.delattr(toy, "variants")
    assert "toy" not in searches(file_of(NUMBERS))
    assert left_out(file_of(NUMBERS)) == ()


def test_a_search_that_lacks_what_members_need_is_noted(toy, monkeypatch):
    monkeypatch.delattr(toy, "kernels")
    assert "toy" not in searches(file_of(NUMBERS))
    why = "the search 'toy' cannot take part: its package does not declare kernels"
    assert left_out(file_of(NUMBERS)) == (why,)
    with pytest.raises(ParameterError, match="declare kernels"):
        specialists_for(file_of(NUMBERS), ["toy"])


def test_a_package_that_cannot_be_loaded_stops_nobody_else(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "evomask_toy", None)
    assert "partition" in searches(file_of(NUMBERS))
    (note,) = left_out(file_of(NUMBERS))
    assert note.startswith("the search 'toy' cannot be loaded")


def test_strata_shut_out_a_search_from_another_package_that_crosses_them(toy, monkeypatch):
    monkeypatch.setattr(toy, "keeps_strata", False)
    file = file_of(NUMBERS, stratum="s")
    assert "toy" not in searches(file)
    assert "grouping and toy would combine records of several strata" in left_out(file)[0]
