"""nginx on the loopback for the benchmarks of remote reading, with a log of what was asked for."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

CONFIGURATION = """
daemon off; master_process off; user {user};
pid {home}/pid; error_log {home}/errors.log warn;
worker_rlimit_nofile 65536;
events {{ worker_connections 8192; }}
http {{
  log_format requests '$server_port $msec $request_time $connection $status $body_bytes_sent $request_method $uri "$http_range"';
  access_log {home}/requests.log requests;
  client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
  sendfile on; tcp_nodelay on; keepalive_timeout 600; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port} backlog=4096; listen 127.0.0.1:{other}; root {root}; }}
  server {{
    listen 127.0.0.1:{tls_port} ssl backlog=4096; listen 127.0.0.1:{tls_other} ssl; root {root};
    ssl_certificate {home}/certificate.pem; ssl_certificate_key {home}/key.pem; ssl_protocols TLSv1.2 TLSv1.3;
  }}
}}
"""


class Request(NamedTuple):
    began: float  #: seconds, when its headers were there
    seconds: float
    connection: int
    status: int
    bytes: int  #: of the body
    method: str
    path: str
    range: str  #: as the header has it, "-" for none


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class WebServer:
    """Serves the files of `root` from `with` on, by `port` and, encrypted, by `tls_port`. `other_port` and `tls_other_port` are
    second addresses of the same, to warm clients up with; `certificate` is what clients are to trust."""

    def __init__(self, root, home):
        self.root, self.home = Path(root).resolve(), Path(home).resolve()
        self.read = 0

    def __enter__(self):
        fetched = Path(__file__).resolve().parent.parent / "build/nginx/usr/sbin"  # by scripts/install_nginx
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:{fetched}")
        if nginx is None:
            raise FileNotFoundError("nginx is not installed; scripts/install_nginx puts it into build/nginx")
        self.home.mkdir(parents=True, exist_ok=True)
        self.port, self.other_port, self.tls_port, self.tls_other_port = free_ports(4)
        self.certificate = self.home / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.home / "key.pem",
                        "-out", self.certificate], check=True, capture_output=True)
        file = self.home / "nginx.conf"
        user = "root" if os.getuid() == 0 else "nobody"
        file.write_text(CONFIGURATION.format(home=self.home, root=self.root, port=self.port, other=self.other_port,
                                             tls_port=self.tls_port, tls_other=self.tls_other_port, user=user))
        self.process = subprocess.Popen([nginx, "-e", self.home / "errors.log", "-p", self.home, "-c", file])
        for _ in range(100):
            if self.process.poll() is not None:
                raise SystemExit(f"nginx: {(self.home / 'errors.log').read_text()}")
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise SystemExit("nginx does not listen")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """Those of `port` and `tls_port` since the last call, by when they began."""
        time.sleep(0.3)  # a line is written after the last byte is sent
        with open(self.home / "requests.log", encoding="utf-8") as file:
            file.seek(self.read)
            lines = file.readlines()
            self.read = file.tell()
        out = []
        for line in lines:
            port, when, seconds, connection, status, count, method, rest = line.split(" ", 7)
            path, _, ranges = rest.rpartition(' "')
            if int(port) in (self.port, self.tls_port):
                out.append(Request(float(when) - float(seconds), float(seconds), int(connection), int(status), int(count),
                                   method, path, ranges.rstrip('"\n')))
        return sorted(out)
