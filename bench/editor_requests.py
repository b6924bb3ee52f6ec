#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long an editor waits for what it asks while somebody reads and types: lenses with the change
since the run before and `run traced` at main, hovers and hints of an unchanged file, at a million
tasks, through the real server. Prints the first answer's, the median and the p99 of wall time and of
the server's processor time, beside the target.

    bazel run //bench:editor_requests
"""

import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server_start import Server  # noqa: E402
from server_views import SOURCES, large_trace, measure, processor_ms  # noqa: E402

ROUNDS = 1000
TARGET = "p99 <= 10 ms"


def wait_for_rest(server):
    """Until what the server works out beside all else is there."""
    used_ms = -1
    while used_ms != (used_ms := processor_ms(server)):
        time.sleep(1)


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        (path,) = large_trace(folder)
        earlier = shutil.copy(path, folder + "/earlier")
        os.utime(earlier, (1000, 1000))
        workspace = os.path.join(folder, "workspace")
        os.mkdir(workspace)
        source = os.path.realpath(shutil.copy(SOURCES + "/cholesky.c", workspace))
        os.utime(source, (0, 0))  # older than the traces, so that it is what they were made from
        server = Server()
        server.request("initialize", {
            "processId": os.getpid(), "rootUri": None, "capabilities": {},
            "workspaceFolders": [{"uri": "file://" + workspace, "name": "w"}],
        })  # fmt: skip
        before = server.request("tasklens/openTrace", {"uris": [earlier]})
        trace = server.request("tasklens/openTrace", {"uris": [path]})
        print(f"{before['tasks']} and {trace['tasks']} tasks")
        document = {"textDocument": {"uri": "file://" + source}}
        sites = [
            cost["line"] - 1
            for cost in server.request("tasklens/stats", {})["costs"]
            if "location" in cost
        ]

        def hover(line):
            return {**document, "position": {"line": line, "character": 4}}

        wait_for_rest(server)
        (lenses, *_) = measure(server, "code lenses", TARGET, "textDocument/codeLens",
                               [document] * ROUNDS)  # fmt: skip
        titles = [lens["command"]["title"] for lens in lenses]
        assert any(title.startswith("run traced") for title in titles), titles
        assert all("before" in title for title in titles if "tasks" in title), titles
        hovers = measure(server, "hover on a site", TARGET, "textDocument/hover",
                         [hover(random.choice(sites)) for _ in range(ROUNDS)])  # fmt: skip
        assert all(hovers)
        measure(server, "hover on any line", TARGET, "textDocument/hover",
                [hover(random.randrange(400)) for _ in range(ROUNDS)])  # fmt: skip
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
        hints = measure(server, "inlay hints", TARGET, "textDocument/inlayHint",
                        [{**document, "range": everything}] * ROUNDS)  # fmt: skip
        assert all(hints)
        server.end()


if __name__ == "__main__":
    main()
