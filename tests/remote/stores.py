"""Cases: object stores that want signatures, the Hub that sends elsewhere, servers behind TLS, and nginx."""
import calendar
import os
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from answers import Request
from counts import python, scattered_dataset
from guards import S3, Hub, signed_store
from same import compare_all
from server import Server
from spoil import Rule
from world import Skipped, case

NAMES = ["landsat_nested.tacozip", "folder", "indexed/.tacocat", "single", "collected/TACOLLECTION.json", "chips.tortilla",
         "chips.taco", "stream.taco"]
KEY = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


def key_environment(key=KEY, **more):
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    return dict(zip(names, key)) | more


def refused(world, url, *options, env=None, words="403"):
    done = world.run("info", url, *options, env=env)
    assert done.code == 1 and not done.out and words in done.errors, done


@case
def store__signature(world):
    """The signature check of these tests accepts the example of "Authenticating Requests: Using the Authorization
    Header"."""
    headers = {"host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9", "x-amz-date": "20130524T000000Z",
               "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
    headers["authorization"] = (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    store = S3(("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
               clock=lambda: calendar.timegm((2013, 5, 24, 0, 0, 0)))
    assert store.why_wrong(Request(1, "GET", "/test.txt", headers)) == ""
    for name, value in (("range", "bytes=0-8"), ("host", "other"), ("x-amz-date", "20130524T000001Z")):
        assert store.why_wrong(Request(1, "GET", "/test.txt", headers | {name: value})) == "the signature"
    assert store.why_wrong(Request(1, "GET", "/test2.txt", headers)) == "the signature"
    return 5


@case
def store__s3(world):
    """All containers from a store that checks each signature, with odd names as well."""
    with Server(world.scratch, guard=S3(KEY, region="eu-central-1")) as server:
        options = ("--endpoint", server.root, "--region", "eu-central-1")
        count = compare_all(world, NAMES, "s3://data", *options, env=key_environment())
        assert all("authorization" in request.headers for request in server.requests)
        for name in ("with space+plus.tacozip", "Größe=1&(2)'!*.tacozip", "100%25.tacozip"):
            shutil.copy(world.data / "landsat_nested.tacozip", world.data / name)
            done = world.run("ls", f"s3://data/{name}", *options, env=key_environment())
            assert done.code == 0, f"{name}: {done}\n{server.list()}"
            (world.data / name).unlink()
        return count + 3


@case
def store__s3_environment(world):
    """Endpoint, region, keys, sessions and profiles are read where other AWS tools read them."""
    token = (*KEY, "session/token==")
    files = {name: world.scratch / name for name in ("credentials", "config")}
    files["credentials"].write_text(f"[default]\naws_access_key_id = other\naws_secret_access_key = other\n\n"
                                    f"[lab]\naws_access_key_id = {KEY[0]}\naws_secret_access_key = {KEY[1]}\n")
    files["config"].write_text("[profile lab]\nregion = eu-west-3\n")
    profile = {"AWS_SHARED_CREDENTIALS_FILE": str(files["credentials"]), "AWS_CONFIG_FILE": str(files["config"])}
    with Server(world.scratch) as server:
        url, at = "s3://data/landsat_nested.tacozip", {"AWS_ENDPOINT_URL": server.root}
        for store, env in ((S3(KEY), key_environment()), (S3(KEY, "eu-west-3"), key_environment(AWS_REGION="eu-west-3")),
                           (S3(KEY, "eu-west-3"), key_environment(AWS_DEFAULT_REGION="eu-west-3")),
                           (S3(token), key_environment(token)), (S3(KEY, "eu-west-3"), profile | {"AWS_PROFILE": "lab"})):
            server.guard = store
            done = world.run("info", url, env=at | env)
            assert done.code == 0, f"{env}: {done}\n{server.list()}"
        server.guard = S3(KEY)
        done = world.run("info", url, env={"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ENDPOINT_URL_S3": server.root} |
                         key_environment())
        assert done.code == 0, done
        refused(world, url, env=at | profile | {"AWS_PROFILE": "none"}, words="none")
        return 7


@case
def store__s3_refused(world):
    """A wrong key is an error with the store's message, and is not reported as a missing file."""
    with Server(world.scratch, guard=S3(KEY)) as server:
        at = ("--endpoint", server.root)
        url = "s3://data/landsat_nested.tacozip"
        refused(world, url, *at, env=key_environment((KEY[0], "wrong")))
        refused(world, url, *at, env=key_environment((KEY[0], "wrong")), words="SignatureDoesNotMatch")
        refused(world, url, *at, "--region", "us-west-2", env=key_environment())
        refused(world, url, *at)
        refused(world, url, *at, "--anonymous", env=key_environment())
        refused(world, "s3://data/none.tacozip", *at, env=key_environment(), words="s3://data/none.tacozip")
        assert len(server.requests) <= 8, server.list()
        refused(world, "s3://data", *at, words="s3://BUCKET/KEY")
        return 7


@case
def store__s3_public(world):
    """A public bucket is read without a key, and without using existing keys."""
    with Server(world.scratch, guard=S3(KEY, public=["data"])) as server:
        at = ("--endpoint", server.root)
        count = compare_all(world, NAMES[:2], "s3://data", *at)
        for more, env in ((["--anonymous"], key_environment(("wrong", "wrong"))),
                          ([], key_environment(("wrong", "wrong"), AWS_NO_SIGN_REQUEST="YES"))):
            done = world.run("info", "s3://data/landsat_nested.tacozip", *at, *more, env=env)
            assert done.code == 0, done
        assert not any("authorization" in request.headers for request in server.requests), server.list()
        return count + 2


@case
def store__s3_redirected(world):
    """A store may redirect; the signature is for the first host and is not sent on."""
    with Server(world.scratch) as other, Server(world.scratch, guard=S3(KEY), rules=[
            Rule("redirect", to=other.root + "{path}", code=307)]) as server:
        done = world.run("info", "s3://data/landsat_nested.tacozip", "--endpoint", server.root, env=key_environment())
        assert done.code == 0 and other.requests, f"{done}\n{other.list()}"
        for request in other.requests:
            assert not any(name == "authorization" or name.startswith("x-amz-") for name in request.headers), other.list()
        return 1


@contextmanager
def hub(world, **options):
    with Server(world.data, guard=signed_store) as store, Server(world.data) as server:
        server.guard = Hub(store, **options)
        yield server, store, {"HF_ENDPOINT": server.root}


@case
def store__hub(world):
    """All containers of a public repository; files are redirected to a host that gets no user header."""
    with hub(world) as (server, store, at):
        count = compare_all(world, NAMES, "hf://datasets/lab/chips", env=at)
        assert server.requests and store.requests
        assert not any("authorization" in request.headers for request in server.requests + store.requests)
        return count


@case
def store__hub_private(world):
    """A token is sent to the Hub with each request, and to no other host."""
    with hub(world, token="hf_secret", revisions=("main", "v1.0", "refs/pr/1")) as (server, store, at):
        token = at | {"HF_TOKEN": "hf_secret"}
        count = compare_all(world, NAMES[:2], "hf://datasets/lab/chips", env=token)
        assert all(request.headers.get("authorization") == "Bearer hf_secret" for request in server.requests), server.list()
        leaked = [str(request) for request in store.requests if "hf_secret" in str(request.headers)]
        assert store.requests and not leaked, leaked
        (world.scratch / "token").write_text("hf_secret\n")
        done = world.run("info", "hf://datasets/lab/chips/folder", env=at | {"HF_TOKEN_PATH": str(world.scratch / "token")})
        assert done.code == 0, done
        for revision in ("v1.0", "refs%2Fpr%2F1"):
            done = world.run("info", f"hf://datasets/lab/chips@{revision}/landsat.tacozip", env=token)
            assert done.code == 0 or revision.startswith("refs"), f"{revision}: {done}\n{server.list()}"
        refused(world, "hf://datasets/lab/chips/landsat.tacozip", env=at, words="401")
        refused(world, "hf://datasets/lab/chips/landsat.tacozip", env=at | {"HF_TOKEN": "wrong"}, words="401")
        refused(world, "hf://datasets/lab/chips/none.tacozip", env=token, words="none.tacozip")
        refused(world, "hf://datasets/lab/chips@v2/landsat.tacozip", env=token, words="landsat.tacozip")
        refused(world, "hf://datasets/lab/", env=token, words="hf://datasets/OWNER/NAME")
        refused(world, "hf://datasets/lab/chips/landsat.tacozip", "--anonymous", env=token, words="401")
        return count + 8


# --- TLS ---

def certificate(world, name="server"):
    """Paths of a certificate for 127.0.0.1 that nobody signed, and its key."""
    files = [world.scratch / f"{name}.pem", world.scratch / f"{name}.key"]
    if not files[0].exists():
        if not shutil.which("openssl"):
            raise Skipped("the tool openssl is not installed")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=tacore", "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout",
                        files[1]], check=True, capture_output=True)
    return files


@case
def store__tls(world):
    """https works with a trusted certificate; not with others, not for other names, and never redirected to http."""
    chain, key = certificate(world)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    known = {"CURL_CA_BUNDLE": str(chain)}
    with Server(world.data, certificate=context) as server:
        count = compare_all(world, NAMES[:2], server.root, env=known)
        assert {name for name in ("landsat_nested.tacozip", "folder") if any(name in r.path for r in server.requests)}
        done = world.run("info", server.url("landsat.tacozip"), env={"SSL_CERT_FILE": str(chain)})
        assert done.code == 0, done
        server.clear()
        refused(world, server.url("landsat.tacozip"), "--max-tries", "2", words="certificate")
        other, _ = certificate(world, "other")
        refused(world, server.url("landsat.tacozip"), "--max-tries", "2", env={"CURL_CA_BUNDLE": str(other)}, words="certificate")
        refused(world, f"https://localhost:{server.port}/landsat.tacozip", "--max-tries", "2", env=known, words="certificate")
        assert not server.requests, server.list()
        with Server(world.data) as plain:
            server.rules = [Rule("redirect", to=plain.root + "{path}")]
            refused(world, server.url("landsat.tacozip"), env=known, words="not encrypted")
            assert not plain.requests, plain.list()
            # The other way is better than before.
            server.rules, plain.rules = [], [Rule("redirect", to=server.root + "{path}")]
            done = world.run("info", plain.url("landsat.tacozip"), env=known)
            assert done.code == 0, done
        return count + 6


# --- nginx ---

NGINX = """
{user}
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 512; }}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/octet-stream;
  log_format each '$connection $server_protocol $status $body_bytes_sent $uri $http_range';
  access_log {folder}/access.log each;
  gzip on;
  gzip_types *;
  gzip_min_length 1;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl{http2};
    {http2_line}
    ssl_certificate {chain};
    ssl_certificate_key {key};
    location / {{ alias {data}/; }}
    location /few/ {{ alias {data}/; max_ranges 1; }}
    location /none/ {{ alias {data}/; max_ranges 0; }}
    location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
    location /secret/ {{ alias {data}/; auth_basic "data"; auth_basic_user_file {folder}/users; }}
  }}
}}
"""


class Nginx:
    def __init__(self, folder, port, tls_port):
        self.folder, self.root, self.tls_root = folder, f"http://127.0.0.1:{port}", f"https://127.0.0.1:{tls_port}"

    def clear(self):
        (self.folder / "access.log").write_text("")

    def log(self, count):
        """The lines of the last requests, of which there are `count` at least: nginx writes them after it has answered."""
        end = time.monotonic() + 30
        while True:
            lines = [line.split(" ", 5) for line in (self.folder / "access.log").read_text().splitlines()]
            if len(lines) >= count or time.monotonic() > end:
                return lines
            time.sleep(0.01)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


@contextmanager
def nginx(world):
    fetched = Path(__file__).resolve().parents[2] / "build" / "nginx" / "usr" / "sbin"
    tool = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin:{fetched}")
    if not tool:
        raise Skipped("nginx is not installed")
    folder = world.scratch / "nginx"
    folder.mkdir(exist_ok=True)
    (folder / "users").write_text("ada:{PLAIN}se@cret\n")
    chain, key = certificate(world)
    version = subprocess.run([tool, "-v"], capture_output=True, text=True).stderr.split("/")[1].split()[0]
    has_line = tuple(map(int, version.split("."))) >= (1, 25, 1)
    for attempt in range(5):  # someone may take the ports before nginx does
        port, tls_port = free_ports(2)
        config = NGINX.format(folder=folder, data=world.data, port=port, tls_port=tls_port, chain=chain, key=key,
                              user="user root;" if os.geteuid() == 0 else "", http2="" if has_line else " http2",
                              http2_line="http2 on;" if has_line else "")
        (folder / "nginx.conf").write_text(config)
        process = subprocess.Popen([tool, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (is_listening(port) and is_listening(tls_port)):
            time.sleep(0.02)
        if process.poll() is None:
            break
    else:
        raise AssertionError("nginx does not start:\n" + (folder / "error.log").read_text())
    try:
        yield Nginx(folder, port, tls_port)
    finally:
        process.terminate()
        process.wait(30)


@case
def nginx__all(world):
    """All containers; and ranges that are refused, redirected and protected."""
    with nginx(world) as server:
        count = compare_all(world, NAMES, server.root)
        for root in ("few", "none", "moved"):
            count += compare_all(world, NAMES[:2], f"{server.root}/{root}")
        name = NAMES[0]
        there = server.root.replace("http://", "http://ada:se%40cret@") + f"/secret/{name}"
        done = world.run("ls", there)
        assert done.code == 0 and done.out == world.local(["ls", "{}"], name).out, done
        refused(world, f"{server.root}/secret/{name}", words="401")
        return count + 2


@case
def nginx__http2(world):
    """Over TLS nginx speaks HTTP/2, where all requests share one connection."""
    with nginx(world) as server:
        env = {"CURL_CA_BUNDLE": str(certificate(world)[0])}
        count = compare_all(world, NAMES[:4], server.tls_root, env=env)
        server.clear()
        done = world.run("query", f"{server.tls_root}/folder", "-f", "csv", env=env)
        assert done.code == 0, done
        lines = server.log(3)  # .tacocat, COLLECTION.json, level 0
        assert len(lines) == 3, lines
        assert {line[1] for line in lines} == {"HTTP/2.0"} and len({line[0] for line in lines}) == 1, lines
        return count + 1


@case
def nginx__ranges(world):
    """nginx answers several ranges in one response where it may; else they are requested one by one, or cut out of the
    whole file."""
    tacore = python()
    name = scattered_dataset(world)
    far = [40, 100, 160, 220]
    expected = tacore.load(str(world.data / name)).data.read_bytes(far)
    with nginx(world) as server:
        for root, several, count in (("", 1, 2), ("/few", 1, 6), ("/none", 0, 1)):
            server.clear()
            # Options of its own: what other servers do with several ranges is remembered where options are shared.
            rows = tacore.load(f"{server.root}{root}/{name}", storage_options={"max_concurrent_requests": 100}).data
            assert rows.read_bytes(far) == expected, root
            lines = server.log(count)
            assert len([line for line in lines if "," in line[5]]) == several, lines
            assert len(lines) == count, lines
        server.clear()
        done = world.run("info", f"{server.root}/landsat.tacozip")
        lines = server.log(1)
        assert done.code == 0 and len(lines) == 1 and sum(int(line[3]) for line in lines) <= 64_000, lines
        return 4
