"""The first program in a sandbox: becomes who the bot runs as, and then the bot itself.

    python -I -S inside.py FOLDER USER:GROUP RELAY PROCESSES COMMAND ...

FOLDER is where the bot runs. USER:GROUP are numbers, or empty: stay who we are. RELAY is a TCP port
of the sandbox's own loopback and the path of the server's Unix socket (``50051=/run/ew/server``),
or empty. PROCESSES is how many the user may have here, 0: any number. A program of its own, because
it runs where only the bot's files are. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
import threading

NOT_STARTED = 127
MOST = 1 << 16  # bytes that a relay carries at once


def main(arguments: list[str]) -> None:
    folder, ids, relay, processes, command = *arguments[:4], arguments[4:]
    if ids:
        user, group = map(int, ids.split(":"))
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    if int(processes):  # only now: processes are counted for each user, and never for root
        _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most = int(processes) if hard == resource.RLIM_INFINITY else min(int(processes), hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    os.chdir(folder)  # which may be for the bot alone
    if relay:
        port, _, path = relay.partition("=")
        _start_relay(int(port), path)
    # Those who started us ignore it, so that it is the bot that ends in order (launch.py).
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 # what the user asked for
    except OSError as error:
        sys.stderr.write(
            f"{command[0]} cannot be started in the sandbox: {error.strerror}; what it needs "
            "beyond the bot's own folder and the system must be named in 'files' of the entrant\n"
        )
        sys.exit(NOT_STARTED)


def _start_relay(port: int, path: str) -> None:
    """A process of its own, and no child of the bot: it does not have to wait for it."""
    listener = socket.create_server(("127.0.0.1", port))
    if os.fork():
        os.wait()
        listener.close()
        return
    if os.fork():
        os._exit(0)
    while True:
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(path)
        except OSError:  # it restarts: who calls tries again
            client.close()
            server.close()
            continue
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=_carry, args=(source, sink), daemon=True).start()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    """One direction of a connection, until either side ends it."""
    with contextlib.suppress(OSError):
        while data := source.recv(MOST):
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)  # then the other direction ends as well


if __name__ == "__main__":
    main(sys.argv[1:])
