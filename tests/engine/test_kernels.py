"""Kernels of the first candidates, and kernels compiled in the background."""

import threading
import time

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.engine import kernel_loading
from evomask.kernels.compiler.precompile import Progress, modules_with_kernels
from evomask.searches.catalogue import names_in_protect
from tests.measures.files import categories
from tests.tables import numbers


def released(table):
    """The table with all attributes as quasi-identifiers."""
    roles = dict.fromkeys(table.schema.names, Role.QUASI_IDENTIFIER)
    return table.with_schema(table.schema.assigning(roles))


def test_progress_is_reported_once_for_each_finished_module(monkeypatch):
    def compile_ahead(names, watch):
        for step in (Progress("a", 0, 2), Progress("b", 0, 2), Progress("b", 1, 2, 0.1)):
            watch(step)

    monkeypatch.setattr(kernel_loading, "compile_ahead", compile_ahead)
    monkeypatch.setattr(kernel_loading, "import_module", lambda _: None)
    texts = []
    kernel_loading.load_kernels(texts.append, ())
    assert [text.rsplit(": ")[-1] for text in texts] == ["0 of 2 done", "1 of 2 done"]


@pytest.mark.parametrize(
    ("table", "needed", "spared"),
    [
        (numbers(x=np.arange(30)), "groups.mdav", {"groups.mondrian", "groups.walks"}),
        (numbers(x=np.arange(3000)), "groups.mdav", {"groups.mondrian", "groups.walks"}),
        (categories(a=[0, 1] * 1000), "groups.mondrian", {"groups.mixed_mdav", "groups.mdav"}),
    ],
)
def test_the_first_candidate_needs_the_kernels_of_one_masking_method(table, needed, spared):
    names = kernel_loading.first_kernels(released(table), "strict")
    assert needed in names
    assert not spared & set(names)
    assert len(names) <= 6


def test_a_large_file_of_numbers_compiles_its_search_indexes_in_the_background():
    for records, expected in ((30, False), (3000, True)):
        table = released(numbers(x=np.arange(records)))
        groups = kernel_loading.later_kernels(table, "strict", [])
        assert ("groups.walks" in {name for group in groups for name in group}) is expected


def test_only_the_strict_profile_needs_attribute_inference():
    table = released(categories(a=[0, 1] * 10))
    assert "linking.attribute_inference" in kernel_loading.first_kernels(table, "strict")
    assert "linking.attribute_inference" not in kernel_loading.first_kernels(table, "papers")


def test_kernels_of_the_searches_come_later():
    table = released(categories(a=[0, 1] * 10))
    first = kernel_loading.first_kernels(table, "strict")
    later = [
        name for group in kernel_loading.later_kernels(table, "strict", ["files"]) for name in group
    ]
    assert "incremental.bursts" in later
    assert "linking.agreement" in later
    assert "lattice.nodes" not in later
    assert not set(first) & set(later)


def test_every_module_that_is_named_has_kernels():
    named = set()
    for profile in ("strict", "papers"):
        for table in map(released, (numbers(x=np.arange(3000)), categories(a=[0, 1] * 10))):
            named |= set(kernel_loading.first_kernels(table, profile))
            named.update(*kernel_loading.later_kernels(table, profile, names_in_protect()))
    assert named <= set(modules_with_kernels())


def test_groups_are_compiled_one_after_another_until_the_block_ends(monkeypatch):
    begun, stopped, may_end, ended = [], [], threading.Event(), threading.Event()

    def compile_ahead(names, stop):
        begun.append(names)
        may_end.wait(10)
        stopped.append(stop.is_set())
        ended.set()

    monkeypatch.setattr(kernel_loading, "compile_ahead", compile_ahead)
    with kernel_loading.compile_in_background([("a",), ("b",)]):
        while not begun:
            time.sleep(0.01)
    may_end.set()
    assert ended.wait(10)
    assert begun == [("a",)]
    assert stopped == [True]


def test_all_groups_are_compiled_while_the_block_runs(monkeypatch):
    begun, done = [], threading.Event()

    def compile_ahead(names, stop):
        begun.append(names)
        if names == ("b",):
            done.set()

    monkeypatch.setattr(kernel_loading, "compile_ahead", compile_ahead)
    with kernel_loading.compile_in_background([("a",), ("b",)]):
        assert done.wait(10)
    assert begun == [("a",), ("b",)]
