"""Cases: a store of S3 that others wrote, moto, which checks signatures with the code of AWS. It needs requirements.txt (run)."""
import json
import logging
import re
import urllib.parse
import urllib.request
from contextlib import contextmanager

from same import compare_all
from stores import key_environment, refused
from world import Skipped, case

NAMES = ["landsat_nested.tacozip", "folder", "indexed/.tacocat", "single/__TACOCAT__", "collected/TACOLLECTION.json",
         "chips.tortilla", "chips.taco", "stream.taco"]


class Store:
    """What the tests ask of moto by HTTP. Until locked() it believes everybody."""

    def __init__(self, root):
        self.root = root

    def ask(self, method, path, data=b"", **headers):
        headers = {"Content-Type": "application/octet-stream"} | {k.replace("_", "-"): v for k, v in headers.items()}
        request = urllib.request.Request(self.root + path, data=data, method=method, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return answer.read().decode()

    def make_bucket(self, name, folder, files, **headers):
        self.ask("PUT", f"/{name}", **headers)
        for file in files:
            self.ask("PUT", f"/{name}/" + urllib.parse.quote(str(file.relative_to(folder))), file.read_bytes(), **headers)

    def identity(self, **fields):
        # moto tells by the scope of a signature which service is meant, and does not look at the rest yet.
        scope = "AWS4-HMAC-SHA256 Credential=none/20200101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
        return self.ask("POST", "/", urllib.parse.urlencode(fields | {"Version": "2010-05-08"}).encode(),
                        Authorization=scope, Content_Type="application/x-www-form-urlencoded")

    def make_key(self, actions):
        """Of a new user who may do `actions`: id and secret."""
        user = f"user{len(actions)}"
        self.identity(Action="CreateUser", UserName=user)
        allowed = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
        self.identity(Action="PutUserPolicy", UserName=user, PolicyName="read", PolicyDocument=json.dumps(allowed))
        key = self.identity(Action="CreateAccessKey", UserName=user)
        return re.search("<AccessKeyId>(.*?)<", key)[1], re.search("<SecretAccessKey>(.*?)<", key)[1]

    def lock(self):
        """From now on requests are checked."""
        self.ask("POST", "/moto-api/reset-auth", b"0")


@contextmanager
def moto():
    try:
        from moto.server import ThreadedMotoServer
    except ImportError:
        raise Skipped("moto is not installed: run does that") from None
    for name in ("werkzeug", "moto"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield Store(f"http://{host}:{port}")
    finally:
        server.stop()


def needed_files(world):
    return [path for name in NAMES for path in
            ([world.data / name] if (world.data / name).is_file() and "/" not in name else
             (world.data / name.split("/")[0]).rglob("*")) if path.is_file()]


@case
def moto__all(world):
    """All containers: from a public bucket without a key, then from a private one with checked signatures."""
    with moto() as store:
        files = needed_files(world)
        store.make_bucket("open", world.data, files, x_amz_acl="public-read")
        at = ("--endpoint", store.root)
        count = compare_all(world, NAMES[:2], "s3://open", *at)
        store.make_bucket("closed", world.data, files)
        key, other = store.make_key(["s3:GetObject"]), store.make_key(["s3:PutObject", "s3:ListBucket"])
        store.lock()
        count += compare_all(world, NAMES, "s3://closed", *at, env=key_environment(key))
        url = "s3://closed/landsat_nested.tacozip"
        refused(world, url, *at, env=key_environment((key[0], "wrong")), words="SignatureDoesNotMatch")
        refused(world, url, *at, env=key_environment(("wrong", key[1])), words="InvalidAccessKeyId")
        refused(world, url, *at, env=key_environment(other), words="AccessDenied")
        refused(world, url, *at)
        refused(world, "s3://closed/none.tacozip", *at, env=key_environment(key), words="404")
        refused(world, "s3://none/none.tacozip", *at, env=key_environment(key), words="404")
        return count + 6
