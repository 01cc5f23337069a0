"""Runs the tool in forks of a process that is loaded and initialised (tool_server.cpp): a quarter of the time of a start."""
import os
import queue
import socket
import subprocess
import tempfile
from pathlib import Path


class Process:
    """A server; it runs one command at a time."""

    def __init__(self, tool, library, environment, timeout):
        self.tool, self.errors = tool, tempfile.TemporaryFile()
        self.socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(timeout)
        environment = {**environment, "LD_PRELOAD": str(library), "LD_BIND_NOW": "1", "TOOL_SERVER": "1"}
        with far:
            self.process = subprocess.Popen([tool], env=environment, stdin=far, stdout=subprocess.DEVNULL, stderr=self.errors)

    def run(self, arguments, stdout, folder, variables):
        """The exit code, and the bytes of standard error."""
        self.errors.seek(0)  # also for the tool, which shares the position
        self.errors.truncate()
        request = [folder, stdout, *(f"{name}={value}" for name, value in variables.items()), "", self.tool, *arguments]
        try:
            self.socket.send(b"".join(os.fsencode(str(text)) + b"\0" for text in request))
            status = int(self.socket.recv(100))
        except BaseException:
            self.process.kill()  # and with it the tool, which may hang
            raise
        self.errors.seek(0)
        return os.waitstatus_to_exitcode(status), self.errors.read()


class ToolServer:
    """As many processes as there are threads that run the tool, in the environment of now. `library` is made of tool_server.cpp."""

    def __init__(self, tool, library, timeout=300):
        self.tool, self.library, self.timeout = Path(tool).resolve(), Path(library).resolve(), timeout
        self.environment, self.idle = dict(os.environ), queue.SimpleQueue()

    def run(self, command, stdout=None, folder=None, variables=None):
        """`command` begins with the tool; `stdout` is the path of a file for its output, which is returned otherwise; `variables` are
        added to the environment. As subprocess.run() has it, with bytes."""
        assert Path(command[0]) == self.tool, command
        with tempfile.NamedTemporaryFile() if stdout is None else open(stdout, "wb") as out:
            try:
                process = self.idle.get_nowait()
            except queue.Empty:
                process = Process(self.tool, self.library, self.environment, self.timeout)
            code, errors = process.run(command[1:], out.name, folder or os.getcwd(), variables or {})
            self.idle.put(process)
            return subprocess.CompletedProcess(command, code, out.read() if stdout is None else None, errors)
