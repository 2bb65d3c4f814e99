"""Writes ``docs/benchmarks.md`` and its pictures from what ``compare.py`` found."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from roster import OURS

from evomask.data.chart import Axis, Chart, Series
from evomask.report.charts import comparison_chart
from evomask.report.drawing import svg

Found = dict[str, Any]
Row = dict[str, Any]

HEAD = """# Comparison with other programs
Alternative programs on the same tasks and the same machine, each task in one run.
`make bench-peers` writes this page and its charts from its results; only the earlier figures below
were entered manually.

A **ratio** is the CPU time of the other over ours: 10 means that evomask took a tenth. It counts
the task itself, on one thread, without starting a program, reading a file or compiling. The same
measures of quality apply to all programs. The page also states where another program is faster or
better.

"""
REASONS = {
    ("mdav", "loss %"): "k-means may make groups smaller than k, so its loss is of another problem",
    ("univariate", "seconds"): "both do one sort and one pass; ours keeps its sums exact",
}
NOTES = {
    "linkage": (
        "The value is the percentage of records that are linked to their own. recordlinkage ends "
        "its fit after a hundred rounds by default; after convergence, it links the same records "
        "as evomask (tests/peers)."
    ),
    "univariate": (
        "microagg1d's default method for small k misses the optimum slightly; its slower "
        "methods find it."
    ),
}
"""What a reader of a work's table should know."""

MAIN = """## The main task: protecting a file
Adult, 8 quasi-identifiers, k = 5 for programs that accept a requirement. Loss and risk are
evomask's, lower is better. SDMetrics' score is higher if columns and pairs of columns are more
similar; anonymeter's rates are the success rates of its attacks, lower is better, on at most 3,000
records of each file. Both need single values: a generalized cell is read as one of its values, at
random. A synthetic record has no original; it is matched with a similar original record. Records
beyond the 30,162 of Adult are resampled from it.

"""
JUDGES = ("sdmetrics", "linkability", "inference", "singling-out")


def write_page(found: Found, docs: Path) -> None:
    """The page and its pictures into the folder of the documentation."""
    pictures = docs / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = _ratio_chart(found["rows"])
    (pictures / "peers-time.svg").write_bytes(svg(drawn))
    for main in found["main"]:
        if mapped := [row for row in main["files"] if "loss" in row]:
            (pictures / _map_name(main)).write_bytes(svg(_map_chart(mapped)))
    text = "".join(
        (
            HEAD,
            _about(found),
            f"![{drawn.reading}](pictures/peers-time.svg)\n\n",
            *_works(found["rows"]),
            MAIN if found["main"] else "",
            *map(_main, found["main"]),
            _committed(found["figures"]),
            _absent(found),
            _again(),
        )
    )
    (docs / "benchmarks.md").write_text(text, encoding="utf-8")


def ratios(rows: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """Every answer of a peer with ours to the same work."""
    rows = list(rows)
    ours = {(r["work"], r["size"]): r for r in rows if r["peer"] == OURS and "seconds" in r}
    for row in rows:
        own = ours.get((row["work"], row["size"]))
        if row["peer"] != OURS and "seconds" in row and own:
            yield row, own


def _about(found: Found) -> str:
    machine = found["machine"]
    versions = {r["peer"]: r["version"] for r in found["rows"] if "version" in r}
    told = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    runs = "; ".join(map(_run, [*found.get("earlier", ()), found]))
    return (
        f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}: {runs}. Versions: {told}.\n\n## Work\n"
    )


def _run(found: Found) -> str:
    """When a run was, what it asked, how busy the machine was, and what an answer might take."""
    works = ", ".join(dict.fromkeys(found["works"]))
    machine = found["machine"]
    return (
        f"{machine['date']} {works or 'the main job'}, while about {machine['load']} other "
        f"programs wanted them, {found['limit']} for an answer, compiling included"
    )


def _works(rows: list[Row]) -> Iterator[str]:
    compared = dict.fromkeys((row["work"], row["title"]) for row in rows)
    for work, title in compared:
        own = [row for row in rows if row["work"] == work]
        names = list(dict.fromkeys(name for row in own for name in row.get("quality", ())))
        head = ["records", "who", "ratio of time", "MB", *names]
        lines = [_line(row, rows, names) for row in own]
        yield f"### {title[0].upper()}{title[1:]}\n{_table(head, lines)}\n"
        yield f"{NOTES[work]}\n\n" if work in NOTES else ""
        lost = "".join(f"- {sentence}\n" for sentence in _losses(own))
        yield f"{lost}\n" if lost else ""


def _line(row: Row, rows: list[Row], names: list[str]) -> list[str]:
    start = [f"{row['size']:,}", row["peer"]]
    if "failed" in row:
        return [*start, f"failed: {row['failed']}", *["–"] * (len(names) + 1)]
    ratio = next((r["seconds"] / own["seconds"] for r, own in ratios(rows) if r is row), 1.0)
    memory = f"{row['peak_mb']:.0f}" if "peak_mb" in row else "–"
    return [*start, _short(ratio), memory, *(_short(row["quality"][name]) for name in names)]


def _losses(rows: list[Row]) -> Iterator[str]:
    """Where somebody is faster than evomask, with what is known of the reason."""
    for row, own in ratios(rows):
        if row["seconds"] < own["seconds"]:
            why = REASONS.get((row["work"], "seconds"), "the reason was not looked into")
            share = _short(own["seconds"] / row["seconds"])
            yield f"{row['peer']} is faster at {row['size']:,} records, {share} times: {why}."
        for name, value in row["quality"].items():
            if name.startswith("loss") and value < own["quality"][name] * (1 - 1e-9):
                why = REASONS.get((row["work"], name), "the reason was not looked into")
                yield f"{row['peer']} loses less at {row['size']:,} records: {why}."


def _map_name(main: Found) -> str:
    return f"peers-map-{main['records']}.svg"


def _main(main: Found) -> str:
    head = ["file", "loss %", "risk %", "SDMetrics %", "linkability %", "inference %",
            "singling out %"]  # fmt: skip
    if "failed" in main:
        return f"### {main['records']:,} records\nNot run: {main['failed']}\n\n"
    lines = [_file(row) for row in main["files"]]
    mapped = any("loss" in row for row in main["files"])
    picture = f"![Loss and risk of each file](pictures/{_map_name(main)})\n\n" if mapped else ""
    return (
        f"### {main['records']:,} records\nevomask searches for {main['seconds']:g} seconds.\n\n"
        f"{picture}{_table(head, lines)}\n"
    )


def _file(row: Row) -> list[str]:
    if "failed" in row:
        return [row["file"], f"failed: {row['failed']}", *["–"] * 5]
    rates = [row.get(name) for name in JUDGES]
    told = [_percent(rates[0], 1.0), *(_percent(rate, 100.0) for rate in rates[1:])]
    return [row["file"], f"{row['loss']:.1f}", f"{row['risk']:.1f}", *told]


def _percent(value: float | str | None, times: float) -> str:
    return f"{value * times:.1f}" if isinstance(value, float | int) else "–"


def _committed(figures: list[Row]) -> str:
    head = ["program", "version", "measured", "on", "work", "records", "seconds", "quality"]
    lines = [
        [f["peer"], f["version"], f["date"] or "day not kept", f["machine"] or "–", f["what"],
         f"{f['size']:,}" if f["size"] else "–",
         "–" if f["seconds"] is None else f"{f['seconds']:g}", f["quality"]]
        for f in figures
    ]  # fmt: skip
    return (
        "## Earlier figures\nThese were **not** measured in this run unless they "
        "stand in a table above. The script asks sdcMicro where there is an `Rscript` (or "
        "`EVOMASK_RSCRIPT` names one), and ARX where `EVOMASK_ARX` names its jar. Otherwise these "
        f"are the figures of an earlier day, for orientation.\n\n{_table(head, lines)}\n"
    )


def _absent(found: Found) -> str:
    if not found["absent"]:
        return ""
    lines = [[name, found["peers"].get(name, ""), why] for name, why in found["absent"].items()]
    told = _table(["who", "what it is", "why it is not here"], lines)
    return f"## Who was not there\n{told}\n"


def _again() -> str:
    return (
        "## Reproduction\n`make bench-peers` installs every peer into its own environment and "
        "writes this page; `PEERS_OPTIONS='--mdav 1000,1000000 --main 30162'` sets other "
        "sizes. "
        "Adult and the household file are read from the folder that `EVOMASK_DATA` names; works "
        "whose data are not there are left out and named.\n"
    )


def _table(head: list[str], lines: Iterable[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _ratio_chart(rows: list[Row]) -> Chart:
    pairs = [
        (f"{row['peer']}, {row['work']}", row["seconds"] / own["seconds"])
        for row, own in ratios(rows)
    ]
    largest = dict(sorted(pairs, key=lambda pair: pair[1]))
    shown = tuple(largest)
    places = tuple(float(i) for i in range(len(shown)))
    return Chart(
        "peers-time",
        "CPU time of others over ours, the same work",
        "How many times as long as evomask others take for the same work; below 1 they are faster.",
        Axis("who, at what", shown),
        Axis("times as long as evomask", logarithmic=True),
        (Series("ratio", "points", places, tuple(largest.values())),),
    )


def _map_chart(rows: list[Row]) -> Chart:
    points = {r["file"]: (r["loss"], r["risk"]) for r in rows if r["file"] != "the original"}
    before = next((r["risk"] for r in rows if r["file"] == "the original"), None)
    return comparison_chart(points, before)
