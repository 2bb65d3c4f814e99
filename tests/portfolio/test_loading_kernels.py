"""Kernels before the clock starts."""

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.kernels.ahead import Progress, modules_with_kernels
from evomask.portfolio import worker
from evomask.searches.catalogue import portfolio_names, search_named
from tests.measures.files import categories
from tests.tables import numbers


def released(table):
    """The table with all attributes as quasi-identifiers."""
    roles = dict.fromkeys(table.schema.names, Role.QUASI_IDENTIFIER)
    return table.with_schema(table.schema.assigning(roles))


def test_progress_is_told_once_for_each_finished_module(monkeypatch):
    def compile_ahead(names, watch):
        for step in (Progress("a", 0, 2), Progress("b", 0, 2), Progress("b", 1, 2, 0.1)):
            watch(step)

    monkeypatch.setattr(worker, "compile_ahead", compile_ahead)
    monkeypatch.setattr(worker, "import_module", lambda _: None)
    texts = []
    worker.load_kernels(texts.append, ())
    assert [text.rsplit(": ")[-1] for text in texts] == ["0 of 2 done", "1 of 2 done"]


@pytest.mark.parametrize(
    ("table", "needed", "spared"),
    [
        (numbers(x=np.arange(30)), "groups.mdav", ("groups.mixed_mdav", "groups.walks")),
        (numbers(x=np.arange(3000)), "groups.walks", ("groups.mixed_mdav",)),
        (categories(a=[0, 1] * 1000), "groups.mixed_mdav", ("groups.mdav", "groups.walks")),
    ],
)
def test_a_file_needs_the_kernels_of_its_kinds_and_size(table, needed, spared):
    names = worker.kernels_for(released(table), "strict")
    assert needed in names
    assert not set(spared) & set(names)


def test_only_the_strict_profile_has_intruders_who_read():
    table = released(categories(a=[0, 1] * 10))
    assert "linking.reading" in worker.kernels_for(table, "strict")
    assert "linking.reading" not in worker.kernels_for(table, "papers")


def test_the_kernels_of_the_searches_that_take_part_are_loaded():
    table = released(categories(a=[0, 1] * 10))
    names = worker.kernels_for(table, "strict", ["files"])
    assert "tracked.bursts" in names
    assert "lattice.nodes" not in names


def test_every_module_that_is_named_has_kernels():
    named = {kernel for name in portfolio_names() for kernel in search_named(name).kernels}
    for profile in ("strict", "papers"):
        for table in (numbers(x=np.arange(3000)), categories(a=[0, 1] * 10)):
            named |= set(worker.kernels_for(released(table), profile))
    assert named <= set(modules_with_kernels())
