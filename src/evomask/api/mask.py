"""Masking a frame with one method; building hierarchies for its columns."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from evomask.api.arguments import checked
from evomask.api.schema import Schema, loaded_frame, schema_of, tree_lines
from evomask.data.frames import Frame, frame_like
from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.mask import Method

F = TypeVar("F", bound=Frame)


@checked
def mask(
    frame: F,
    method: "Method",
    *,
    schema: Schema | str | Path | None = None,
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    seed: int | None = None,
) -> F:
    """Mask a pandas, polars or pyarrow frame with one method; return a frame of the same library.

    Args:
        schema: a `Schema`, or the path of a schema file.
        ordinal: columns with ordered categories (numbers or labels).
        nominal: columns with unordered categories.
        drop: direct identifiers, left out of the result.
        keep: columns to release although they look identifying.
        seed: random seed; drawn from the system by default.

    The given frame is not changed. Order of records, index, types and other columns are kept, and
    numbers keep the decimal places of their column. Strata and edit rules of the schema apply.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        people = people.select("age", "sex", "income")
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        assert masked.group_by("age", "income").len()["len"].min() >= 5
    """
    from evomask.runs.inputs import check_stated
    from evomask.runs.mask import mask_table

    _check_method(method)
    arguments = Schema(ordinal=ordinal, nominal=nominal, drop=drop, keep=keep)
    loaded = loaded_frame(frame, _with_method(schema_of(schema, arguments), method))
    check_stated(loaded.table, {*loaded.stated, *method.attributes})
    masked = mask_table(method, loaded.table, secrets.randbits(63) if seed is None else seed)
    result: F = frame_like(frame, loaded.table, masked)
    return result


def _check_method(method: object) -> None:
    """Raise an error for anything but a masking method with a tuple of attributes."""
    names = getattr(method, "attributes", None)
    if isinstance(method, type) or not callable(getattr(method, "mask", None)):
        raise ParameterError(
            f"method must be a masking method, such as evomask.Mdav(('age', 'income'), k=5), got "
            f"a value of type {type(method).__name__}"
        )
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"attributes of {type(method).__name__} must be a tuple of column names, such as "
            "('age', 'income')"
        )


def _with_method(schema: Schema, method: "Method") -> Schema:
    """Add the attributes of a method as quasi-identifiers, and its hierarchies, to a schema."""
    roles = schema.roles
    masked = [name for name in method.attributes if name not in roles]
    trees: dict[str, Hierarchy] = getattr(method, "hierarchies", {})
    own = {name: tree for name, tree in trees.items() if name not in schema.hierarchies}
    return replace(
        schema,
        quasi=(*schema.quasi, *masked),
        hierarchies={**schema.hierarchies, **own},
    )


@checked
def hierarchy(
    frame: Frame,
    column: str,
    by: str | Path = "suiting",
    *,
    schema: Schema | str | Path | None = None,
) -> Hierarchy:
    """Build the hierarchy of a column by a rule, or read it from a file.

    Args:
        by: a rule such as ``intervals=5,10,20``, ``quantiles=8``, ``dates``, ``codes``,
            ``order=2``, ``likeness`` (by similarity) or ``top``; ``suiting`` selects a rule by
            the values. Or the path of a file in the format of ARX, ending in ``.csv``.
        schema: a `Schema`, or the path of a schema file.

    Methods and schemas accept the result: ``Generalization(("age",), hierarchies={"age": tree})``.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income")
        tree = evomask.hierarchy(people, "age", "intervals=5,10,20")
        method = evomask.Generalization(("age",), levels=(2,), hierarchies={"age": tree})
        masked = evomask.mask(people, method)
        assert masked["age"].n_unique() < people["age"].n_unique()
    """
    from evomask.data.hierarchy_builders import (
        hierarchy_by_rule,
        lines_of,
        parse_builder_rule,
    )

    known = schema_of(schema, Schema())
    table = _with_categories(frame, column, known)
    if str(by).endswith(".csv"):
        return fit_hierarchy(column, tree_lines(by), table)
    made = hierarchy_by_rule(table, column, parse_builder_rule(str(by)))
    return fit_hierarchy(column, lines_of(made), table)


def _with_categories(frame: Frame, column: str, schema: Schema) -> Table:
    """Load a frame, with a numeric column as ordered categories."""
    table = loaded_frame(frame, schema).table
    if table.attribute(column).is_categorical:
        return table
    return loaded_frame(frame, schema_of(schema, Schema(ordinal=[column]))).table


@checked
def write_hierarchy(tree: Hierarchy, path: str | Path, *, force: bool = False) -> Path:
    """Write a hierarchy as a file in the format of ARX, for schemas and other tools."""
    from evomask.io.hierarchies import write_hierarchy as write

    write(tree, Path(path), force=force)
    return Path(path)
