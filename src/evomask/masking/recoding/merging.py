"""Categories put together: what global recoding and top and bottom coding share."""

import numpy as np

from evomask.arrays import Flags
from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import CategorySets
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.recoding.group_values import GroupValues, set_label


def with_merged(
    table: Table,
    name: str,
    together: Flags,
    stands_for_all: int,
    release: GroupValues,
    label: str | None = None,
) -> Table:
    """The table with the flagged categories of one attribute put together.

    They are written as their set, called *label* where given, or as the one category
    *stands_for_all*.
    """
    codes = table.codes(name)
    if release is GroupValues.VALUE:
        return table.with_columns({name: np.where(together[codes], stands_for_all, codes)})
    apart = np.flatnonzero(~together)
    leaves = np.vstack([np.eye(len(together), dtype=bool)[apart], together])
    attribute = table.attribute(name)
    labels = (*(attribute.categories[c] for c in apart), label or set_label(attribute, together))
    cells = np.full(len(together), len(apart), dtype=np.int32)
    cells[apart] = np.arange(len(apart))
    return table.with_recoded(name, cells[codes], CategorySets(labels, leaves))


def fitting_hierarchy(table: Table, name: str, hierarchy: Hierarchy) -> Hierarchy:
    """The value tree, if its leaves are the attribute's categories."""
    if hierarchy.categories != table.attribute(name).categories:
        raise SchemaError(
            f"the hierarchy of {name!r} must have the attribute's categories as its leaves, "
            "in their order; read it for this table"
        )
    return hierarchy
