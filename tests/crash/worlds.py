"""What the tool writes to, target by target: a source, what is there before, and what is to be there afterwards."""
import base64
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from disturbed import quiet_run, run

ABOUT = ["--id", "chips", "--license", "MIT", "--provider", "Our lab", "--task", "segmentation", "--jobs", "1"]
NAMES = {"folder": "set", "tortilla": "set.tortilla", "taco": "set.taco", "tortilla-set": "set.tortilla"}
INDEXES = {"index": (".tacocat", ["index"]), "index-file": ("__TACOCAT__", ["index", "--single-file"]),
           "collect": ("TACOLLECTION.json", ["collect"])}
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "data" / "landsat.tacozip"


class World:
    """Folders of one target: source, `out` which the tool writes to, and what old and new datasets look like."""
    looks = False  # calls that only look at files are counted, too
    min_moves = 4  # reads and writes of any run, at least
    runs_once = False  # a second run has nothing to do, and says so
    dies_at_once = False  # by a signal, also just before the call that publishes

    def __init__(self, tool, scratch, target):
        self.tool, self.scratch = tool, scratch
        self.over = target.endswith("-over")
        kind = target.removesuffix("-over")
        self.name, self.index = INDEXES.get(kind, (NAMES.get(kind, "set.tacozip"), None))
        self.source = scratch / "source"
        write_source(self.source, kind == "large")
        base = []
        if self.index:
            self.source = self.write_parts(scratch / "parts")
            base = ["--base-path", self.source]
        self.old = self.make("old", "An older one") if self.over else None
        self.new = self.make("new", "The new one")
        if self.name.endswith(("set", ".tacozip")) or self.index:
            quiet_run([self.tool, "validate", scratch / "new" / self.name, "--deep", *base])

    def reasons(self, n, *numbers):
        """The errors with which call n fails, one after the other."""
        return numbers

    def write_parts(self, folder):
        """The inputs of an index: each root of the source in a ZIP of its own."""
        folder.mkdir()
        for root in sorted(self.source.iterdir()):
            (self.scratch / "one").mkdir()
            root.rename(self.scratch / "one" / root.name)
            quiet_run([self.tool, "create", self.scratch / "one", folder / f"{root.name}.tacozip", "--description", "D", *ABOUT])
            shutil.rmtree(self.scratch / "one")
        return folder

    def command(self, source, path, description):
        overwrite = ["--overwrite"] if path.exists() else []
        if not self.index:
            times = ["--datetime", "2020-01-01/2020-12-31"] if path.suffix == ".taco" else []
            return [self.tool, "create", source, path, "--description", description, *ABOUT, *times, *overwrite]
        parts = sorted(source.iterdir())
        chosen = parts if description == "The new one" else parts[:1]
        return [self.tool, *self.index, *chosen, "-o", path.parent, "--jobs", "1", "--quiet", *overwrite]

    def make(self, folder, description):
        (self.scratch / folder).mkdir()
        path = self.scratch / folder / self.name
        quiet_run(self.command(self.source, path, description))
        return content(path)

    def fresh(self, name):
        """A folder to write to, with the old dataset in it."""
        out = self.scratch / name
        out.mkdir()
        if self.over:
            copy = shutil.copytree if (self.scratch / "old" / self.name).is_dir() else shutil.copyfile
            copy(self.scratch / "old" / self.name, out / self.name)
        return out

    def create(self, out, do="", at=0, watch=None, source=None):
        log = out.with_suffix(".log")
        return self.run(self.command(source or self.source, out / self.name, "The new one"), do, at, watch or out, log)

    def run(self, command, do, at, watch, log):
        return run(command, watch, log, do, at, looks=self.looks)

    def state(self, out):
        found = content(out / self.name)
        names = {None: "absent", **({self.old: "old"} if self.over else {}), self.new: "complete"}
        assert found in names, f"{self.name} is neither absent nor old nor complete"
        return names[found]

    @property
    def before(self):
        return "old" if self.over else "absent"

    @property
    def num_renames(self):
        """The last one publishes. The files of an index get their names in a folder that nobody sees before."""
        return len(list((self.scratch / "new" / self.name).iterdir())) + 1 if self.name == ".tacocat" else 1

    def told(self, out):
        """What errors name."""
        return str(out / self.name)

    def leftovers(self, out):
        return sorted(path.name for path in out.rglob("*") if path.parent == out and path.name != self.name or path.suffix == ".part")

    def calls(self):
        """What an undisturbed run does, and which of it publishes the dataset (from 1)."""
        run = self.create(self.fresh("undisturbed"))
        assert run.code == 0, run.errors
        names = [name for name, _ in run.calls]
        assert names.count("rename") == self.num_renames, run.calls
        return run.calls, len(names) - names[::-1].index("rename")


class SetWorld(World):
    """The same of two files that appear together."""

    def command(self, source, path, description):
        return [*super().command(source, path, description), "--split-size", "1KB"]

    def make(self, folder, description):
        (self.scratch / folder).mkdir()
        quiet_run(self.command(self.source, self.scratch / folder / self.name, description))
        return self.content(self.scratch / folder)

    def content(self, folder):
        return tuple((path.name, path.read_bytes()) for path in sorted(folder.glob("set.*"))) or None

    def state(self, out):
        found = self.content(out)
        assert found in (None, self.new), [name for name, _ in found]
        return "complete" if found else "absent"

    def told(self, out):
        return str(out)

    def leftovers(self, out):
        return sorted(path.name for path in out.rglob("*") if not path.name.startswith("set."))

    def calls(self):
        run = self.create(self.fresh("undisturbed"))
        names = [name for name, _ in run.calls]
        assert run.code == 0 and names.count("rename") == 4, run.calls  # in a folder of their own, then out of it
        return run.calls, len(names) - names[::-1].index("rename")


class EditWorld(World):
    """The same of `taco edit` and `taco repair`: the dataset is there, private, and becomes another."""

    def __init__(self, tool, scratch, target):
        _, self.kind, container = target.split("-")
        # Below level 0 the columns of a Tortilla are in nested ones, which stay.
        sample, self.level = ("a", "0") if container in ("taco", "tortilla") else ("a/red", "1")
        self.runs_once = self.kind == "repair"
        self.table = scratch / "table.csv"
        self.table.write_text(f"id,cloud\n{sample},0.5\n")
        self.plan = scratch / "plan.json"
        digest = base64.b64encode(hashlib.sha256(b"red of a").digest()).decode()
        changes = [("split", 0, "train", "test"), ("taco:sha256", 1, {"$base64": digest}, None)]  # of a, and of a/red
        self.plan.write_text(json.dumps({"tacore:repair_plan": 1, "repairs": [
            {"number": level + 1, "level": level, "columns": [column], "confidence": 1, "accepted": True,
             "changes": [{"row": level, "sample": "", "old": [old], "new": [new]}]} for column, level, old, new in changes]}))
        super().__init__(tool, scratch, f"{container}-over")

    def make(self, folder, description):
        if folder == "old":
            return super().make(folder, description)
        out = self.fresh(folder)
        quiet_run(self.command(None, out / self.name, "The new one"))
        return content(out / self.name)

    def fresh(self, name):
        out = super().fresh(name)
        path = out / self.name
        path.chmod(0o700 if path.is_dir() else 0o600)
        return out

    def state(self, out):
        mode = (out / self.name).stat().st_mode
        assert mode & 0o077 == 0, f"it was private, its permissions are {mode:o}"
        return super().state(out)

    def changes(self):
        return ["--set", "title=New"] if self.kind == "title" else ["--columns", str(self.table), "--level", self.level, "--jobs", "1"]

    def command(self, source, path, description):
        if description != "The new one":
            split = ["--extensions", "split=train,sha256"] if self.kind == "repair" else []
            return [*super().command(source, path, description), *split]
        if self.kind == "repair":
            return [self.tool, "repair", path, "--apply", self.plan, "--jobs", "1", "--quiet"]
        return [self.tool, "edit", path, *self.changes()]


class StoreWorld(World):
    """The same of `taco sync`: the dataset comes out of a store, or goes into one."""

    def __init__(self, tool, scratch, target):
        self.store = None
        super().__init__(tool, scratch, target.removeprefix("from-"))
        if target.startswith("from-"):
            self.store = scratch / "store"
            quiet_run([self.tool, "sync", scratch / "new" / self.name, self.store])

    def command(self, source, path, description):
        if not self.store:
            return super().command(source, path, description)
        return [self.tool, "sync", self.store, path, "--jobs", "1", "--quiet", *(["--overwrite"] if path.exists() else [])]

    def put(self, store, do="", at=0):
        """The new dataset into `store`."""
        log = store.with_suffix(".log")
        return self.run([self.tool, "sync", self.scratch / "new" / self.name, store, "--jobs", "1", "--quiet"], do, at, store, log)


class RasterWorld(World):
    """The same of one file made of pixels: `tog`, and `header`, the file of headers beside a dataset."""

    def __init__(self, tool, scratch, target):
        self.tool, self.scratch = tool, scratch
        self.kind, self.over, self.index = target.removesuffix("-over"), target.endswith("-over"), None
        self.name = "new.tif" if self.kind == "tog" else "new.headers"
        self.source = scratch / "source"
        self.source.mkdir()
        dataset = self.source / "set.tacozip"
        shutil.copyfile(EXAMPLE, dataset)
        first = json.loads(subprocess.run([tool, "ls", dataset, "--json"], capture_output=True, check=True).stdout)[0]["id"]
        quiet_run([tool, "read", dataset, first, "-o", self.source / "source.tif"])
        quiet_run([tool, "tog", self.source / "source.tif", self.source / "tiles.tif", "--block-size", "16"])
        quiet_run([tool, "create", self.source, scratch / "other.tacozip", "--description", "D", *ABOUT])
        self.old = self.make("old", "An older one") if self.over else None
        self.new = self.make("new", "The new one")

    def command(self, source, path, description):
        overwrite = ["--overwrite"] if path.exists() else []
        is_new = description == "The new one"
        if self.kind == "tog":
            return [self.tool, "tog", source / "source.tif", path, "--jobs", "1", *overwrite, *([] if is_new else ["--block-size", "32"])]
        dataset = source / "set.tacozip" if is_new else self.scratch / "other.tacozip"
        return [self.tool, "index-tiffs", dataset, "-o", path, "--jobs", "1", "--quiet", *overwrite]


def write_source(folder, large):
    files = {"a/red": b"red of a", "a/green": b"", "b/red": b"red of b", "b/green": b"green of b"}
    if large:
        files = {"one": bytes(range(256)) * (18 << 10), "two": b"small"}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1700000000, 1700000000))


def content(path):
    """What a dataset is, to be compared: None when there is none. A process that is killed may leave an unfinished file."""
    if not path.exists():
        return None
    if path.is_file():
        return path.read_bytes()
    return tuple((str(p.relative_to(path)), p.read_bytes() if p.is_file() else None) for p in sorted(path.rglob("*"))
                 if p.suffix != ".part")
