"""What reports cost: pages of 50 attributes, and bars drawn by us against a plotting library."""

import time
from collections.abc import Callable

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.report.drawing import bars_svg, inline_svg

ATTRIBUTES = 50


def chart(number: int) -> Chart:
    rng = np.random.default_rng(number)
    places = tuple(float(place) for place in range(12))
    cells = tuple(f"cell {place:g}" for place in places)
    series = [
        Series(name, "bars", places, tuple(rng.uniform(0, 20, 12).round(1).tolist()))
        for name in ("before", "after")
    ]
    x, y = Axis("attribute", cells), Axis("percent of the records")
    return Chart(f"attribute-{number}", "before and after", "It changes.", x, y, tuple(series))


def measured(draw: Callable[[Chart], str], charts: list[Chart]) -> tuple[float, int]:
    draw(charts[0])
    started = time.process_time()
    drawn = [draw(one) for one in charts]
    return time.process_time() - started, sum(len(one.encode()) for one in drawn)


def main() -> None:
    charts = [chart(number) for number in range(ATTRIBUTES)]
    (ours, small), (theirs, large) = (measured(draw, charts) for draw in (bars_svg, inline_svg))
    print(f"{ATTRIBUTES} charts of bars: {1000 * ours:.0f} ms and {small / 1e6:.2f} MB by us,")
    print(f"{1000 * theirs:.0f} ms and {large / 1e6:.2f} MB by the library")
    print(f"ratio of CPU time {theirs / ours:.0f}, of size {large / small:.1f}")


if __name__ == "__main__":
    main()
