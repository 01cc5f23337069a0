"""Cases: remote datasets look as local ones do."""
import shutil

from answers import error
from counts import large_dataset
from sampled import sampled
from server import Server
from spoil import Rule
from world import case, in_parallel


def compare_all(world, names, root, *options, env=None):
    """A third of the commands of these datasets, in `check long` all. Returns how many that were."""
    pairs = sampled((command, name) for name in names for command in world.commands(name))
    in_parallel(lambda command, name: world.compare(command, name, root, *options, env=env), pairs)
    return len(pairs)


@case
def same__all(world):
    """Every output of the tool for every container equals the local one. All requests are GET."""
    with Server(world.data) as server:
        count = compare_all(world, world.dataset_names, server.root)
        others = [str(request) for request in server.requests if request.method != "GET"]
        assert not others, others
        return count


@case
def same__deep(world):
    """Deep validation reads every byte."""
    with Server(world.data) as server:
        names = ["landsat_nested.tacozip", "folder", "indexed/.tacocat", "single/__TACOCAT__", "chips.taco", "stream.taco"]
        for name in names:
            world.compare(["validate", "{}", "--deep", "--json"], name, server.root)
        return len(names)


@case
def same__ids(world):
    """What an id index finds on a server is what a dataset without one has here."""
    plain, name = large_dataset(world), "ids.tacozip"
    world.must("create", world.scratch / "large.csv", world.data / name, "--collection", world.scratch / "large.json", "--parquet",
               "row_group_size=10000", "--parquet", "id_index=on")
    with Server(world.data) as server:
        conditions = [f"id = 's{row:06d}'" for row in (0, 8191, 8192, 10000, 23999)]
        conditions += ["id IN ('s000007', 's023000', 'none')", "id = 'none'", "id = 's000007' AND row > 7"]
        for condition in conditions:
            command = ["query", "{}", f"SELECT id, row, c0, c7 FROM data WHERE {condition}", "-f", "csv"]
            here, there = world.local(command, plain), world.remote(command, name, server.root)
            assert here.code == 0 and there.out == here.out, f"{command}: here\n{here}\nand there\n{there}"
        for sample in ("s000000", "s016384"):
            for words in ([], ["--vsi"]):
                world.compare(["read", "{}", sample, *words], name, server.root)
        return len(conditions) + 4


@case
def same__sidecars(world):
    """A side-car in the cache, one that was proved and one that is trusted give the rows of the dataset on a server; the first takes no
    request for them."""
    plain = large_dataset(world)
    command = ["query", "{}", "SELECT * EXCLUDE \"internal:offset\" FROM data WHERE id IN ('s018200', 's023383')", "-f", "csv"]
    here = world.local(command, plain)

    def asked(server, *options, env=None):
        server.requests.clear()
        world.compare(command, plain, server.root, *options, env=env)
        paths = [request.target.rpartition("/")[2] for request in server.requests]
        return paths.count(plain), paths.count("level0.parquet")

    def env(name):
        return {"XDG_CACHE_HOME": str(world.scratch / name)}

    with Server(world.data) as server:
        plainly, _ = asked(server, env=env("nothing"))
        done = world.run("index", server.url(plain), "--sidecar", env=env("mine"))
        assert done.code == 0, done
        opening, beside = asked(server, env=env("mine"))
        assert opening < plainly and beside == 0, (opening, plainly, beside)
        world.must("index", world.data / plain, "--sidecar", "--beside")
        unproved, beside = asked(server, env=env("theirs"))
        assert opening < unproved and beside == 0, (opening, unproved, beside)
        trusting = asked(server, "--trust-sidecar", env=env("theirs"))
        assert trusting[0] == opening and 0 < trusting[1] <= 4, trusting
        done = world.run("index", server.url(plain), "--sidecar", "--check", env=env("theirs"))
        assert done.code == 0, done
        assert asked(server, env=env("theirs")) == trusting
        # Another state of the side-car is not used, and a dataset that changed has none.
        sidecar = world.data / (plain + ".sidecar") / "level0.parquet"
        sidecar.write_bytes(sidecar.read_bytes()[:-100])
        stale, _ = asked(server, env=env("theirs"))
        assert opening < stale, (opening, stale)
        shutil.rmtree(sidecar.parent)
    return 6


@case
def same__bounds(world):
    """A filter finds the same rows of an index on a server with its bounds and without; with bounds that are trusted it opens the
    first dataset, and those that it needs."""
    folder = world.data / "bounded"
    folder.mkdir()
    for part in (world.data / "golden" / "cascade_tacocat").glob("*.tacozip"):
        shutil.copy(part, folder)
    world.must("collect", *sorted(folder.glob("*.tacozip")), "--bounds")
    with Server(world.data) as server:
        opened = {}
        for options in ([], ["--trust-bounds"]):
            for box in ("60,10,150,50", "-10,35,10,50", "0,-89,1,-88"):
                server.requests.clear()
                world.compare(["query", "{}", "SELECT id FROM data ORDER BY id", "-f", "csv", f"--bbox={box}", "--level", "2"],
                              "bounded/TACOLLECTION.json", server.root, *options)
                opened.setdefault(box, []).append(len({request.target for request in server.requests}) - 1)
        assert all(here == 4 for here, _ in opened.values()), opened
        assert all(there < 4 for _, there in opened.values()) and opened["0,-89,1,-88"][1] == 1, opened
        return 2 * len(opened)


@case
def same__rasters(world):
    """Pixels and statistics of remote rasters equal the local ones."""
    with Server(world.data) as server:
        names = ["landsat.tacozip", "flat"]
        for name in names:
            world.compare(["read", "{}", "tile_r0_c0", "--npy", "--window", "3,4,20,10"], name, server.root)
            world.compare(["stats", "{}", "--compute", "--json"], name, server.root)
        return 2 * len(names)


@case
def same__odd_names(world):
    """Names with characters that a URL must encode: spaces, percent signs, umlauts, plus signs, and what looks
    encoded."""
    names = ["with space.tacozip", "100%.tacozip", "Größe+1.tacozip", "a%20b.tacozip", "#1;a=b&c.tacozip"]
    for name in names:
        (world.data / name).write_bytes((world.data / "landsat_nested.tacozip").read_bytes())
    with Server(world.data) as server:
        here = world.local(["query", "{}", "-f", "csv"], names[0])
        assert here.code == 0, here
        for name in names:
            done = world.run("query", server.url(name), "-f", "csv")
            out = done.out.replace(f"/vsicurl/{server.url(name)}".encode(), names[0].encode())
            assert done.code == 0 and out == here.out, f"{name}: {done}"
    for name in names:
        (world.data / name).unlink()
    return len(names)


@case
def same__signed_url(world):
    """The query of a URL is sent with each request, and never shown."""
    def refuse_unsigned(request):
        return None if "?sig=secret%2Fkey&exp=1" in request.target else error(403, "unsigned")
    with Server(world.data, guard=refuse_unsigned) as server:
        url = server.url("landsat_nested.tacozip")
        here = world.local(["ls", "{}"], "landsat_nested.tacozip")
        there = world.run("ls", url + "?sig=secret%2Fkey&exp=1", "--debug")
        assert there.code == 0 and there.out == here.out, there
        refused = world.run("ls", url + "?sig=wrong")
        assert refused.code == 1 and "HTTP status 403" in refused.errors, refused
        server.rules = [Rule("status", code=500)]
        failed = world.run("ls", url + "?sig=secret%2Fkey&exp=1", "--max-tries", "1")
        assert failed.code == 1 and "HTTP status 500" in failed.errors, failed
        return 3


@case
def same__missing(world):
    """A missing dataset is an error that says so."""
    with Server(world.data) as server:
        for name in ("none.tacozip", "none", "none/.tacocat", "golden", "none.tortilla", "none/TACOLLECTION.json"):
            done = world.run("info", server.url(name))
            assert done.code == 1 and not done.out and server.url(name) in done.errors, f"{name}: {done}"
            assert "404" in done.errors or "no " in done.errors.lower() or "cannot open" in done.errors, f"{name}: {done}"
        return 6


@case
def same__no_server(world):
    """A refused connection and an unknown host are errors."""
    with Server(world.data) as server:
        root = server.root
    for url, words in ((f"{root}/a.tacozip", f": cannot connect to {root.removeprefix('http://')} (2 tries)"),
                       ("http://no-such-host.invalid/a.tacozip", "(bytes=-32768): ")):
        done = world.run("info", url, "--max-tries", "2")
        assert done.code == 1 and url in done.errors and words in done.errors, done
    return 2


@case
def same__headers(world):
    """--header is sent with each request and may be repeated; a malformed one is a usage error."""
    with Server(world.data) as server:
        for request in world.counted(server, "ls", server.url("folder"), "--header", "X-Api-Key: 12 34", "--header", "X-More:a"):
            assert request.headers["x-api-key"] == "12 34" and request.headers["x-more"] == "a", request.headers
            assert request.headers["accept-encoding"] == "identity", request.headers
        wrong = world.run("ls", server.url("folder"), "--header", "no colon")
        assert wrong.code == 2 and "no colon" in wrong.errors, wrong
        return 2
