"""Invalid and unusual tables, each with a word that the message about it contains."""

from __future__ import annotations

import gzip
import pickle
import random
from dataclasses import dataclass

__all__ = ["COMMANDS", "REPORT", "STRANGE", "TABLES", "Bad", "content"]


@dataclass(frozen=True)
class Bad:
    """A table, the class column to ask for, what the line on standard error says, and who has no trouble with it."""

    data: bytes
    says: str
    target: str = "y"
    name: str = "bad.csv"
    fine_for: tuple[str, ...] = ()


def content(rows: int = 40, columns: int = 2) -> bytes:
    """A sound table of numbers with the class y."""
    draw = random.Random(0)
    lines = [",".join([*(f"x{j}" for j in range(columns)), "y"])]
    for i in range(rows):
        lines.append(",".join([*(f"{draw.random() + i % 2:.3f}" for _ in range(columns)), "ab"[i % 2]]))
    return ("\n".join(lines) + "\n").encode()


def _continuous() -> bytes:
    draw = random.Random(1)
    return ("a,y\n" + "".join(f"{draw.random():.4f},{draw.random():.6f}\n" for _ in range(3000))).encode()


TABLES = {
    "empty file": Bad(b"", "empty"),
    "only blanks": Bad(b"   \n\n  \n", "empty"),
    "header only": Bad(b"a,y\n", "no rows"),
    "one class": Bad(
        b"a,y\n1,x\n2,x\n3,x\n4,x\n", "needs at least two classes", fine_for=("audit", "explore", "trace")
    ),
    "misspelt target": Bad(b"length,species\n1,a\n2,b\n", "did you mean 'species'", target="specis"),
    "target not there": Bad(content(), "no column 'salary'", target="salary"),
    "position not there": Bad(content(), "position 99", target="99"),
    "continuous target": Bad(_continuous(), "numbers", fine_for=("audit", "explore", "train", "evaluate", "tune")),
    "target all missing": Bad(b"a,y\n1,\n2,\n3,\n4,\n", "No row has a value", fine_for=("audit",)),
    "binary garbage": Bad(random.Random(2).randbytes(4000), "bad.csv"),
    "a picture": Bad(b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(500), "bad.csv"),
    "a pickle": Bad(pickle.dumps({"a": list(range(100))}), "bad.csv"),
    "a broken parquet": Bad(b"PAR1" + bytes(200) + b"PAR1", "bad.parquet", name="bad.parquet"),
    "a broken gzip": Bad(gzip.compress(content())[:60], "bad.csv.gz", name="bad.csv.gz"),
    "a broken spreadsheet": Bad(b"PK\x03\x04" + bytes(100), "bad.xlsx", name="bad.xlsx"),
    "broken json lines": Bad(b'{"a": 1, "y": "b"}\n{"a": \n', "bad.jsonl", name="bad.jsonl"),
    "broken arff": Bad(
        b"@relation r\n@attribute a numeric\n@attribute y {a,b}\n@data\n1,c\n", "bad.arff", name="bad.arff"
    ),
    "ragged rows": Bad(b"a,y\n1,x\n2,y,z\n3,x\n", "3 fields"),
    "repeated names": Bad(b"a,a,y\n1,2,x\n3,4,z\n", "'a'"),
    "an open quote": Bad(b'a,y\n"1,x\n2,z\n', "bad.csv"),
    "only the class": Bad(b"y\nx\nz\nx\nz\n", "no column to learn from", fine_for=("audit", "explore")),
    "every column missing": Bad(
        b"a,b,y\n,,x\n,,z\n,,x\n,,z\n", "no column to learn from", fine_for=("audit", "explore")
    ),
}

# A command by name, with what it takes beside the table and the target to be quick.
COMMANDS = {
    "audit": ["audit", "{table}"],
    "explore": ["explore", "{table}"],
    "train": ["train", "{table}", "--out", "{folder}/m.vaglio"],
    "evaluate": ["evaluate", "{table}", "--folds", "2"],
    "compare": ["compare", "{table}", "--learner", "c45", "--learner", "naive-bayes", "--folds", "2", "--jobs", "1"],
    "tune": ["tune", "{table}", "--folds", "2", "--trials", "1", "--jobs", "1", "--out", "{folder}/m.vaglio"],
    "select": [
        "select",
        "{table}",
        "--learner",
        "c45",
        "--strategy",
        "quick",
        "--jobs",
        "1",
        "--out",
        "{folder}/m.vaglio",
    ],
    "trace": ["trace", "{table}", "--learner", "id3"],
}
# Only for tables that are refused: a whole report takes seconds.
REPORT = ["report", "{table}", "--learner", "c45", "--out", "{folder}/r.html"]

# Strange, but every command can do something with them.
STRANGE = {
    "10 000 columns": content(rows=24, columns=10_000),
    "free text": b"review,n,y\n"
    + b"".join(
        b"the %s film number %d was very %s indeed,%d,%s\n"
        % ((b"good", i, b"nice", i, b"a") if i % 2 else (b"bad", i, b"dull", i * 3, b"b"))
        for i in range(30)
    ),
    "unicode": "größe,città 都市,y\n".encode()
    + b"".join("{},{},{}\n".format(i, "aé都"[i % 3], "sìn°"[i % 2 :: 2]).encode() for i in range(30)),
    "latin-1": "straße,y\n".encode("latin-1")
    + b"".join("{},{}\n".format("äöü"[i % 3], "ß" * (1 + i % 2)).encode("latin-1") for i in range(30)),
    "a byte order mark": b"\xef\xbb\xbf" + content(),
    "windows lines": content().replace(b"\n", b"\r\n"),
    "semicolons and commas": b"a;y\n" + b"".join(b"%d,5;%s\n" % (i, b"pq"[i % 2 : i % 2 + 1]) for i in range(30)),
    "very long cells": b"a,b,y\n"
    + b"".join(b"%s,%d,%s\n" % (b"pq"[i % 2 : i % 2 + 1] * 20_000, i, b"xz"[i % 2 : i % 2 + 1]) for i in range(24)),
    "names with spaces and quotes": b'"a ""b"" $c",y y\n'
    + b"".join(b"%d,%s\n" % (i % 7, b"pq"[i % 2 : i % 2 + 1]) for i in range(30)),
    "yes, YES and Yes": b"a,y\n"
    + b"".join(
        b"%s,%s\n" % ((b"yes", b"YES", b"Yes", b"no", b"NO")[i % 5], b"pq"[i % 5 // 3 :][:1]) for i in range(30)
    ),
    "true, TRUE and True": b"a,y\n"
    + b"".join(b"%s,%s\n" % ((b"true", b"TRUE", b"True", b"false")[i % 4], b"pq"[i % 4 // 3 :][:1]) for i in range(30)),
    "dates": b"when,y\n"
    + b"".join(b"2024-%02d-%02d,%s\n" % (1 + i % 12, 1 + i, b"pq"[i % 2 :][:1]) for i in range(28)),
    "numbers as classes": content().replace(b",a\n", b",0\n").replace(b",b\n", b",1\n"),
    "rare classes": content() + b"0.5,0.5,c\n",
    "numbers with a word": b"a,y\n"
    + b"".join(b"%d,%s\n" % (7 * i, b"xz"[i % 2 : i % 2 + 1]) for i in range(50))
    + b"oops,x\n",
    "infinite numbers": b"a,y\n1,x\ninf,z\n2,x\n3,z\n4,x\n5,z\n7,x\n6,z\n",
    "formulas and markup": b"=1+1,y\n" + b"".join(b"<b>%d[red],%s\n" % (i % 3, b"pq"[i % 2 :][:1]) for i in range(30)),
}
