"""The daemon under a service manager: what it tells, and sockets that were opened for it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys

from harness import Daemon, main, same

# Started in place of the daemon, with its own pid: what a service manager does before it executes one.
WRAPPER = """
import os, sys
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[1], sys.argv[1:])
"""


class Manager:
    """The end of NOTIFY_SOCKET that listens, under a name without a file."""

    def __init__(self):
        self.name = f"@toolhost-test-{os.getpid()}-{id(self)}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + self.name[1:])
        self.socket.settimeout(30)

    def hear(self, word):
        """The next message with this word; those before it are passed over."""
        while True:
            text = self.socket.recv(4096).decode()
            if word in text.split("\n"):
                return text


def test_a_life_as_a_service():
    manager = Manager()
    with Daemon(plugins=["echo"], env={"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"}) as d:
        same(manager.hear("READY=1"), "READY=1\nSTATUS=1 plugins, 1 tools")
        same(d.call("echo", {"text": "well"}).text, "well")
        for _ in range(3):
            manager.hear("WATCHDOG=1")
        d.process.send_signal(signal.SIGHUP)
        assert "MONOTONIC_USEC=" in manager.hear("RELOADING=1")
        manager.hear("READY=1")
        d.process.send_signal(signal.SIGTERM)
        manager.hear("STOPPING=1")
        same(d.process.wait(30), 0)


def test_a_hung_daemon_is_silent():
    manager = Manager()
    with Daemon(plugins=["echo"], env={"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"}) as d:
        manager.hear("WATCHDOG=1")
        d.process.send_signal(signal.SIGSTOP)
        manager.socket.settimeout(1)
        try:
            while manager.socket.recv(4096):  # what was on its way
                pass
        except TimeoutError:
            pass
        finally:
            d.process.send_signal(signal.SIGCONT)
        manager.socket.settimeout(30)
        manager.hear("WATCHDOG=1")
        same(d.call("echo", {"text": "well"}).text, "well")


def start_with(d, listeners):
    """The daemon once more, with these sockets as descriptors 3 and up."""
    def place():
        for i, listener in enumerate(listeners):
            os.dup2(listener.fileno(), 100 + i)
        for i in range(len(listeners)):
            os.dup2(100 + i, 3 + i)

    command = [sys.executable, "-c", WRAPPER, *d.process.args]
    env = {**os.environ, "LISTEN_FDS": str(len(listeners)), "LISTEN_FDNAMES": "a:b"}
    keep = range(3, 3 + len(listeners))
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env, preexec_fn=place, pass_fds=keep)


def ask(listener):
    """What a client that connects to this socket gets."""
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(listener.family)
    connection.sock.settimeout(30)
    connection.sock.connect(listener.getsockname())
    connection.request("GET", "/healthz")
    return connection.getresponse().status


def test_sockets_of_a_service_manager():
    with Daemon(plugins=["echo"], check=False) as d:
        d.process.terminate()
        d.process.wait(30)
        listeners = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)]
        path = str(d.dir / "run" / "managed.sock")
        listeners[1].bind(path)
        os.chmod(path, 0o666)
        listeners[1].listen()
        process = start_with(d, listeners)
        try:
            same([ask(listener) for listener in listeners], [200, 200])
            assert not d.socket.exists(), "the configuration's socket was made besides"
        finally:
            process.terminate()
        said = process.communicate(timeout=30)[1]
        addresses = [json.loads(line)["address"] for line in said.splitlines() if '"listening"' in line]
        same(addresses, ["127.0.0.1:%d" % listeners[0].getsockname()[1], path])
        assert os.path.exists(path), "a socket of the service manager was removed"


def test_a_socket_that_cannot_be_served():
    with Daemon(plugins=["echo"], check=False) as d:
        d.process.terminate()
        d.process.wait(30)
        for wrong, words in ((socket.socket(socket.AF_INET, socket.SOCK_DGRAM), "no listening stream socket"),
                             (socket.create_server(("0.0.0.0", 0)), "no loopback address")):
            process = start_with(d, [wrong])
            said = process.communicate(timeout=30)[1]
            assert process.returncode == 1 and words in said, (process.returncode, said)
            wrong.close()


if __name__ == "__main__":
    main()
