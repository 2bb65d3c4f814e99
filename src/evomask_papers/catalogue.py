"""Catalogue of reproductions for `evomask reproduce`."""

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from evomask.data.chart import Chart
from evomask.errors import ParameterError
from evomask_papers.effort import Effort

REPRODUCTIONS: Mapping[str, str] = {
    "generalization-table-1a": "generalization:table_1a",
    "generalization-table-1b": "generalization:table_1b",
    "generalization-table-2a": "generalization:table_2a",
    "generalization-table-2b": "generalization:table_2b",
    "generalization-guided": "generalization:guided",
    "generalization-figure-1": "generalization:figure_1",
    "generalization-figure-2": "generalization:figure_2",
    "generalization-figure-3": "generalization:figure_3",
    "grouping-table-3.1": "grouping.tables:table_3_1",
    "grouping-table-5.1": "grouping.tables:table_5_1",
    "grouping-table-5.2": "grouping.tables:table_5_2",
    "grouping-table-5.3": "grouping.tables:table_5_3",
    "grouping-table-5.4": "grouping.tables:table_5_4",
    "grouping-figure-4.1": "grouping.figures:figure_4_1",
    "grouping-figure-4.2": "grouping.figures:figure_4_2",
    "grouping-figure-4.3": "grouping.figures:figure_4_3",
    "grouping-figure-4.4": "grouping.figures:figure_4_4",
    "grouping-figure-4.5": "grouping.figures:figure_4_5",
    "grouping-figure-4.6": "grouping.figures:figure_4_6",
    "grouping-figure-4.7": "grouping.figures:figure_4_7",
    "grouping-figure-4.8": "grouping.figures:figure_4_8",
    "grouping-figure-4.9": "grouping.figures:figure_4_9",
    "grouping-figure-4.10": "grouping.figures:figure_4_10",
    "grouping-figure-4.11": "grouping.figures:figure_4_11",
    "grouping-figure-5.1": "grouping.figures:figure_5_1",
    "grouping-figure-b.1": "grouping.figures:figure_b_1",
    "grouping-figure-b.2": "grouping.figures:figure_b_2",
    "grouping-figure-b.3": "grouping.figures:figure_b_3",
    "grouping-figure-b.4": "grouping.figures:figure_b_4",
    "grouping-figure-b.5": "grouping.figures:figure_b_5",
    "grouping-figure-b.6": "grouping.figures:figure_b_6",
    "grouping-figure-b.7": "grouping.figures:figure_b_7",
    "grouping-figure-b.8": "grouping.figures:figure_b_8",
    "files-table-3.2": "files.tables:table_3_2",
    "files-table-3.3": "files.tables:table_3_3",
    "files-readings": "files.readings:table_readings",
    "files-attacks": "files.attacks:table_attacks",
    "files-figure-3.2": "files.figures:figure_3_2",
    "files-figure-3.3": "files.figures:figure_3_3",
    "files-figure-3.4": "files.figures:figure_3_4",
    "files-figure-3.5": "files.figures:figure_3_5",
    "files-figure-3.6": "files.figures:figure_3_6",
    "files-figure-3.7": "files.figures:figure_3_7",
    "files-figure-3.8": "files.figures:figure_3_8",
    "files-figure-3.9": "files.figures:figure_3_9",
    "files-figure-3.10": "files.figures:figure_3_10",
    "files-figure-3.11": "files.figures:figure_3_11",
    "files-figure-3.12": "files.figures:figure_3_12",
    "files-figure-3.13": "files.figures:figure_3_13",
    "clustered-table-5.1": "clustered:table_5_1",
    "clustered-table-5.2": "clustered:table_5_2",
    "clustered-table-5.3": "clustered:table_5_3",
    "clustered-readings": "clustered:readings",
    "clustered-figure-5.1": "clustered:figure_5_1",
    "clustered-figure-5.2": "clustered:figure_5_2",
    "clustered-figure-5.3": "clustered:figure_5_3",
    "clustered-figure-5.4": "clustered:figure_5_4",
    "clustered-figure-5.5": "clustered:figure_5_5",
    "clustered-figure-5.6": "clustered:figure_5_6",
    "clustered-figure-5.7": "clustered:figure_5_7",
    "clustered-figure-5.8": "clustered:figure_5_8",
    "clustered-figure-5.9": "clustered:figure_5_9",
    "clustered-figure-5.10": "clustered:figure_5_10",
    "partition-table-1": "partition.genetic:table_1",
    "partition-example-1": "partition.genetic:example_1",
    "partition-table-2": "partition.genetic:table_2",
    "partition-table-3": "partition.genetic:table_3",
    "partition-table-4": "partition.genetic:table_4",
    "partition-table-5": "partition.genetic:table_5",
    "partition-figure-1": "partition.genetic:figure_1",
    "partition-figure-2": "partition.genetic:figure_2",
    "partition-figure-3": "partition.genetic:figure_3",
    "partition-figure-4": "partition.genetic:figure_4",
    "partition-hybrid-table-2": "partition.hybrid:table_2",
    "partition-hybrid-figure-2": "partition.hybrid:figure_2",
    "partition-variable-sizes": "partition.hybrid:variable_sizes",
    "partition-locations": "partition.locations:locations",
    "partition-locations-figure": "partition.locations:figure",
    "pram-table-4.1": "pram.matrices:table_4_1",
    "pram-table-4.2": "pram.matrices:table_4_2",
    "pram-table-4.3": "pram.matrices:table_4_3",
    "pram-table-4.4": "pram.matrices:table_4_4",
    "pram-table-4.5": "pram.matrices:table_4_5",
    "pram-table-4.6": "pram.matrices:table_4_6",
    "pram-table-4.7": "pram.matrices:table_4_7",
    "pram-table-4.8": "pram.invariance:table_4_8",
    "pram-table-4.9": "pram.invariance:table_4_9",
    "pram-table-4.10": "pram.invariance:table_4_10",
    "pram-table-4.11": "pram.invariance:table_4_11",
    "pram-figure-4.4": "pram.matrices:figure_4_4",
    "pram-figure-4.5": "pram.matrices:figure_4_5",
    "pram-figure-4.6": "pram.matrices:figure_4_6",
    "pram-figure-4.7": "pram.matrices:figure_4_7",
    "pram-figure-4.8": "pram.matrices:figure_4_8",
    "pram-figure-4.9": "pram.matrices:figure_4_9",
    "pram-figure-4.10": "pram.invariance:figure_4_10",
    "pram-figure-4.11": "pram.invariance:figure_4_11",
    "pram-figure-4.12": "pram.invariance:figure_4_12",
    "pram-figure-4.13": "pram.invariance:figure_4_13",
    "equations-table-4.12": "pram.equations:table_4_12",
    "equations-table-4.13": "pram.equations:table_4_13",
    "equations-table-4.14": "pram.equations:table_4_14",
    "equations-table-4.15": "pram.equations:table_4_15",
    "equations-figure-4.14": "encodings:figure_4_14",
    "equations-figure-4.15": "encodings:figure_4_15",
    "equations-figure-4.16": "pram.equations:figure_4_16",
    "equations-figure-4.17": "pram.equations:figure_4_17",
    "equations-figure-4.18": "pram.equations:figure_4_18",
    "equations-figure-4.19": "pram.equations:figure_4_19",
    "equations-figure-4.20": "pram.equations:figure_4_20",
    "data-table-2.2": "examples:table_2_2",
    "data-table-2.3": "examples:table_2_3",
    "data-table-2.4": "examples:table_2_4",
    "data-table-2.5": "examples:table_2_5",
    "masking-table-2.1": "examples:table_swapping",
    "files-table-3.1": "examples:table_genomes",
    "files-figure-3.1": "encodings:figure_3_1",
    "pram-figure-4.1": "encodings:figure_4_1",
    "pram-figure-4.2": "encodings:figure_4_2",
    "pram-figure-4.3": "encodings:figure_4_3",
    "masking-figure-2.4": "worked:figure_2_4",
    "grouping-figure-3.1": "worked:figure_parts",
    "grouping-figure-3.2": "worked:figure_clones",
    "grouping-table-2.1": "examples:table_parted",
    "grouping-table-a.1": "examples:table_a_1",
    "grouping-table-a.2": "examples:table_a_2",
    "partition-hybrid-table-1": "examples:table_hybrid_1",
    "partition-hybrid-figure-1": "examples:figure_hybrid_1",
    "graphs-table-6.1": "examples:table_6_1",
    "graphs-figure-6.2": "worked:figure_6_2",
    "graphs-figure-6.3": "worked:figure_6_3",
    "graphs-figure-6.6": "examples:figure_6_6",
    "graphs-figure-6.7": "examples:figure_6_7",
    "graphs-figure-6.8": "examples:figure_6_8",
    "graphs-figure-6.9": "graphs.figures:figure_6_9",
    "graphs-figure-6.10": "graphs.figures:figure_6_10",
    "graphs-figure-6.11": "graphs.figures:figure_6_11",
    "graphs-figure-6.12": "graphs.figures:figure_6_12",
    "graphs-figure-6.13": "graphs.figures:figure_6_13",
    "graphs-figure-6.14": "graphs.figures:figure_6_14",
    "graphs-figure-6.15": "graphs.figures:figure_6_15",
}
"""Name and location of each reproduction: a function that returns rows or charts."""


class Reproduction(NamedTuple):
    """Rows and charts of a reproduced table or figure; the rows of a figure are its points."""

    rows: list[Any]
    charts: list[Chart]

    @property
    def as_json(self) -> dict[str, list[Any]]:
        return {"rows": self.rows, "charts": [chart.as_json() for chart in self.charts]}


def summary_of(name: str) -> str:
    """One-sentence summary of a reproduction."""
    return (inspect.getdoc(function_named(name)) or "").split("\n\n")[0]


def reproduce(
    name: str, *, runs: int | None = None, seed: int | None = None, share: float | None = None
) -> Reproduction:
    """Reproduce a table or figure.

    Args:
        runs: number of runs to average, if there are several. share: share of the paper's effort,
            if it can be reduced; otherwise the share of its runs.
    """
    function = function_named(name)
    known = inspect.signature(function).parameters
    if share is not None and runs is None and "runs" in known and "share" not in known:
        runs = Effort(share=share).of(known["runs"].default)
    wanted = {"runs": runs, "seed": seed, "share": share}
    parts = function(**{n: v for n, v in wanted.items() if n in known and v is not None})
    charts = [part for part in parts if isinstance(part, Chart)]
    return Reproduction([list(row) for c in charts for row in c.rows] or list(parts), charts)


def full_name(name: str) -> str:
    """Catalogue name of a reproduction; 6-9 may be written for 6.9."""
    plain = {listed.replace(".", "-"): listed for listed in REPRODUCTIONS}
    if name.replace(".", "-") not in plain:
        raise ParameterError(
            f"no reproduction is called {name!r}; there are {', '.join(REPRODUCTIONS)}"
        )
    return plain[name.replace(".", "-")]


def function_named(name: str) -> Any:  # noqa: ANN401
    """Function that makes a reproduction."""
    module, _, function = REPRODUCTIONS[full_name(name)].partition(":")
    return getattr(import_module(f"evomask_papers.{module}"), function)
