"""Cases: what a server does wrong ends in the right data after few tries, or in an error that says what happened."""
import itertools
import re
import signal
import subprocess
import threading
import time

from counts import epoch_of, python, rasters_dataset, scattered_dataset
from guards import Limit
from server import Server
from spoil import Rule
from world import case, in_parallel

TRIES = 3
FAST = ["--max-tries", str(TRIES)]
IMPATIENT = ["--max-tries", "2", "--timeout", "1"]  # of what is known to fail
ZIP, FOLDER = "spread.tacozip", "folder"
QUERY = ["query", "{}", "-f", "csv"]

# (fault, options of its rule): all that FAULTS can do, but what cases of their own do.
EACH = [("ignore_range", {}), ("other_range", {}), ("other_range", {"by": -1}), ("other_range", {"by": 100000}),
        ("content_range", {"text": "bytes abc"}), ("content_range", {"text": "bytes 5-4/3"}),
        ("content_range", {"text": "bytes 0-18446744073709551615/18446744073709551616"}),
        ("content_range", {"text": "bytes 0-9/*"}), ("content_range", {}), ("truncate", {}), ("reset", {}), ("hang_up", {}),
        ("status", {"code": 500}), ("status", {"code": 408}), ("status", {"code": 429, "Retry_After": 0}),
        ("status", {"code": 503, "Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"}), ("status", {"code": 403}),
        ("status", {"code": 404}), ("status", {"code": 410}), ("status", {"code": 418}), ("status", {"code": 200}),
        ("status", {"code": 206}), ("status", {"code": 204}), ("status", {"code": 304}), ("status", {"code": 416}),
        ("status", {"code": 302}), ("status", {"code": 302, "Location": "ftp://127.0.0.1/a"}),
        ("status", {"code": 302, "Location": ""}), ("etag", {}), ("etag", {"tag": None}), ("compress", {}),
        ("compress", {"is_true": False}), ("too_long", {}), ("too_short", {}), ("short_length", {}), ("chunked", {}),
        ("until_close", {}), ("close", {}), ("headers", {}), ("headers", {"lines": b"X-Many: " + b"a" * 200_000 + b"\r\n"}),
        ("headers", {"lines": b"X-Many: " + b"a" * 7_000 + b"\r\n"}), ("first_part", {}), ("missing_part", {}),
        ("duplicate_part", {}), ("lying_part", {}), ("short_part", {}), ("reversed_parts", {}), ("no_boundary", {})]
# A size that is another one all the time is not seen through, but does no harm; once, it does.
ONCE = EACH + [("other_total", {}), ("other_total", {"by": -1})]
SLOW = [("stall", {}), ("drip", {})]


def title(fault, options):
    return f"{fault} {options}" if options else fault


def require_told(server, done, name):
    """Checks the error of a failed command: URL, range, and no data in its place."""
    assert done.code == 1, f"{done}\n{server.list()}"
    assert not done.out, f"an error after some of the data: {done}\n{server.list()}"
    # Of an index it may be a file beside it.
    assert name.removesuffix("/.tacocat") in done.errors, f"the error does not name the file: {done}\n{server.list()}"
    assert "Traceback" not in done.errors and "terminate" not in done.errors, done


def right_or_told(world, server, command, name, *options):
    """Runs a command: True when it gives the right data, False when it failed with a proper error. Nothing else
    passes."""
    server.clear()
    done = world.remote(command, name, server.root, *options)
    if done.code == 0:
        here = world.local(command, name)
        assert done.out == here.out, f"other data than here: {done}\n{server.list()}"
        return True
    require_told(server, done, name)
    return False


def clean_count(world, command, name):
    with Server(world.data) as server:
        assert right_or_told(world, server, command, name), server.list()
        return len(server.requests)


@case
def fault__each_request(world):
    """Each fault, at each request in turn, during queries of a ZIP and a FOLDER and a read of a sample."""
    def spoil(fault, options, command, name, at, clean):
        with Server(world.data, rules=[Rule(fault, at=at, times=1, **options)]) as server:
            try:
                is_right = right_or_told(world, server, command, name, *FAST)
            except AssertionError as error:
                raise AssertionError(f"{title(fault, options)} at request {at} of {command} of {name}: {error}") from None
            # What is asked again, and what was asked besides it; one server that forgets parts may be asked for each.
            assert len(server.requests) <= clean + 8, f"{title(fault, options)} at {at}: {server.list()}"
            return is_right

    items = []
    for command, name in ((QUERY, ZIP), (QUERY, FOLDER), (["read", "{}", "tile_r1_c1/dem"], "indexed/.tacocat")):
        clean = clean_count(world, command, name)
        items += [(fault, options, command, name, at, clean) for fault, options in ONCE for at in range(1, clean + 1)]
    passed = in_parallel(spoil, items)
    assert any(passed) and not all(passed)
    return len(passed)


# What is worth another try, and succeeds then, wherever it happens: no more requests than those that failed.
PASSING = [("truncate", {}), ("reset", {}), ("hang_up", {}), ("other_range", {}), ("content_range", {"text": "garbage"}),
           ("too_short", {}), ("status", {"code": 500}), ("status", {"code": 502}), ("status", {"code": 503}),
           ("status", {"code": 504}), ("status", {"code": 408}), ("status", {"code": 429})]


@case
def fault__tried_again(world):
    """A transient fault that occurs twice takes two more requests."""
    def recover(fault, options, name, at, clean):
        with Server(world.data, rules=[Rule(fault, "*" if name == ZIP else "*level0*", at=at, times=2, **options)]) as server:
            assert right_or_told(world, server, QUERY, name, *FAST), f"{title(fault, options)} at {at}: {server.list()}"
            assert len(server.requests) == clean + 2, f"{title(fault, options)} at {at}: {server.list()}"

    count = {name: clean_count(world, QUERY, name) for name in (ZIP, FOLDER)}
    items = [(fault, options, name, at, count[name]) for fault, options in PASSING
             for name, at in ((ZIP, 1), (ZIP, count[ZIP]), (FOLDER, 1))]
    in_parallel(recover, items)
    return len(items)


# What stays: how the error must read, and how many requests it may take.
FOREVER = [
    ("truncate", {}, r"bytes=-\d+", TRIES), ("reset", {}, r"bytes=-\d+", TRIES), ("hang_up", {}, r"bytes=-\d+", TRIES),
    ("status", {"code": 500}, r"bytes=-\d+\): HTTP status 500", TRIES),
    ("status", {"code": 503, "text": "<Error>SlowDown</Error>"}, "HTTP status 503.*SlowDown", TRIES),
    ("status", {"code": 429}, "HTTP status 429", TRIES),
    # Longer than anyone waits.
    ("status", {"code": 429, "Retry_After": 86400}, "HTTP status 429", 1),
    ("status", {"code": 401}, "HTTP status 401", 1), ("status", {"code": 403}, "HTTP status 403", 1),
    ("status", {"code": 418}, "HTTP status 418", 1),
    ("other_range", {}, r"sent \d+ bytes at \d+, expected \d+ bytes at \d+", TRIES),
    ("content_range", {"text": "garbage"}, "Content-Range is 'garbage'", TRIES), ("content_range", {}, "Content-Range", TRIES),
    ("compress", {}, "gzip", TRIES), ("too_short", {}, "expected", TRIES), ("too_long", {}, "expected|more", TRIES),
    ("headers", {"lines": b"X-Many: " + b"a" * 200_000 + b"\r\n"}, r"bytes=-\d+", TRIES),
    ("redirect", {"to": f"/{ZIP}"}, "redirect", 10),
    ("redirect", {"to": "/again{path}"}, "redirect", 10),
    ("redirect", {"to": "ftp://127.0.0.1/a"}, "ftp", 1), ("redirect", {"to": "file:///etc/passwd"}, "file:", 1),
]


@case
def fault__for_ever(world):
    """A permanent fault is an error with URL, range and reason, after at most --max-tries."""
    def fail(fault, options, words, most):
        with Server(world.data, rules=[Rule(fault, **options)]) as server:
            done = world.run("query", server.url(ZIP), "-f", "csv", *FAST)
            require_told(server, done, server.url(ZIP))
            assert "bytes=-32768" in done.errors, f"no range: {done}"
            assert re.search(words, done.errors, re.S), f"{title(fault, options)}: {done}, {words} expected"
            assert len(server.requests) <= most, f"{title(fault, options)}: {server.list()}"
            if most == TRIES and "status" in fault:
                assert len(server.requests) == TRIES and f"({TRIES} tries)" in done.errors, f"{done}\n{server.list()}"

    in_parallel(fail, FOREVER)
    return len(FOREVER)


@case
def fault__slow(world):
    """A body that arrives too slowly or stalls counts as failed after --timeout."""
    def fail(fault, options, name):
        with Server(world.data, rules=[Rule(fault, **options)]) as server:
            done = world.run("query", server.url(name), "-f", "csv", *IMPATIENT)
            require_told(server, done, server.url(name))
            # Of a FOLDER the first file may end on its own: it is not there, in a few slow words.
            assert len(server.requests) <= (2 if name == ZIP else 3), server.list()

    def recover():
        with Server(world.data, rules=[Rule("stall", at=2, times=1)]) as server:
            assert right_or_told(world, server, QUERY, ZIP, "--max-tries", "5", "--timeout", "2"), server.list()

    items = [(fail, fault, options, ZIP) for fault, options in SLOW] + [(fail, "stall", {}, FOLDER), (recover,)]
    return len(in_parallel(lambda check, *item: check(*item), items))


@case
def fault__retry_after(world):
    """The pause of Retry-After is kept."""
    times = []
    with Server(world.data, rules=[Rule("status", code=429, Retry_After=1, times=1),
                                   Rule("tell", times=1, to=lambda _: times.append(time.monotonic()))]) as server:
        begin = time.monotonic()
        assert right_or_told(world, server, QUERY, ZIP), server.list()
        assert times[0] - begin >= 1, "asked again too early"
        return 1


@case
def fault__limit(world):
    """A limit of requests makes an epoch take longer, and no more than a tenth beyond what the limit needs. Nobody sees an
    error, and hardly a request is refused."""
    tacore = python()
    name = rasters_dataset(world)
    here = epoch_of(tacore, str(world.data / name), seed=3)
    quota, window = 150, 2
    for rules in ([Rule("first_part", several=True)], []):  # one request for each sample, or for each batch
        limit = Limit(quota, window)
        with Server(world.data, rules=rules, guard=limit) as server:
            begin = time.monotonic()
            assert epoch_of(tacore, server.url(name), seed=3) == here
            seconds = time.monotonic() - begin
            num_good = len(server.requests) - limit.num_refused
            needed = (num_good - 1) // quota * window
            assert seconds <= 1.1 * needed + window, f"{seconds} s, {needed} s needed"
            assert limit.num_refused <= 40, f"{limit.num_refused} of {len(server.requests)} requests refused"
    return 2


@case
def fault__budget(world):
    """A budget of one's own is kept, and makes nothing fail."""
    tacore = python()
    name = rasters_dataset(world)
    with Server(world.data, rules=[Rule("first_part", several=True),
                                   Rule("tell", to=lambda request: times.append(time.monotonic()))]) as server:
        times = []
        server.rules = server.rules[::-1]
        tacore.set_storage_options(max_requests_per="100/0.5s")
        try:
            rows = tacore.load(server.url(name)).data
            for k in range(0, 600, 2):
                rows.read_bytes(k)
        finally:
            tacore.set_storage_options()
        for first, last in zip(times, times[100:]):
            assert last - first > 0.4, f"101 requests in {last - first} s"
    return len(times)


@case
def fault__one_level(world):
    """A missing or unreadable level is an error, never a dataset with fewer levels."""
    def fail(name, code, level, command):
        with Server(world.data, rules=[Rule("status", f"*level{level}.parquet", code=code)]) as server:
            done = world.run(command, server.url(name), *FAST)
            assert done.code == 1, f"{command} of {name}, level {level} {code}: {done}"
            assert re.search(rf"level{level}|level {level}|METADATA", done.errors + done.out.decode()), done
            assert code == 404 or f"HTTP status {code}" in done.errors + done.out.decode(), done

    items = itertools.product((FOLDER, "indexed/.tacocat"), (404, 403, 500), (0, 1), ("info", "validate"))
    return len(in_parallel(fail, list(items)))


@case
def fault__changed(world):
    """A file that is replaced while it is read is never mixed with the old one."""
    def fail(fault, name, at):
        with Server(world.data, rules=[Rule(fault, at=at)]) as server:
            done = world.run("query", server.url(name), "-f", "csv", *FAST)
            require_told(server, done, server.url(name))
            assert "changed while it was read" in done.errors and "bytes=" in done.errors, done

    names = (ZIP, "landsat.tacozip", "chips.taco", "stream.taco", "single/__TACOCAT__")
    items = [(fault, name, at) for name in names for at in range(2, clean_count(world, QUERY, name) + 1)
             for fault in ("etag", "other_total")]
    return len(in_parallel(fail, items))


@case
def fault__no_etag(world):
    """Datasets are read from servers without an ETag and with a weak one."""
    count = 0
    for tag in (None, 'W/"1"'):
        with Server(world.data, rules=[Rule("etag", tag=tag)]) as server:
            assert right_or_told(world, server, QUERY, ZIP), server.list()
            count += 1
    return count


@case
def fault__no_ranges(world):
    """A server without Range support sends each file once."""
    names = (ZIP, FOLDER, "chips.taco", "stream.taco")
    for name in names:
        with Server(world.data, rules=[Rule("ignore_range")]) as server:
            assert right_or_told(world, server, QUERY, name), server.list()
            found = [request.path for request in server.requests if request.status == 200]
            assert len(found) == len(set(found)), f"fetched twice:\n{server.list()}"
    return len(names)


@case
def fault__framing(world):
    """Bodies in every framing of HTTP/1.1 are read."""
    count = 0
    for fault in ("chunked", "until_close", "close"):
        for name in (ZIP, FOLDER, "stream.taco"):
            with Server(world.data, rules=[Rule(fault)]) as server:
                assert right_or_told(world, server, QUERY, name), f"{fault}: {server.list()}"
                assert right_or_told(world, server, ["ls", "{}"], name), f"{fault}: {server.list()}"
                count += 2
    return count


@case
def fault__redirects(world):
    """Redirects are followed on the same host and to others. User headers are sent to the given host and port only."""
    secrets = ["--header", "Authorization: Bearer secret", "--header", "X-Api-Key: secret", "--header", "Cookie: a=secret"]
    names = {"authorization", "x-api-key", "cookie"}
    count = 0
    for code in (301, 302, 303, 307, 308):
        for is_far in (False, True):
            with Server(world.data) as store:
                # The files are below /moved, on this host or another one.
                guard = None if is_far else (lambda request: request.path.removeprefix("/moved"))
                to = (store.root if is_far else "") + "{path}"
                with Server(world.data, guard=guard) as server:
                    server.rules = [Rule("redirect", path="/[!m]*", to=to if is_far else "/moved{path}", code=code)]
                    for name in (ZIP, FOLDER):
                        assert right_or_told(world, server, QUERY, name, *secrets), f"{server.list()}\n{store.list()}"
                    assert all(names <= set(request.headers) for request in server.requests), server.list()
                    leaked = [str(request) for request in store.requests if names & set(request.headers) or
                              "secret" in str(request.headers)]
                    assert not leaked and bool(store.requests) == is_far, f"{leaked}\n{store.list()}"
                    assert all(request.range for request in store.requests), store.list()
                    # Once where a file is is known, it is asked there.
                    moved = [request.path for request in server.requests if request.status == code]
                    assert len(moved) == len(set(moved)), f"redirected twice:\n{server.list()}"
                    count += 2
    return count


@case
def fault__other_host_name(world):
    """The same port under another host name counts as another host."""
    with Server(world.data) as server:
        server.rules = [Rule("redirect", path="/[!m]*", to=f"http://localhost:{server.port}/moved" + "{path}")]
        server.guard = lambda request: request.path.removeprefix("/moved")
        assert right_or_told(world, server, QUERY, ZIP, "--header", "X-Api-Key: secret"), server.list()
        for request in server.requests:
            assert ("x-api-key" in request.headers) == (not request.path.startswith("/moved")), server.list()
        assert any(request.path.startswith("/moved") for request in server.requests)
        return 1


@case
def fault__expired_redirect(world):
    """When the target of a redirect has expired, the first server is asked again."""
    with Server(world.data) as store, Server(world.data, rules=[Rule("redirect", to=store.root + "{path}")]) as server:
        store.rules = [Rule("status", at=2, times=1, code=403)]
        assert right_or_told(world, server, QUERY, ZIP), f"{server.list()}\n{store.list()}"
        assert len(server.requests) == 2, f"{server.list()}\n{store.list()}"
        return 1


@case
def fault__secrets(world):
    """Passwords and signatures of URLs never appear in errors, logs and reports; the host does."""
    faults = (None, ("status", {"code": 403}), ("reset", {}), ("status", {"code": 302, "Location": "ftp://u:SECRET@h/"}))
    signature = "?X-Amz-Date=d&X-Amz-Signature=SECRET&sig=SECRET"

    def keep_secret(fault, name, prefix, suffix, command):
        with Server(world.data, rules=[Rule(fault[0], **fault[1])] if fault else []) as server:
            path = prefix + server.url(name).replace("://", "://user:SECRET@") + suffix
            done = world.run(command, path, "--debug", "--max-tries", "2")
            assert "SECRET" not in done.errors and "user:" not in done.errors, done
            assert command == "info" or b"SECRET" not in done.out, done
            assert f"://***@{server.root.partition('://')[2]}" in done.errors, done
            assert done.code == 0 or not suffix or "X-Amz-Date=d&X-Amz-Signature=***" in done.errors, done

    items = [(fault, name, prefix, suffix, command) for fault in faults for name in (ZIP, FOLDER, "none.tacozip", "chips.taco")
             for prefix, suffix in (("", ""), ("", signature), ("/vsicurl/", signature)) for command in ("validate", "info")]
    return len(in_parallel(keep_secret, items))


# Of what answers to several ranges at once. Asked for each of them then, the server is right.
PARTS = {"first_part": True, "missing_part": True, "duplicate_part": True, "lying_part": True, "short_part": True,
         "reversed_parts": True, "no_boundary": True, "ignore_range": True, "chunked": True, "other_total": None,
         "content_range": None, "truncate": False, "reset": False, "too_short": None, "compress": False, "status": False,
         "hang_up": False, "etag": False}


@case
def fault__parts(world):
    """Each part of a multipart response is checked, and a wrong one is requested again (True), or is an error (False);
    either will do where None stands."""
    tacore = python()
    name = scattered_dataset(world)
    far = [40, 100, 160, 220]
    expected = tacore.load(str(world.data / name)).data.read_bytes(far)
    for fault, is_right in PARTS.items():
        with Server(world.data) as server:
            rows = tacore.load(server.url(name), storage_options={"max_tries": TRIES}).data
            len(rows)
            server.rules = [Rule(fault, several=True)]
            try:
                found = rows.read_bytes(far)
            except tacore.TacoIOError as error:
                assert not is_right, f"{fault}: {error}\n{server.list()}"
                assert server.url(name) in str(error) and "bytes=" in str(error), f"{fault}: {error}"
            else:
                assert found == expected, f"{fault}: other bytes\n{server.list()}"
                assert is_right is not False, f"{fault} was not seen\n{server.list()}"
            several = [request for request in server.requests if "," in request.range]
            # libcurl asks once more by itself where a connection that was kept turns out to be closed.
            assert 0 < len(several) <= TRIES + 1, f"{fault}:\n{server.list()}"
    return len(PARTS)


@case
def fault__interrupted(world):
    """Ctrl-C interrupts a wait for a server."""
    there = threading.Event()
    with Server(world.data, rules=[Rule("stall")], guard=lambda request: there.set()) as server:
        tool = subprocess.Popen([world.tool, "query", server.url(ZIP), "--timeout", "300"], env=world.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert there.wait(60)
        tool.send_signal(signal.SIGINT)
        out, errors = tool.communicate(timeout=60)
        assert tool.returncode != 0 and not out, (tool.returncode, out, errors)
        return 1
