"""Guards of servers: they look at a request before a file is looked for, and check who asks."""
import calendar
import hashlib
import hmac
import math
import re
import threading
import time
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from answers import Answer, error


def forbid(code, text):
    return error(403, f"<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>{text}</Message></Error>",
                 Content_Type="application/xml")


class S3:
    """A store by path, /BUCKET/KEY, whose bucket is a folder of the server. Requests are signed with `key`, (id, secret) or
    (id, secret, token), as "Signature Version 4" of AWS says; those for the buckets in `public` may go without."""

    def __init__(self, key, region="us-east-1", public=(), clock=time.time):
        self.key, self.region, self.public, self.clock = key, region, public, clock

    def __call__(self, request):
        if "authorization" in request.headers:
            why = self.why_wrong(request)
            return forbid("SignatureDoesNotMatch", why) if why else None
        if request.path.split("/")[1] in self.public:
            return None
        return forbid("AccessDenied", "Access Denied")

    def why_wrong(self, request):
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
                             r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})", request.headers["authorization"])
        if not match:
            return "the form of Authorization"
        key_id, day, region, signed, signature = match.groups()
        date, payload = request.headers.get("x-amz-date", ""), request.headers.get("x-amz-content-sha256", "")
        names = signed.split(";")
        needed = {"host", *(name for name in request.headers if name.startswith("x-amz-"))}
        token = self.key[2] if len(self.key) > 2 else None
        for is_wrong, why in ((key_id != self.key[0], "the id of the key"), (region != self.region, "the region"),
                              (not re.fullmatch(r"\d{8}T\d{6}Z", date) or not date.startswith(day), "x-amz-date"),
                              (payload not in (hashlib.sha256(b"").hexdigest(), "UNSIGNED-PAYLOAD"), "x-amz-content-sha256"),
                              (names != sorted(names) or not needed <= set(names), "which headers are signed"),
                              (request.headers.get("x-amz-security-token") != token, "x-amz-security-token")):
            if is_wrong:
                return why
        if abs(self.clock() - calendar.timegm(time.strptime(date, "%Y%m%dT%H%M%SZ"))) > 900:
            return "RequestTimeTooSkewed"
        target = urlsplit(request.target)
        canonical = "\n".join([
            request.method, quote(unquote(target.path), safe="/-_.~"),
            "&".join(sorted(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}"
                            for name, value in parse_qsl(target.query, keep_blank_values=True))),
            *(f"{name}:{' '.join(request.headers.get(name, '').split())}" for name in names), "", signed, payload])
        scope = f"{day}/{region}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        secret = ("AWS4" + self.key[1]).encode()
        for part in (day, region, "s3", "aws4_request"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        return "" if hmac.new(secret, text.encode(), "sha256").hexdigest() == signature else "the signature"


class Hub:
    """/datasets/OWNER/NAME/resolve/REVISION/PATH, as the Hugging Face Hub answers: small files from a path of the same host,
    large ones from the server `store`. The folder of the server is the repository. With `token` it is private."""

    def __init__(self, store, repository="lab/chips", revisions=("main",), token=None):
        self.store, self.repository, self.revisions, self.token = store, repository, revisions, token

    def __call__(self, request):
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return error(401, "Invalid credentials in Authorization header", X_Error_Code="RepoNotFound")
        match = re.fullmatch(rf"(/datasets|/api/resolve-cache/datasets)/{self.repository}(/resolve)?/([^/]+)/(.+)", request.path)
        if not match or match[3] not in self.revisions:
            return error(404, "Repository not found", X_Error_Code="RepoNotFound")
        if match[1].startswith("/api"):
            return match[4]
        if not (self.store.folder / match[4]).is_file():
            return error(404, "Entry not found", X_Error_Code="EntryNotFound")
        if match[4].endswith(".json"):
            return Answer(307, {"Location": f"/api/resolve-cache/datasets/{self.repository}/{match[3]}/{quote(match[4])}"})
        return Answer(302, {"Location": self.store.url(match[4]) + "?X-Amz-Signature=0123", "X-Linked-Size": "1"})


def signed_store(request):
    """The guard of what Hub leads to: who has a signed URL does not say who he is."""
    if "authorization" in request.headers:
        return error(400, "<Error><Code>InvalidArgument</Code><Message>Only one auth mechanism allowed</Message></Error>")
    if "X-Amz-Signature=0123" not in request.target:
        return forbid("AccessDenied", "Access Denied")
    return None


class Limit:
    """Allows `quota` requests in each `window` seconds, counted from the first one, and tells of it in RateLimit and
    RateLimit-Policy as huggingface.co does: rounded up to seconds, and with 429 when nothing is left."""

    def __init__(self, quota, window, name="resolvers"):
        self.quota, self.window, self.name = quota, window, name
        self.lock, self.end, self.left, self.num_refused, self.num_windows = threading.Lock(), 0, 0, 0, 0

    def __call__(self, request):
        with self.lock:
            now = time.monotonic()
            if now >= self.end:
                self.end, self.left = now + self.window, self.quota
                self.num_windows += 1
            is_refused = self.left == 0
            self.left -= not is_refused
            self.num_refused += is_refused
            request.told = {"RateLimit": f'"{self.name}";r={self.left};t={math.ceil(self.end - now)}',
                            "RateLimit-Policy": f'"fixed window";"{self.name}";q={self.quota};w={math.ceil(self.window)}'}
        return Answer(429, {}, b"Too many requests") if is_refused else None
