"""A recipe applied to all parts of a large file, by what is known of the whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evomask.data.frames import Declarations
from evomask.data.recoding import Recoding
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluators
from evomask.io.aligned import with_flags
from evomask.io.parts import FLAG, Parts, Place, with_masked, write_part
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.recipes import parted
from evomask.masking.recoding.generalization import Generalization
from evomask.runs.parts.microaggregation import Means, grouped_in_regions
from evomask.runs.parts.opening import Opened, Overview
from evomask.runs.parts.steps import WORK, Result, Step, Told, carried_out


@dataclass(frozen=True, eq=False)
class Applying:
    """Masks one part by a recipe that knows of the whole file all that it needs.

    Args:
        declared: the columns that are masked.
        means: what grouping made of the numbers, where they are grouped.
        others: the steps besides.
    """

    parts: Parts
    declared: Declarations
    means: Means | None
    others: tuple[MaskingMethod, ...]
    folder: str
    seed: int

    def __call__(self, number: int) -> Result:
        """How many records there are; they lie in a file, in their order."""
        table = self.parts.table(number, self.declared)
        if self.means is not None:
            table = table.with_columns(self.means.of_part(number).columns)
        if self.others:
            table = InTurn(self.others).mask(table, working_stream(self.seed, number))
        frame = with_masked(self.parts.read(number), table, ())
        write_part(with_flags(frame, table.suppressed), _made(self.folder, number))
        return {"records": len(frame)}


def applied(
    file: Opened, overview: Overview, recipe: MaskingMethod, evaluators: Evaluators, told: Told
) -> Parts:
    """All parts as a recipe masks them, in the order of the original; none is released yet."""
    grouping, steps = parted(recipe)
    means = None
    if grouping is not None:
        means, _ = grouped_in_regions(
            file, overview, grouping.attributes, grouping.k, evaluators, told
        )
    declared = {n: own for n, own in overview.declared.items() if n in recipe.attributes}
    others = tuple(step.fitted(overview.statistics) for step in steps)
    folder = str(file.folder)
    applying = Applying(file.parts, declared, means, others, folder, file.seed)
    carried_out(Step(folder, "apply", applying), len(file.parts), evaluators, told)
    places = (
        Place(str(_made(folder, number)), 0, place.records)
        for number, place in enumerate(file.parts.places)
    )
    return Parts(tuple(places), (*file.parts.columns, FLAG))


def cells_of(recipe: MaskingMethod) -> Mapping[str, Recoding]:
    """What the cells stand for that are no values of the original any more, by attribute."""
    found: dict[str, Recoding] = {}
    for step in parted(recipe)[1]:
        if isinstance(step, Generalization):
            levels = zip(step.attributes, step.levels, strict=True)
            found |= {n: step.hierarchies[n].recoding(level) for n, level in levels}
    return found


def _made(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"made-{number:06}.parquet"
