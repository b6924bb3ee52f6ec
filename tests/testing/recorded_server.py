#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The server $TASKLENS, under any name and with the same arguments. What it and its client say to each
other is written into the file $CONVERSATIONS, as tests/npm/check_messages.js reads it, by a process of its
own, which keeps that file locked until both have ended. With $HOSTILE what the client sends need not be as
the protocol says; what it gets must. $PROTOCOL stands for the number of the protocol that the server
announces, or "none" for a server that announces none.

This process becomes the server: who ends, stops or waits for one has the other.
"""

import fcntl
import json
import os
import sys
import threading


class Record:
    """The file, to which several servers may append."""

    def __init__(self):
        self.file = os.open(os.environ["CONVERSATIONS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
        fcntl.flock(self.file, fcntl.LOCK_SH)
        self.conversation = os.getpid()  # that of the server
        self.add("start", b'"hostile": ' + json.dumps("HOSTILE" in os.environ).encode())

    def add(self, side, member):
        # One call, so that no other line gets between.
        os.write(self.file, b'{"conversation": %d, "from": "%s", %s}\n' % (self.conversation, side.encode(), member))


def announced(body):
    """The server's message; the answer to initialize with the number of $PROTOCOL."""
    number = os.environ.get("PROTOCOL")
    if number is None or b'"serverInfo"' not in body:
        return body
    message = json.loads(body)
    ours = message["result"]["capabilities"]["experimental"]["tasklens"]
    del ours["version"]
    if number != "none":
        ours["version"] = int(number)
    return json.dumps(message).encode()


def pass_on(record, side, source, sink):
    """To the end of what `side` says, or of who listens."""
    try:
        while True:
            length = None
            while (line := source.readline()) not in (b"", b"\r\n"):
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                break
            body = source.read(length)
            if len(body) < length:  # it was killed while it spoke
                break
            if side == "server":
                body = announced(body)
            # JSON has line ends between its words only.
            record.add(side, b'"message": ' + body.replace(b"\n", b" "))
            sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sink.flush()
        sink.close()
    except BrokenPipeError:
        pass


def listen(record, to_server, from_server):
    """Between both, until the server has said its last."""
    client = (sys.stdin.buffer, os.fdopen(to_server, "wb"))
    threading.Thread(target=pass_on, args=(record, "client", *client), daemon=True).start()
    pass_on(record, "server", os.fdopen(from_server, "rb"), sys.stdout.buffer)


def main():
    program, words = os.environ["TASKLENS"], sys.argv[1:]
    if words[:1] == ["serve"] and "--http" not in words:
        record = Record()
        server_in, to_server = os.pipe()
        from_server, server_out = os.pipe()
        child = os.fork()
        if child == 0:
            # No child of the server, which waits for its own ones, nor in its group.
            os.setsid()
            if os.fork() == 0:
                os.close(server_in)
                os.close(server_out)
                listen(record, to_server, from_server)
            os._exit(0)
        os.waitpid(child, 0)
        os.dup2(server_in, 0)
        os.dup2(server_out, 1)
    os.execv(program, [sys.argv[0], *words])


main()
