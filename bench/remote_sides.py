#!/usr/bin/env python3
"""What one process of remote.py measures: `name value` lines on stdout.

    remote_sides.py SIDE ARGUMENT...

A process warms up on a second address of the same server before it measures: neither loading libraries nor starting DuckDB is
counted, connecting is.
"""
import concurrent.futures
import json
import random
import sys
import time
import warnings


def say(**values):
    for name, value in values.items():
        print(name, value, flush=True)


# Opening: from a URL to the first row, and to the path of the first FILE.


def first_row(dataset):
    return dataset.data.head(1).to_pylist()[0]  # a table of pyarrow, or what does as one


def first_file(dataset):
    found = dataset.data.read(0)
    while not isinstance(found, str):
        found = found.read(0)
    return found


def timed_open(load, url, warm_url):
    warm = load(warm_url)
    first_row(warm), first_file(warm)
    times, began = {}, time.perf_counter()
    dataset = load(url)
    for name, step in (("opened", id), ("row", first_row), ("first", first_file)):
        step(dataset)
        times[name] = time.perf_counter() - began
    say(**times)


def open_tacore(url, warm_url):
    import tacore
    timed_open(tacore.load, url, warm_url)


def tacoreader_load(cache):
    import obstore.store
    import tacoreader
    import tacoreader._remote_io as remote_io
    # The published reader takes http paths, but lets its HTTP library refuse what is not encrypted, or by whom nobody knows.
    options = {"allow_http": True, "allow_invalid_certificates": True}
    remote_io._create_store = lambda base: obstore.store.HTTPStore.from_url(base, client_options=options)
    return lambda path: tacoreader.load(path, cache=cache == "cache")


def open_tacoreader(url, warm_url, cache):
    timed_open(tacoreader_load(cache), url, warm_url)


# Queries: from a URL to the rows in memory. Where their samples are, tacore verifies when they are used: later.


def timed_query(load, url, warm_url, sql):
    def found_in(dataset):
        found = dataset.sql(sql)
        return getattr(found, "data", found)  # the published reader gives the table itself

    found_in(load(warm_url))
    began = time.perf_counter()
    found = found_in(load(url))
    seconds = time.perf_counter() - began
    say_rows(seconds, list(found["id"]))


def say_rows(seconds, ids):
    say(seconds=seconds, rows=len(ids), checksum=sum(map(hash_of, map(str, ids))))


def hash_of(text):
    return int.from_bytes(text.encode()[-6:], "big")


def query_tacore(url, warm_url, sql):
    import tacore
    timed_query(tacore.load, url, warm_url, sql)


def get_all(multi, url, ranges):
    """The bytes of these ranges of a file, or of whole files where a range is None, all requested at once."""
    import pycurl
    handles = []
    for path, bounds in ranges:
        handle, data = pycurl.Curl(), bytearray()
        handle.setopt(pycurl.URL, url + path)
        handle.setopt(pycurl.BUFFERSIZE, 256 * 1024)
        handle.setopt(pycurl.SSL_VERIFYPEER, False)
        handle.setopt(pycurl.WRITEFUNCTION, data.extend)
        if bounds:
            handle.setopt(pycurl.RANGE, f"{bounds[0]}-{bounds[1] - 1}")
        multi.add_handle(handle)
        handles.append((handle, data))
    running = 1
    while running:
        _, running = multi.perform()
        if running:
            multi.select(1.0)
    out = [(handle.getinfo(pycurl.RESPONSE_CODE), data) for handle, data in handles]
    for handle, _ in handles:
        multi.remove_handle(handle)
    return out


def download(url, folder):
    """The level tables of a dataset, in as few steps as may be."""
    import struct
    from pathlib import Path

    import pycurl
    multi = pycurl.CurlMulti()
    if url.endswith("/.tacocat"):
        tables = get_all(multi, url + "/", [(name, None) for name in ("level0.parquet", "level1.parquet")])
    else:
        head = get_all(multi, url, [("", (0, 157))])[0][1]
        count, *numbers = struct.unpack("<B3x14Q", head[41:])
        places = [(offset, offset + size) for offset, size in zip(numbers[:2 * count - 2:2], numbers[1::2])]
        tables = get_all(multi, url, [("", place) for place in places])
    for level, (_, data) in enumerate(tables):
        (Path(folder) / f"level{level}.parquet").write_bytes(data)


def query_download(url, warm_url, sql, join):
    """Downloads all tables, and asks DuckDB itself."""
    import tempfile

    import duckdb

    def found_in(url):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            download(url, folder)
            connection = duckdb.connect()
            for level in (0, 1) if join else (0,):
                connection.execute(f"CREATE VIEW level{level} AS SELECT * FROM read_parquet('{folder}/level{level}.parquet')")
            return connection.execute(join or sql.replace("FROM data", "FROM level0")).fetch_arrow_table()

    found_in(warm_url)
    began = time.perf_counter()
    found = found_in(url)
    say_rows(time.perf_counter() - began, found["id"].to_pylist())


def query_tacoreader(url, warm_url, sql, cache):
    timed_query(tacoreader_load(cache), url, warm_url, sql)


def replay(base, warm_base, steps_file, connections):
    """The requests of another client by libcurl: those of a step at once, a step after the one before."""
    import pycurl
    handles, multi = {}, pycurl.CurlMulti()

    def run(base, step, first=False):
        for number, (method, path, ranges) in enumerate(step):
            handle = handles.setdefault(number, pycurl.Curl())
            handle.reset()
            handle.setopt(pycurl.URL, base + path)
            handle.setopt(pycurl.NOBODY, method == "HEAD")
            handle.setopt(pycurl.BUFFERSIZE, 256 * 1024)
            handle.setopt(pycurl.SSL_VERIFYPEER, False)
            # A new connection of the published reader is one of a new store, which has no session to take up.
            handle.setopt(pycurl.SSL_SESSIONID_CACHE, connections == "kept")
            handle.setopt(pycurl.FRESH_CONNECT, connections == "new")
            handle.setopt(pycurl.FORBID_REUSE, connections == "new")
            handle.setopt(pycurl.WRITEFUNCTION, lambda data: len(data))
            if ranges != "-":
                handle.setopt(pycurl.RANGE, ranges.removeprefix("bytes="))
            multi.add_handle(handle)
        running = len(step)
        while running:
            _, running = multi.perform()
            if running:
                multi.select(1.0)
        for number, (_, path, _) in enumerate(step):
            status = handles[number].getinfo(pycurl.RESPONSE_CODE)
            multi.remove_handle(handles[number])
            assert first or status, path

    with open(steps_file, encoding="utf-8") as file:
        steps = json.load(file)
    run(warm_base, steps[0], first=True)
    began = time.perf_counter()
    for step in steps:
        run(base, step)
    say(row=time.perf_counter() - began)


# Samples: the first `count` of a ZIP of rasters in a random order, each as an array.


def shuffled(count):
    return random.Random(count).sample(range(count), count)


def bands_of(text):
    return None if text == "all" else [int(band) for band in text.split(",")]


def samples_loader(url, warm_url, count, bands, threads):
    import tacore
    from tacore.loader import Input, Loader
    for base, wanted in ((warm_url, 2), (url, int(count))):
        rows = tacore.load(base).data[:wanted]
        loader = Loader(rows, Input("", bands_of(bands)), batch_size=32, seed=0, jobs=int(threads))
        began, made, total = time.perf_counter(), 0, 0
        for batch in loader:
            made += len(batch[0])
            total += int(batch[0][:, :, 0, 0].sum())
    say(samples_per_second=made / (time.perf_counter() - began), checksum=total, made=made)


def samples_tensor(url, warm_url, count, bands, threads):
    import tacore
    from tacore.raster import read_tensor
    for base, wanted in ((warm_url, 2), (url, int(count))):
        rows, order = tacore.load(base).data, shuffled(wanted)
        read_tensor(rows, order[0])
        began = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(int(threads)) as pool:
            total = sum(pool.map(lambda row: int(read_tensor(rows, row, bands=bands_of(bands))[:, 0, 0].sum()), order))
    say(samples_per_second=len(order) / (time.perf_counter() - began), checksum=total, made=len(order))


def gdal_sample(arguments):
    import rasterio
    path, bands = arguments
    with rasterio.open(path) as raster:
        return int(raster.read(bands)[:, 0, 0].sum())


def samples_rasterio(url, warm_url, count, bands, threads, kind, places_file):
    """`places_file` has offset and size of each sample; GDAL's options are in the environment."""
    warnings.simplefilter("ignore")
    with open(places_file, encoding="utf-8") as file:
        places = json.load(file)
    path = lambda base, row: "/vsisubfile/{}_{},/vsicurl/{}".format(*places[row], base)
    pools = {"threads": concurrent.futures.ThreadPoolExecutor, "processes": concurrent.futures.ProcessPoolExecutor}
    order = shuffled(int(count))
    with pools[kind](int(threads)) as pool:
        list(pool.map(gdal_sample, [(path(warm_url, row), bands_of(bands)) for row in order[:2] * int(threads)]))
        began = time.perf_counter()
        total = sum(pool.map(gdal_sample, [(path(url, row), bands_of(bands)) for row in order]))
    say(samples_per_second=len(order) / (time.perf_counter() - began), checksum=total, made=len(order))


# Bytes: nothing is timed, the server counts.


def bytes_open(url):
    import tacore
    tacore.load(url)


def bytes_query(url, sql):
    import tacore
    from_rows = tacore.load(url).sql(sql).data
    say(rows=len(from_rows))


def bytes_samples(url, count, bands):
    import tacore
    from tacore.raster import read_tensor
    rows = tacore.load(url).data
    for row in shuffled(int(count)):
        read_tensor(rows, row, bands=bands_of(bands))


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
