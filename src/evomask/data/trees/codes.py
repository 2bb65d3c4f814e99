"""Codes that lose their last characters one by one."""

from collections.abc import Sequence

from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.recoding import SUPPRESSED


def prefixes(categories: Sequence[str], mask: str = SUPPRESSED) -> Hierarchy:
    """Codes that lose their last characters one by one, as 8166* and 816** for 81667.

    A shorter code keeps its length and is masked as a whole when its characters end.
    """
    longest = max((len(category) for category in categories), default=0)
    height = max(0, longest - 1)
    return with_top(
        categories, height, lambda text: [_masked(text, n, mask) for n in range(1, longest)]
    )


def _masked(text: str, n_characters: int, mask: str) -> str:
    kept = max(0, len(text) - n_characters)
    return text[:kept] + mask * (len(text) - kept)
