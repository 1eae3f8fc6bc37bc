"""Where a table comes from, and its format; paths, pipes and open files that cannot be read, or change meanwhile."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import threading
import zipfile
from functools import partial

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from vaglio.errors import InputError, ReadError
from vaglio.table import read, read_chunks
from vaglio.table.readers import source
from vaglio.table.readers.capacity import Limits

from .frames import FRAME

READERS = [read, lambda source: list(read_chunks(source))]


def test_files_that_are_not_what_their_name_says(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(
        ReadError, match=r"t.parquet has the extension of Parquet but holds CSV text. Rename it, or set format='csv'"
    ):
        read(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", format="csv").shape == (1, 2)
    FRAME.to_parquet(tmp_path / "t.csv")
    with pytest.raises(ReadError, match=r"t.csv has the extension of CSV text but holds Parquet"):
        read(tmp_path / "t.csv")
    (tmp_path / "a.arff").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"has the extension of ARFF but holds CSV text"):
        read(tmp_path / "a.arff")


def test_paths_that_cannot_be_read(tmp_path):
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"no file .*trian.csv. Check the path \(did you mean train.csv"):
        read(tmp_path / "trian.csv")
    with pytest.raises(ReadError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(InputError, match="format must be csv, parquet"):
        read(tmp_path / "train.csv", format="xml")


def test_zip_archives_are_not_taken_for_spreadsheets(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as out:
        out.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"holds a zip archive, not a table\. Unpack it first"):
        read(tmp_path / "t.zip")


def test_open_files_and_paths_give_the_same_table(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with open(tmp_path / "t.csv") as text, open(tmp_path / "t.csv", "rb") as raw:
        assert read(text) == read(raw) == read(str(tmp_path / "t.csv"))


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_named(tmp_path, reader):
    (tmp_path / "broken.csv").symlink_to(tmp_path / "nowhere.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "blank.csv").write_bytes(b" \n" * 10_000)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.csv"))
        for path, said in [
            (tmp_path, "is a directory. Name one file in it"),
            (tmp_path / "broken.csv", "is a link to .*nowhere.csv, which does not exist"),
            (tmp_path / "loop.csv", "cannot be opened"),
            (tmp_path / "s.csv", "is a device, not a file"),
            (tmp_path / "absent" / "t.csv", "the folder .* does not exist either"),
            (tmp_path / "empty.csv" / "t.csv", "cannot be opened"),
            (tmp_path / "empty.csv", "is empty"),
            (tmp_path / "blank.csv", "is empty"),
            ("/dev/zero", "is a device, not a file"),
            ("/dev/null", "is a device, not a file"),
            ("a\0b.csv", "cannot be opened"),
            ("\ud800.csv", "cannot be opened"),
            ("x" * 300 + ".csv", "cannot be opened"),
        ]:
            with pytest.raises(ReadError, match=said):
                reader(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_permissions_are_named(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.csv").chmod(0)
    with pytest.raises(ReadError, match="no permission to read"):
        read(tmp_path / "t.csv")


@pytest.mark.parametrize("reader", READERS)
def test_failures_of_the_system_are_one_sentence(tmp_path, monkeypatch, reader):
    (tmp_path / "t.csv").write_text("a\n1\n")

    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(source.os, "stat", denied)
    with pytest.raises(ReadError, match="no permission to read"):
        reader(tmp_path / "t.csv")


def test_a_pipe_is_read_and_one_without_a_writer_is_refused(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.csv")
    monkeypatch.setattr(source, "_PATIENCE", 0.05)
    for reader in READERS:
        with pytest.raises(ReadError, match="No program writes into the pipe"):
            reader(tmp_path / "pipe.csv")
    monkeypatch.setattr(source, "_PATIENCE", 30.0)
    for reader in READERS:
        writer = threading.Thread(target=(tmp_path / "pipe.csv").write_text, args=("a,b\n1,x\n2,y\n",))
        writer.start()
        found = reader(tmp_path / "pipe.csv")
        writer.join()
        assert (found if reader is read else found[0]).shape == (2, 2)


class Endless(io.RawIOBase):
    """An open file without an end."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        buffer[:] = b"1\n" * (len(buffer) // 2) + b"1" * (len(buffer) % 2)
        return len(buffer)


def test_what_has_no_end_is_refused_at_the_limit():
    with pytest.raises(ReadError, match=r"at least .* bytes, more than the limit bytes = 3,000,000"):
        read(Endless(), limits={"bytes": 3_000_000})
    with pytest.raises(ReadError, match="more than the limit bytes = 3,000,000"):
        list(read_chunks(io.BufferedReader(Json()), limits={"bytes": 3_000_000}))


class Json(Endless):
    """A JSON line without an end."""

    def readinto(self, buffer) -> int:
        buffer[:] = b"{" * len(buffer)
        return len(buffer)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    """A map of the file would end the process: the system has no bytes behind the addresses."""
    (tmp_path / "t.csv").write_bytes(b"a\n" + b"1\n" * 10_000)
    with source.open_file(tmp_path / "t.csv") as file:
        size = source.regular_size(file)

        class Shrinking:
            def fileno(self):
                return file.fileno()

            def read(self, wanted):
                assert wanted == size
                os.truncate(tmp_path / "t.csv", 10)
                return file.read(wanted)

        with pytest.raises(ReadError, match="became shorter while it was read"):
            source.read_file(Shrinking(), "t.csv", Limits())


@pytest.mark.skipif(not hasattr(os, "preadv"), reason="this system reads a file by one thread")
def test_a_large_file_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_LARGE", 1)
    monkeypatch.setattr(source, "_PART", 7)
    path = tmp_path / "t.csv"
    for size in (1, 6, 7, 8, 1000):
        data = bytes(random.Random(size).randbytes(size))
        path.write_bytes(data)
        with source.open_file(path) as file:
            found = source.read_file(file, "t.csv", Limits())
        assert not isinstance(found, bytes)
        assert bytes(found) == data == found[:]
    with source.open_file(path) as file:
        monkeypatch.setattr(source, "regular_size", lambda file: 1001)
        with pytest.raises(ReadError, match="became shorter while it was read"):
            source.read_file(file, "t.csv", Limits())


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,x\n2,y\n".encode("utf-16"),
        b"\xef\xbb\xbfa;b\n1,5;x\n",
        b'a,b\n1,"x\ny"\n',
        b'[{"a": 1}, {"a": 2}]',
        b'{"a": 1}\n{"a": 2}\n{"a": 3}\n',
        b'{"a": 1}\n{"a": "x"}\n',
        b'{"a": 1}\n{"a": {"b": 1}}\n{"a": 2',
        b"@relation t\n@attribute a numeric\n@data\n1\n",
        gzip.compress(b"a,b\n1,x\n", mtime=0),
        b"a,b\n1,caf\xe9\n",
        b"a,b\n1,2,3\n",
    ],
)
def test_a_large_file_of_any_format_is_read_like_a_small_one(tmp_path, monkeypatch, content):
    path = tmp_path / "t"
    path.write_bytes(content)

    def outcome(kind="table"):
        try:
            table = read(path, kind=kind)
        except ReadError as error:
            return str(error)
        return table.columns, [table.column(name).values.tolist() for name in table.columns], table.remarks

    small = outcome(), outcome("transactions")
    monkeypatch.setattr(source, "_LARGE", 1)
    assert (outcome(), outcome("transactions")) == small


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_a_table_does_not_depend_on_its_file_any_more(tmp_path, form):
    path = tmp_path / f"t.{form}"
    table = pa.table({"a": [1.0, 2.0] * 5000, "b": ["x", "y"] * 5000})
    if form == "parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="uncompressed")
    for found in (read(path), *read_chunks(path, rows=10_000)):
        os.truncate(path, 100)
        assert found["a"].sum() == 15_000
        assert found["b"][-1] == "y"
        for reader in READERS:
            with pytest.raises(ReadError, match="damaged or incomplete"):
                reader(path)
        (parquet.write_table if form == "parquet" else feather.write_feather)(table, path)


def test_open_files_that_cannot_be_read_are_one_sentence(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a\n\xff\n")
    with open(tmp_path / "t.csv", encoding="utf-8") as text, pytest.raises(ReadError, match="not valid text"):
        read(text)
    with open(tmp_path / "t.csv", encoding="ascii", errors="surrogateescape") as text:  # noqa: SIM117
        with pytest.raises(ReadError, match="not valid text"):
            read(text)
    with open(tmp_path / "t.csv", "ab") as written, pytest.raises(ReadError, match="Open it for reading"):
        read(written)
    closed = io.BytesIO(b"a\n1\n")
    closed.close()
    with pytest.raises(ReadError, match="cannot be read"):
        read(closed)
    with pytest.raises(ReadError, match="Open it in binary mode"):
        list(read_chunks(io.StringIO("a\n1\n")))


PACKED = {"gzip": partial(gzip.compress, mtime=0), "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("form", PACKED)
def test_packed_files_are_read_and_damaged_ones_are_named(form, tmp_path):
    data = PACKED[form](b"a,b\n" + b"1,2\n" * 1000)
    path = tmp_path / "t.csv.packed"
    path.write_bytes(data)
    for reader in READERS:
        found = reader(path)
        assert sum(map(len, found if isinstance(found, list) else [found])) == 1000
        for cut in (12, 40):
            with pytest.raises(ReadError, match=f"is {form} but damaged"):
                reader(io.BytesIO(data[:cut]))


NO_TABLES = {
    "a picture": [b"\x89PNG\r\n\x1a\n\0", b"\xff\xd8\xff\xe0\0\x10JFIF", b"<svg xmlns='x'><g/></svg>", b"GIF89a\0"],
    "XML": [b"<?xml version='1.0'?><a><b>1</b></a>", b"<root><x>1</x></root>"],
    "a graph": [
        b"<?xml version='1.0'?>\n<!-- made --><graphml xmlns=''><node/></graphml>",
        b"digraph G {\n a -> b;\n}",
        b"graph { a -- b }",
        b"Creator x\ngraph [\n node [ id 1 ]\n]",
        b"@prefix a: <x> .\n",
        b"*Vertices 3\n1 a\n",
    ],
    "a spreadsheet in XML": [b"<?xml version='1.0'?><Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'>"],
    "a zip archive": [b"PK\x03\x04aaaa"],
    "an archive": [b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07"],
    "PDF": [b"%PDF-1.4"],
    "an SQLite database": [b"SQLite format 3\0"],
    "data of R": [gzip.compress(b"RDX3\nX\n\0\0\0", mtime=0)],
    "data of another program": [b"<stata_dta><header>", b"\x80\x04\x95aa", b"\x89HDF\r\n\x1a\n"],
    "a NumPy array": [b"\x93NUMPY\x01\0"],
    "a model": [b'\x10\0\0\0\0\0\0\0{"__metadata__": {}}'],
    "binary data in an unknown format": [b"a\0\1\2\0b,c"],
}


@pytest.mark.parametrize("what", NO_TABLES)
def test_what_is_no_table_is_named_with_advice(what):
    for content in NO_TABLES[what]:
        for reader in READERS:
            with pytest.raises(ReadError, match=rf"holds {what}, not a table\. \w.*\.$"):
                reader(io.BytesIO(content))


@pytest.mark.parametrize(
    "first", ["graph [unit],b", "orchid,b", "<5,>6", "Graph,n", "BMI,b", "<NA>,x", "RDX,ORC", "BZh,b"]
)
def test_names_that_begin_as_other_formats_do_are_names(first):
    assert read(io.BytesIO(f"{first}\n1,2\n3,4\n".encode())).columns == tuple(first.split(","))


def test_lines_of_utf_8_in_a_text_of_latin_1_are_read_as_such():
    words = ["naïve café", "perché no", "Zoë Größe", "plain"] * 50
    lines = [f"{word};{n}\n".encode("utf-8" if n % 50 == 6 else "cp1252") for n, word in enumerate(words)]
    for reader in (read, lambda file: next(read_chunks(file))):
        assert reader(io.BytesIO(b"w;n\n" + b"".join(lines)))["w"].tolist() == words
    assert read(io.BytesIO(b"w;n\n\x81\xe9b;1\na;2\n"))["w"].tolist() == ["\x81éb", "a"]


@pytest.mark.parametrize("encoding", ["utf-7", "unicode_escape", "hex", "no\0name", "nonsense", "idna", "undefined"])
def test_encodings_that_give_no_text_are_refused(encoding):
    with pytest.raises(ReadError):
        read(io.BytesIO(b"a,b\n+2AA-,\\ud800\xff\n"), encoding=encoding)
