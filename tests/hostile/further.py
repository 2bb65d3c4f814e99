"""More bad situations: packed files, workbooks, devices, keys, plans changed by hand, parts."""

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tests.hostile.situations import Situation, Words, changed, choose, init, mask, protect, put

TEXT = b"a,b\n" + b"1,2\n" * 50
UNTEXT = os.fsdecode(b"\xff.csv")


def workbook(*rows: list[object]) -> bytes:
    import xlsxwriter

    content = io.BytesIO()
    book = xlsxwriter.Workbook(content)
    sheet = book.add_worksheet()
    for number, row in enumerate(rows):
        sheet.write_row(number, 0, row)
    book.close()
    return content.getvalue()


def parquet(**columns: object) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()


def device(name: str, *words: object) -> Callable[[Path], Words]:
    """Call something with a name that leads to a device which never ends."""

    def called(folder: Path) -> Words:
        (folder / name).symlink_to("/dev/zero")
        return tuple(folder / word[1:] if str(word).startswith("@") else word for word in words)

    return called


def key(content: str, mode: int = 0o600) -> Callable[[Path], Words]:
    def words(folder: Path) -> Words:
        put(folder, "key", content).chmod(mode)
        return ("verify", folder / "release", "--key-file", folder / "key")

    return words


def parts(*options: object, verb: str = "protect", **files: bytes) -> Callable[[Path], Words]:
    """Work on a folder of Parquet files."""
    given = files or {"a": parquet(a=[1, 2] * 20, b=[1, 2] * 20)}

    def words(folder: Path) -> Words:
        for name, content in given.items():
            put(folder, f"in/{name}.parquet", content)
        out = () if "--out" in options else ("--out", folder / "out")
        return (verb, folder / "in", "--quasi", "a", *options, *out)

    return words


PACKED = [
    Situation(
        "gzip that is cut short",
        init("a.csv.gz", gzip.compress(TEXT)[:-9]),
        "cannot be unpacked as gz",
    ),
    Situation(
        "bzip2 that is cut short",
        init("a.csv.bz2", bz2.compress(TEXT)[:-9]),
        "cannot be unpacked as bz2",
    ),
    Situation(
        "xz that is cut short",
        init("a.csv.xz", lzma.compress(TEXT)[:-9]),
        "cannot be unpacked as xz",
    ),
    Situation("text that is called gzip", init("a.csv.gz", TEXT), "cannot be unpacked as gz"),
    Situation("nothing, compressed", init("a.csv.gz", gzip.compress(b"")), "is empty; give a file"),
    Situation("zero bytes, compressed", init("a.csv.gz", gzip.compress(bytes(20))), "is not text"),
    Situation("an archive of files", init("a.zip", b"PK"), "is not known by its"),
    Situation(
        "no workbook behind the ending", init("a.xlsx", TEXT), "cannot be read as a workbook"
    ),
    Situation("an empty workbook", init("a.xlsx", b""), "cannot be read as a workbook"),
    Situation(
        "no old workbook behind the ending", init("a.xls", TEXT), "cannot be read as a workbook"
    ),
    Situation(
        "a workbook without records", init("a.xlsx", workbook(["a", "b"])), "hold no records"
    ),
    Situation(
        "a workbook with two columns of one name",
        init("a.xlsx", workbook(["a", "a"], [1, 2])),
        "must name each column once",
    ),
    Situation(
        "an output as an old workbook", mask("-k", 3, out="o.xls"), "workbooks can only be read"
    ),
    Situation("an output as an archive", mask("-k", 3, out="o.csv.zip"), "not known by its"),
    Situation(
        "lists in Parquet",
        init("a.parquet", parquet(a=[[1], [2]])),
        "holds nested or binary values",
    ),
    Situation(
        "bytes in Parquet",
        init("a.parquet", parquet(a=[b"x", b"y"])),
        "holds nested or binary values",
    ),
    Situation("a file whose name is no text", init(UNTEXT, TEXT), "is no text in UTF-8; rename it"),
    Situation(
        "an output whose name is no text",
        mask("-k", 3, out=UNTEXT),
        "is no text in UTF-8; rename it",
    ),
    Situation("a name of 300 letters", mask("-k", 3, out="x" * 300 + ".csv"), "File name too long"),
]

DEVICES = [
    Situation(
        "a device in the place of a file", device("a.csv", "init", "@a.csv"), "there is no file"
    ),
    Situation(
        "a device in the place of a schema",
        device("a.toml", "mask", "@people.csv", "-k", 3, "--schema", "@a.toml", "--out", "@o.csv"),
        "it is a device",
    ),
    Situation(
        "a device in the place of a hierarchy",
        lambda f: device(
            "tree.csv", *mask("-k", 3, schema='[attributes.region]\nhierarchy = "tree.csv"\n')(f)
        )(f),
        "it is a device",
    ),
    Situation(
        "a device in the place of a key",
        device("key", "verify", "@release", "--key-file", "@key"),
        "it is a device",
        run=True,
    ),
    Situation(
        "a hierarchy onto its data",
        lambda f: ("hierarchy", f / "people.csv", "region", "--out", f / "people.csv", "--force"),
        "nothing is written onto an input",
    ),
    Situation(
        "a hierarchy of a column that is not there",
        lambda f: ("hierarchy", f / "people.csv", "height"),
        "no attribute 'height'",
    ),
    Situation(
        "a hierarchy by a rule that is none",
        lambda f: ("hierarchy", f / "people.csv", "age", "--by", "magic"),
        "magic",
    ),
    Situation(
        "a hierarchy in a folder that is not there",
        lambda f: ("hierarchy", f / "people.csv", "age", "--out", f / "no" / "tree.csv"),
        "does not exist; create it first",
    ),
]

PLANS = [
    Situation(
        "a plan changed by hand, and another point",
        choose(changed("plan.toml", b"seed = 5", b"seed = 6")),
        "plan.toml is not as it was released",
        run=True,
    ),
    Situation(
        "a plan changed by hand, and resumed",
        choose(changed("plan.toml", b"seed = 5", b"seed = 6"), verb="resume"),
        "plan.toml is not as it was released",
        run=True,
    ),
    Situation(
        "a key that is not there",
        choose(lambda r: None, "--key-file", "/no/key", verb="verify"),
        "the key /no/key cannot be read",
        run=True,
    ),
    Situation(
        "a key that others may read", key("k" * 32, 0o644), "others may read the key", run=True
    ),
    Situation("a key that can be guessed", key("short"), "has 5 bytes and needs 16", run=True),
    Situation(
        "a promise that is damaged",
        choose(lambda r: put(r, "promise.json", b"{"), verb="verify"),
        "promise.json in",
        run=True,
    ),
    Situation(
        "a release without a log",
        choose(lambda r: (r / "log.jsonl").unlink(), verb="verify"),
        "has no log",
        run=True,
    ),
    Situation(
        "a wish for a risk that is no number",
        choose(lambda r: None, "--pick", "max-risk=nan"),
        "pick must be suggested",
        run=True,
    ),
    Situation(
        "a bound that is no number",
        choose(lambda r: None, "--max-risk", "nan"),
        "max-risk must lie in 0 to 100",
        run=True,
    ),
    Situation(
        "t required that is no number",
        protect("--require", "t=nan"),
        "required t must be in (0, 1]",
    ),
    Situation(
        "half a record required", protect("--require", "k=2.5"), "required k must be a whole number"
    ),
    Situation("k required twice", protect("--require", "k=50,k=2"), "k is required twice"),
]

PARTS = [
    Situation(
        "a folder without Parquet files",
        lambda f: ("mask", put(f, "in/x", "").parent, "--out", f / "o"),
        "holds no file *.parquet",
    ),
    Situation(
        "parts that are no Parquet",
        parts("--require", "k=3", a=b"PAR1"),
        "cannot be read as Parquet",
    ),
    Situation(
        "parts with other columns",
        parts("--require", "k=3", a=parquet(a=[1]), b=parquet(b=[1])),
        "differ from those of",
    ),
    Situation(
        "parts without records", parts("--require", "k=3", a=parquet(a=[])), "holds no records"
    ),
    Situation(
        "parts of which l is required and nothing is confidential",
        parts("--require", "k=3,l=2"),
        "l and t require a confidential attribute",
    ),
    Situation(
        "parts of which a point is picked",
        parts("--require", "k=3", "--searches", "generalization", "--pick", "knee"),
        "chunked files do not support --pick",
    ),
    Situation(
        "parts that are searched for so many seconds",
        parts("--require", "k=3", "--searches", "generalization", "--seconds", "5"),
        "chunked files do not support --seconds",
    ),
    Situation(
        "parts of which t is required of a recipe",
        parts("--require", "k=3,t=0.3"),
        "t cannot be enforced chunk by chunk",
    ),
    Situation(
        "k of parts above the number of records", parts("--require", "k=50"), "choose a smaller k"
    ),
    Situation(
        "parts in a folder that is not there",
        parts("--require", "k=3", "--out", "/no/such"),
        "does not exist; create it first",
    ),
    Situation(
        "parts masked by a method that needs the whole file",
        parts("-m", "rank-swapping", verb="mask"),
        "needs the whole file at once",
    ),
    Situation(
        "parts of a column that is not there",
        parts("--require", "k=3", "--drop", "height"),
        "no column 'height'",
    ),
]

FURTHER = [*PACKED, *DEVICES, *PLANS, *PARTS]
