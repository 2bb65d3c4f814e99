"""Random files of people in every format, and reading them without any code of ours."""

import csv
import datetime
import string
from collections import Counter, defaultdict
from dataclasses import dataclass

import polars as pl
import pyarrow.parquet
import pyreadstat

ENDINGS = (".csv", ".tsv", ".parquet", ".sav", ".zsav", ".dta")
LABELLED = (".sav", ".zsav", ".dta")
SCHOOL = ("none", "basic", "middle", "high")
NUMBERS, CATEGORIES = ("age", "change", "pay"), ("school", "town")


@dataclass(frozen=True)
class RandomFile:
    """A file, its schema, and what is known of its confidential column."""

    path: object
    schema: object
    quasi: tuple
    ordered: bool

    @property
    def key(self):
        """What sorts the values of the confidential column."""
        return coded_place if self.path.suffix in (".sav", ".zsav") else place


def random_file(folder, rng, ending, quasi=()):
    """People with missing codes, negative zeros, labels, dates, mixed kinds and strata.

    Their quasi-identifiers are drawn where none are named.
    """
    n = int(rng.integers(30, 90))
    columns = {"person": [f"P{i:04d}" for i in rng.permutation(n)]}
    columns["age"] = missing(rng.integers(18, 40, n).astype(float), rng)
    columns["change"] = missing(zeros(rng.normal(0, 1, n).round(1), rng), rng)
    columns["pay"] = missing(rng.normal(2000, 500, n).round(2), rng)
    columns["school"] = school(n, rng, ending)
    columns["town"] = blank(rng.choice(["Aa", 'B "x"', "C;c", "Dé"], n).tolist(), rng)
    columns["visited"] = dates(n, rng, ending)
    columns["secret"], ordered = secret(n, rng, ending)
    if rng.random() < 0.4:
        columns["part"] = rng.choice(["north", "south"], n).tolist()
    drawn = tuple(name for name in (*NUMBERS, *CATEGORIES) if rng.random() < 0.6)
    quasi = quasi or drawn or ("age",)
    path = folder / f"people{ending}"
    write(path, columns, rng)
    schema = folder / "people.toml"
    schema.write_text(schema_text(columns, quasi, ordered), encoding="utf-8")
    return RandomFile(path, schema, quasi, ordered)


def missing(values, rng):
    """Some values become one of two codes, or nothing at all."""
    values = [float(v) for v in values]
    for code in (-98.0, -99.0, None):
        if rng.random() < 0.6:
            for place in rng.choice(len(values), int(rng.integers(1, 6)), replace=False):
                values[place] = code
    return values


def zeros(values, rng):
    """Zeros of both signs."""
    values[rng.random(len(values)) < 0.2] = 0.0
    values[rng.random(len(values)) < 0.1] = -0.0
    return values


def blank(texts, rng):
    return [None if rng.random() < 0.03 else text for text in texts]


def school(n, rng, ending):
    drawn = rng.choice(4, n, p=[0.1, 0.4, 0.4, 0.1])
    return [float(v + 1) for v in drawn] if ending in LABELLED else [SCHOOL[v] for v in drawn]


def dates(n, rng, ending):
    days = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29)]
    if ending in LABELLED:
        days = [*days[2:], datetime.date(1999, 1, 1)]
    drawn = [days[v] for v in rng.integers(0, len(days), n)]
    return drawn if ending in (*LABELLED, ".parquet") else [str(day) for day in drawn]


def secret(n, rng, ending):
    """A confidential column of any kind, and whether it has an order."""
    drawn = rng.integers(0, 6, n)
    if rng.random() < 0.5:
        return missing(drawn * 100.0, rng), True
    texts = [string.ascii_lowercase[v] for v in drawn]
    return (texts if ending in LABELLED else blank(texts, rng)), False


def codes(values, ending):
    return [c for c in (-98.0, -99.0) if c in values] if ending in LABELLED else []


def write(path, columns, rng):
    ending = path.suffix
    if ending == ".parquet":
        return pl.DataFrame(columns).write_parquet(path)
    if ending in (".sav", ".zsav"):
        ranges = {n: codes(v, ending) for n, v in columns.items() if codes(v, ending)}
        levels = dict.fromkeys(NUMBERS, "scale") | {"school": "ordinal"}
        levels["secret"] = "nominal" if isinstance(columns["secret"][0], str) else "scale"
        labels = {"school": dict(zip([1.0, 2.0, 3.0, 4.0, 5.0], (*SCHOOL, "other"), strict=True))}
        return pyreadstat.write_sav(
            pl.DataFrame(columns), path, missing_ranges=ranges, variable_measure=levels,
            variable_value_labels=labels, compress=ending == ".zsav",
        )  # fmt: skip
    if ending == ".dta":
        return write_stata(path, columns)
    frame = pl.DataFrame(columns)
    end = "\r\n" if rng.random() < 0.5 else "\n"
    return frame.write_csv(
        path, separator="\t" if ending == ".tsv" else ",", line_terminator=end,
        include_bom=rng.random() < 0.5,
    )  # fmt: skip


def write_stata(path, columns):
    """Missing codes as the letters .a and .b."""
    letters = {-98.0: "a", -99.0: "b"}
    lettered = {n: codes(v, ".dta") for n, v in columns.items() if codes(v, ".dta")}
    series = [
        pl.Series(n, [letters.get(v, v) for v in values], dtype=pl.Object)
        if n in lettered
        else pl.Series(n, values)
        for n, values in columns.items()
    ]
    pyreadstat.write_dta(
        pl.DataFrame(series), path,
        missing_user_values={n: [letters[c] for c in some] for n, some in lettered.items()},
    )  # fmt: skip


def schema_text(columns, quasi, ordered):
    kinds = {"school": "ordinal", "town": "nominal", "secret": "" if ordered else "nominal"}
    roles = {"person": "identifier", "secret": "confidential", "part": "stratum"}
    lines = []
    for name in columns:
        role = "quasi-identifier" if name in quasi else roles.get(name, "other")
        lines += [f"[attributes.{name}]", f'role = "{role}"']
        if kinds.get(name):
            lines.append(f'kind = "{kinds[name]}"')
        if name == "school" and isinstance(columns[name][0], str):
            lines.append(f"categories = {list(SCHOOL)}".replace("'", '"'))
    return "\n".join(lines) + "\n"


def cells(path):
    """Every column of a file as texts, by readers that are not ours."""
    ending = path.suffix
    if ending == ".parquet":
        table = pyarrow.parquet.read_table(path)
        return {name: [text(v) for v in table[name].to_pylist()] for name in table.column_names}
    if ending in LABELLED:
        read = pyreadstat.read_dta if ending == ".dta" else pyreadstat.read_sav
        columns, _ = read(path, user_missing=True, output_format="dict")
        return {name: [text(v) for v in values] for name, values in columns.items()}
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t" if ending == ".tsv" else ","))
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))


def text(value):
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and str(value).endswith(".0") and str(
        value
    ) != "-0.0" else str(value)  # fmt: skip


def smallest_class(columns, quasi):
    return min(Counter(zip(*(columns[name] for name in quasi), strict=True)).values())


def diversity(columns, quasi, name, ordered, key):
    """The fewest distinct values in a class, and the largest distance of one from the file."""
    classes = defaultdict(list)
    for row, value in zip(
        zip(*(columns[q] for q in quasi), strict=True), columns[name], strict=True
    ):
        classes[row].append(value)
    order = sorted(set(columns[name]), key=key)
    whole = Counter(columns[name])
    n = len(columns[name])
    far = 0.0
    for values in classes.values():
        here, running, total = Counter(values), 0.0, 0.0
        for value in order:
            gap = here[value] / len(values) - whole[value] / n
            running += gap
            total += abs(running) if ordered else abs(gap) / 2
        far = max(far, total / max(1, len(order) - 1) if ordered else total)
    return min(len(set(values)) for values in classes.values()), far


def place(value):
    """Numbers by size, then codes of missing values, letters, and nothing at all."""
    if value == "":
        return 3, 0.0, value
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, value
    return 0, number, value


def coded_place(value):
    """The same where -98 and -99 are codes of missing values."""
    return (2, float(value), value) if value in ("-98", "-99") else place(value)


def ranked(columns, name, key):
    """A confidential column as the places of its values, for who takes numbers alone as ordered."""
    order = {value: rank for rank, value in enumerate(sorted(set(columns[name]), key=key))}
    return [float(order[value]) for value in columns[name]]
