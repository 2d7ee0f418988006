# SPDX-License-Identifier: MIT
"""A load that moves a known number of bytes over TCP.

  traffic.py loopback HOST BYTES CONNECTIONS [child]   to a listener of its own, each connection one after the other; "child": sent by a child
  traffic.py held HOST BYTES ROOM                      the same once, and once all has arrived, held open until ROOM/go is there
  traffic.py after HOST BYTES CONNECTIONS ROOM         listens, and connects once ROOM/go is there
  traffic.py send HOST PORT BYTES                      to somebody else's listener
  traffic.py serve HOST                                prints its port; takes one connection to its end, and ends
"""
import os
import socket
import sys
import threading
import time
from pathlib import Path

BLOCK = b"x" * 65536


def send(address, size):
    """Sends, then waits until the other side has taken all and closed."""
    with socket.create_connection(address) as connection:
        while size > 0:
            size -= connection.send(BLOCK[:size])
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""


def take(listener):
    connection, _ = listener.accept()
    with connection:
        total = 0
        while data := connection.recv(1 << 20):
            total += len(data)
    return total


def listen(host):
    return socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def loopback(host, size, connections, by_child, before=lambda: None):
    listener = listen(host)
    before()
    taken = []
    taker = threading.Thread(target=lambda: taken.extend(take(listener) for _ in range(connections)))
    child = os.fork() if by_child else 0
    if not by_child or child:
        taker.start()
    if child == 0:
        for _ in range(connections):
            send(listener.getsockname()[:2], size)
        if by_child:
            os._exit(0)
    else:
        assert os.waitpid(child, 0)[1] == 0
    taker.join()
    assert sum(taken) == size * connections


def wait_for_go(room, said):
    """Says that it is ready, and waits for the test."""
    Path(room, said).touch()
    while not Path(room, "go").exists():
        time.sleep(0.005)


def held(host, size, room):
    listener = listen(host)
    client = socket.create_connection(listener.getsockname()[:2])
    server, _ = listener.accept()
    sender = threading.Thread(target=client.sendall, args=(b"x" * size,))
    sender.start()
    left = size
    while left > 0:
        left -= len(server.recv(1 << 20))
    sender.join()
    wait_for_go(room, "arrived")


def main():
    what, *rest = sys.argv[1:]
    if what == "loopback":
        loopback(rest[0], int(rest[1]), int(rest[2]), rest[3:] == ["child"])
    elif what == "held":
        held(rest[0], int(rest[1]), rest[2])
    elif what == "after":
        loopback(rest[0], int(rest[1]), int(rest[2]), False, lambda: wait_for_go(rest[3], "listening"))
    elif what == "send":
        send((rest[0], int(rest[1])), int(rest[2]))
    else:
        listener = listen(rest[0])
        print(listener.getsockname()[1], flush=True)
        take(listener)


main()
