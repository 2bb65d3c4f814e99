"""The same promises in packed text, workbooks, by standard streams, and in parts of large files."""

import bz2
import csv
import gzip
import io
import lzma
import sys
import zipfile
from collections import Counter
from contextlib import redirect_stderr, suppress
from dataclasses import astuple, replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import xlsxwriter

from evomask.cli.main import run
from evomask.data.schema import Kind
from evomask.io.tables import PrivacyRequirements, write_table
from evomask.masking.catalogue import method_named
from evomask.masking.composition import within_strata
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore import prepare
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.release import verify_parts
from evomask.runs.inputs import Input, load
from tests.oracles import PYTHON, answers
from tests.releases import files
from tests.releases.test_written_files import IMPOSSIBLE, MAKERS, by_search, some_method

PACKING = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
WAYS = (".csv.gz", ".tsv.bz2", ".csv.xz", ".xlsx", "-", "parts")
FILES, PORTION = 120, 20
SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def packed(made, packing):
    """The same file, compressed."""
    path = made.path.with_name(made.path.name + packing)
    path.write_bytes(PACKING[packing].compress(made.path.read_bytes()))
    return replace(made, path=path)


def as_workbook(made):
    """The same file as a workbook; what reads as a number is one."""
    path = made.path.with_suffix(".xlsx")
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for number, row in enumerate(rows_of(made.path)):
        for place, text in enumerate(row):
            if text:
                sheet.write(number, place, number_or_text(text))
    book.close()
    return replace(made, path=path)


def number_or_text(text):
    try:
        return float(text)
    except ValueError:
        return text


def cells(path):
    """Every column of a packed file or a workbook as texts, by readers that are not ours."""
    if path.suffix == ".xlsx":
        return sheet_cells(path)
    if path.suffix in PACKING:
        plain = path.with_suffix("")
        plain.write_bytes(PACKING[path.suffix].decompress(path.read_bytes()))
        return files.cells(plain)
    return files.cells(path)


def sheet_cells(path):
    """The first sheet, from the markup itself."""
    with zipfile.ZipFile(path) as book:
        texts = [
            "".join(part.text or "" for part in item.iter(f"{SPREADSHEET}t"))
            for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(f"{SPREADSHEET}row"):
        found = {}
        for cell in row:
            value = cell.findtext(f"{SPREADSHEET}v") or ""
            letters = cell.get("r").rstrip("0123456789")
            found[letters] = texts[int(value)] if cell.get("t") == "s" else value
        rows.append(found)
    names = rows[0]
    return {name: [row.get(letters, "") for row in rows[1:]] for letters, name in names.items()}


def drawn(folder, rng, way, quasi=()):
    """A random file in one of the ways."""
    ending = ".tsv" if way.startswith(".tsv") else ".csv"
    made = files.random_file(folder, rng, ending, quasi)
    if way == ".xlsx":
        return as_workbook(made)
    return packed(made, "." + way.rsplit(".", 1)[1]) if way.startswith(".") else made


def written_by(maker, made, asked, rng):
    """A masked file in the format of the original, by a method or a search; where it lies."""
    kind, name = maker
    if kind == "search":
        return by_search(made, asked, name, rng).path
    loaded = load(Input(made.path, made.schema))
    method = some_method(method_named(name), loaded.table, rng)
    masked = within_strata(method, loaded.table).mask(loaded.table, rng)
    masked = Enforcement.of(loaded.table, Requirement(*astuple(asked)))(masked)
    path = made.path.with_name(made.path.name.replace("people", "masked"))
    write_table(masked, path, dialect=loaded.dialect, origin=loaded.origin, asked=asked)
    return path


def by_streams(made, asked, monkeypatch):
    """Repaired by a command between standard input and standard output."""
    out = SimpleNamespace(buffer=io.BytesIO(), write=lambda _: 0, flush=lambda: None)
    content = SimpleNamespace(buffer=io.BytesIO(made.path.read_bytes()))
    words = ("mask", "-", "--schema", made.schema, "-m", "repair", "-k", asked.k, "-l", asked.l)
    with monkeypatch.context() as patched, redirect_stderr(io.StringIO()) as told:
        patched.setattr(sys, "stdin", content)
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "argv", ["evomask", *map(str, words), "--out", "-", "--quiet"])
        with suppress(SystemExit):
            run()
    if not out.buffer.getvalue():
        raise IMPOSSIBLE[0](told.getvalue())
    path = made.path.with_stem("masked")
    path.write_bytes(out.buffer.getvalue())
    return path


def by_parts(made, asked, rng, monkeypatch):
    """Made k-anonymous or microaggregated in parts of twenty records; all parts as one file."""
    monkeypatch.setattr(prepare, "RECORDS", 20)
    out, source = made.path.parent / "out", Input(made.path, made.schema)
    if rng.random() < 0.5:
        generalize_parts(GeneralizeJob(source, out, Requirement(k=asked.k), 20.0))
    else:
        schema = load(source).table.schema
        names = [n for n in schema.quasi_identifiers if schema[n].kind is Kind.CONTINUOUS]
        made = replace(made, quasi=tuple(names))
        mask_parts(PartsJob(source, "mdav", out, {"k": str(asked.k)}))
    assert verify_parts(out).holds
    path = made.path.with_name("masked.parquet")
    pl.concat([pl.read_parquet(p) for p in sorted(out.glob("masked/*"))]).write_parquet(path)
    return made, path


def released(folder, number, attempt, monkeypatch):
    """File *number*, and what it must fulfil."""
    folder.mkdir()
    rng = np.random.default_rng([number, attempt, 78])
    way, maker = WAYS[number % len(WAYS)], MAKERS[number // len(WAYS) % len(MAKERS)]
    asked = PrivacyRequirements(int(rng.choice([2, 3, 5])), int(rng.choice([1, 2])))
    if maker[1] in ("pram", "equations"):
        maker = ("method", "repair")
    quasi = {"grouping": files.NUMBERS, "clustered": files.CATEGORIES}.get(maker[1], ())
    made = drawn(folder, rng, way, quasi if way.startswith(".") else ())
    if way == "-":
        return made, asked, by_streams(made, asked, monkeypatch)
    if way == "parts":
        asked = PrivacyRequirements(asked.k)
        made, path = by_parts(made, asked, rng, monkeypatch)
        return made, asked, path
    return made, asked, written_by(maker, made, asked, rng)


def written_file(folder, number, monkeypatch):
    """File *number*; what is impossible for a random file is tried with another one."""
    for attempt in range(60):
        with suppress(*IMPOSSIBLE):
            return released(folder / f"{number}-{attempt}", number, attempt, monkeypatch)
    raise AssertionError(f"file {number}: sixty were impossible")


def short_of(columns, made, asked):
    """What a check that shares no code with ours finds wrong."""
    assert "person" not in columns
    classes = {}
    for row, secret in zip(
        zip(*(columns[n] for n in made.quasi), strict=True), columns["secret"], strict=True
    ):
        classes.setdefault(row, []).append(secret)
    sizes = Counter({row: len(values) for row, values in classes.items()})
    diverse = min(len(set(values)) for values in classes.values())
    return min(sizes.values()) < asked.k or diverse < asked.l


def check_files(folder, numbers, monkeypatch):
    """Make files and let both judges look at them."""
    found = [written_file(folder, number, monkeypatch) for number in numbers]
    told = [(cells(path), made, asked) for made, asked, path in found]
    assert [made.path for columns, made, asked in told if short_of(columns, made, asked)] == []
    if PYTHON.exists():
        questions = [
            {
                "columns": {n: columns[n] for n in (*made.quasi, "secret")},
                "quasi": list(made.quasi),
                "confidential": "secret",
            }
            for columns, made, _ in told
        ]
        judged = answers("ask_pycanon.py", questions, folder)
        short = [
            a["k"] < asked.k or a["l"] < asked.l
            for a, (*_, asked) in zip(judged, told, strict=True)
        ]
        assert not any(short)
    print(f"{len(found)} of {len(numbers)} files fulfil what is asked")


def test_files_written_in_every_other_way_fulfil_what_is_asked(tmp_path, monkeypatch):
    check_files(tmp_path, range(12), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + FILES, PORTION))
def test_more_files_written_in_other_ways_fulfil_what_is_asked(tmp_path, monkeypatch, first):
    check_files(tmp_path, range(first, first + PORTION), monkeypatch)
