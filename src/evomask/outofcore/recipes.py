"""Recipes for files larger than memory: search on a sample, application to all chunks.

Every recipe is fitted to the statistics of the whole file, so it treats the sample as it would
treat all chunks; only groups of numbers are wider there, and equivalence classes smaller.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec

from evomask.data.frames import Declarations
from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.hierarchy_builders import automatic_hierarchy, lines_of
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import DESIGN, FrontPoint, front_of, numbered
from evomask.errors import EvomaskError, RunError
from evomask.evolution.streams import draw_stream, trial_stream, working_stream
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import FLAG, Parts, Place, with_masked, write_part
from evomask.io.files import replace_file
from evomask.io.paired_chunks import with_flags
from evomask.masking.chunk_recipes import fit_recipes, in_order, recipes_for, split_recipe
from evomask.masking.composition import InTurn
from evomask.masking.enforce.requirement import NOTHING
from evomask.masking.grid import GridMethod
from evomask.masking.method import MaskingMethod, provenance_of
from evomask.masking.missing import keep_missing
from evomask.masking.provenance import Provenance
from evomask.masking.provenance import Step as MakingStep
from evomask.masking.recoding.global_recoding import Generalization
from evomask.outofcore.mask import GroupMeans, group_in_regions
from evomask.outofcore.prepare import (
    WORK,
    Overview,
    PreparedFile,
    Progress,
    Result,
    Step,
    category_table,
    run_step,
    sampled_table,
)
from evomask.report.build import risk_note
from evomask.report.describe import describe_provenance
from evomask.report.record import PointNote, RiskNote
from evomask.runs.store.release import file_hash, last_entry


@dataclass(frozen=True, eq=False)
class ApplyTask:
    """Masks one chunk by a recipe fitted to the whole file.

    Args:
        declared: the columns that are masked.
        means: group means of the numbers, if they are microaggregated.
        others: the other steps.
    """

    parts: Parts
    declared: Declarations
    means: GroupMeans | None
    others: tuple[MaskingMethod, ...]
    folder: str
    seed: int

    def __call__(self, number: int) -> Result:
        table = original = self.parts.table(number, self.declared)
        if self.means is not None:
            table = table.with_columns(self.means.of_part(number).columns)
        if self.others:
            table = InTurn(self.others).mask(table, working_stream(self.seed, number))
        table = keep_missing(original, table)
        frame = with_masked(self.parts.read(number), table, ())
        write_part(with_flags(frame, table.suppressed), _applied_path(self.folder, number))
        return {"records": len(frame)}


def apply_recipe(
    file: PreparedFile,
    overview: Overview,
    recipe: MaskingMethod,
    evaluators: Evaluators,
    told: Progress,
) -> Parts:
    """Mask all chunks by a recipe, in original order; nothing is released yet."""
    grouping, steps = split_recipe(recipe)
    means = None
    if grouping is not None:
        means, _ = group_in_regions(
            file, overview, grouping.attributes, grouping.k, evaluators, told
        )
    declared = {n: own for n, own in overview.declared.items() if n in recipe.attributes}
    others = tuple(step.fitted(overview.statistics) for step in steps)
    folder = str(file.folder)
    applying = ApplyTask(file.parts, declared, means, others, folder, file.seed)
    run_step(Step(folder, "apply", applying), len(file.parts), evaluators, told)
    places = (
        Place(str(_applied_path(folder, number)), 0, place.records)
        for number, place in enumerate(file.parts.places)
    )
    return Parts(tuple(places), (*file.parts.columns, FLAG))


def recipe_cells(recipe: MaskingMethod) -> Mapping[str, Recoding]:
    """Recodings of the generalized attributes of a recipe."""
    found: dict[str, Recoding] = {}
    for step in split_recipe(recipe)[1]:
        if isinstance(step, Generalization):
            levels = zip(step.attributes, step.levels, strict=True)
            found |= {n: step.hierarchies[n].recoding(level) for n, level in levels}
    return found


def _applied_path(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"made-{number:06}.parquet"


POINTS = "front.json"
"""The front on the sample, stored with the release so that another point can be chosen."""


@dataclass(frozen=True, eq=False)
class TrialTask:
    """Applies recipes to the sample and measures them.

    Args:
        maker: measures masked versions of the sample.
        recipes: in the order of trial.
        order: their numbers.
    """

    maker: EvaluationContext
    recipes: tuple[MaskingMethod, ...]
    order: tuple[int, ...]

    def __call__(self, number: int) -> Result:
        recipe = self.order[number]
        sample, rng = self.maker.table, draw_stream(self.maker.seed, recipe)
        try:
            found = self.maker.measured(self.recipes[number].mask(sample, rng))
        except EvomaskError as error:
            return {"recipe": recipe, "refused": str(error)}
        risk = found.assessment
        parts = None if risk is None else msgspec.to_builtins(risk_note(risk))
        return {"recipe": recipe, "loss": found.loss, "risk": found.risk, "parts": parts}


class StoredPoint(msgspec.Struct, frozen=True):
    """A point of the stored front: its steps, loss and risk on the sample."""

    file: int
    loss: float
    risk: float
    steps: tuple[MakingStep, ...]
    parts: RiskNote | None = None


class StoredFront(msgspec.Struct, frozen=True):
    """The stored front on the sample.

    Args:
        sample: number of records in the sample.
        tried: number of recipes.
    """

    sample: int
    tried: int
    points: tuple[StoredPoint, ...]


@dataclass(frozen=True, eq=False)
class RecipeSearch:
    """The recipes for a large file, and their front on its sample."""

    file: PreparedFile
    overview: Overview
    k: int = 1

    @cached_property
    def sample(self) -> Table:
        return sampled_table(self.file, self.overview)

    @cached_property
    def trees(self) -> Mapping[str, Hierarchy]:
        names = self.file.schema.quasi_identifiers
        own = [a for a in self.overview.attributes if a.is_categorical and a.name in names]
        return {a.name: _fit_hierarchy(self.file, a) for a in own}

    @cached_property
    def all(self) -> tuple[GridMethod, ...]:
        found = recipes_for(self.sample, self.trees, self.k)
        if not found:
            raise RunError(
                f"no recipe for chunked files guarantees k = {self.k} on these quasi-identifiers; "
                f""
                "leave out --searches to generalize them, or leave out k"
            )
        return found

    def front(self, most: int, evaluators: Evaluators, told: Progress) -> StoredFront:
        """Front of the tried recipes; reused from an unchanged release.

        Args:
            most: largest number of recipes.
        """
        known = self._known()
        if known is not None:
            return known
        statistics, seed = self.overview.statistics, self.file.seed
        maker = EvaluationContext(self.sample, Settings(NOTHING, "strict", {}), seed)
        order = in_order(self.all, trial_stream(seed, 0))[:most]
        ready = fit_recipes([self.all[number].method for number in order], statistics)
        step = Step(str(self.file.folder), "try", TrialTask(maker, ready, order))
        rows = run_step(step, len(order), evaluators, told)
        front = self._kept(rows)
        content = msgspec.json.format(msgspec.json.encode(front), indent=1)
        replace_file(self.file.folder / POINTS, lambda file: file.write(content))
        return front

    def _kept(self, rows: Sequence[Result]) -> StoredFront:
        made = [row for row in rows if "loss" in row]
        if not made:
            reasons = sorted({str(row["refused"]) for row in rows})
            raise RunError(f"no recipe could be made on the sample ({'; '.join(reasons[:3])})")
        tried = [
            FrontPoint(row["recipe"], self._making(row["recipe"]), row["loss"], row["risk"])
            for row in made
        ]
        parts = {row["recipe"]: msgspec.convert(row["parts"], RiskNote | None) for row in made}
        points = (
            StoredPoint(c.number, c.loss, c.risk, c.making.steps, parts[c.number])
            for c in front_of(tried)
        )
        return StoredFront(len(self.sample), len(rows), tuple(points))

    def _known(self) -> StoredFront | None:
        entry, path = last_entry(self.file.folder), self.file.folder / POINTS
        if entry is None or entry.files.get(POINTS) != file_hash(path):
            return None
        front = read_front(self.file.folder)
        same = all(
            p.file < len(self.all) and _is_same(p, self._making(p.file)) for p in front.points
        )
        return front if same else None

    def _making(self, number: int) -> Provenance:
        return replace(provenance_of(self.all[number].method), search=DESIGN)


def _is_same(point: StoredPoint, making: Provenance) -> bool:
    as_read = msgspec.json.decode(msgspec.json.encode(making.steps), type=tuple[MakingStep, ...])
    return as_read == point.steps


def candidates(front: StoredFront) -> tuple[FrontPoint, ...]:
    """The points of a front as candidates."""
    return numbered(
        FrontPoint(point.file, Provenance(point.steps, DESIGN), point.loss, point.risk)
        for point in front.points
    )


def front_notes(front: StoredFront) -> tuple[PointNote, ...]:
    """The points of a front as notes of a record."""
    pairs = zip(candidates(front), front.points, strict=True)
    return tuple(
        PointNote(
            c.point, DESIGN, describe_provenance(c.making), c.loss, c.risk, own.parts, file=own.file
        )
        for c, own in pairs
    )


def read_front(folder: Path) -> StoredFront:
    """Return the front stored in a folder."""
    path = folder / POINTS
    try:
        return msgspec.json.decode(path.read_bytes(), type=StoredFront)
    except OSError:
        raise RunError(f"nothing was found yet; continue with `evomask resume {folder}`") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{path} is damaged; protect the file again") from None


def _fit_hierarchy(file: PreparedFile, attribute: Attribute) -> Hierarchy:
    table = category_table(attribute)
    lines = file.trees.get(attribute.name) or lines_of(automatic_hierarchy(table, attribute.name))
    return fit_hierarchy(attribute.name, lines, table)
