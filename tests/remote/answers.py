"""Requests and answers of HTTP, as server.py receives and sends them."""
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit


@dataclass
class Request:
    """What came, and what was answered. `sent` counts bytes of the body; `connection` counts connections from 1."""
    connection: int
    method: str
    target: str
    headers: dict  # names in lower case
    status: int = 0
    sent: int = 0
    told: dict = field(default_factory=dict)  # headers that a guard adds to whatever is answered

    @property
    def path(self):
        return unquote(urlsplit(self.target).path)

    @property
    def range(self):
        return self.headers.get("range", "")

    def __str__(self):
        return f"#{self.connection} {self.method} {self.target} {self.range}: {self.status}, {self.sent} bytes"


@dataclass
class Answer:
    """What a server is about to send. A fault changes it."""
    status: int = 200
    headers: dict = field(default_factory=dict)
    body: bytes = b""
    parts: list = field(default_factory=list)  # of multipart/byteranges: (Content-Range, bytes); then the body is made of them
    whole: bytes = b""      # the file
    length: int = -1        # what Content-Length says, where it lies
    num_sent: int = -1      # of the body, where it is not all
    end: str = "keep"       # or close, reset, stall (nothing more comes, and the connection stays)
    pause: float = 0        # seconds after each byte of the body
    is_chunked: bool = False
    garbage: bytes = b""    # lines among the headers

    def full_body(self):
        if not self.parts:
            return self.body
        out = b""
        for content_range, data in self.parts:
            out += b"\r\n--%s\r\nContent-Type: application/octet-stream\r\nContent-Range: %s\r\n\r\n" % (
                BOUNDARY.encode(), content_range.encode()) + data
        return out + f"\r\n--{BOUNDARY}--\r\n".encode()


BOUNDARY = "00000000000000000017"
REASONS = {200: "OK", 206: "Partial Content", 404: "Not Found", 416: "Range Not Satisfiable", 429: "Too Many Requests"}


def error(status, text="", **headers):
    """`retry_after=1` is a header `Retry-After: 1`."""
    return Answer(status, {name.replace("_", "-"): str(value) for name, value in headers.items()}, text.encode())


def parse_range(text, size):
    """[(first, end)] of those that lie in the file; None when this is no header of ranges."""
    if not text.startswith("bytes="):
        return None
    out = []
    for part in text.removeprefix("bytes=").split(","):
        match = re.fullmatch(r"\s*(\d*)-(\d*)\s*", part)
        if not match or part.strip() == "-":
            return None
        first, last = match.groups()
        if not first:
            begin, end = max(0, size - int(last)), size
        else:
            begin, end = int(first), min(size, int(last) + 1 if last else size)
        if begin < end:
            out.append((begin, end))
    return out


def answer_file(data, etag, text):
    """The answer that is right for these bytes, of a request whose Range is `text`."""
    answer = Answer(headers={"ETag": etag, "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}, whole=data)
    ranges = parse_range(text, len(data))
    if ranges is None:
        answer.body = data
    elif not ranges:
        answer.status = 416
        answer.headers["Content-Range"] = f"bytes */{len(data)}"
    else:
        answer.status = 206
        told = [f"bytes {begin}-{end - 1}/{len(data)}" for begin, end in ranges]
        if len(ranges) == 1:
            answer.body, answer.headers["Content-Range"] = data[slice(*ranges[0])], told[0]
        else:
            answer.headers["Content-Type"] = f"multipart/byteranges; boundary={BOUNDARY}"
            answer.parts = [(content_range, data[begin:end]) for content_range, (begin, end) in zip(told, ranges)]
    return answer
