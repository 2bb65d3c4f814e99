"""Number of candidate partitions (Solanas et al., 2006, equations 4 to 6)."""

from fractions import Fraction
from math import factorial


def representatives(n: int, k: int) -> int:
    """a(n, k): ways to write n as a sum of group sizes from k to 2k-1, order aside (4)."""
    ways = [1] + [0] * n
    for size in range(k, 2 * k):
        for total in range(size, n + 1):
            ways[total] += ways[total - size]
    return ways[n]


def represented(n: int, k: int) -> int:
    """mu: partitions into floor(n/k) groups, as equal in size as can be (5).

    Where floor(n/k) does not divide n, the sizes differ by one and the paper's formula counts
    groups of different sizes as if they could be exchanged; it is used as printed, rounded down.
    """
    groups = n // k
    size, wider = divmod(n, groups)
    arrangements = Fraction(factorial(n), factorial(groups))
    arrangements /= factorial(size) ** (groups - wider) * factorial(size + 1) ** wider
    return int(arrangements)


def chance_of_candidate(n: int, k: int) -> Fraction:
    """Upper bound of the probability that a random genome is a candidate for the optimum (6)."""
    return Fraction(representatives(n, k) * represented(n, k), (n // k) ** n)
