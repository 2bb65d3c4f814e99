"""What the ending of a file's name tells: its format, and whether its text is compressed."""

import bz2
import gzip
import lzma
from pathlib import Path
from zlib import error as ZlibError  # noqa: N812

from evomask.errors import FileError

TABS = ".tsv"
TEXT = (".csv", TABS, ".txt")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx",)
EXCEL_READ = (".xls", ".xlsb", ".xlsm", ".ods")
"""Workbooks that are only read."""
COMPRESSED = (".gz", ".bz2", ".xz")
PACKED = tuple(text + packed for text in TEXT for packed in COMPRESSED)

DAMAGED = (OSError, EOFError, ValueError, lzma.LZMAError, ZlibError)


def ending_of(path: Path) -> str:
    """The ending that tells the format: ``.csv`` of people.csv and of people.csv.gz."""
    ending = path.suffix.lower()
    if ending in COMPRESSED and Path(path.stem).suffix.lower() in TEXT:
        return Path(path.stem).suffix.lower()
    return ending


def compression_of(path: Path) -> str:
    """The ending that tells how a text file is compressed; nothing where it is not."""
    return path.suffix.lower() if ending_of(path) != path.suffix.lower() else ""


def content_of(path: Path, name: str = "") -> bytes:
    """The bytes of a text file, unpacked where its name says that it is compressed."""
    compression, content = compression_of(Path(name or path)), path.read_bytes()
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    if not compression:
        return content
    try:
        return unpack[compression](content)
    except DAMAGED:
        raise FileError(f"{path} cannot be unpacked as {compression[1:]}; check it") from None


def packed(content: bytes, compression: str) -> bytes:
    """The same bytes, compressed as an ending says; the same whenever it is done."""
    if compression == ".gz":
        return gzip.compress(content, mtime=0)
    if compression == ".bz2":
        return bz2.compress(content)
    return lzma.compress(content) if compression == ".xz" else content
