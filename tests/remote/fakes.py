"""Small servers that speak what GDAL asks of object stores: Google Cloud Storage, Azure Blob Storage, Alibaba OSS,
OpenStack Swift, and a plain web server. Each serves a folder on a free port of this machine, and refuses a request that is not
authorised as the store documents it; signatures are computed here from what came over the wire.

    with GoogleStorage(folder) as store:
        store.environment       what GDAL has to be told, a dict
        store.url("a/b.zip")    the path for `taco`
        store.requests          what came: a list of Request
        store.faults            what spoils answers, one for each authorised request, in turn; None spoils none
"""
import base64
import email.utils
import hashlib
import hmac
import threading
import time
import urllib.parse
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Request = namedtuple("Request", "method path range status")
KEY_ID, SECRET = "the-key-id", base64.b64encode(b"not so secret, 32 bytes of a key").decode()
BUCKET = "bucket"


def sign(algorithm, secret, text):
    return base64.b64encode(hmac.new(secret, text.encode(), algorithm).digest()).decode()


class Refused(Exception):
    """A status, and the body that the store sends with it."""

    def __init__(self, status, body=""):
        super().__init__(status)
        self.status, self.body = status, body


def plain_error(status):
    """A fault: an answer without data."""
    return lambda handler, _: handler.answer(status, b"")


def truncated(handler, data):
    """A fault: the connection ends in the middle of the data."""
    handler.well(data, sent=data[:len(data) // 2])
    handler.close_connection = True


def whole(handler, _):
    """A fault: a server that knows no ranges."""
    handler.answer(200, handler.whole)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client may leave in the middle of an answer."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, data, headers=(), sent=None):
        with self.server.store.lock:  # before it goes out: who gets it may look at once
            self.server.store.requests.append(Request(self.command, self.path, self.headers.get("Range"), status))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Last-Modified", self.server.store.modified)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data if sent is None else sent)

    def well(self, data, sent=None):
        """What was asked for; `sent` is all that comes of the body."""
        headers = [("Accept-Ranges", "bytes"), ("ETag", '"1"')]
        if self.content_range:
            headers.append(("Content-Range", self.content_range))
        self.answer(206 if self.content_range else 200, data, headers, sent)

    def do_GET(self):
        store = self.server.store
        try:
            self.whole = store.content_of(self)
            data, asked, self.content_range = self.whole, self.headers.get("Range"), None
            if asked is not None:
                first, last = asked.removeprefix("bytes=").split("-")
                end = min(int(last) + 1, len(data)) if last else len(data)
                if int(first) >= len(data):
                    raise Refused(416)
                self.content_range = f"bytes {first}-{end - 1}/{len(data)}"
                data = data[int(first):end]
            with store.lock:
                fault = store.faults.pop(0) if store.faults else None
            if fault is not None:
                fault(self, data)
            else:
                self.well(data)
        except Refused as refused:
            self.answer(refused.status, refused.body.encode(), [("Content-Type", "application/xml")])

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Store:
    """What all have in common. The objects are the files of `folder`, in the bucket BUCKET."""
    scheme = ""
    has_folders = True  # whether a name can be appended to url()
    opens_by_head = False  # what GDAL asks first; else it is for the first bytes
    not_found = "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>"
    no_bucket = "<?xml version='1.0'?><Error><Code>NoSuchBucket</Code><Message>No such bucket</Message></Error>"
    denied = "<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>This key may not</Message></Error>"
    mismatch = ("<?xml version='1.0'?><Error><Code>SignatureDoesNotMatch</Code>"
                "<Message>The signature is another one</Message></Error>")

    def __init__(self, folder):
        self.folder, self.requests, self.faults, self.lock = Path(folder), [], [], threading.Lock()
        self.modified = email.utils.formatdate(1700000000, usegmt=True)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.store = self
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.environment = self.configured()

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def url(self, name):
        return f"{self.scheme}://{BUCKET}/{name}"

    def raw(self, name):
        """The same as GDAL has it."""
        return f"/vsi{self.scheme}/{BUCKET}/{name}"

    def content_of(self, handler):
        """Of the file that is asked for; Refused when there is none, or the request is not authorised."""
        path, _, query = handler.path.partition("?")
        query = urllib.parse.parse_qs(query)
        self.authorise(handler, path, query)
        return self.content(path, query)

    def content(self, path, _):
        if not path.startswith(self.prefix()):
            raise Refused(404, self.no_bucket)
        name = urllib.parse.unquote(path[len(self.prefix()):])
        file = self.folder / name
        if ".." in name.split("/") or not file.is_file():
            raise Refused(404, self.not_found)
        return file.read_bytes()

    def prefix(self):
        return f"/{BUCKET}/"

    def configured(self):
        raise NotImplementedError

    def authorise(self, handler, path, query):
        raise NotImplementedError

    def refused(self):
        """`environment` with keys that the store does not know."""
        wrong = base64.b64encode(b"a key of someone else").decode()
        return {name: value.replace(KEY_ID, "another-key-id").replace(SECRET, wrong)
                for name, value in self.environment.items()}

    def require(self, handler, expected):
        """The whole Authorization header."""
        given = handler.headers.get("Authorization")
        if given is None:
            raise Refused(403, self.denied)
        if not hmac.compare_digest(given, expected):
            raise Refused(403, self.mismatch)

    def signed_by_date(self, handler, path, extension):
        """What is signed with a key in the schemes that AWS had first, and OSS and the XML API of Google still have:
        https://cloud.google.com/storage/docs/authentication/signatures (version 2),
        https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header"""
        headers = handler.headers
        extended = sorted((name.lower(), value) for name, value in headers.items()
                          if name.lower().startswith(extension))
        return "\n".join([handler.command, headers.get("Content-MD5", ""), headers.get("Content-Type", ""),
                          headers.get("Date", "")] + [f"{name}:{value}" for name, value in extended] + [path])


class GoogleStorage(Store):
    """HMAC keys."""
    scheme = "gs"

    def configured(self):
        return {"CPL_GS_ENDPOINT": f"http://{self.host}/", "GS_ACCESS_KEY_ID": KEY_ID, "GS_SECRET_ACCESS_KEY": SECRET}

    def authorise(self, handler, path, query):
        text = self.signed_by_date(handler, path, "x-goog-")
        self.require(handler, f"GOOG1 {KEY_ID}:{sign(hashlib.sha1, SECRET.encode(), text)}")


class GoogleStorageByToken(Store):
    """A token of OAuth 2."""
    scheme = "gs"

    def configured(self):
        return {"CPL_GS_ENDPOINT": f"http://{self.host}/", "GS_NO_SIGN_REQUEST": "YES",
                "GDAL_HTTP_HEADERS": f"Authorization: Bearer {KEY_ID}"}

    def authorise(self, handler, path, query):
        self.require(handler, f"Bearer {KEY_ID}")


class Azure(Store):
    """A shared key: https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key"""
    scheme = "az"
    account = "taco"
    opens_by_head = True
    not_found = "<?xml version='1.0'?><Error><Code>BlobNotFound</Code><Message>No such blob</Message></Error>"
    denied = "<?xml version='1.0'?><Error><Code>AuthenticationFailed</Code><Message>Who is it?</Message></Error>"
    mismatch = denied

    def configured(self):
        return {"AZURE_STORAGE_CONNECTION_STRING":
                f"DefaultEndpointsProtocol=http;AccountName={self.account};AccountKey={SECRET};"
                f"BlobEndpoint=http://{self.host}"}

    def authorise(self, handler, path, query):
        headers = handler.headers
        length = headers.get("Content-Length", "")
        names = ["Content-Encoding", "Content-Language", "", "Content-MD5", "Content-Type", "Date", "If-Modified-Since",
                 "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"]
        lines = [handler.command]
        lines += [headers.get(name, "") if name else "" if length == "0" else length for name in names]
        lines += [f"{name.lower()}:{headers[name]}" for name in sorted(headers, key=str.lower)
                  if name.lower().startswith("x-ms-")]
        lines.append(f"/{self.account}{path}")
        lines += [f"{name}:{','.join(sorted(query[name]))}" for name in sorted(query)]
        self.require(handler, f"SharedKey {self.account}:" +
                     sign(hashlib.sha256, base64.b64decode(SECRET), "\n".join(lines)))


    def content(self, path, query):
        """Here GDAL asks also whether what is not there is a folder."""
        if query.get("comp") != ["list"]:
            return super().content(path, query)
        name = query["prefix"][0]
        blobs = f"<BlobPrefix><Name>{name}DATA/</Name></BlobPrefix>" if (self.folder / name).is_dir() else ""
        return ("<?xml version='1.0'?><EnumerationResults>"
                f"<Prefix>{name}</Prefix><Blobs>{blobs}</Blobs></EnumerationResults>").encode()


class AzureBySignature(Azure):
    """A shared access signature: https://learn.microsoft.com/rest/api/storageservices/create-service-sas"""

    def signature(self, fields):
        text = "\n".join([fields.get("sp", ""), "", fields.get("se", ""), f"/blob/{self.account}/{BUCKET}", "", "", "",
                          fields.get("sv", ""), fields.get("sr", ""), "", "", "", "", "", ""])
        return sign(hashlib.sha256, base64.b64decode(SECRET), text)

    @staticmethod
    def time(seconds_from_now):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds_from_now))

    def configured(self):
        fields = {"sv": "2018-11-09", "sr": "c", "sp": "r", "se": self.time(3600)}
        fields["sig"] = self.signature(fields)
        return {"AZURE_STORAGE_CONNECTION_STRING":
                f"BlobEndpoint=http://{self.host};AccountName={self.account};"
                f"SharedAccessSignature={urllib.parse.urlencode(fields)}"}

    def refused(self):
        return {name: value.replace("sp=r", "sp=rw") for name, value in self.environment.items()}

    def authorise(self, handler, path, query):
        fields = {name: values[0] for name, values in query.items()}
        if fields.get("sig") != self.signature(fields) or fields["se"] < self.time(0):
            raise Refused(403, self.denied)


class Oss(Store):
    scheme = "oss"

    def configured(self):
        return {"OSS_ENDPOINT": self.host, "OSS_HTTPS": "NO", "OSS_VIRTUAL_HOSTING": "NO", "OSS_ACCESS_KEY_ID": KEY_ID,
                "OSS_SECRET_ACCESS_KEY": SECRET}

    def authorise(self, handler, path, query):
        text = self.signed_by_date(handler, path, "x-oss-")
        self.require(handler, f"OSS {KEY_ID}:{sign(hashlib.sha1, SECRET.encode(), text)}")


class Swift(Store):
    scheme = "swift"
    not_found = "<html><h1>Not Found</h1></html>"

    def configured(self):
        return {"SWIFT_STORAGE_URL": f"http://{self.host}/v1/AUTH_taco", "SWIFT_AUTH_TOKEN": KEY_ID}

    def prefix(self):
        return f"/v1/AUTH_taco/{BUCKET}/"

    def authorise(self, handler, path, query):
        if handler.headers.get("X-Auth-Token") != KEY_ID:
            raise Refused(401)


class Web(Store):
    """A name and a password, and a form of GDAL's paths for web servers that tacore leaves to GDAL."""
    has_folders, opens_by_head = False, True

    def configured(self):
        return {"GDAL_HTTP_USERPWD": f"{KEY_ID}:{SECRET}", "GDAL_HTTP_AUTH": "BASIC"}

    def url(self, name):
        return "/vsicurl?url=" + urllib.parse.quote(f"http://{self.host}/{BUCKET}/{name}", safe="")

    raw = url

    def authorise(self, handler, path, query):
        self.require(handler, "Basic " + base64.b64encode(f"{KEY_ID}:{SECRET}".encode()).decode())


STORES = [GoogleStorage, GoogleStorageByToken, Azure, AzureBySignature, Oss, Swift, Web]
