"""HTTP servers on loopback over a folder, for tests: they record each request, and fail as they are told.

    with Server(folder, rules=[Rule("reset", "*.tacozip", at=2)]) as server:
        ...server.url("landsat.tacozip"), then server.requests

Requests with one range, a suffix, or several (multipart/byteranges) are answered as RFC 9110 has it; HEAD is always forbidden.
A Rule changes some answers: spoil.py has all that it can do. The guards of guards.py check who asks, and answer themselves or
let a request pass.
"""
import socket
import socketserver
import struct
import threading
from pathlib import Path
from urllib.parse import quote

from answers import REASONS, Answer, Request, answer_file, error


class Server:
    """A server of its own port. `guard(request)` returns an Answer, the path of a file, or None: the path is as in the URL."""

    def __init__(self, folder, rules=(), guard=None, host="127.0.0.1", certificate=None):
        self.folder, self.rules, self.guard, self.host = Path(folder), list(rules), guard, host
        self.certificate = certificate  # an ssl.SSLContext
        self.requests, self.lock, self.stopping = [], threading.Lock(), threading.Event()
        self.num_connections = 0
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                Connection(outer, self.request).run()

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads, request_queue_size, allow_reuse_address = True, 256, True
            block_on_close = False

            def get_request(self):
                connection, address = super().get_request()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection, address

            def verify_request(self, request, client_address):
                return not outer.stopping.is_set()

            def handle_error(self, request, client_address):
                pass  # clients may go at any time

        self.listener = Listener((host, 0), Handler)
        self.port = self.listener.server_address[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        # The thread waits in accept() without a time limit. serve_forever() and shutdown() would poll instead.
        socket.create_connection(self.listener.server_address).close()
        self.thread.join()
        self.listener.server_close()

    def accept(self):
        while not self.stopping.is_set():
            self.listener.handle_request()

    @property
    def root(self):
        return f"{'https' if self.certificate else 'http'}://{self.host}:{self.port}"

    def url(self, path):
        return f"{self.root}/{quote(path)}"

    def clear(self):
        """Forgets the requests so far."""
        with self.lock:
            self.requests = []

    def list(self):
        """The requests so far, for messages."""
        with self.lock:
            return "\n".join(map(str, self.requests)) or "no requests"

    @property
    def sent(self):
        return sum(request.sent for request in self.requests)

    def answer(self, request):
        with self.lock:
            self.requests.append(request)
            rule = next((rule for rule in self.rules if rule.matches(request)), None)
        answer = self.right_answer(request)
        if rule:
            answer = rule.do(answer, request, **rule.options) or answer
        answer.headers.update(request.told)
        return answer

    def right_answer(self, request):
        guarded = self.guard(request) if self.guard else None
        if isinstance(guarded, Answer):
            return guarded
        if request.method != "GET":
            return error(403, f"{request.method} is forbidden")
        path = (self.folder / (guarded or request.path).lstrip("/")).resolve()
        if not path.is_relative_to(self.folder.resolve()) or not path.is_file():
            return error(404, "there is no such file")
        info = path.stat()
        return answer_file(path.read_bytes(), f'"{info.st_mtime_ns:x}-{info.st_size:x}"', request.range)


class Connection:
    """Answers requests one after the other until one side has enough."""

    def __init__(self, server, connection):
        self.server = server
        if server.certificate:
            connection = server.certificate.wrap_socket(connection, server_side=True)
        self.socket, self.file = connection, connection.makefile("rb")
        with server.lock:
            server.num_connections += 1
            self.number = server.num_connections

    def run(self):
        try:
            while not self.server.stopping.is_set():
                request = self.read_request()
                if request is None or not self.send(self.server.answer(request), request):
                    return
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has gone, as it may

    def read_request(self):
        line = self.file.readline().decode("latin-1").split()
        if len(line) != 3:
            return None
        found = {}
        while (text := self.file.readline().decode("latin-1").strip()):
            name, _, value = text.partition(":")
            found[name.strip().lower()] = value.strip()
        return Request(self.number, line[0], line[1], found)

    def send(self, answer, request):
        """False when that was the last on this connection."""
        request.status = answer.status
        body = b"" if request.method == "HEAD" else answer.full_body()
        if answer.status:
            self.socket.sendall(self.head(answer, len(body)))
            self.send_body(answer, body, request)
        if answer.end == "stall":
            while not self.server.stopping.is_set() and self.is_open():
                pass
        if answer.end == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.file.close()
            self.socket.close()
        return answer.end == "keep" and request.headers.get("connection", "").lower() != "close"

    def head(self, answer, length):
        lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Status')}"]
        if answer.is_chunked:
            lines.append("Transfer-Encoding: chunked")
        elif answer.length is not None:
            lines.append(f"Content-Length: {answer.length if answer.length >= 0 else length}")
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n" + answer.garbage + b"\r\n"

    def send_body(self, answer, body, request):
        if answer.num_sent >= 0:
            body = body[:answer.num_sent]
        if answer.pause:
            for byte in body:
                self.socket.sendall(bytes([byte]))
                request.sent += 1
                if self.server.stopping.wait(answer.pause):
                    return
        elif answer.is_chunked:
            for begin in range(0, len(body), 5000):
                piece = body[begin:begin + 5000]
                self.socket.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
                request.sent += len(piece)
            self.socket.sendall(b"0\r\n\r\n")
        else:
            # Counted before it is sent: the client may be done with it, and the test look, before this thread goes on.
            request.sent += len(body)
            self.socket.sendall(body)

    def is_open(self):
        """Waits a little. False when the client has closed its side."""
        self.socket.settimeout(0.2)
        try:
            return bool(self.socket.recv(1))
        except TimeoutError:
            return True
