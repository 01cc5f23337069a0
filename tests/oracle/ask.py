"""What tacore answers, in the form in which reader.py and questions.py answer; and the book of what differs."""
import logging
import random
import re
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from questions import canonical, shown_names
from reader import plain


class Warnings(logging.Handler):
    """What tacore has warned about since `clear`."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []
        self.clear = self.texts.clear
        logging.getLogger("tacore").addHandler(self)
        logging.getLogger("tacore").propagate = False

    def emit(self, record):
        self.texts.append(record.getMessage())


    def cut(self):
        """Columns that a query cannot hold, and says so (docs/deviations.md, 67): their values are not compared."""
        found = (re.match(r"column '(.*)' is .*; a query gives it as ", text, re.DOTALL) for text in self.texts)
        return {match[1] for match in found if match}


WARNINGS = Warnings()


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def cells(frame):
    """{column: canonical values} of a frame or Arrow table, as they show."""
    table = frame if hasattr(frame, "column_names") else frame.to_arrow()
    return {name: [canonical(value) for value in plain(table.column(at))] for at, name in enumerate(table.column_names)}


def expected_cells(rows, types):
    """The same of rows of the oracle."""
    names = list(types)
    shown = shown_names(["id", "type", *names])
    out = {"id": [row.id for row in rows], "type": [("FILE", "FOLDER")[row.folder] for row in rows]}
    for name in names:
        out[shown[name]] = [canonical(row.values[name]) for row in rows]
    return out


def without(answer, names):
    """Cells without some columns."""
    return {name: values for name, values in answer.items() if name not in names} if isinstance(answer, dict) else answer


def ids(frame):
    return frame.to_arrow().column("id").to_pylist()


def at_vsi(path):
    """The bytes that a VSI path of a local file leads to."""
    if path is None:
        return None
    found = re.fullmatch(r"/vsisubfile/(\d+)_(\d+),(.*)", path, re.DOTALL)
    if not found:
        return Path(path).read_bytes()
    offset, size = int(found[1]), int(found[2])
    with open(found[3], "rb") as file:
        file.seek(offset)
        return file.read(size)


def walk(frame, prefix=()):
    """Every sample below a frame: (path, bytes of a FILE or None)."""
    for at, (id, kind) in enumerate(zip(*(frame.to_arrow().column(name).to_pylist() for name in ("id", "type")))):
        path = prefix + (id,)
        if kind == "FOLDER":
            yield path, None
            yield from walk(frame.read(at), path)
        else:
            yield path, frame.read_bytes(at)


def expected_walk(rows):
    for row in rows:
        yield row.path, None if row.folder else row.bytes()
        if row.folder:
            yield from expected_walk(row.children)


def answer(ask):
    """What a call gives, or the text of its error, which is an answer too."""
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Book:
    """Counts what was compared, and prints what differs: property, seed, dataset, question, expected and found."""

    def __init__(self):
        self.count, self.failures, self.seed = 0, {}, None

    def compare(self, name, path, question, found, expected):
        self.count += 1
        if found == expected:
            return True
        self.fail(name, path, question, found, expected)
        return False

    def fail(self, name, path, question, found, expected):
        of_name = self.failures.setdefault(name, [])
        of_name.append(self.seed)
        if len(of_name) <= 3:
            print(f"\nFAILED {name}: seed {self.seed}, {path}\n  question: {question}\n  expected: {short(expected)}\n"
                  f"  found:    {short(found)}\n  differs:  {short(difference(found, expected))}", flush=True)

    def attempt(self, name, path, question, ask, expected):
        """As compare, where asking may fail."""
        return self.compare(name, path, question, answer(ask), expected)

    def close(self, what):
        print(f"{what}: {self.count} answers compared, {sum(map(len, self.failures.values()))} differ")
        for name, seeds in sorted(self.failures.items()):
            print(f"  {name}: {len(seeds)} in the seeds {short(sorted(set(map(str, seeds))), 120)}")
        return 1 if self.failures else 0


def difference(found, expected):
    """The first place at which two answers differ."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in {**expected, **found}:
            if found.get(name) != expected.get(name):
                return name, difference(found.get(name), expected.get(name))
    if isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(found) != len(expected):
            return f"{len(found)} values instead of {len(expected)}"
        for at, (one, other) in enumerate(zip(found, expected)):
            if one != other:
                return f"value {at}", difference(one, other)
    return f"{short(found, 100)} instead of {short(expected, 100)}"


def short(value, most=400):
    text = repr(value) if not isinstance(value, str) else value
    return text if len(text) <= most else text[:most] + f"... ({len(text)} characters)"


def run(what, rounds, one_round, arguments, before=None):
    """Calls before(book, rng), then goes through seeds, and exits. `--seed N` is that one alone, `--rounds K` are that many;
    `--long` takes a hundred times as many, from the clock. Datasets of seeds that fail are left where the message says."""
    first, count = 1, rounds
    if "--long" in arguments:
        first, count = int(time.time()) % 10 ** 8, 100 * rounds
        print(f"{what}: {count} rounds from seed {first}", flush=True)
    if "--seed" in arguments:
        first, count = int(arguments[arguments.index("--seed") + 1]), 1
    if "--rounds" in arguments:
        count = int(arguments[arguments.index("--rounds") + 1])
    book, scratch = Book(), Path(tempfile.mkdtemp(prefix=f"tacore-{what}-"))
    begun = time.monotonic()
    if before and "--seed" not in arguments:
        book.seed = "none"
        before(book, random.Random(0))
    failed_before = sum(map(len, book.failures.values()))
    for seed in range(first, first + count):
        book.seed, folder = seed, scratch / str(seed)
        folder.mkdir()
        try:
            one_round(book, random.Random(seed), folder)
        except Exception as error:
            traceback.print_exc()
            book.fail("ends without an error", folder, "the whole round", f"{type(error).__name__}: {error}", "answers")
        failed = sum(map(len, book.failures.values()))
        if failed == failed_before:
            shutil.rmtree(folder)
        failed_before = failed
    if not book.failures:
        shutil.rmtree(scratch)
    print(f"{count} seeds in {time.monotonic() - begun:.0f} s")
    sys.exit(book.close(what))
