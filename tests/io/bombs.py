"""Files that unpack to far more than their size; each is written in well under a second."""

import bz2
import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib

import polars as pl
import xlsxwriter

MIB = 2**20
LOCAL = "<4sHHHHHIIIHH"
CENTRAL = "<4sHHHHHHIIIHHHHHII"
END = "<4sHHHHIIH"


def packed_text(path, mebibytes):
    """Records of a table that repeat; compressed members can be concatenated."""
    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[path.suffix]
    header, records = compress(b"age,sex\n"), compress(b"31,f\n" * (MIB // 5))
    path.write_bytes(header + records * mebibytes)
    return path


def workbook(records=60):
    """Bytes of a workbook of three columns."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    sheet = book.add_worksheet()
    for column, name in enumerate("abc"):
        sheet.write_string(0, column, name)
        for row in range(1, records + 1):
            sheet.write_number(row, column, row * (column + 1) % 7)
    book.close()
    return buffer.getvalue()


def change_member(content, name, change):
    """Change one member of an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for member in old.infolist():
            own = old.read(member)
            new.writestr(member, change(own) if member.filename == name else own)
    return buffer.getvalue()


def far_cell(path, place="XFD1048576"):
    """A workbook of 60 records and one stray cell."""
    row = re.search(r"\d+", place)[0].encode()

    def change(sheet):
        before, last = sheet.rsplit(b"<row ", 1)
        last = last.replace(b'r="61"', b'r="' + row + b'"', 1).replace(b"C61", place.encode())
        return before + b"<row " + last

    path.write_bytes(change_member(workbook(), "xl/worksheets/sheet1.xml", change))
    return path


def large_cell(path, mebibytes, claimed=None):
    """A workbook whose only text has so many letters A; its directory may claim another size."""
    parts = dict(_parts(workbook()))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b"A" * MIB) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.compress(b"</t></si></sst>") + packer.flush()
    packed, size = first + block * mebibytes + last, len(start) + mebibytes * MIB + 15
    body, directory = b"", b""
    for name, own in parts.items():
        is_large = name == "xl/sharedStrings.xml"
        content = packed if is_large else own
        sizes = (len(content), (claimed or size) if is_large else len(own))
        method, mark = (8, 0) if is_large else (0, zlib.crc32(own))
        known = (20, 0, method, 0, 33, mark, *sizes, len(name), 0)
        directory += struct.pack(CENTRAL, b"PK\1\2", 20, *known, 0, 0, 0, 0, len(body))
        directory += name.encode()
        body += struct.pack(LOCAL, b"PK\3\4", *known) + name.encode() + content
    end = struct.pack(END, b"PK\5\6", 0, 0, len(parts), len(parts), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


def _parts(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(member.filename, archive.read(member)) for member in archive.infolist()]


def wide_sheet(path):
    """An OpenDocument sheet whose cells lie in opposite corners."""
    row = (
        '<table:table-row table:number-rows-repeated="90000"><table:table-cell/></table:table-row>'
    )
    cell = '<table:table-cell office:value-type="float" office:value="1"/>'
    far = f'<table:table-cell table:number-columns-repeated="1000"/>{cell}'
    names = ("office", "table")
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            "<manifest:manifest xmlns:manifest="
            '"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            '<manifest:file-entry manifest:full-path="/" manifest:media-type='
            '"application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="s"><table:table-row>{cell}</table:table-row>{row}'
            f"<table:table-row>{far}</table:table-row></table:table></office:spreadsheet>"
            "</office:body></office:document-content>",
        )
    return path


def repeating_parquet(path, millions):
    """A Parquet file of so many equal records in a few kilobytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    group = pa.table({"a": pl.repeat(7, 10**6, eager=True).to_arrow()})
    with pq.ParquetWriter(path, group.schema, compression="zstd") as writer:
        for _ in range(millions):
            writer.write_table(group)
    return path
