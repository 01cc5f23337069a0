"""What the cases of check.py share: datasets of all kinds in a folder, the tool, and what it prints of them."""
import fnmatch
import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))
from tool_server import ToolServer

ABOUT = {"id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
         "providers": [{"name": "Our lab"}], "curators": [{"name": "Ada"}], "tasks": ["segmentation"],
         "extent": {"spatial": [-10, 35, 5, 45], "temporal": ["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]}}

CASES = {}
# Cases that wait for time limits and do little else: check.py runs them beside the others.
WAITING = {"fault/slow"}


def case(function):
    """Makes a case of check.py of a function of the World; `a__b` is called a/b. It returns how many things it looked at."""
    CASES[function.__name__.replace("__", "/").replace("_", "-")] = function
    return function


def in_parallel(function, items):
    """The results of function(*item) for all `items`; all failures are reported together. More threads than processors: most
    of the time the tool waits for a server or for its next try."""
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(function, *item) for item in items]
        errors = [f"{type(done.exception()).__name__}: {done.exception()}" for done in running if done.exception()]
    assert not errors, f"{len(errors)} of {len(items)} failed\n" + "\n".join(errors[:20])
    return [done.result() for done in running]


class Skipped(Exception):
    """Why a case cannot run here."""


@dataclass
class Run:
    code: int
    out: bytes
    errors: str

    def __str__(self):
        return f"exit {self.code}\n{self.out[:2000].decode(errors='replace')}\n{self.errors[:3000]}"


class World:
    def __init__(self, tool, library, scratch):
        self.tool, self.scratch, self.data = tool, scratch, scratch / "data"
        self.data.mkdir()
        (scratch / "home").mkdir()
        # Nothing of whoever runs the tests: no proxy, no key.
        self.environment = {name: value for name, value in os.environ.items()
                            if not re.match(r"(?i)(aws_|hf_|hugging|tacore_|curl_|ssl_cert|.*_proxy$)", name)}
        self.environment |= {"HOME": str(scratch / "home"), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        os.environ.clear()  # also for tacore in this process
        os.environ.update(self.environment)
        self.server = ToolServer(tool, library)
        (scratch / "about.json").write_text(json.dumps(ABOUT))

    # --- The tool ---

    def run(self, *arguments, cwd=None, env=None):
        done = self.server.run([self.tool, *arguments], folder=cwd or self.scratch, variables=env)
        return Run(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def must(self, *arguments, cwd=None):
        done = self.run(*arguments, cwd=cwd)
        assert done.code == 0, f"{arguments}: {done}"
        return done

    def local(self, command, name):
        """What `command` prints of the dataset `name` here. "{}" in it stands for the path of the dataset."""
        key = (*command, name)
        if key not in self._local:
            done = self.run(*(part.replace("{}", name) for part in command), cwd=self.data)
            here = f"{self.data}/"
            self._local[key] = Run(done.code, done.out.replace(here.encode(), b""), done.errors.replace(here, ""))
        return self._local[key]

    _local = {}

    def remote(self, command, name, root, *options, env=None):
        """The same of the copy below `root`, whose name is taken out of what is printed."""
        done = self.run(*(part.replace("{}", f"{root}/{name}") for part in command), *options, env=env)
        return Run(done.code, without_root(done.out.decode("latin-1"), root).encode("latin-1"), without_root(done.errors, root))

    def compare(self, command, name, root, *options, env=None):
        """A command prints of the remote dataset what it prints of the local one, and ends alike."""
        here, there = self.local(command, name), self.remote(command, name, root, *options, env=env)
        assert there.out == here.out, f"{command} of {name} prints here\n{here}\nand there\n{there}"
        assert there.code == here.code, f"{command} of {name} ends here with\n{here}\nand there with\n{there}"
        assert here.code == 0 or there.errors == here.errors, f"{command} of {name} says here\n{here}\nand there\n{there}"

    def commands(self, name):
        """Of the dataset `name`: all that looks at it as a whole, at one of its samples, and at a table."""
        out = [["info", "{}"], ["info", "{}", "--json"], ["ls", "{}"], ["query", "{}", "-f", "csv"], ["validate", "{}", "--json"]]
        path, listed = "", self.local(["ls", "{}", "--json"], name)
        if listed.code:
            return [*out, ["ls", "{}", "--json"]]
        rows = json.loads(listed.out)
        while rows and rows[0]["type"] == "FOLDER":
            path += rows[0]["id"] + "/"
            out.append(["ls", "{}", path[:-1]])
            rows = json.loads(self.local(["ls", "{}", path[:-1], "--json"], name).out)
        if rows:
            out += [["read", "{}", path + rows[-1]["id"]], ["read", "{}", path + rows[-1]["id"], "--vsi"]]
        return out

    # --- Datasets, in self.data ---

    def make_datasets(self):
        for file in (ROOT / "examples" / "data").glob("*.tacozip"):
            shutil.copy(file, self.data)
        shutil.copytree(ROOT / "tests" / "golden", self.data / "golden", ignore=shutil.ignore_patterns("*.py", "*.md"))
        shared = ROOT.parent / "shared" / "golden" / "v2"
        if shared.is_dir():
            shutil.copytree(shared, self.data / "shared")
        else:
            print("those of ../shared/golden are not compared: the folder is not there")
        at = self.data
        self.must("convert", at / "landsat_nested.tacozip", at / "folder")
        self.must("convert", at / "landsat.tacozip", at / "flat")
        for part, rule in (("a", "<"), ("b", ">=")):
            (at / "parts").mkdir(exist_ok=True)
            self.must("export", at / "landsat_nested.tacozip", at / "parts" / f"{part}.tacozip",
                      f"SELECT * FROM data WHERE id {rule} 'tile_r2'", "--id", f"part-{part}")
        for folder in ("indexed", "single", "collected"):
            shutil.copytree(at / "parts", at / folder)
        files = {folder: sorted((at / folder).glob("*.tacozip")) for folder in ("indexed", "single", "collected")}
        self.must("index", *files["indexed"], "--quiet")
        self.must("index", *files["single"], "--single-file", "--quiet")
        self.must("collect", *files["collected"], "--quiet")
        self.make_deep()
        self.make_spread()
        self.make_older()

    def make_deep(self):
        """A FOLDER of three levels."""
        folder = self.scratch / "deep"
        for sample in ("a", "b"):
            (folder / sample / "c").mkdir(parents=True)
            (folder / sample / "c" / "d.bin").write_bytes(b"d" * 10)
        self.must("create", folder, self.data / "deep", "--collection", self.scratch / "about.json")

    def make_spread(self):
        """A ZIP of two levels that is read in several requests: nothing makes these names small."""
        folder, state = self.scratch / "spread", 1
        for _ in range(500):
            name = ""
            for _ in range(8):
                state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
                name += f"{state ^ state >> 29:016x}"
            (folder / name).mkdir(parents=True)
            for file in ("a", "b"):
                (folder / name / file).write_bytes(b"sample")
        self.must("create", folder, self.data / "spread.tacozip", "--collection", self.scratch / "about.json")

    def make_older(self):
        """Datasets before 2.0, of rasters."""
        for k, chip in enumerate("ab"):
            for band in ("red", "nir"):
                file = self.scratch / "chips" / chip / band
                file.parent.mkdir(parents=True, exist_ok=True)
                self.must("read", self.data / "landsat.tacozip", f"tile_r{k}_c0", "-o", file)
        about = ["--collection", self.scratch / "about.json"]
        self.must("create", self.scratch / "chips", self.data / "chips.tortilla")
        self.must("create", self.scratch / "chips", self.data / "chips.taco", *about)
        self.must("create", self.scratch / "chips", self.data / "stream.taco", *about, "--streaming")
        for kind in ("tortilla", "taco"):
            self.must("create", self.scratch / "chips" / "a", self.data / f"flat.{kind}", *about)

    @cached_property
    def dataset_names(self):
        """Paths below self.data. Of golden datasets those whose name says that they are one."""
        made = ["landsat.tacozip", "landsat_nested.tacozip", "folder", "flat", "parts/a.tacozip", "indexed/.tacocat", "indexed",
                "single/__TACOCAT__", "single", "collected/TACOLLECTION.json", "collected", "chips.tortilla", "chips.taco",
                "stream.taco", "flat.tortilla", "flat.taco"]
        found = [str(path.relative_to(self.data)) for folder in ("golden", "shared") for path in (self.data / folder).rglob("*")
                 if path.suffix in (".tacozip", ".zip", ".tortilla", ".taco") or (path / "COLLECTION.json").is_file()]
        return made + sorted(name for name in found if not re.search(r"/DATA/|cascade_tacocat/.*\.tacozip", name))

    # --- What the server saw ---

    def counted(self, server, *command, env=None):
        """The requests of one command, which must succeed."""
        server.clear()
        done = self.run(*command, env=env)
        assert done.code == 0, f"{command}: {done}\n{server.list()}"
        return list(server.requests)


def without_root(text, root):
    """`text` without the place of the datasets, in all forms that the tool prints."""
    bare = root.removeprefix("s3://").removeprefix("hf://")
    for form in (f"/vsicurl/{root}", f"/vsis3/{bare}", f"/vsihf/{bare}", root):
        text = text.replace(f"{form}/", "").replace(form, "")
    return text


def chosen(patterns):
    return [name for name in CASES if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
