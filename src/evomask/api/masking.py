"""One masking method on a frame, and the value trees that methods take."""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from evomask.api.schema import Schema, loaded_frame, schema_of, tree_lines
from evomask.data.frames import frame_like
from evomask.data.hierarchy import Hierarchy, fitted
from evomask.data.intake import Frame
from evomask.data.table import Table

F = TypeVar("F", bound=Frame)


class Method(Protocol):
    """A masking method, such as ``evomask.Mdav``."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes it masks."""
        ...

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """A new table with its attributes masked; the one given is left alone."""
        ...


def mask(
    frame: F,
    method: Method,
    *,
    schema: Schema | str | Path | None = None,
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    seed: int | None = None,
) -> F:
    """Mask a pandas, polars or pyarrow frame with one method; the same kind of frame back.

    Args:
        schema: what the columns are, as a `Schema` or the file of one.
        ordinal: columns whose categories have an order (numbers, or ordered categories).
        nominal: columns whose values can only be compared.
        drop: identifiers, left out of the result.
        keep: columns to keep though they look identifying.
        seed: repeats a result; drawn from the system when absent.

    The frame given is left alone; order, index, types and other columns are kept. Numbers keep
    the digits after the point that their column has, strata and edit rules of the schema hold.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        people = people.select("age", "sex", "income")
        masked = evomask.mask(people, evomask.Mdav(("age", "income"), k=5), seed=7)
        assert masked.group_by("age", "income").len()["len"].min() >= 5
    """
    from evomask.runs.inputs import check_stated
    from evomask.runs.mask import mask_table

    words = Schema(ordinal=ordinal, nominal=nominal, drop=drop, keep=keep)
    known = _with_method(schema_of(schema, words), method)
    loaded = loaded_frame(frame, known)
    check_stated(loaded.table, {*loaded.stated, *method.attributes})
    drawn = secrets.randbits(63) if seed is None else seed
    masked = mask_table(method, loaded.table, drawn)
    result: F = frame_like(frame, loaded.table, masked)
    return result


def _with_method(schema: Schema, method: Method) -> Schema:
    """The schema where what the method masks is known to others, and has the method's trees."""
    roles = schema.roles
    masked = [name for name in method.attributes if name not in roles]
    trees: dict[str, Hierarchy] = getattr(method, "hierarchies", {})
    own = {name: tree for name, tree in trees.items() if name not in schema.hierarchies}
    return replace(
        schema,
        quasi=(*schema.quasi, *masked),
        hierarchies={**schema.hierarchies, **own},
    )


def hierarchy(
    frame: Frame,
    column: str,
    by: str | Path = "suiting",
    *,
    schema: Schema | str | Path | None = None,
) -> Hierarchy:
    """The value tree of a frame's column, made by a rule or read from a file.

    Args:
        by: a rule such as ``intervals=5,10,20``, ``quantiles=8``, ``dates``, ``codes``,
            ``order=2``, ``likeness`` or ``top``; ``suiting`` takes the one that suits the
            column. Or a file in ARX's form, whose name ends in ``.csv``.
        schema: what the columns are, as a `Schema` or the file of one.

    Methods and schemas take it: ``Generalization(("age",), hierarchies={"age": tree})``.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income")
        tree = evomask.hierarchy(people, "age", "intervals=5,10,20")
        method = evomask.Generalization(("age",), levels=(2,), hierarchies={"age": tree})
        masked = evomask.mask(people, method)
        assert masked["age"].n_unique() < people["age"].n_unique()
    """
    from evomask.data.trees.making import by_rule, lines_of, rule_of

    known = schema_of(schema, Schema())
    table = _with_categories(frame, column, known)
    if str(by).endswith(".csv"):
        return fitted(column, tree_lines(by), table)
    made = by_rule(table, column, rule_of(str(by)))
    return fitted(column, lines_of(made), table)


def _with_categories(frame: Frame, column: str, schema: Schema) -> Table:
    """The frame's records, numbers of the column as ordered categories."""
    table = loaded_frame(frame, schema).table
    if table.attribute(column).is_categorical:
        return table
    return loaded_frame(frame, schema_of(schema, Schema(ordinal=[column]))).table


def write_hierarchy(tree: Hierarchy, path: str | Path, *, force: bool = False) -> Path:
    """Write a value tree as a file in ARX's form, for schemas and other tools."""
    from evomask.io.hierarchies import write_hierarchy as write

    write(tree, Path(path), force=force)
    return Path(path)
