#!/usr/bin/env python3
"""A TCP proxy on the loopback that adds a round-trip time: what a server farther away would be like.

    latency_proxy.py PORT MILLISECONDS [MEGABYTES]     its own port on stdout, then proxies to 127.0.0.1:PORT until it is ended

Bytes come half a round trip later, in each direction, as many at a time as they come: the link is as wide as the loopback, or
carries so many megabytes a second of all responses together. The
first bytes of a connection come a whole one later still, which TCP takes to connect. What is left out is slow start: a fresh
connection is as fast as an old one, which is kind to whoever opens many. One process, so that it takes one core at most.
"""
import asyncio
import collections
import socket
import subprocess
import sys

CHUNK = 1 << 18


class Link:
    """What all connections share: one response waits while the bytes of another pass."""

    def __init__(self, bytes_per_second):
        self.bytes_per_second, self.free_at = bytes_per_second, 0.0

    def pass_by(self, when, count):
        """When the last of these bytes arrives."""
        self.free_at = max(self.free_at, when) + count / self.bytes_per_second
        return self.free_at


class Half(asyncio.BufferedProtocol):
    """One end of a connection; what it gets goes to the other end `delay` seconds later."""

    def __init__(self, delay, link=None):
        self.delay, self.link, self.not_before = delay, link, 0.0
        self.loop = asyncio.get_running_loop()
        self.buffer = bytearray(CHUNK)
        self.transport = self.other = None
        self.under_way = collections.deque()  # (when, bytes); None for the end of the stream
        self.is_paused = False

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get_buffer(self, _):
        return self.buffer

    def buffer_updated(self, count):
        self.send_later(bytes(memoryview(self.buffer)[:count]))

    def send_later(self, data):
        when = max(self.loop.time() + self.delay, self.not_before)
        if self.link and data is not None:
            when = self.link.pass_by(when, len(data))
        self.under_way.append((when, data))
        self.loop.call_at(when, self.send_due)

    def send_due(self):
        now = self.loop.time() + 1e-4  # calls come when their time rounds to now
        while self.under_way and self.under_way[0][0] <= now and self.other:
            data = self.under_way.popleft()[1]
            if data is None:
                self.other.transport.close()
            elif not self.other.transport.is_closing():
                self.other.transport.write(data)

    def connection_lost(self, _):
        self.send_later(None)

    # The other way round: this end does not take what it is sent, so the other one is not read any more.
    def pause_writing(self):
        if self.other and not self.other.transport.is_closing():
            self.other.transport.pause_reading()

    def resume_writing(self):
        if self.other and not self.other.transport.is_closing():
            self.other.transport.resume_reading()


class Client(Half):
    def __init__(self, delay, port, link):
        super().__init__(delay)
        self.port, self.responses = port, link

    def connection_made(self, transport):
        super().connection_made(transport)
        self.not_before = self.loop.time() + 3 * self.delay
        transport.pause_reading()
        self.connecting = self.loop.create_task(self.connect())

    async def connect(self):
        _, server = await self.loop.create_connection(lambda: Half(self.delay, self.responses), "127.0.0.1", self.port)
        self.other, server.other = server, self
        for half in (self.transport, server.transport):
            half.set_write_buffer_limits(32 * CHUNK)
        if not self.transport.is_closing():
            self.transport.resume_reading()
        self.send_due()


async def serve(port, delay, megabytes):
    link = Link(megabytes * 1e6) if megabytes else None
    server = await asyncio.get_running_loop().create_server(lambda: Client(delay, port, link), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Proxy:
    """A process with a proxy to `port`, from `with` on."""

    def __init__(self, port, milliseconds, megabytes=0):
        self.command = [sys.executable, __file__, str(port), str(milliseconds), str(megabytes)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


if __name__ == "__main__":
    try:
        asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 2000, float((*sys.argv, 0)[3])))
    except KeyboardInterrupt:
        pass
