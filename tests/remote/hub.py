"""Servers on loopback that take uploads: a dataset Hub, and a relay in front of a store of S3. Both count what arrives,
and fail as they are told.

The Hub does as the Hugging Face Hub does without Xet: repositories, the questions before an upload, Git LFS with one
part or several, and commits. It checks sizes and SHA-256. The files are kept by a second server, which stands for the
store behind the Hub: whoever sends it the token of the Hub has given the token away.

    with Hub() as hub:
        hub.root            HF_ENDPOINT
        hub.repositories    "owner/name" -> {path: bytes}
        hub.requests        (server, method, path, bytes of the body, headers) of each request, in order
        hub.num_received    bytes of the bodies of all PUTs, interrupted ones too
        hub.most_puts       that many PUTs are served, then all others end in the middle of the body
        hub.resume          an Event, which those wait for
        hub.faults          (pattern of the path, status, headers) of the next responses
"""

import base64
import hashlib
import http.client
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hf_may_write"
CHUNK = 6_000_000


def git_sha1(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Gone(Exception):
    """The connection ends without a response."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def take_body(self):
        """The body, piece by piece: what arrived of an interrupted upload is counted as well."""
        left, data = int(self.headers.get("Content-Length", 0)), bytearray()
        half = self.server.owner.ends_early(self.command) and left // 2
        while left:
            if half and left <= half:
                raise Gone
            piece = self.rfile.read1(min(left, 1 << 16))
            if not piece:
                raise Gone
            data += piece
            left -= len(piece)
            self.server.owner.count(self.command, len(piece))
        return bytes(data)

    def reply(self, status, body=b"", **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def answer(self):
        owner = self.server.owner
        try:
            body = self.take_body()
            with owner.lock:
                owner.requests.append((self.server.name, self.command, self.path, len(body), dict(self.headers)))
                fault = owner.faults.pop(0) if owner.faults and re.search(owner.faults[0][0], self.path) else None
            if fault:
                return self.reply(fault[1], {"error": "later"}, **fault[2])
            self.server.serve(self, body)
            if self.command == "PUT":
                with owner.lock:
                    owner.num_served += 1
                    owner.lock.notify_all()
        except (Gone, ConnectionError):
            self.close_connection = True

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer


class Counting:
    """What both have in common."""

    def __init__(self):
        self.requests, self.lock = [], threading.Condition()
        self.faults, self.num_received, self.on_put = [], 0, None
        self.most_puts, self.num_begun, self.num_served = None, 0, 0
        self.servers, self.resume = [], threading.Event()
        self.resume.set()

    def stop_after(self, number, resume):
        """From now on, `number` PUTs are served."""
        self.most_puts, self.num_begun, self.num_served, self.num_received = number, 0, 0, 0
        self.requests.clear()
        if not resume:
            self.resume.clear()

    def serve_all(self):
        """From now on, all requests are served; those that waited end."""
        self.resume.set()
        self.most_puts, self.num_received = None, 0
        self.requests.clear()

    def serving(self, name, serve):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda *_: None  # clients may go at any time
        server.daemon_threads, server.owner, server.name, server.serve = True, self, name, serve
        return server

    def __enter__(self):
        for server in self.servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def count(self, method, number):
        if method != "PUT":
            return
        with self.lock:
            self.num_received += number
        if self.on_put:
            self.on_put()

    def ends_early(self, method):
        """Whether a request ends in the middle: when all that are served have been, since the client then gives the others up."""
        with self.lock:
            self.num_begun += method == "PUT"
            if method != "PUT" or self.most_puts is None or self.num_begun <= self.most_puts:
                return False
            self.lock.wait_for(lambda: self.num_served >= self.most_puts, 30)
        self.resume.wait(30)
        return True

    def root_of(self, server):
        return f"http://127.0.0.1:{server.server_address[1]}"


class Relay(Counting):
    """In front of the server at `root`."""

    def __init__(self, root):
        super().__init__()
        self.to = root.removeprefix("http://")
        self.servers = [self.serving("relay", self.serve)]
        self.root = self.root_of(self.servers[0])

    def serve(self, request, body):
        connection = http.client.HTTPConnection(self.to, timeout=60)
        connection.request(request.command, request.path, body, dict(request.headers))
        answer = connection.getresponse()
        data = answer.read()
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "date", "server"):
                request.send_header(name, value)
        if not answer.getheader("Content-Length"):
            request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)
        connection.close()


class Hub(Counting):
    def __init__(self):
        super().__init__()
        self.repositories, self.objects, self.parts = {}, {}, {}
        self.transfer, self.upload_url, self.commits = None, None, []
        self.servers = [self.serving("hub", self.serve_hub), self.serving("store", self.serve_store)]
        self.root, self.store_root = map(self.root_of, self.servers)

    # --- the Hub ---

    def serve_hub(self, request, body):
        path = request.path.split("?")[0]
        if request.headers.get("Authorization") != f"Bearer {TOKEN}" and not path.startswith("/complete"):
            return request.reply(401, {"error": "Invalid user token."})
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            if name in self.repositories:
                return request.reply(409, {"error": "exists", "url": f"{self.root}/datasets/{name}"})
            self.repositories[name] = {}
            return request.reply(200, {"url": f"{self.root}/datasets/{name}"})
        if path == "/api/validate-yaml":
            return request.reply(200, {"errors": [], "warnings": []})
        if path.startswith("/complete/"):
            return self.complete(request, path.rsplit("/", 1)[1], json.loads(body))
        found = re.fullmatch(
            r"/(?:api/)?datasets/([^/]+/[^/]+?)(\.git/info/lfs/objects/batch|/[^/]+/main|/verify|)", path
        )
        if not found or found[1] not in self.repositories:
            return request.reply(404, {"error": "Repository not found"}, X_Error_Code="RepoNotFound")
        name, what = found[1], found[2]
        act = {
            "/preupload/main": self.preupload,
            "/commit/main": self.commit,
            ".git/info/lfs/objects/batch": self.batch,
            "/verify": self.verify,
        }.get(what)
        if act is None:
            return request.reply(200, {"id": name, "sha": "0" * 40, "siblings": [], "private": False, "tags": []})
        return act(request, name, body)

    def preupload(self, request, name, body):
        out = []
        for file in json.loads(body)["files"]:
            there = self.repositories[name].get(file["path"])
            is_large = file["size"] > 10_000_000 or file["path"].endswith((".tacozip", ".parquet", ".bin"))
            oid = None if there is None else (hashlib.sha256(there).hexdigest() if is_large else git_sha1(there))
            base64.b64decode(file["sample"], validate=True)
            out.append(
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if is_large else "regular",
                    "shouldIgnore": False,
                    "oid": oid,
                }
            )
        request.reply(200, {"files": out})

    def batch(self, request, name, body):
        asked, out = json.loads(body), []
        assert asked["hash_algo"] == "sha256" and asked["operation"] == "upload", asked
        for one in asked["objects"]:
            oid, size = one["oid"], one["size"]
            answer = {"oid": oid, "size": size}
            if oid not in self.objects:
                upload = {"href": self.upload_url or f"{self.store_root}/objects/{oid}"}
                if size > CHUNK:
                    numbers = range(1, -(-size // CHUNK) + 1)
                    upload = {
                        "href": f"{self.root}/complete/{oid}",
                        "header": {"chunk_size": str(CHUNK)}
                        | {f"{n:05}": f"{self.store_root}/parts/{oid}/{n}" for n in numbers},
                    }
                answer["actions"] = {"upload": upload, "verify": {"href": f"{self.root}/datasets/{name}/verify"}}
            out.append(answer)
        request.reply(200, {"objects": out} | ({"transfer": self.transfer} if self.transfer else {}))

    def complete(self, request, oid, asked):
        parts = self.parts.pop(oid, {})
        given = [(part["partNumber"], part["etag"]) for part in asked["parts"]]
        data = b"".join(parts[n] for n in sorted(parts))
        right = [(n, f'"{hashlib.md5(parts[n]).hexdigest()}"') for n in sorted(parts)]
        if given != right or hashlib.sha256(data).hexdigest() != oid or asked["oid"] != oid:
            return request.reply(400, {"error": "the parts are not those of the object"})
        self.objects[oid] = data
        return request.reply(200, {})

    def verify(self, request, name, body):
        asked = json.loads(body)
        there = self.objects.get(asked["oid"])
        request.reply(200 if there is not None and len(there) == asked["size"] else 404, {})

    def commit(self, request, name, body):
        assert request.headers["Content-Type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in body.splitlines()]
        assert lines[0]["key"] == "header" and lines[0]["value"]["summary"], lines[0]
        files = {}
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "lfsFile":
                there = self.objects.get(value["oid"])
                if there is None or len(there) != value.get("size", len(there)):
                    return request.reply(400, {"error": f"LFS object {value['oid']} does not exist"})
                files[value["path"]] = there
            else:
                files[value["path"]] = base64.b64decode(value["content"], validate=True)
        self.repositories[name] |= files
        self.commits.append(sorted(files))
        return request.reply(
            200, {"commitUrl": f"{self.root}/datasets/{name}/commit/1", "commitOid": "1" * 40, "pullRequestUrl": None}
        )

    # --- the store behind it ---

    def serve_store(self, request, body):
        kind, oid, *number = request.path.strip("/").split("/")
        if request.command != "PUT":
            return request.reply(405)
        if number:
            with self.lock:
                self.parts.setdefault(oid, {})[int(number[0])] = body
            return request.reply(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')
        if hashlib.sha256(body).hexdigest() != oid:
            return request.reply(400, {"error": "the SHA-256 is another one"})
        self.objects[oid] = body
        return request.reply(200)
