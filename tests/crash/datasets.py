"""The datasets that the cases read."""
import functools
import json
import subprocess
import tempfile
from pathlib import Path

from disturbed import quiet_run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"
ABOUT = ["--id", "chips", "--license", "MIT", "--provider", "Our lab", "--task", "segmentation", "--description", "D", "--jobs", "1"]
TIMES = ["--datetime", "2020-01-01/2020-12-31"]


class Datasets:
    """Two samples of three rasters, in every container; `flat`, of two rasters; and `rasters`, a folder of the files.

    `folder` goes with this object; nothing else is in it but what is made there. `paths` are by name.
    """

    def __init__(self, tool):
        self.tool = tool
        self.made = tempfile.TemporaryDirectory(prefix="tacore-datasets-")
        self.folder = Path(self.made.name).resolve()
        data, parts = self.folder / "data", self.folder / "data" / "parts"
        parts.mkdir(parents=True)
        self.paths = {
            "zip": data / "set.tacozip", "folder": data / "set", "taco": data / "set.taco", "tortilla": data / "set.tortilla",
            "split": data / "split.0000.part.taco", "streaming": data / "stream.taco", "headed": data / "headed.tacozip",
            "replayed": data / "replayed.tacozip",
            "part0": parts / "part0.tacozip", "part1": parts / "part1.tacozip", "index": parts / ".tacocat", "around": parts,
            "index-file": parts / "__TACOCAT__", "collect": parts / "TACOLLECTION.json",
            "flat": data / "flat.tacozip", "rasters": data / "rasters"}
        self.write()

    def write(self):
        def taco(*words):
            quiet_run([self.tool, *words])
        paths = self.paths
        taco("export", EXAMPLES / "landsat.tacozip", paths["flat"], "SELECT * FROM data LIMIT 2")
        taco("export", EXAMPLES / "landsat_nested.tacozip", paths["zip"], "SELECT * FROM data LIMIT 2")
        for name in ("folder", "taco", "tortilla"):
            taco("convert", paths["zip"], paths[name])
        taco("convert", paths["zip"], paths["zip"].parent / "split.taco", "--split-size", "20KB")
        self.write_rasters()
        taco("create", paths["rasters"], paths["streaming"], "--streaming", *ABOUT, *TIMES)
        for k in range(2):
            taco("export", paths["zip"], paths[f"part{k}"], f"SELECT * FROM data LIMIT 1 OFFSET {k}")
        taco("export", paths["zip"], paths["replayed"], "SELECT * FROM data LIMIT 1", "--provenance")
        for index in (["index"], ["index", "--single-file"], ["collect"]):
            taco(*index, paths["part0"], paths["part1"])
        paths["headed"].write_bytes(paths["zip"].read_bytes())
        taco("index-tiffs", paths["headed"])

    def write_rasters(self):
        for sample in self.ids("zip"):
            (self.paths["rasters"] / sample).mkdir(parents=True)
            for child in self.ids("zip", sample):
                quiet_run([self.tool, "read", self.paths["zip"], f"{sample}/{child}", "-o", self.paths["rasters"] / sample / child])

    @functools.cache
    def ids(self, name, *sample):
        done = subprocess.run([self.tool, "ls", self.paths[name], *sample, "--json"], capture_output=True, check=True)
        return [child["id"] for child in json.loads(done.stdout)]

    def sample(self, name):
        return self.ids(name)[0]

    def raster(self, name):
        """Of the first sample the first child, which is a raster."""
        sample = self.sample(name)
        return f"{sample}/{self.ids(name, sample)[0]}"


@functools.cache
def datasets_of(tool):
    """Made once for all cases of a run."""
    return Datasets(tool)
