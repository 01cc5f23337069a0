"""What a server can do wrong, and when. Each function takes the right answer and spoils it; what it returns, if it returns
something, is sent instead."""
import fnmatch
import gzip
import re
import threading
import time
from urllib.parse import quote

from answers import Answer, error


def ignore_range(answer, request):
    """The whole file, as if no range had been asked for."""
    return answer if answer.status != 206 else Answer(200, {"ETag": answer.headers.get("ETag", "")}, answer.whole)


def other_range(answer, request, by=1):
    """Bytes that begin `by` bytes later, as many where there are as many, and Content-Range says so."""
    text = answer.headers.get("Content-Range", "")
    if text and not text.startswith("bytes *"):
        begin, last, total = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", text).groups())
        begin, last = min(max(0, begin + by), total - 1), min(last + by, total - 1)
        if last >= begin:
            answer.body, answer.headers["Content-Range"] = answer.whole[begin:last + 1], f"bytes {begin}-{last}/{total}"


def other_total(answer, request, by=1000):
    """Another size of the file, and of no range."""
    if answer.status == 206 and not answer.parts:
        answer.headers["Content-Range"] = re.sub(r"\d+$", str(len(answer.whole) + by), answer.headers["Content-Range"])
    answer.parts = [(re.sub(r"\d+$", str(len(answer.whole) + by), told), data) for told, data in answer.parts]


def content_range(answer, request, text=None):
    """This Content-Range; none without `text`."""
    answer.headers.pop("Content-Range", None)
    if text is not None:
        answer.headers["Content-Range"] = text


def truncate(answer, request):
    """Half of the body, and the connection is closed as if that were all."""
    answer.num_sent, answer.end = len(answer.full_body()) // 2, "close"


def reset(answer, request):
    """Half of the body, then RST."""
    answer.num_sent, answer.end = len(answer.full_body()) // 2, "reset"


def hang_up(answer, request):
    """Not a byte: the connection is closed."""
    answer.status, answer.end = 0, "close"


def stall(answer, request):
    """Half of the body, then nothing for ever."""
    answer.num_sent, answer.end = len(answer.full_body()) // 2, "stall"


def drip(answer, request, pause=0.25):
    """A body of a few bytes a second."""
    answer.pause = pause


def status(answer, request, code=500, text="", **headers):
    return error(code, text, **headers)


def redirect(answer, request, to, code=302):
    """`{path}` in `to` is the path that was asked for."""
    return Answer(code, {"Location": to.replace("{path}", quote(request.path))})


def etag(answer, request, tag='"other"'):
    """Another one; none when it is None."""
    answer.headers.pop("ETag", None)
    if tag is not None:
        answer.headers["ETag"] = tag


def another(answer, request):
    """Another file of the same size: a byte near its end is not what it was."""
    body = bytearray(answer.body)
    body[-9] ^= 1
    answer.body = bytes(body)


def compress(answer, request, is_true=True):
    """Content-Encoding: gzip; without `is_true` the body is as it was."""
    answer.headers["Content-Encoding"] = "gzip"
    if is_true:
        answer.body, answer.parts = gzip.compress(answer.full_body(), mtime=0), []


def too_long(answer, request, by=100):
    """More bytes than were asked for; Content-Length counts them."""
    answer.body = answer.full_body() + bytes(by)
    answer.parts = []


def too_short(answer, request, by=1):
    """Fewer bytes than were asked for; Content-Length counts them, Content-Range does not."""
    answer.body = answer.full_body()[:-by]
    answer.parts = []


def short_length(answer, request, by=10):
    """Content-Length counts fewer bytes than come; the rest would look like the next answer."""
    answer.length, answer.end = max(0, len(answer.full_body()) - by), "close"


def chunked(answer, request):
    """No Content-Length: Transfer-Encoding: chunked."""
    answer.is_chunked = True


def until_close(answer, request):
    """No Content-Length: the body ends with the connection."""
    answer.length, answer.end = None, "close"


def close(answer, request):
    """A right answer, and no more on this connection."""
    answer.headers["Connection"] = "close"
    answer.end = "close"


def headers(answer, request, lines=b"no colon here\r\n\xff\xfe: \x01\r\n"):
    """These lines among the headers."""
    answer.garbage = lines


def first_part(answer, request):
    """Of several ranges only the first, as RFC 9110, 15.3.7.2 lets a server answer: no multipart."""
    if answer.parts:
        answer.headers["Content-Type"] = "application/octet-stream"
        answer.headers["Content-Range"], answer.body = answer.parts[0]
        answer.parts = []


def missing_part(answer, request):
    answer.parts = answer.parts[:-1]


def duplicate_part(answer, request):
    """The first twice, the last not at all."""
    answer.parts = answer.parts[:1] + answer.parts[:-1]


def lying_part(answer, request):
    """The last part is of the bytes behind it, and says so."""
    if answer.parts:
        begin, last, total = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.parts[-1][0]).groups())
        answer.parts[-1] = (f"bytes {begin - 1}-{last - 1}/{total}", answer.whole[begin - 1:last])


def short_part(answer, request):
    """The last part has a byte less than it says."""
    if answer.parts:
        answer.parts[-1] = (answer.parts[-1][0], answer.parts[-1][1][:-1])


def reversed_parts(answer, request):
    """In another order, which RFC 9110 allows."""
    answer.parts = answer.parts[::-1]


def no_boundary(answer, request):
    if answer.parts:
        answer.headers["Content-Type"] = "multipart/byteranges"


def hold(answer, request, gate):
    """Waits until as many requests are here as `gate` (a threading.Barrier) is for."""
    try:
        gate.wait(timeout=20)
    except threading.BrokenBarrierError:
        return error(400, f"fewer than {gate.parties} requests at once")


def tell(answer, request, to):
    """A right answer; `to` is called with the request before it is sent."""
    to(request)


def delay(answer, request, seconds):
    """A right answer, from farther away."""
    time.sleep(seconds)


FAULTS = {function.__name__: function for function in (
    ignore_range, other_range, other_total, content_range, truncate, reset, hang_up, stall, drip, status, redirect, etag, another,
    compress, too_long, too_short, short_length, chunked, until_close, close, headers, first_part, missing_part, duplicate_part, lying_part,
    short_part, reversed_parts, no_boundary, hold, tell, delay)}


class Rule:
    """Of the requests whose path matches `path` (and that ask for several ranges, with `several`), does `do` to number `at`,
    from 1, and all that follow, or to `times` of them."""

    def __init__(self, do, path="*", at=1, times=None, several=False, **options):
        self.do, self.path, self.at, self.times, self.several, self.options = FAULTS[do], path, at, times, several, options
        self.count = 0

    def matches(self, request):
        if not fnmatch.fnmatchcase(request.path, self.path) or self.several and "," not in request.range:
            return False
        self.count += 1
        return self.count >= self.at and (self.times is None or self.count < self.at + self.times)
