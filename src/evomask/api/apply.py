"""Applying a recipe to a frame: `apply`."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evomask.api.arguments import checked
from evomask.api.schema import KINDS, Schema, loaded_frame
from evomask.data.frames import Frame, frame_like, reorder
from evomask.errors import SchemaError

if TYPE_CHECKING:
    from evomask.runs.apply import AppliedRecipe

F = TypeVar("F", bound=Frame)


@dataclass(frozen=True, eq=False)
class Applied(Generic[F]):
    """Result of `apply`: a frame that a recipe masked, with its loss and risk.

    Args:
        frame: the original frame, which is not changed.
        applied: the masked table, and how it was measured.
    """

    frame: F = field(repr=False)
    applied: "AppliedRecipe" = field(repr=False)

    @property
    def loss(self) -> float:
        """Information loss in percent."""
        return self.applied.point.loss

    @property
    def risk(self) -> float:
        """Disclosure risk in percent, of the most dangerous scenario."""
        return self.applied.point.risk

    @property
    def promised(self) -> tuple[float | None, float | None]:
        """Loss and risk that the recipe states, in percent; None where it states none."""
        return self.applied.promised.loss, self.applied.promised.risk

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known, such as categories that a hierarchy does not have."""
        return self.applied.notes

    def masked(self, *, shuffled: bool = True) -> F:
        """Return the masked frame.

        Args:
            shuffled: return the records in a new random order, with a new index, so that
                they cannot be matched with the original by their order.
        """
        from evomask.runs.store.release import draw_order

        table = self.applied.context.table
        masked: F = frame_like(self.frame, table, self.applied.masked)
        if not shuffled:
            return masked
        released: F = reorder(masked, draw_order(len(masked)))
        return released

    def __repr__(self) -> str:
        return (
            f"<evomask.Applied to {len(self.applied.masked)} records: loss {self.loss:.2f} %, "
            f"risk {self.risk:.2f} %>"
        )


@checked
def apply(
    frame: F, recipe: str | Path, *, schema: Schema | str | Path | None = None,
    seed: int | None = None,
) -> Applied[F]:  # fmt: skip
    """Mask a pandas, polars or pyarrow frame by a recipe that was found on other records.

    Args:
        recipe: path of a ``recipe.toml``, which is in the folder of every release that a recipe
            made; `Result.write_recipe` writes others.
        schema: a `Schema` or the path of a schema file; by default the recipe declares the columns.
        seed: random seed; by default that of the recipe.

    Steps are fitted to this frame, and what the recipe requires in every scenario holds in the
    result; where it cannot, an error says where. The frame is not changed.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income")
        result = evomask.protect(
            people.head(200),
            quasi=people.columns,
            require="k=5",
            searches=["recipes"],
            evaluations=8,
        )
        result.write_recipe("recipe.toml")
        applied = evomask.apply(people.tail(200), "recipe.toml")
        released = applied.masked()
        assert released.group_by(released.columns).len()["len"].min() >= 5
        print(applied)
    """
    from evomask.io.tables import source_of
    from evomask.runs.apply import apply_recipe, check_columns
    from evomask.runs.inputs import check_stated, own_hierarchies
    from evomask.runs.recipes import read_recipe

    saved = read_recipe(Path(recipe))
    if schema is None and not saved.file.attributes:
        raise SchemaError(f"{recipe} declares no columns; add [attributes.NAME], or give a schema")
    known = schema if isinstance(schema, Schema) else Schema.read(schema or recipe)
    if schema is None:
        known = _without_absent(known, source_of(frame).frame.columns)
    loaded = loaded_frame(frame, known)
    if schema is None:
        check_columns(loaded.table.schema, saved.file)
    check_stated(loaded.table, loaded.stated)
    own, notes = own_hierarchies(saved.file, loaded.table)
    loaded = replace(loaded, hierarchies={**loaded.hierarchies, **own}, notes=notes)
    return Applied(frame, apply_recipe(saved, loaded, seed))


def _without_absent(schema: Schema, columns: Collection[str]) -> Schema:
    """Leave out identifiers that a frame lacks: they are never released."""
    gone = {name for name in schema.drop if name not in columns}
    kinds: dict[str, Any] = {
        key: [n for n in getattr(schema, key) if n not in gone] for key in KINDS
    }
    return replace(schema, drop=[name for name in schema.drop if name not in gone], **kinds)
