"""Cases: `taco publish` to S3 (moto) and to a dataset Hub (hub.py), which is first proved by huggingface_hub."""

import hashlib
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.parse
from contextlib import contextmanager

from hub import TOKEN, Hub, Relay
from moto_store import moto
from stores import certificate, key_environment
from world import Skipped, case

PLACE = "hf://datasets/lab/chips"


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make_large(world, name="large", size=20_000_000, count=2, **about):
    """A ZIP of samples of random bytes, which takes several parts."""
    folder = world.scratch / f"{name}-samples"
    folder.mkdir(exist_ok=True)
    for i in range(count):
        (folder / f"s{i}").write_bytes(os.urandom(size))
    text = json.loads((world.scratch / "about.json").read_text()) | {"id": name, "title": "Chips"} | about
    (world.scratch / "large.json").write_text(json.dumps(text))
    path = world.scratch / f"{name}.tacozip"
    world.must("create", folder, path, "--collection", world.scratch / "large.json", "--overwrite", "--quiet")
    return path


def publish(world, dataset, *options, to=PLACE, site="site", platform=None, env=None, keep=False):
    platform = platform or ("huggingface" if to.startswith("hf://") else "source-cooperative")
    folder = world.scratch / site
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return world.run("publish", dataset, "-o", folder, "--for", platform, "--to", to, *options, env=env)


def good(done):
    assert done.code == 0, done
    return done


def refused(done, *words):
    assert done.code == 1 and all(word in done.errors for word in words), f"{words}: {done}"
    return done


def check_sums(folder):
    """CHECKSUMS is what sha256sum of coreutils accepts, and lists all files."""
    done = subprocess.run(
        ["sha256sum", "-c", "--strict", "--quiet", "CHECKSUMS"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done
    lines = (folder / "CHECKSUMS").read_text().splitlines()
    assert {line[66:] for line in lines} == files_of(folder).keys() - {"CHECKSUMS"}, lines


def killed(world, server, number, dataset, to, platform, env, by=signal.SIGKILL):
    """Ends the tool when the server has served `number` PUTs: as the kernel does when memory is short, or by another signal."""
    shutil.rmtree(world.scratch / "site", ignore_errors=True)
    server.stop_after(number, resume=False)
    process = subprocess.Popen(
        [world.tool, "publish", dataset, "-o", world.scratch / "site", "--for", platform, "--to", to],
        env=os.environ | env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with server.lock:
        server.lock.wait_for(lambda: server.num_served >= number, 60)
    assert process.poll() is None, "the tool has ended by itself"
    process.send_signal(by)
    assert process.wait(30) == -by, process.returncode


# --- the Hub ---


@contextmanager
def hub(world):
    with Hub() as server:
        server.repositories = {"lab/chips": {}}
        yield server, {"HF_ENDPOINT": server.root, "HF_TOKEN": TOKEN}


@case
def upload__hub_itself(world):
    """The Hub of these tests takes what huggingface_hub uploads: a README, small and large files, in one part and several."""
    try:
        import huggingface_hub
    except ImportError:
        raise Skipped("huggingface_hub is not installed: run does that") from None
    folder = world.scratch / "theirs"
    (folder / "deep").mkdir(parents=True)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Chips\n")
    (folder / "empty.bin").write_bytes(b"")
    (folder / "deep" / "small.tacozip").write_bytes(os.urandom(1000))
    (folder / "large.bin").write_bytes(os.urandom(14_000_000))
    script = (
        f"import huggingface_hub as h; api = h.HfApi(endpoint=__import__('os').environ['HF_ENDPOINT'], token='{TOKEN}')\n"
        f"api.create_repo('lab/theirs', repo_type='dataset')\n"
        f"api.upload_folder(repo_id='lab/theirs', repo_type='dataset', folder_path='{folder}')"
    )
    environment = {
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(world.scratch / "hf"),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "PYTHONPATH": os.path.dirname(os.path.dirname(huggingface_hub.__file__)),
    }
    with hub(world) as (server, at):
        done = subprocess.run(
            [sys.executable, "-c", script], env=os.environ | at | environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert server.repositories["lab/theirs"] == files_of(folder)
        assert len(server.parts) == 0 and any(path.startswith("/complete/") for _, _, path, _, _ in server.requests)
        # Wrong bytes are refused, which is the point of it.
        oid = hashlib.sha256(b"right").hexdigest()
        done = subprocess.run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-T", "-", f"{server.store_root}/objects/{oid}"],
            input=b"wrong",
            capture_output=True,
            env={},
        )
        assert done.stdout in (b"400", b""), done  # b"": there is no curl
    return 3


@case
def upload__hub(world):
    """All kinds of datasets arrive byte for byte in one commit; a second run sends nothing, and a changed one what changed."""
    count = 0
    for name in (
        "landsat_nested.tacozip",
        "folder",
        "indexed/.tacocat",
        "single/__TACOCAT__",
        "collected",
        "chips.taco",
    ):
        with hub(world) as (server, at):
            good(publish(world, world.data / name, "--published", "2026-11-25", env=at))
            site = world.scratch / "site"
            assert server.repositories["lab/chips"] == files_of(site), name
            assert len(server.commits) == 1, server.commits
            check_sums(site)
            received = server.num_received
            again = good(publish(world, world.data / name, env=at, keep=True))
            assert (
                server.num_received == received
                and len(server.commits) == 1
                and "0 files (0 B) uploaded" in again.errors
            ), again
            listed = good(publish(world, world.data / name, "--dry-run", env=at, keep=True))
            assert all(line.startswith(b"stored\t") for line in listed.out.splitlines()) and listed.out, listed
            # Only descriptions change.
            good(
                publish(
                    world,
                    world.data / name,
                    "--overwrite",
                    "--base-url",
                    "https://example.org/d",
                    "--published",
                    "2026-11-25",
                    env=at,
                    keep=True,
                )
            )
            assert len(server.commits) == 2, server.commits
            assert not any(path.endswith((".tacozip", ".taco")) or "DATA/" in path for path in server.commits[1]), (
                server.commits
            )
            assert server.repositories["lab/chips"] == files_of(site), name
            leaked = [request for request in server.requests if request[0] == "store" and TOKEN in str(request[4])]
            assert not leaked, leaked
            count += 1
    return count


@case
def upload__hub_loads(world):
    """What was uploaded to a folder of a repository opens from there."""
    dataset = make_large(world)
    with hub(world) as (server, at):
        good(publish(world, dataset, to=PLACE + "/v1", env=at))
        assert {name.split("/")[0] for name in server.repositories["lab/chips"]} == {"v1"}
        text = server.repositories["lab/chips"]["v1/README.md"].decode()
        assert f"{PLACE}/v1/large.tacozip" in text, text
        assert server.repositories["lab/chips"]["v1/large.tacozip"] == dataset.read_bytes()
    return 1


@case
def upload__hub_refused(world):
    """No token, a wrong one, no repository: named, and nothing is sent. Tokens are neither arguments nor in messages."""
    dataset = world.data / "landsat.tacozip"
    with hub(world) as (server, at):
        refused(publish(world, dataset, env=at | {"HF_TOKEN": ""}), "HF_TOKEN", "--token-file")
        refused(publish(world, dataset, env=at | {"HF_TOKEN": "hf_wrong"}), PLACE, "401", "Invalid user token")
        refused(publish(world, dataset, to="hf://datasets/lab/none", env=at), "--create makes it")
        refused(
            publish(world, dataset, "--token-file", world.scratch / "absent", env=at),
            "absent",
            "the token cannot be read",
        )
        assert not server.num_received and not server.commits and not (world.scratch / "site").exists()
        good(publish(world, dataset, "--create", "--dry-run", to="hf://datasets/lab/new", env=at))
        assert "lab/new" not in server.repositories and not (world.scratch / "site").exists()
        (world.scratch / "token").write_text(TOKEN + "\n")
        done = good(
            publish(
                world,
                dataset,
                "--create",
                "--debug",
                "--token-file",
                world.scratch / "token",
                to="hf://datasets/lab/new",
                env=at | {"HF_TOKEN": "hf_wrong"},
            )
        )
        assert "README.md" in server.repositories["lab/new"] and TOKEN not in done.errors, done
        assert "POST" in done.errors, done
        server.transfer = "xet"
        refused(publish(world, make_large(world, size=1000), env=at), "'xet'", "hf upload-large-folder")
        assert world.run("publish", dataset, "-o", "x", "--for", "huggingface", "--token", "x").code == 2
    return 8


@case
def upload__hub_hostile(world):
    """Bytes go to http and https URLs only, encrypted where the Hub is; another host does not get the token."""
    dataset = make_large(world, size=1000)
    with hub(world) as (server, at), Hub() as other:
        for url in ("file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x", "/relative"):
            server.upload_url = url
            refused(publish(world, dataset, env=at), "not an http or https URL", "large.tacozip")
        assert not server.commits
        oid = hashlib.sha256(dataset.read_bytes()).hexdigest()
        server.upload_url = f"{other.store_root}/objects/{oid}"
        done = publish(world, dataset, env=at)  # stored elsewhere, so that the Hub does not find it
        refused(done, "404")
        assert len(other.requests) == 1 and TOKEN not in str(other.requests) and not server.commits, other.requests
        chain, key = certificate(world)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        server.servers[0].socket = context.wrap_socket(server.servers[0].socket, server_side=True)
        server.upload_url = f"{server.store_root}/objects/{oid}"
        refused(
            publish(
                world,
                dataset,
                env=at | {"HF_ENDPOINT": server.root.replace("http:", "https:"), "CURL_CA_BUNDLE": str(chain)},
            ),
            "which is not encrypted",
        )
        assert not server.commits
    return 7


@case
def upload__hub_busy(world):
    """A Hub that asks for a pause is given it; one that fails for good is named after some tries."""
    dataset = make_large(world, size=1000)
    with hub(world) as (server, at):
        server.faults = [
            ("preupload", 429, {"Retry-After": "1"}),
            ("/objects/batch", 503, {"Retry-After": "1"}),
            ("/objects/", 500, {}),
            ("/commit/", 502, {}),
        ]
        start = time.monotonic()
        good(publish(world, dataset, env=at))
        assert time.monotonic() - start >= 2 and not server.faults, server.faults
        server.faults = [("/api/", 500, {})] * 3
        refused(publish(world, dataset, "--max-tries", "3", env=at), "500", "(3 tries)")
    return 2


@case
def upload__hub_interrupted(world):
    """After a broken connection and after kill -9, the next run sends only the files that the Hub does not have."""
    folder = world.scratch / "parts"
    folder.mkdir(exist_ok=True)
    for i in range(4):
        shutil.copy(make_large(world, f"p{i}", 3_000_000, 1), folder)
    world.must("index", *sorted(folder.glob("*.tacozip")), "--quiet", "--overwrite")
    total = sum(path.stat().st_size for path in folder.glob("*.tacozip"))
    with hub(world) as (server, at):
        server.stop_after(2, resume=True)
        refused(publish(world, folder, "--max-tries", "1", env=at), "PUT", ".tacozip")
        for by in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            there = dict(server.objects)
            assert len(there) == 2 and not server.commits
            server.serve_all()
            good(publish(world, folder, env=at, keep=True))
            sent = sum(size for _, method, _, size, _ in server.requests if method == "PUT")
            assert sent == sum(len(data) for oid, data in server.objects.items() if oid not in there)
            assert sent < total and len(server.commits) == 1
            assert server.repositories["lab/chips"] == files_of(world.scratch / "site")
            # The same after kill -9, from the start.
            server.objects, server.commits, server.repositories = {}, [], {"lab/chips": {}}
            killed(world, server, 2, folder, PLACE, "huggingface", at, by)
    return 3


@case
def upload__many_files(world):
    """A FOLDER of more files than a process may open arrives, in the Hub and in S3."""
    samples = world.scratch / "many"
    samples.mkdir(exist_ok=True)
    for i in range(300):
        (samples / f"s{i:03}.bin").write_bytes(os.urandom(200))
    dataset = world.scratch / "many-folder"
    world.must("create", samples, dataset, "--collection", world.scratch / "about.json", "--quiet")

    def run(to, platform, env):
        shutil.rmtree(world.scratch / "site", ignore_errors=True)
        command = [
            "bash",
            "-c",
            'ulimit -n 100; exec "$@"',
            "-",
            world.tool,
            "publish",
            dataset,
            "-o",
            world.scratch / "site",
            "--for",
            platform,
            "--to",
            to,
        ]
        done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return files_of(world.scratch / "site")

    with hub(world) as (server, at):
        local = run(PLACE, "huggingface", at)
        assert server.repositories["lab/chips"] == local and len(local) > 600, len(local)
    with bucket(world) as (store, relay, at):
        local = run("s3://data/account/many", "source-cooperative", at)
        assert {key: one["Body"].read() for key, one in stored(world, "account/many", at).items()} == local
    return 2


@case
def upload__changed(world):
    """A file that changes while it is uploaded is an error, and is not published."""
    dataset = make_large(world)
    with hub(world) as (server, at):
        file = world.scratch / "site" / "large.tacozip"
        server.on_put = lambda: os.utime(file)
        refused(
            publish(world, dataset, "--max-tries", "1", env=at),
            "large.tacozip",
            "the file changed while it was uploaded",
        )
        assert not server.commits
        server.on_put = None
        # A folder that was changed after it was prepared, and one of another version of the dataset.
        (world.scratch / "site" / "README.md").write_text("# Mine\n")
        refused(publish(world, dataset, env=at, keep=True), "README.md is not as CHECKSUMS has it", "--overwrite")
        make_large(world)
        refused(publish(world, dataset, env=at, keep=True), "was prepared of another version of", "--overwrite")
        good(publish(world, dataset, "--overwrite", env=at, keep=True))
        assert len(server.commits) == 1
    return 4


# --- S3 ---


@contextmanager
def bucket(world):
    """A relay to moto, which checks signatures: with a bucket, and a key that may do what an upload needs."""
    with moto() as store:
        store.ask("POST", "/moto-api/reset-auth", b"inf")  # all servers of moto in a process have one memory
        store.ask("POST", "/moto-api/reset")
        store.make_bucket("data", world.data, [])
        actions = [
            "s3:GetObject",
            "s3:PutObject",
            "s3:ListBucketMultipartUploads",
            "s3:ListMultipartUploadParts",
            "s3:AbortMultipartUpload",
            "s3:ListBucket",
        ]
        key = store.make_key(actions)
        store.reader = store.make_key(["s3:GetObject", "s3:ListBucket"])
        store.lock()
        with Relay(store.root) as relay:
            store.relay = relay
            yield store, relay, key_environment(key, AWS_ENDPOINT_URL=relay.root)


PREFIX = "s3://data/account/large"


def stored(world, key, env):
    """Name -> bytes of all objects, as boto3 sees them."""
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=env["AWS_ENDPOINT_URL"],
        region_name="us-east-1",
        aws_access_key_id=env["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=env["AWS_SECRET_ACCESS_KEY"],
    )
    listed = client.list_objects_v2(Bucket="data", Prefix=key + "/").get("Contents", [])
    return {one["Key"].removeprefix(key + "/"): client.get_object(Bucket="data", Key=one["Key"]) for one in listed}


@case
def upload__s3(world):
    """Objects arrive byte for byte with their SHA-256, data first and the card last; a second run sends nothing."""
    count = 0
    dataset = make_large(world)
    with bucket(world) as (store, relay, at):
        for name in (dataset, world.data / "folder", world.data / "indexed"):
            relay.requests.clear()
            to = f"s3://data/account/{name.stem}"
            good(publish(world, name, to=to, env=at))
            site = world.scratch / "site"
            check_sums(site)
            sent = [
                urllib.parse.unquote(path.split("?")[0]) for _, method, path, _, _ in relay.requests if method == "PUT"
            ]
            last = [path.removeprefix(f"/data/account/{name.stem}/") for path in sent][-2:]
            assert sorted(last) == ["README.md", "index.html"], sent
            entries = [i for i, path in enumerate(sent) if "/.tacocat/" in path or path.endswith("/COLLECTION.json")]
            data = [i for i, path in enumerate(sent) if path.endswith(".tacozip") or "/DATA/" in path]
            assert not entries or max(data) < min(entries), sent
            found = stored(world, f"account/{name.stem}", at)
            local = files_of(site)
            assert {key: one["Body"].read() for key, one in found.items()} == local, name
            assert all(
                one["Metadata"]["sha256"] == hashlib.sha256(local[key]).hexdigest() for key, one in found.items()
            )
            assert found["index.html"]["ContentType"].startswith("text/html")
            received = relay.num_received
            again = good(publish(world, name, to=to, env=at, keep=True))
            assert relay.num_received == received and "0 files (0 B) uploaded" in again.errors, again
            listed = good(publish(world, name, "--dry-run", to=to, env=at, keep=True))
            assert {line.split(b"\t")[0] for line in listed.out.splitlines()} == {b"stored"}, listed
            count += 1
        shutil.rmtree(world.scratch / "site")
        listed = good(publish(world, dataset, "--dry-run", to="s3://data/account/other", env=at))
        assert b"upload\t%d\tlarge.tacozip\n" % dataset.stat().st_size in listed.out, listed
        assert not stored(world, "account/other", at) and not (world.scratch / "site").exists()
        assert not list(world.scratch.glob(".site.*")), "something is left"
    return count


@case
def upload__s3_refused(world):
    """A wrong key, one that may only read, no key, no bucket: the key and what the store said."""
    dataset = world.data / "landsat.tacozip"
    with bucket(world) as (store, relay, at):
        refused(
            publish(world, dataset, to=PREFIX, env=at | {"AWS_SECRET_ACCESS_KEY": "wrong"}),
            PREFIX + "/",
            "403",
            "SignatureDoesNotMatch",
        )
        refused(
            publish(world, dataset, "--dry-run", to=PREFIX, env=at | {"AWS_ACCESS_KEY_ID": "wrong"}),
            PREFIX,
            "InvalidAccessKeyId",
        )
        refused(
            publish(world, dataset, to=PREFIX, env=at | key_environment(store.reader)),
            "landsat.tacozip",
            "AccessDenied",
        )
        refused(
            publish(world, dataset, to=PREFIX, env={"AWS_ENDPOINT_URL": relay.root}), "AWS_ACCESS_KEY_ID", "AWS_PROFILE"
        )
        refused(
            publish(world, dataset, to="s3://none/account/large", env=at), "s3://none/account/large/", "NoSuchBucket"
        )
        refused(publish(world, dataset, to="s3://data", env=at), "s3://BUCKET/ACCOUNT/REPOSITORY")
        done = publish(world, dataset, "--debug", to=PREFIX, env=at)
        assert at["AWS_SECRET_ACCESS_KEY"] not in good(done).errors and "PUT" in done.errors
        assert not stored(world, "account/none", at)
    return 7


@case
def upload__s3_busy(world):
    """A store that asks for a pause is given it; one that fails for good is named after some tries."""
    dataset = make_large(world)
    with bucket(world) as (store, relay, at):
        relay.faults = [
            ("partNumber", 503, {"Retry-After": "1"}),
            ("partNumber", 500, {}),
            ("uploadId", 503, {"Retry-After": "1"}),
        ]
        start = time.monotonic()
        good(publish(world, dataset, to=PREFIX, env=at))
        assert time.monotonic() - start >= 1 and not relay.faults, relay.faults
        assert stored(world, "account/large", at)["large.tacozip"]["Body"].read() == dataset.read_bytes()
        relay.faults = [("", 500, {})] * 40
        refused(publish(world, dataset, "--max-tries", "2", to=PREFIX, env=at), "500", "(2 tries)")
    return 2


def num_part_bytes(relay):
    """Bytes of whole parts that the relay has passed on."""
    return sum(size for _, method, path, size, _ in relay.requests if method == "PUT" and "partNumber" in path)


@case
def upload__s3_interrupted(world):
    """After a broken connection and after kill -9, the next run sends only the parts that the store does not have."""
    dataset = make_large(world, size=25_000_000, count=4)
    size = dataset.stat().st_size
    with bucket(world) as (store, relay, at):
        relay.stop_after(3, resume=True)
        refused(publish(world, dataset, "--max-tries", "1", to=PREFIX, env=at), PREFIX + "/large.tacozip", "PUT")
        for to, by in (
            (PREFIX, None),
            ("s3://data/account/killed", signal.SIGKILL),
            ("s3://data/account/stopped", signal.SIGINT),
        ):
            if by:
                killed(world, relay, 3, dataset, to, "source-cooperative", at, by)
            there = num_part_bytes(relay)
            assert "large.tacozip" not in stored(world, to.removeprefix("s3://data/"), at)
            relay.serve_all()
            good(publish(world, dataset, to=to, env=at, keep=True))
            assert 0 < there < size and num_part_bytes(relay) == size - there, (there, num_part_bytes(relay), size)
            assert (
                stored(world, to.removeprefix("s3://data/"), at)["large.tacozip"]["Body"].read() == dataset.read_bytes()
            )
    return 2


@case
def upload__s3_leftovers(world):
    """Unfinished uploads of other bytes are not continued, and end when the user says so."""
    import boto3

    dataset = make_large(world)
    with bucket(world) as (store, relay, at):
        client = boto3.client(
            "s3",
            endpoint_url=relay.root,
            region_name="us-east-1",
            aws_access_key_id=at["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=at["AWS_SECRET_ACCESS_KEY"],
        )

        def leave(data):
            key = {"Bucket": "data", "Key": "account/large/large.tacozip"}
            begun = client.create_multipart_upload(**key)["UploadId"]
            client.upload_part(**key, UploadId=begun, PartNumber=1, Body=data)

        def unfinished():
            return client.list_multipart_uploads(Bucket="data").get("Uploads", [])

        leave(b"x" * 16_777_216)
        done = good(publish(world, dataset, to=PREFIX, env=at))
        assert "unfinished upload of other bytes" in done.errors and len(unfinished()) == 1, done
        assert stored(world, "account/large", at)["large.tacozip"]["Body"].read() == dataset.read_bytes()
        good(publish(world, dataset, "--discard-unfinished", to=PREFIX, env=at, keep=True))
        assert not unfinished()
        # One of the same bytes that others began, without the SHA-256 in its metadata: continued, then done again.
        to = "s3://data/account/second"
        begun = client.create_multipart_upload(Bucket="data", Key="account/second/large.tacozip")["UploadId"]
        client.upload_part(
            Bucket="data",
            Key="account/second/large.tacozip",
            UploadId=begun,
            PartNumber=1,
            Body=dataset.read_bytes()[:16_777_216],
        )
        good(publish(world, dataset, to=to, env=at))
        found = stored(world, "account/second", at)["large.tacozip"]
        assert found["Metadata"]["sha256"] == hashlib.sha256(dataset.read_bytes()).hexdigest(), found
        assert found["Body"].read() == dataset.read_bytes()
    return 3
