#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Stands between an editor and the server: runs $TASKLENS with the same arguments, passes on what
both say, and writes it into the file $CONVERSATIONS as tests/npm/check_messages.js reads it. With
$HOSTILE what the editor sends need not be as the protocol says; what it gets must."""

import json
import os
import subprocess
import sys
import threading

lock = threading.Lock()


def record(side, **members):
    entry = {"conversation": os.getpid(), "from": side, **members}
    with lock, open(os.environ["CONVERSATIONS"], "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def pass_on(side, source, sink):
    """To the end of what `side` says."""
    while True:
        length = None
        while (line := source.readline()) not in (b"", b"\r\n"):
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            break
        body = source.read(length)
        record(side, message=json.loads(body))
        try:
            sink.write(b"Content-Length: %d\r\n\r\n" % length + body)
            sink.flush()
        except BrokenPipeError:
            break
    sink.close()


def main():
    server = subprocess.Popen(
        [os.environ["TASKLENS"], *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    record("start", hostile="HOSTILE" in os.environ)
    editor = (sys.stdin.buffer, server.stdin)
    threading.Thread(target=pass_on, args=("client", *editor), daemon=True).start()
    pass_on("server", server.stdout, sys.stdout.buffer)
    sys.stdout = None  # it is closed
    os._exit(server.wait())  # the editor may not have closed its end


main()
