"""evomask for Python users: data frames in, data frames out; networkx graphs likewise."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from evomask.data.frames import Declaration, columns_like, frame_like, reordered, table_from
from evomask.data.intake import Frame, as_polars
from evomask.data.schema import Kind, Role
from evomask.data.table import Table

if TYPE_CHECKING:
    from evomask.record.protection import Choice, Protection
    from evomask.runs.audit import AuditOutcome
    from evomask.runs.graphs.graph import Readings
    from evomask.runs.kept.keeping import AtMost, Statistic

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
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    seed: int | None = None,
) -> F:
    """Mask a pandas, polars or pyarrow frame with one method; the same kind of frame back.

    Args:
        ordinal: columns whose categories have an order (numbers, or ordered categories).
        nominal: columns whose values can only be compared.
        drop: identifiers, left out of the result.
        keep: columns to keep though they look identifying.
        seed: repeats a result; drawn from the system when absent.

    The frame given is left alone; order, index, types and other columns are kept.
    """
    from evomask.runs.inputs import check_stated

    original = table_from(frame, _declared(method.attributes, ordinal, nominal, drop, keep=keep))
    check_stated(original, tuple(keep))
    drawn = secrets.randbits(63) if seed is None else seed
    masked = method.mask(original, np.random.default_rng(drawn))
    result: F = frame_like(frame, original, masked)
    return result


def _declared(
    masked: Iterable[str],
    ordinal: Iterable[str],
    nominal: Iterable[str],
    drop: Iterable[str],
    confidential: Iterable[str] = (),
    strata: Iterable[str] = (),
    weight: str | None = None,
    household: str | None = None,
    keep: Iterable[str] = (),
) -> dict[str, Declaration]:
    from evomask.runs.inputs import roles_of

    kinds = dict.fromkeys(ordinal, Kind.ORDINAL) | dict.fromkeys(nominal, Kind.NOMINAL)
    named = {
        Role.QUASI_IDENTIFIER: masked,
        Role.IDENTIFIER: drop,
        Role.CONFIDENTIAL: confidential,
        Role.STRATUM: strata,
        Role.WEIGHT: () if weight is None else (weight,),
        Role.HOUSEHOLD: () if household is None else (household,),
        Role.OTHER: keep,
    }
    roles = roles_of((name, role) for role, names in named.items() for name in names)
    return {
        name: Declaration(kinds.get(name), roles.get(name, Role.OTHER))
        for name in kinds.keys() | roles.keys()
    }


@dataclass(frozen=True, eq=False)
class Result(Generic[F]):
    """What came of `protect`: a front of protected frames, one of them chosen.

    Args:
        frame: the frame that was given; it is never changed.
        protection: all that is known, also of files that are not on the front.
        bounds: what the chosen point may have at most.
    """

    frame: F = field(repr=False)
    protection: "Protection" = field(repr=False)
    choice: "Choice"
    bounds: "AtMost" = field(repr=False)

    @property
    def front(self) -> F:
        """The points on offer by loss, as the kind of frame that was given."""
        from evomask.record.words import as_point

        points = [as_point(candidate) for candidate in self.protection.front]
        columns = {name: [point[name] for point in points] for name in points[0]}
        frame: F = columns_like(self.frame, columns)
        return frame

    @property
    def chosen(self) -> int:
        """The number of the chosen point."""
        return self.choice.candidate.number

    def pick(
        self,
        wish: str = "suggested",
        *,
        max_risk: float | None = None,
        max_loss: float | None = None,
        max_table_error: float | None = None,
        max_model_error: float | None = None,
    ) -> int:
        """The number of another point: by a wish such as ``knee``, and within limits in percent."""
        from evomask.record.protection import choice_of
        from evomask.runs.kept.keeping import at_most

        bounds = at_most(max_risk, max_loss, max_table_error, max_model_error)
        return choice_of(wish, self.protection.state, bounds).candidate.number

    def kept(self, point: int | None = None) -> "tuple[Statistic, ...]":
        """Tables and models that must survive, before and after, in a point of the front."""
        if self.protection.kept is None:
            return ()
        number = self.chosen if point is None else self.pick(str(point))
        return self.protection.kept.compare(self.protection.files(number).masked)

    def masked(self, point: int | None = None, *, shuffled: bool = True) -> F:
        """The protected frame of a point of the front, by default of the chosen one.

        Args:
            shuffled: give the records in random order, a new one every time, and renew the
                index, so that a release cannot be laid beside the original.
        """
        from evomask.runs.kept.order import new_order

        number = self.chosen if point is None else self.pick(str(point))
        file = self.protection.files(number)
        masked: F = frame_like(self.frame, self.protection.table, file.masked)
        if not shuffled:
            return masked
        released: F = reordered(masked, new_order(len(masked)))
        return released

    def report(self, path: str | Path, *, public: bool = False) -> Path:
        """Write a report as one page of HTML.

        Args:
            public: the page to publish with the file, without seed and risks; otherwise the
                one for those who hold the records.
        """
        from evomask.runs.release import record_without_file
        from evomask.runs.report import write_page

        record = record_without_file(self.protection, self.choice, self.bounds)
        return write_page(record, Path(path), public=public)

    def __repr__(self) -> str:
        """The size of the front and the chosen point in short; never a record's values."""
        candidate, state = self.choice.candidate, self.protection.state
        return (
            f"<evomask.Result of {len(state.front)} points from {len(state.candidates)} files; "
            f"chosen: {candidate.number}, loss {candidate.loss:.2f} %, "
            f"risk {candidate.risk:.2f} %>"
        )

    def _repr_html_(self) -> str:
        """The map of loss and risk, for notebooks."""
        from evomask.reports.notebook import map_html
        from evomask.runs.release import map_of

        return map_html(map_of(self.protection, self.choice))


def protect(
    frame: F,
    *,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    strata: Iterable[str] = (),
    weight: str | None = None,
    household: str | None = None,
    hierarchies: Mapping[str, str | Path] | None = None,
    require: str = "",
    seconds: float | None = None,
    evaluations: int | None = None,
    searches: Iterable[str] = (),
    profile: str = "strict",
    workers: int = 1,
    cluster: Any = None,  # noqa: ANN401
    seed: int | None = None,
    keep_tables: Iterable[str] = (),
    keep_models: Iterable[str] = (),
    max_risk: float | None = None,
    max_loss: float | None = None,
    max_table_error: float | None = None,
    max_model_error: float | None = None,
) -> Result[F]:
    """Search for protections of a pandas, polars or pyarrow frame with little loss and risk.

    Args:
        quasi: columns that an intruder may know; all numbers where none is named.
        confidential: sensitive columns, for l and t.
        drop: identifiers, left out of every result.
        keep: columns to keep though they look identifying.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        strata: columns within whose combinations everything is masked on its own.
        weight: column with the number of people a record stands for.
        household: column that tells households; left out of every result.
        hierarchies: files with the value trees of columns, to generalize them too.
        require: a guarantee for every point, such as ``k=5,l=2``.
        seconds: how long all of it may take, two minutes where nothing is said.
        evaluations: how many files to try; then the same seed gives the same result.
        searches: who takes part; all that apply where none is named.
        profile: the risk of all attackers (``strict``) or of the papers (``papers``).
        cluster: a Dask client, or an address: ``tls://host:8786``, ``local:8``.
        seed: repeats a result; keep it secret.
        keep_tables: tables that must survive, such as ``education x sex: mean hours``.
        keep_models: models that must survive, such as ``income ~ age + education``.
        max_risk: chooses the least loss with this risk at most, in percent.
        max_loss: chooses the least risk with this loss at most.
        max_table_error: largest error of the tables in the chosen point, in percent.
        max_model_error: the same of the models.

    Nothing is printed, and the frame is left alone.
    """
    from evomask.execution.choosing import computing
    from evomask.io.hierarchies import read_trees
    from evomask.record.protection import choice_of
    from evomask.runs.inputs import Input, check_stated, with_quasi_identifiers
    from evomask.runs.kept.keeping import at_most, keeping
    from evomask.runs.protect import ProtectJob, protect_table, required

    roles = (drop, confidential, strata, weight, household, kept := tuple(keep))
    declared = _declared(quasi, ordinal, nominal, *roles)
    for name, path in (hierarchies or {}).items():
        declared[name] = replace(declared.get(name, Declaration()), hierarchy=str(path))
    table, _ = with_quasi_identifiers(table_from(frame, declared))
    check_stated(table, kept)
    job = ProtectJob(
        Input(Path("data frame")), Path(), required(require), profile, seconds, seed,
        evaluations, tuple(searches), keep=keeping(keep_tables, keep_models),
        bounds=at_most(max_risk, max_loss, max_table_error, max_model_error),
    )  # fmt: skip
    trees = read_trees(table.schema)
    with computing(workers, cluster) as evaluators:
        protection = protect_table(table, job, evaluators=evaluators, hierarchies=trees)
    choice = choice_of(job.pick, protection.state, job.bounds)
    return Result(frame, protection, choice, job.bounds)


def measure_kept(
    original: Frame,
    masked: Frame,
    *,
    tables: Iterable[str] = (),
    models: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
) -> "tuple[Statistic, ...]":
    """Tables and models of a masked frame beside those of its original, records in one order.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
    """
    from evomask.io.masked import masked_version
    from evomask.io.tables import Source
    from evomask.runs.kept.keeping import keeping

    table = table_from(original, _declared((), ordinal, nominal, ()))
    kept = keeping(tables, models).against(table)
    return kept.compare(masked_version(table, Source(as_polars(masked))))


def audit(
    masked: Frame,
    original: Frame | None = None,
    *,
    quasi: Iterable[str] = (),
    confidential: Iterable[str] = (),
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    weight: str | None = None,
    household: str | None = None,
    minimum: int = 10,
) -> "AuditOutcome":
    """Privacy models, risk of records and households, special uniques, and attacks on a frame.

    Args:
        original: the records before masking, in the same order: the masked ones are attacked.
        quasi: columns that an intruder may know; all numbers where none is named.
        weight: column with the number of people a record stands for.
        household: column that tells which records are of one household, in either frame.
        minimum: cells of histograms with fewer records are merged.

    No record's values are in the answer; ``as_json`` gives all of it as one object.
    """
    from evomask.io.masked import masked_version
    from evomask.io.tables import Source
    from evomask.runs.audit import audit_table
    from evomask.runs.inputs import with_quasi_identifiers

    whole = masked if original is None else original
    declared = _declared(quasi, ordinal, nominal, (), confidential, (), weight, household)
    table, _ = with_quasi_identifiers(table_from(whole, declared))
    if original is None:
        return audit_table(table, None, minimum)
    return audit_table(masked_version(table, Source(as_polars(masked))), table, minimum)


def protect_graph(
    graph: Any,  # noqa: ANN401
    k: int,
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
    protector: str = "search",
    edges: bool = False,
    seed: int | None = None,
) -> Any:  # noqa: ANN401
    """Make every profile of a networkx graph shared by k nodes or more; a new graph back.

    Args:
        location: node attributes of the place, from specific to general; found by name
            (city, region, country, continent) when absent.
        topics: node attributes of the topics, in order; topic1, topic2, ... when absent.
        protector: ``search`` (loses less) or ``random`` (the thesis' Algorithm 14).
        edges: whether degrees are made k-anonymous too, by adding edges.

    Nodes keep their names, as text, and their order: rename them before a release. Attributes
    that are no part of a profile are left out.
    """
    from evomask.io.graphs import graph_from_networkx, graph_to_networkx
    from evomask.runs.graphs.graph import (
        generator,
        protected_with_edges,
        protector_named,
        with_profiles,
    )

    loaded = with_profiles(graph_from_networkx(graph), tuple(location), tuple(topics))
    masked = protected_with_edges(
        loaded, k, protector_named(protector), generator(seed), degrees=edges
    )
    return graph_to_networkx(masked.graph)


def measure_graph(
    original: Any,  # noqa: ANN401
    masked: Any,  # noqa: ANN401
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
) -> "Readings":
    """Loss, risk and structure of a protected networkx graph; nodes are matched by name."""
    from evomask.io.graphs import graph_from_networkx
    from evomask.runs.graphs.graph import read_aligned, with_profiles

    before, after = (
        with_profiles(graph_from_networkx(graph), tuple(location), tuple(topics))
        for graph in (original, masked)
    )
    return read_aligned(before, after)
