"""A training set masked inside a scikit-learn pipeline."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evomask.api.masking import mask
from evomask.api.schema import Schema
from evomask.data.intake import as_polars, frame_of
from evomask.errors import EvomaskError

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise EvomaskError(
        "TrainingMasker needs scikit-learn; install it with `pip install 'evomask[learning]'`"
    ) from None


class TrainingMasker(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Mask the records that a model is trained on; records to predict are left as they are.

    Args:
        k: smallest number of records that are made alike.
        method: a method of the catalogue that takes ``k``: ``mdav-generic`` for columns of any
            kind, ``mdav`` for numbers alone, ``mondrian``.
        columns: names of the columns to mask, or their places in an array; all by default.
        random_state: seed for methods that draw random numbers.

    In a pipeline ``fit`` masks what the later steps learn from, and ``predict`` hands new
    records on unchanged. ``transform`` of the very records it was fitted on gives them masked,
    so that no way through it releases them; parts of them it cannot know again.

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
        """Mask the training set and keep the masked one; *y* is left alone."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ANN401, N803
        """The masked training set, as the kind of array or frame that was given."""
        given = self._checked(X, reset=True)
        self.masked_ = self._masked(given)
        self.fingerprint_ = _fingerprint(given)
        return self.masked_

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803
        """New records as they are; the training set itself masked."""
        check_is_fitted(self)
        given = self._checked(X, reset=False)
        return self.masked_ if _fingerprint(given) == self.fingerprint_ else given

    def _checked(self, X: Any, *, reset: bool) -> Any:  # noqa: ANN401, N803
        """Frames as they are, checked for their columns; all else as an array of numbers."""
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        fewest = self.k if reset else 1
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=fewest)

    def _masked(self, given: Any) -> Any:  # noqa: ANN401
        from evomask.runs.mask import method_of

        if isinstance(given, np.ndarray):
            return self._masked_array(given)
        everything = as_polars(given).columns
        names = everything if self.columns is None else [str(name) for name in self.columns]
        method = method_of(self.method, names, {"k": str(self.k)})
        others = Schema(keep=[name for name in everything if name not in names])
        return mask(given, method, schema=others, seed=self.random_state)

    def _masked_array(self, given: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """An array by way of a frame whose columns are called by their places."""
        places = range(given.shape[1]) if self.columns is None else self.columns
        frame = frame_of({str(i): given[:, i] for i in range(given.shape[1])})
        whole = TrainingMasker(
            self.k,
            method=self.method,
            columns=[str(place) for place in places],
            random_state=self.random_state,
        )
        masked = as_polars(whole._masked(frame))
        return np.asarray(masked.to_numpy(), dtype=np.float64)


def _fingerprint(given: Any) -> str:  # noqa: ANN401
    """A hash of all values, to know the training set again."""
    if isinstance(given, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(given).tobytes()).hexdigest()
    hashed = hashlib.sha256()
    for row in as_polars(given).iter_rows():
        hashed.update(repr(row).encode())
    return hashed.hexdigest()
