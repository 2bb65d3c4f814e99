"""Masking methods that break a law."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from evomask.data.schema import Role
from evomask.testing.examples import example_table


@dataclass(frozen=True)
class Doing:
    """Applies a given function to a file."""

    do: Callable
    about: object = None
    attributes: tuple = ("age",)

    def mask(self, table, rng):
        return self.do(table, rng)


def aged(table, ages):
    return table.with_columns({"age": np.full(len(table), ages)})


def overwrite(table, rng):
    masked = aged(table, 50.0)
    object.__setattr__(table, "columns", masked.columns)
    return masked


def all_in_one(table):
    return np.zeros(len(table), dtype=np.int64)


@dataclass(frozen=True)
class Grouping:
    """Releases one age for each given group; by default all records are one group."""

    groups: Callable = all_in_one
    do: Callable = lambda table, rng: aged(table, 50.0)
    k: int = 5
    careless: bool = False
    attributes: tuple = ("age",)

    def partition(self, table, rng):
        return self.groups(table)

    def mask(self, table, rng):
        if self.k > len(table) and not self.careless:
            from evomask.errors import ParameterError

            raise ParameterError("k must not exceed the number of records")
        return self.do(table, rng)


BROKEN = {
    "keeps_the_number_of_records": Doing(lambda table, rng: table.take(np.arange(9))),
    "keeps_names_order_and_roles": Doing(
        lambda table, rng: table.with_schema(table.schema.assigning({"age": Role.OTHER}))
    ),
    "does_not_change_other_attributes": Doing(
        lambda table, rng: table.with_columns({"weight": np.ones(len(table))})
    ),
    "does_not_modify_its_argument": Doing(overwrite),
    "is_reproducible_from_the_seed": Doing(
        lambda table, rng: aged(table, 20 + 60 * np.random.default_rng().random())
    ),
    "stays_in_the_domain_or_labels_recoded_cells": Doing(lambda table, rng: aged(table, 200.0)),
    "has_a_complete_description": Doing(
        lambda table, rng: table, SimpleNamespace(name="x", title="", steward="y", public="z")
    ),
    "assigns_every_record_to_a_group": Grouping(lambda table: all_in_one(table)[1:]),
    "numbers_groups_without_gaps": Grouping(lambda table: 2 * (np.arange(len(table)) % 2)),
    "releases_one_value_per_group": Grouping(do=lambda table, rng: table),
    "has_groups_of_k_or_more_records": Grouping(lambda table: np.arange(len(table)) // 2),
    "rejects_k_above_the_number_of_records": Grouping(careless=True),
}
__all__ = ["BROKEN", "Doing", "Grouping", "example_table"]
