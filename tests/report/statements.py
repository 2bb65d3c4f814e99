"""Compares the statements of a public report with the released file, cell by cell.

Reads ``record-public.json``, ``report-public.html``, the released file and, for what was changed,
the original and ``order.npy``. Also a script: ``python -m tests.report.statements DIR ORIGINAL``.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl

RANGE = re.compile(r"\[(-?[\d.]+),(-?[\d.]+)\]")


def read_texts(path):
    """A CSV file as text, empty cells as empty text."""
    return pl.read_csv(path, infer_schema_length=0).with_columns(pl.all().fill_null(""))


def ends_of(text):
    """Lower and upper end of a released number; None where it has none."""
    found = RANGE.fullmatch(text)
    if found:
        return float(found[1]), float(found[2])
    try:
        return float(text), float(text)
    except ValueError:
        return None


def interval_of(cell):
    """Ends of a cell such as ``under 20``, ``20 to 30``, ``60 or more``; the upper is outside."""
    plain = cell.replace(",", "")
    if plain.startswith("under "):
        return -np.inf, float(plain.removeprefix("under "))
    if plain.endswith(" or more"):
        return float(plain.removesuffix(" or more")), np.inf
    low, _, high = plain.partition(" to ")
    return float(low), float(high)


def cell_of(text, cells, known, *, is_number):
    """The cell of a distribution that a released text is counted in.

    Args:
        known: texts of the original; another one is the name of a group.
    """
    if text == "*":
        return "suppressed"
    if text == "":
        return "missing" if "missing" in cells else None
    if not is_number:
        if text in cells:
            return text
        return "all others" if text in known else "less precise"
    ends = ends_of(text)
    for cell in cells:
        if cell in ("missing", "less precise", "suppressed"):
            continue
        low, high = interval_of(cell)
        if low <= ends[0] and ends[1] < high:
            return cell
    return "less precise"


def check_release(folder, original):
    """Yield every statement of a public report that the file does not bear out."""
    record = json.loads((folder / "record-public.json").read_bytes())
    page = (folder / "report-public.html").read_text(encoding="utf-8")
    path = folder / "masked" / record["file"]["name"]
    file, before = read_texts(path), read_texts(original)
    if hashlib.sha256(path.read_bytes()).hexdigest() != record["file"]["sha256"]:
        yield "the hash is another"
    if file.height != record["file"]["records"] or file.width != record["file"]["attributes"]:
        yield f"the file has {file.height} records and {file.width} attributes"
    for name, least in record["guaranteed"].items():
        found = file.group_by(record["quasi_identifiers"]).len()["len"].min()
        if name == "k" and found < least:
            yield f"k is {found}, not {least}"
    order = np.load(folder / "order.npy")
    before = before[order.tolist()]
    for attribute in record["attributes"]:
        yield from _check_attribute(attribute, file, before, record["step"])
    for spread in record["spreads"]:
        yield from _check_spread(spread, record, file, set(before[spread["attribute"]]))
    for sentence in record["changes"]:
        if sentence.replace("'", "&#39;") not in page:
            yield f"the page does not say {sentence!r}"
    yield from _check_sentences(record, file)


def _check_attribute(attribute, file, before, step):
    name = attribute["name"]
    texts, originals = file[name].to_list(), before[name].to_list()
    if attribute["kind"] == "continuous":
        same = [_equal(text, old) for text, old in zip(texts, originals, strict=True)]
    else:
        same = [text == old for text, old in zip(texts, originals, strict=True)]
    changed = 100.0 * (1.0 - np.mean(same))
    if not changed - 1e-6 <= attribute["changed"] < changed + step + 0.01:
        yield f"{name}: {changed:.2f} % changed, told {attribute['changed']}"
    left_out = sum(t in ("*", "") and old != "" for t, old in zip(texts, originals, strict=True))
    told = attribute["suppressed"]
    wrong = (told == "none" and left_out) or (told.isdecimal() and int(told) != left_out)
    if wrong or (told == "fewer than 10" and not 0 < left_out < 10):
        yield f"{name}: {left_out} cells left out, told {told}"
    ranges = [ends for text in texts if (ends := RANGE.fullmatch(text))]
    if attribute["width"] is not None:
        width = np.median([float(high) - float(low) for low, high in (r.groups() for r in ranges)])
        if abs(width - attribute["width"]) > 0.06 * width:
            yield f"{name}: half of the ranges are at most {width} wide, told {attribute['width']}"


def _equal(text, old):
    if "" in (text, old):
        return text == old
    ends = ends_of(text)
    return ends is not None and ends[0] == ends[1] and abs(ends[0] - float(old)) < 1e-9


def _check_spread(spread, record, file, known):
    name, cells = spread["attribute"], spread["cells"]
    if spread["before"]:
        yield f"{name}: the distribution of the original is published"
    kinds = {one["name"]: one["kind"] for one in record["attributes"]}
    is_number = kinds[name] == "continuous"
    found = [cell_of(text, cells, known, is_number=is_number) for text in file[name].to_list()]
    found = [cell for cell in found if cell is not None]
    for cell, told in zip(cells, spread["after"], strict=True):
        share = 100.0 * found.count(cell) / len(found)
        if abs(share - told) > record["step"] / 2 + 0.06:
            yield f"{name}: {share:.1f} % in {cell}, told {told}"
    missing = {cell for cell in set(found) - set(cells) if found.count(cell) > 0}
    if missing:
        yield f"{name}: nothing is told of {sorted(missing)}"


def _check_sentences(record, file):
    told = " ".join(record["changes"])
    for attribute in record["attributes"]:
        texts = file[attribute["name"]].to_list()
        if f"{attribute['name']} is left out: no record states it" in told and set(texts) - {
            "*",
            "",
        }:
            yield f"{attribute['name']} is in the file"
    moments = {"pil", "il1", "il2", "il3", "il4", "il5"}
    vague = any(
        attribute["kind"] == "continuous"
        and any(text == "*" or RANGE.fullmatch(text) for text in file[attribute["name"]].to_list())
        for attribute in record["attributes"]
    )
    if vague and moments & {one["name"] for one in record["losses"]}:
        yield "measures of means of ranges are published"


if __name__ == "__main__":
    wrong = list(check_release(Path(sys.argv[1]), Path(sys.argv[2])))
    print("\n".join(wrong) or "every statement holds")
    sys.exit(bool(wrong))
