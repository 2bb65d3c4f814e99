"""Number of candidate partitions (Solanas et al., 2006, equations 4 to 6)."""

from fractions import Fraction
from math import factorial


def representatives(n: int, k: int) -> int:
    """a(n, k): number of ways to write n as an unordered sum of group sizes from k to 2k-1 (4)."""
    ways = [1] + [0] * n
    for size in range(k, 2 * k):
        for total in range(size, n + 1):
            ways[total] += ways[total - size]
    return ways[n]


def represented(n: int, k: int) -> int:
    """mu: number of partitions into floor(n/k) groups of sizes as equal as possible (5).

    Where floor(n/k) does not divide n, the sizes differ by one and the paper's formula treats
    groups of different sizes as interchangeable; it is used as printed, rounded down.
    """
    groups = n // k
    size, wider = divmod(n, groups)
    arrangements = Fraction(factorial(n), factorial(groups))
    arrangements /= factorial(size) ** (groups - wider) * factorial(size + 1) ** wider
    return int(arrangements)


def chance_of_candidate(n: int, k: int) -> Fraction:
    """Upper bound of the probability that a random genome is a candidate for the optimum (6)."""
    return Fraction(representatives(n, k) * represented(n, k), (n // k) ** n)
