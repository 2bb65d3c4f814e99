"""`TrainingMasker`: masking of the training set in a scikit-learn pipeline."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evomask.api.mask import mask
from evomask.api.schema import Schema
from evomask.data.frames import frame_from_columns, to_polars
from evomask.errors import EvomaskError

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise EvomaskError(
        "TrainingMasker needs scikit-learn; install it with `pip install 'evomask[learning]'`"
    ) from None


class TrainingMasker(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer that masks the training set of a model; records to predict are not changed.

    Args:
        k: smallest group or equivalence class.
        method: a method of the catalogue that has the option ``k``: ``mdav-generic`` for columns
            of any kind, ``mdav`` for numeric columns, ``mondrian``.
        columns: names of the columns to mask, or their indices in an array; by default all.
        random_state: seed of randomized methods.

    In a pipeline, ``fit`` masks the input of the later steps, and ``predict`` passes new records
    on unchanged. ``transform`` of the training set itself returns the masked training set, so that
    the original is not released; a subset of the training set is not recognized.

    Example:
        import evomask
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        people = evomask.read("survey.csv", library="pandas")
        known, wanted = people[["age", "area", "income"]], people["sex"]
        model = make_pipeline(evomask.TrainingMasker(k=5), LogisticRegression())
        assert model.fit(known, wanted).score(known, wanted) > 0.4
    """

    def __init__(
        self,
        k: int = 5,
        *,
        method: str = "mdav-generic",
        columns: Sequence[str] | Sequence[int] | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.k = k
        self.method = method
        self.columns = columns
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "TrainingMasker":  # noqa: ANN401, N803
        """Mask the training set; *y* is ignored."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ANN401, N803
        """Return the masked training set, as an array or a frame of the same library."""
        checked = self._checked(X, reset=True)
        self.masked_ = self._masked(checked)
        self.fingerprint_ = _fingerprint(checked)
        return self.masked_

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803
        """Return new records unchanged, and the training set masked."""
        check_is_fitted(self)
        checked = self._checked(X, reset=False)
        return self.masked_ if _fingerprint(checked) == self.fingerprint_ else checked

    def _checked(self, X: Any, *, reset: bool) -> Any:  # noqa: ANN401, N803
        """Check the columns of a frame, or convert other input to an array of numbers."""
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        minimum = self.k if reset else 1
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=minimum)

    def _masked(self, given: Any) -> Any:  # noqa: ANN401
        from evomask.runs.mask import method_of

        if isinstance(given, np.ndarray):
            return self._masked_array(given)
        columns = to_polars(given).columns
        names = columns if self.columns is None else [str(name) for name in self.columns]
        method = method_of(self.method, names, {"k": str(self.k)})
        others = Schema(keep=[name for name in columns if name not in names])
        return mask(given, method, schema=others, seed=self.random_state)

    def _masked_array(self, given: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Mask an array as a frame whose columns are named by their indices."""
        indices = range(given.shape[1]) if self.columns is None else self.columns
        frame = frame_from_columns({str(i): given[:, i] for i in range(given.shape[1])})
        masker = TrainingMasker(
            self.k,
            method=self.method,
            columns=[str(index) for index in indices],
            random_state=self.random_state,
        )
        masked = to_polars(masker._masked(frame))
        return np.asarray(masked.to_numpy(), dtype=np.float64)


def _fingerprint(given: Any) -> str:  # noqa: ANN401
    """Return a hash of all values, by which the training set is recognized."""
    if isinstance(given, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(given).tobytes()).hexdigest()
    hashed = hashlib.sha256()
    for row in to_polars(given).iter_rows():
        hashed.update(repr(row).encode())
    return hashed.hexdigest()
