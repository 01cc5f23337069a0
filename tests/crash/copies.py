"""What the tool makes of a dataset: another one, a file or a folder. The same worlds as for those that make one of samples."""
from datasets import ABOUT, TIMES, datasets_of
from worlds import World

JOBS = ["--jobs", "1"]
ONE = ["SELECT * FROM data LIMIT 1", *JOBS]
# By target: the name of what is made, and the command. @NAME is a dataset or folder of datasets.py; @out is the target.
COPIES = {
    "export-zip": ("set.tacozip", ["export", "@zip", "@out", *ONE]),
    "export-folder": ("set", ["export", "@around", "@out", *ONE]),
    "export-new": ("set.tacozip", ["export", "@taco", "@out", *ONE]),
    "convert-zip": ("set.tacozip", ["convert", "@folder", "@out", *JOBS]),
    "convert-folder": ("set", ["convert", "@zip", "@out", *JOBS]),
    "convert-new": ("set.tacozip", ["convert", "@taco", "@out", *JOBS]),
    "convert-old": ("set.tortilla", ["convert", "@zip", "@out", *JOBS]),
    "convert-streaming": ("set.tacozip", ["convert", "@streaming", "@out", *JOBS]),
    "convert-tortilla": ("set.tacozip", ["convert", "@tortilla", "@out", *ABOUT]),
    "convert-parts": ("set.taco", ["convert", "@split", "@out", *JOBS]),
    "concat": ("set.tacozip", ["concat", "@part0", "@part1", "@out", "--id", "all", *JOBS]),
    "replay": ("set.tacozip", ["replay", "@replayed", "@out", "--source", "@zip", *JOBS]),
    "compile-taco": ("set.taco", ["compile", "@taco", "@out", *ONE]),
    "compile-tortilla": ("set.tortilla", ["compile", "@tortilla", "@out", *ONE]),
    "streaming": ("set.taco", ["create", "@rasters", "@out", "--streaming", *ABOUT, *TIMES]),
    "togs": ("set.tacozip", ["create", "@rasters", "@out", "--tog", *ABOUT]),
    "collection": ("set.tacozip", ["create", "@first", "@out", "--collection", "@document", *JOBS]),
    "read": ("a.tif", ["read", "@zip", "@raster", "-o", "@out"]),
    "npy": ("a.npy", ["read", "@zip", "@raster", "--npy", "-o", "@out"]),
    "preview": ("a.png", ["preview", "@zip", "@raster", "-o", "@out"]),
    "csv": ("a.csv", ["query", "@zip", "SELECT * FROM data", "-o", "@out"]),
    "parquet": ("a.parquet", ["query", "@zip", "SELECT * FROM data", "-o", "@out"]),
    "html": ("a.html", ["describe", "@zip", "--as", "html", "-o", "@out"]),
    "descriptions": ("site", ["describe", "@zip", "--as", "all", "-o", "@out"]),
    "stac": ("catalog", ["describe", "@folder", "--as", "stac", "-o", "@out"]),
    "publish": ("site", ["publish", "@zip", "-o", "@out", "--for", "huggingface", *JOBS]),
    "site": ("site", ["site", "@folder", "-o", "@out", "--strict", *JOBS]),
    "geoparquet": ("a.parquet", ["describe", "@zip", "--as", "geoparquet", "-o", "@out"]),
    "stac-geoparquet": ("a.parquet", ["describe", "@zip", "--as", "stac-geoparquet", "-o", "@out"]),
}


class CopyWorld(World):
    """One of COPIES. `-over` replaces what the same command makes of the dataset `flat`, `site` what it makes of `around`."""
    index, min_moves = None, 1

    def __init__(self, tool, scratch, target):
        self.tool, self.scratch = tool, scratch
        self.over = target.endswith("-over")
        self.name, self.words = COPIES[target.removesuffix("-over")]
        datasets = datasets_of(tool)
        self.source = datasets.folder
        self.names = {f"@{name}": path for name, path in datasets.paths.items()}
        self.names |= {"@raster": datasets.raster("zip"), "@first": datasets.paths["rasters"] / datasets.sample("zip"),
                       "@document": datasets.paths["folder"] / "COLLECTION.json"}
        self.old = self.make("old", "An older one") if self.over else None
        self.new = self.make("new", "The new one")

    def command(self, source, path, description):
        is_new = description == "The new one"
        old = self.names["@around" if self.words[0] == "site" else "@flat"]
        inputs = self.names if is_new else dict.fromkeys(self.names, old)
        overwrite = ["--overwrite"] if path.exists() else []
        return [self.tool, *({**inputs, "@out": path}.get(word, word) for word in self.words), *overwrite]

    @property
    def dies_at_once(self):
        """A command that only reads rows ends at the signal, even just before publishing; one that copies samples
        checks between its calls."""
        return self.words[0] == "query"

    @property
    def num_renames(self):
        """The catalogue of STAC and the tables for a viewer get their names in a folder that nobody sees before."""
        return 3 if self.words[0] == "publish" else super().num_renames

    def told(self, out):
        """Of a TOG that cannot be made, the TOG."""
        return str(out) if {"--streaming", "--tog"} & set(self.words) else super().told(out)

    def reasons(self, n, *numbers):
        """One of them: what is written is written as for other targets, where all are tried."""
        return numbers[n % len(numbers):][:1]
