"""Analyses of several synthetic copies of a file, combined."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from evomask.errors import DataError, ParameterError
from evomask.io.tables import read_source
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.measures.analyses.combining import CombinedAnalysis, Rule, combine_copies
from evomask.runs.inputs import Input, declarations_of, dialect_of


def combine_files(
    source: Input, others: Sequence[Path], analyses: AnalysesToPreserve, rule: str
) -> tuple[CombinedAnalysis, ...]:
    """Combine analyses of copies; those of the schema are added.

    Args:
        source: the first copy, with the declarations of all.
    """
    if rule not in tuple(Rule):
        raise ParameterError(f"rule must be one of {', '.join(Rule)}, got {rule!r}")
    declared, schema = declarations_of(source)
    kept = schema.keep
    wanted = analyses + AnalysesToPreserve(
        tuple(kept.tables), tuple(kept.models), tuple(kept.indicators)
    )
    if not wanted:
        raise ParameterError(
            "no analysis is named; give --keep-table, --keep-model or --keep-indicator"
        )
    dialect = dialect_of(source, schema)
    reads = [read_source(path, dialect) for path in (source.path, *others)]
    for path, read in zip(others, reads[1:], strict=True):
        if read.frame.columns != reads[0].frame.columns:
            raise DataError(f"{path} has other columns than {source.path}; name copies of one file")
    present = {name: own for name, own in declared.items() if name in reads[0].frame.columns}
    table = reads[0].stack(reads[1:]).table(present)
    ends = np.cumsum([0, *(read.frame.height for read in reads)])
    copies = [table.take(np.arange(begin, end)) for begin, end in pairwise(ends.tolist())]
    return combine_copies(copies, wanted, Rule(rule))
