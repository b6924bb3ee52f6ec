#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an editor notices while a trace of a million tasks is read and analysed beside it: how long
small requests wait, from the request to the parsed answer, and how soon a load that is cancelled
gives the processor back.

    bazel run //bench:while_loading
"""

import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server_start import Server  # noqa: E402
from server_views import CHOLESKY, SOURCES, large_trace  # noqa: E402

TARGET_MS = 50
LOAD, CANCELLED = 2, 3  # ids of requests


def processor_ms(server):
    """Of all its threads, those included that have ended."""
    with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def main():
    os.environ["TASKLENS_SAVED_TRACES"] = "off"  # each load reads
    with tempfile.TemporaryDirectory() as folder:
        (path,) = large_trace(folder)
        source = os.path.realpath(shutil.copy(SOURCES + "/cholesky.c", folder))
        os.utime(source, (0, 0))
        server = Server()
        server.request("initialize", {
            "processId": os.getpid(), "rootUri": "file://" + folder, "capabilities": {},
        })  # fmt: skip
        server.request("tasklens/openTrace", {"uris": [CHOLESKY]})
        document = {"textDocument": {"uri": "file://" + source}}
        asked = [
            ("textDocument/codeLens", document),
            ("textDocument/hover", {**document, "position": {"line": 80, "character": 4}}),
            ("workspace/symbol", {"query": "gemm"}),
            ("tasklens/traces", {}),
        ]

        def look_around(waits_ms):
            for method, params in asked:
                begin = time.perf_counter()
                server.request(method, params)
                waits_ms.append((time.perf_counter() - begin) * 1000)

        def show(when, waits_ms):
            waits_ms.sort()
            print(f"{when:<16} {len(waits_ms):6} answers | median {statistics.median(waits_ms):6.1f}"
                  f" | p99 {waits_ms[int(len(waits_ms) * 0.99)]:6.1f} | slowest {waits_ms[-1]:6.1f} ms"
                  f" | target {TARGET_MS} ms all along", flush=True)  # fmt: skip

        look_around([])
        begin, waits_ms = time.perf_counter(), []
        server.send("tasklens/openTrace", {"uris": [path]}, id=LOAD)
        while LOAD not in server.answers:
            look_around(waits_ms)
        load_s = time.perf_counter() - begin
        tasks = server.wait(LOAD)["result"]["tasks"]
        show("during the load", waits_ms)
        waits_ms, used_ms, calm = [], processor_ms(server), 0
        while calm < 20:  # until what is worked out beside all else is there
            time.sleep(0.02)
            calm = calm + 1 if processor_ms(server) - used_ms < 10 else 0
            look_around(waits_ms)
            used_ms = processor_ms(server)
        show("right after it", waits_ms)
        print(f"{tasks} tasks, read in {load_s:.1f} s")

        server.send("tasklens/openTrace", {"uris": [path]}, id=CANCELLED)
        time.sleep(load_s / 2)
        begin, before_ms = time.perf_counter(), processor_ms(server)
        server.send("$/cancelRequest", {"id": CANCELLED})
        assert server.wait(CANCELLED)["error"]["code"] == -32800
        print(f"cancelled in its midst: answered after {(time.perf_counter() - begin) * 1000:.1f} ms")
        while True:
            used_ms = processor_ms(server)
            time.sleep(0.3)
            if processor_ms(server) == used_ms:
                break
        print(f"at rest after {used_ms - before_ms:.0f} ms of processor time")
        server.end()


if __name__ == "__main__":
    main()
