"""Formally private synthetic records: marginals with noise and a tree of them, by OpenDP.

The MST mechanism (McKenna, Miklau and Sheldon, 2021) of OpenDP's marginal-based inference, with
pure differential privacy for the addition or removal of one record. Categories, ranges of numbers
and the number of records are taken as public knowledge. The noise is OpenDP's own: it has no seed,
because noise that can be repeated protects nobody.
"""

from collections.abc import Sequence

import numpy as np

from evomask.data.frames import frame_from_columns
from evomask.data.table import Column, Table
from evomask.errors import ParameterError
from evomask.masking.microaggregation.aggregation import clip_to_range
from evomask.masking.synthesis.synthesizer import matched
from evomask.types import Floats, Indices

BINS = 20
"""Bins of equal width of a number; one more is for missing values."""


def private_file(
    table: Table, names: Sequence[str], epsilon: float, rng: np.random.Generator
) -> Table:
    """Draw the named columns with differential privacy; all others are unchanged.

    Args:
        epsilon: privacy loss of the whole file.
        rng: places numbers within their bins.
    """
    try:
        import opendp.prelude as dp
    except ImportError:
        raise ParameterError(
            "the baseline private needs OpenDP; install it with `pip install 'evomask[private]'`"
        ) from None
    dp.enable_features("contrib")
    codes = {f"c{j}": _codes(table, name) for j, name in enumerate(names)}
    keys = {f"c{j}": list(range(_size(table, name))) for j, name in enumerate(names)}
    context = dp.Context.compositor(
        data=frame_from_columns(codes).cast(dict.fromkeys(codes, int)).lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
    )
    tables = context.query().contingency_table(keys=keys, algorithm=dp.mbi.MST()).release()
    found = tables.synthesize(len(table), "sample")
    columns = {
        name: _values(table, name, np.asarray(found[f"c{j}"].to_numpy(), dtype=np.int64), rng)
        for j, name in enumerate(names)
    }
    drawn = table.with_columns(columns)
    order = matched(table, drawn, names)
    return table.with_columns({name: drawn[name][order] for name in names})


def _size(table: Table, name: str) -> int:
    attribute = table.attribute(name)
    return len(attribute.categories) if attribute.is_categorical else BINS + 1


def _codes(table: Table, name: str) -> Floats:
    if table.attribute(name).is_categorical:
        return table.codes(name).astype(np.float64)
    values = table.values(name)
    low, width = _scale(values)
    known = np.clip(np.nan_to_num((values - low) / width) * BINS, 0, BINS - 1)
    return np.where(np.isnan(values), BINS, known.astype(np.int64)).astype(np.float64)


def _scale(values: Floats) -> tuple[float, float]:
    """Smallest value and range of a number."""
    known = values[~np.isnan(values)]
    return (float(known.min()), float(np.ptp(known)) or 1.0) if len(known) else (0.0, 1.0)


def _values(table: Table, name: str, codes: Indices, rng: np.random.Generator) -> Column:
    if table.attribute(name).is_categorical:
        return codes.astype(np.int32)
    values = table.values(name)
    low, width = _scale(values)
    drawn = low + width * (codes + rng.random(len(codes))) / BINS
    return np.where(codes == BINS, np.nan, clip_to_range(table.attribute(name), drawn, values))
