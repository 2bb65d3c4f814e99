"""Recipes tried on a sample of a large file: loss and risk of each, and the front of them.

Every recipe knows the statistics of the whole file, so that on the sample it does what it would do
to all parts; groups of numbers alone are wider there, and fewer people look alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec

from evomask.data.hierarchy import Hierarchy, fitted
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.data.trees.making import lines_of, suiting
from evomask.errors import EvomaskError, RunError
from evomask.evolution.streams import draw_stream, trial_stream
from evomask.execution.evaluator import Evaluators
from evomask.io.files import replace_file
from evomask.masking.grid import GridMethod
from evomask.masking.guarantees.requirement import NOTHING
from evomask.masking.making import Making
from evomask.masking.making import Step as MakingStep
from evomask.masking.method import MaskingMethod, making_of
from evomask.masking.recipes import fitted_to, in_order, recipes_for
from evomask.portfolio.front import Candidate, front_of, numbered
from evomask.portfolio.worker import Maker, Settings
from evomask.record.record import PointNote, RiskNote
from evomask.record.recording import GRID, risk_note
from evomask.record.words import in_words
from evomask.runs.kept.log import file_hash, last_entry
from evomask.runs.parts.opening import Opened, Overview, all_values, sampled_table
from evomask.runs.parts.steps import Result, Step, Told, carried_out

POINTS = "front.json"
"""The front on the sample, kept with the release so that another point can be chosen."""


@dataclass(frozen=True, eq=False)
class Trying:
    """Makes and measures recipes on the sample.

    Args:
        maker: measures masked versions of the sample.
        recipes: as they are tried, in this order.
        order: their numbers.
    """

    maker: Maker
    recipes: tuple[MaskingMethod, ...]
    order: tuple[int, ...]

    def __call__(self, number: int) -> Result:
        """Loss and risk; why it cannot be made where it cannot."""
        recipe = self.order[number]
        sample, rng = self.maker.table, draw_stream(self.maker.seed, recipe)
        try:
            found = self.maker.measured(self.recipes[number].mask(sample, rng))
        except EvomaskError as error:
            return {"recipe": recipe, "refused": str(error)}
        parts = None if found.judged is None else msgspec.to_builtins(risk_note(found.judged))
        return {"recipe": recipe, "loss": found.loss, "risk": found.risk, "parts": parts}


class PointKept(msgspec.Struct, frozen=True):
    """A point of the front as it is kept: what made it, and what the sample told of it."""

    file: int
    loss: float
    risk: float
    steps: tuple[MakingStep, ...]
    parts: RiskNote | None = None


class FrontKept(msgspec.Struct, frozen=True):
    """The front on the sample as it is kept.

    Args:
        sample: how many records it was measured on.
        tried: how many recipes were.
    """

    sample: int
    tried: int
    points: tuple[PointKept, ...]


@dataclass(frozen=True, eq=False)
class Recipes:
    """The recipes for a large file, and what they come to on its sample."""

    file: Opened
    overview: Overview
    k: int = 1

    @cached_property
    def sample(self) -> Table:
        """The records that the survey drew."""
        return sampled_table(self.file, self.overview)

    @cached_property
    def trees(self) -> Mapping[str, Hierarchy]:
        """A value tree for every quasi-identifier of categories: the one given, or one made."""
        names = self.file.schema.quasi_identifiers
        own = [a for a in self.overview.attributes if a.is_categorical and a.name in names]
        return {a.name: _tree(self.file, a) for a in own}

    @cached_property
    def all(self) -> tuple[GridMethod, ...]:
        """The recipes, by number."""
        found = recipes_for(self.sample, self.trees, self.k)
        if not found:
            raise RunError(
                f"no recipe for a file in parts sees to k = {self.k} on these quasi-identifiers; "
                "leave out --searches to generalize them, or ask for no k"
            )
        return found

    def front(self, most: int, evaluators: Evaluators, told: Told) -> FrontKept:
        """The front of the recipes that were tried; what is known of it is not tried again.

        Args:
            most: how many recipes are tried.
        """
        known = self._known()
        if known is not None:
            return known
        statistics, seed = self.overview.statistics, self.file.seed
        maker = Maker(self.sample, Settings(NOTHING, "strict", {}), seed)
        order = in_order(self.all, trial_stream(seed, 0))[:most]
        ready = fitted_to([self.all[number].method for number in order], statistics)
        step = Step(str(self.file.folder), "try", Trying(maker, ready, order))
        rows = carried_out(step, len(order), evaluators, told)
        front = self._kept(rows)
        content = msgspec.json.format(msgspec.json.encode(front), indent=1)
        replace_file(self.file.folder / POINTS, lambda file: file.write(content))
        return front

    def _kept(self, rows: Sequence[Result]) -> FrontKept:
        made = [row for row in rows if "loss" in row]
        if not made:
            reasons = sorted({str(row["refused"]) for row in rows})
            raise RunError(f"no recipe could be made on the sample ({'; '.join(reasons[:3])})")
        tried = [
            Candidate(row["recipe"], self._making(row["recipe"]), row["loss"], row["risk"])
            for row in made
        ]
        parts = {row["recipe"]: msgspec.convert(row["parts"], RiskNote | None) for row in made}
        points = (
            PointKept(c.number, c.loss, c.risk, c.making.steps, parts[c.number])
            for c in front_of(tried)
        )
        return FrontKept(len(self.sample), len(rows), tuple(points))

    def _known(self) -> FrontKept | None:
        """The front of a release that nobody changed since."""
        entry, path = last_entry(self.file.folder), self.file.folder / POINTS
        if entry is None or entry.files.get(POINTS) != file_hash(path):
            return None
        front = front_in(self.file.folder)
        same = all(p.file < len(self.all) and _same(p, self._making(p.file)) for p in front.points)
        return front if same else None

    def _making(self, number: int) -> Making:
        return replace(making_of(self.all[number].method), search=GRID)


def _same(point: PointKept, making: Making) -> bool:
    as_read = msgspec.json.decode(msgspec.json.encode(making.steps), type=tuple[MakingStep, ...])
    return as_read == point.steps


def candidates(front: FrontKept) -> tuple[Candidate, ...]:
    """The points of a front, to choose from."""
    return numbered(
        Candidate(point.file, Making(point.steps, GRID), point.loss, point.risk)
        for point in front.points
    )


def notes_on(front: FrontKept) -> tuple[PointNote, ...]:
    """The points of a front as a record tells them."""
    pairs = zip(candidates(front), front.points, strict=True)
    return tuple(
        PointNote(c.point, GRID, in_words(c.making), c.loss, c.risk, own.parts, file=own.file)
        for c, own in pairs
    )


def front_in(folder: Path) -> FrontKept:
    """The front that is kept in a folder."""
    path = folder / POINTS
    try:
        return msgspec.json.decode(path.read_bytes(), type=FrontKept)
    except OSError:
        raise RunError(f"nothing was found yet; go on with `evomask resume {folder}`") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{path} is damaged; protect the file again") from None


def _tree(file: Opened, attribute: Attribute) -> Hierarchy:
    table = all_values(attribute)
    lines = file.trees.get(attribute.name) or lines_of(suiting(table, attribute.name))
    return fitted(attribute.name, lines, table)
