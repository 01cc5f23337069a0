#!/usr/bin/env python3
"""How do the ways to train from one dataset compare: samples a second, first batch, memory and requests?

    loader_peers.py BUILD PEER DATASET FOLDER [ROUNDS]     Markdown on stdout; DATASET is of generate.py --kind imagery
    loader_peers.py BUILD PEER DATASET FOLDER --remote [ROUNDS]     over HTTP, at 20 ms; it needs nginx

PEER is a Python with torch, numpy, rasterio, webdataset, litdata, mosaicml-streaming and pylance. Each side stores the same
pixels in its own way, in FOLDER, and is set as its documentation says: shuffled batches of 32, one process with threads, or a
DataLoader of two workers.
Each run is a process, in turns; which goes first rotates. Locally, the page cache is warm and the second epoch counts;
the first batch is of the first epoch, from the moment that the rows are opened. Memory is that of the process and
its workers, without the page cache, half way through the second epoch. Every batch is looked at: a number of it is added up.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH = 32
SHAPE = (13, 256, 256)
SHARD = 100  # samples of a shard of WebDataset
REMOTE = 1000  # samples that are read from a server: an epoch


# The forms of the data.


def arrays(dataset):
    import tacore
    from tacore import raster

    rows = tacore.load(dataset).data
    for row in range(len(rows)):
        yield row, raster.read_tensor(rows, row)


def make_raw(dataset, to):
    with open(to, "wb") as out:
        for _, pixels in arrays(dataset):
            out.write(pixels.tobytes())


def make_shards(dataset, to):
    import io

    import numpy
    import webdataset

    to.mkdir()
    with webdataset.ShardWriter(f"{to}/%03d.tar", maxcount=SHARD, verbose=0) as writer:
        for row, pixels in arrays(dataset):
            saved = io.BytesIO()
            numpy.save(saved, pixels)
            writer.write({"__key__": f"{row:06d}", "npy": saved.getvalue()})


def read_row(row, dataset):
    import tacore
    from tacore import raster

    return raster.read_tensor(tacore.load(dataset).data, row)


def make_litdata(dataset, to):
    import functools

    import litdata
    import tacore

    rows = list(range(len(tacore.load(dataset).data)))
    litdata.optimize(functools.partial(read_row, dataset=str(dataset)), rows, str(to), chunk_bytes="64MB", num_workers=2)


def make_mds(dataset, to):
    from streaming import MDSWriter

    with MDSWriter(out=str(to), columns={"pixels": "ndarray:uint16:" + ",".join(map(str, SHAPE))}) as writer:
        for _, pixels in arrays(dataset):
            writer.write({"pixels": pixels})


def make_lance(dataset, to):
    import lance
    import pyarrow

    schema = pyarrow.schema({"pixels": pyarrow.large_binary()})
    batches = (pyarrow.record_batch([[pixels.tobytes()]], schema) for _, pixels in arrays(dataset))
    lance.write_dataset(pyarrow.RecordBatchReader.from_batches(schema, batches), str(to), schema)


def make_plain(dataset, to):
    """A dataset of uncompressed TIFFs of these pixels."""
    import rasterio
    import tacore
    from tacore.datamodel import Sample, Taco, Tortilla

    about = {"id": "plain", "dataset_version": "1.0.0", "description": "Uncompressed", "licenses": ["CC0-1.0"],
             "providers": [{"name": "tacore"}], "tasks": ["other"]}  # fmt: skip

    def tiff(pixels):
        bands, height, width = pixels.shape
        with rasterio.MemoryFile() as file:
            with file.open(driver="GTiff", count=bands, height=height, width=width, dtype=pixels.dtype,
                           interleave="band", blockysize=height) as out:  # fmt: skip
                out.write(pixels)
            return file.read()

    samples = [Sample(f"s{row:06d}", tiff(pixels)) for row, pixels in arrays(dataset)]
    tacore.create(Taco(Tortilla(samples), **about), to, progress=False)


FORMS = {"plain.tacozip": make_plain, "raw": make_raw, "shards": make_shards, "litdata": make_litdata, "mds": make_mds, "lance": make_lance}


def make(dataset, folder, form):
    """In the peer's process."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"part_{form}"
    FORMS[form](dataset, unfinished)
    unfinished.rename(folder / form)


def megabytes(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files) / 1e6


# The sides. Each is a function of (dataset, folder) that gives batches, and is called once for each epoch.


def tacore_loader(dataset, folder, **options):
    from tacore.loader import Loader

    loader = Loader(dataset, batch_size=BATCH, seed=0, **options)
    return lambda: (batch[0] for batch in loader)


def uncompressed(dataset, folder):
    return tacore_loader(folder / "plain.tacozip", folder)


def blocks(dataset, folder):
    return tacore_loader(dataset, folder, shuffle_block=20)


def small_windows(dataset, folder):
    return tacore_loader(dataset, folder, shuffle_block=20, shuffle_window=4)


def iterable(dataset, folder):
    import torch
    from tacore.loader import TorchIterableDataset

    data = TorchIterableDataset(dataset, batch_size=BATCH, seed=0)
    batches = torch.utils.data.DataLoader(data, batch_size=None)
    return lambda: (batch[0] for batch in batches)


def workers(data):
    import torch

    batches = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True, num_workers=2, persistent_workers=True)
    return lambda: (batch[0] if isinstance(batch, (list, tuple)) else batch for batch in batches)


def map_style(dataset, folder):
    from tacore.loader import TorchDataset

    return workers(TorchDataset(dataset))


def rasterio_files(dataset, folder):
    import rasterio
    import tacore
    import torch

    paths = list(tacore.load(dataset).data["internal:gdal_vsi"])

    class Samples(torch.utils.data.Dataset):
        def __len__(self):
            return len(paths)

        def __getitem__(self, i):
            with rasterio.open(str(paths[i])) as raster:
                return torch.from_numpy(raster.read())

    return workers(Samples())


def web(where):
    import torch
    import webdataset

    data = webdataset.WebDataset(where, shardshuffle=len(where), empty_check=False).shuffle(SHARD)
    data = data.decode().to_tuple("npy").map_tuple(torch.from_numpy).batched(BATCH)
    batches = webdataset.WebLoader(data, batch_size=None, num_workers=2, persistent_workers=True)
    return lambda: (batch[0] for batch in batches)


def web_local(dataset, folder):
    return web(sorted(map(str, (folder / "shards").glob("*.tar"))))


def litdata_chunks(dataset, folder):
    import litdata

    data = litdata.StreamingDataset(str(folder / "litdata"), shuffle=True)
    batches = litdata.StreamingDataLoader(data, batch_size=BATCH, num_workers=2)
    return lambda: iter(batches)


def mds_shards(dataset, folder):
    import streaming
    import torch

    streaming.base.util.clean_stale_shared_memory()
    data = streaming.StreamingDataset(local=str(folder / "mds"), shuffle=True, batch_size=BATCH)
    batches = torch.utils.data.DataLoader(data, batch_size=BATCH, num_workers=2, persistent_workers=True)
    return lambda: (batch["pixels"] for batch in batches)


def stacked(rows):
    import numpy
    import torch

    return torch.from_numpy(numpy.stack([numpy.frombuffer(row["pixels"], numpy.uint16).reshape(SHAPE) for row in rows]))


def lance_rows(dataset, folder):
    from lance.torch.data import SafeLanceDataset, get_safe_loader

    rows = SafeLanceDataset(str(folder / "lance"))
    batches = get_safe_loader(rows, batch_size=BATCH, shuffle=True, num_workers=2, collate_fn=stacked)
    return lambda: iter(batches)


def memmap(dataset, folder):
    import numpy
    import torch

    pixels = numpy.memmap(folder / "raw", numpy.uint16, "r").reshape(-1, *SHAPE)
    random = numpy.random.default_rng(0)

    def epoch():
        order = random.permutation(len(pixels))
        for begin in range(0, len(order), BATCH):
            yield torch.from_numpy(pixels[order[begin : begin + BATCH]])

    return epoch


LOCAL = {
    "Loader": tacore_loader,
    "TorchIterableDataset": iterable,
    "TorchDataset, 2 workers": map_style,
    "Loader, uncompressed TIFFs": uncompressed,
    "WebDataset npy, 2 workers": web_local,
    "LitData, 2 workers": litdata_chunks,
    "MDS, 2 workers": mds_shards,
    "Lance binary, 2 workers": lance_rows,
    "rasterio, DataLoader of 2 workers": rasterio_files,
    "memmap of raw pixels": memmap,
}


# Sides of a server. `dataset` and `folder` are URLs.


def web_remote(dataset, folder):
    return web([f"pipe:curl -s {folder}/shards/{number:03d}.tar" for number in range(10)])


OVER_HTTP = {
    "Loader": tacore_loader,
    "Loader, blocks of 20": blocks,
    "Loader, blocks of 20, windows of 4": small_windows,
    "WebDataset npy, 2 workers": web_remote,
}


# Measurements, in the process of a side.


def memory_mb():
    """Of this process and its workers, without pages of files: pages that they share count once."""
    total = 0
    children = [int(pid) for pid in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()]
    for pid in [os.getpid(), *children]:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                total += int(line.split()[1])
    return total / 1024


def looked_at(batch):
    """Samples of a batch, of whose pixels some are read as a training would."""
    pixels = batch.numpy() if hasattr(batch, "numpy") else batch
    return len(pixels), int(pixels[:, :, ::64, ::64].sum())


def run(side, dataset, folder, is_remote):
    import torch

    torch.set_num_threads(1)
    began = time.perf_counter()
    epoch = (OVER_HTTP if is_remote else LOCAL)[side](dataset, folder)
    most = REMOTE if is_remote else 10**9
    for number in range(1 if is_remote else 2):
        started, count, memory = time.perf_counter(), 0, 0
        for batch in epoch():
            if number == 0 and count == 0:
                print("first", round(time.perf_counter() - began, 2))
            count += looked_at(batch)[0]
            if count >= most:
                break
            if memory == 0 and count >= 500:
                memory = memory_mb()
    print("samples_per_second", round(count / (time.perf_counter() - (began if is_remote else started)), 1))
    print("mb", round(memory or memory_mb()), flush=True)
    os._exit(0)  # workers are not waited for


def measured(build, peer, side, dataset, folder, *more):
    command = [peer, __file__, "--side", side, dataset, folder, *more]
    environment = {**os.environ, "PYTHONPATH": str(build / "python")}
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    return {name: float(value) for name, value in (line.split() for line in out.splitlines())}


def in_turns(sides, rounds, measure):
    results = {side: [] for side in sides}
    for turn in range(rounds):
        names = list(sides)
        for side in names[turn % len(names) :] + names[: turn % len(names)]:
            results[side].append(measure(side))
    columns = ["samples_per_second", "first", "mb", *(["requests"] if "requests" in results[names[0]][0] else [])]
    print("| side | samples/s best | median | first batch s | MB |" + (" requests |" if len(columns) > 3 else ""))
    print("|" + " --- |" * (len(columns) + 2))
    for side, runs in results.items():
        middle = {name: statistics.median(run[name] for run in runs) for name in columns}
        best = max(run["samples_per_second"] for run in runs)
        row = f"{side} | {best:.0f} | {middle['samples_per_second']:.0f} | {middle['first']:.2f} | {middle['mb']:.0f}"
        print(f"| {row} |" + (f" {middle['requests']:.0f} |" if len(columns) > 3 else ""), flush=True)
    print(f"\n{os.cpu_count()} cores; load {os.getloadavg()[0]:.1f} at the end; N = {rounds}")


def warm(*files):
    for path in files:
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass


def over_http(build, peer, dataset, folder, rounds):
    from latency_proxy import Proxy
    from web_server import WebServer

    link = folder / "chips.tacozip"
    if not link.exists():
        link.symlink_to(dataset)
    with tempfile.TemporaryDirectory() as home, WebServer(folder, home) as server, Proxy(server.port, 20) as proxy:

        def measure(side):
            server.requests()
            url = f"http://127.0.0.1:{proxy.port}"
            out = measured(build, peer, side, f"{url}/chips.tacozip", url, "--remote")
            return {**out, "requests": len(server.requests())}

        in_turns(OVER_HTTP, rounds, measure)


def main():
    if sys.argv[1] == "--make":
        return make(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
    if sys.argv[1] == "--side":
        is_remote = sys.argv[-1] == "--remote"
        return run(sys.argv[2], sys.argv[3], sys.argv[4] if is_remote else Path(sys.argv[4]), is_remote)
    build, peer, dataset = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    folder, more = Path(sys.argv[4]).resolve(), sys.argv[5:]
    for form in FORMS:
        if not (folder / form).exists():
            environment = {**os.environ, "PYTHONPATH": str(build / "python")}
            subprocess.run([peer, __file__, "--make", dataset, folder, form], check=True, env=environment)
    sizes = {"tacore": megabytes(dataset), **{form: megabytes(folder / form) for form in FORMS}}
    print("MB on disk: " + ", ".join(f"{form} {size:,.0f}" for form, size in sizes.items()) + "\n")
    is_remote = "--remote" in more
    rounds = int(next((each for each in more if each.isdigit()), 3))
    if is_remote:
        return over_http(build, peer, dataset, folder, rounds)
    warm(dataset, *(file for form in FORMS for file in [folder / form, *(folder / form).rglob("*")] if file.is_file()))
    in_turns(LOCAL, rounds, lambda side: measured(build, peer, side, dataset, folder))


if __name__ == "__main__":  # processes of litdata and lance import this file
    main()
