"""Array types that kernels take and return."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Records as rows, numbers as columns."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
"""Indices into a list of categories."""

Labels = NDArray[np.int64]
"""Group number of each record, groups numbered from 0 without gaps."""

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
