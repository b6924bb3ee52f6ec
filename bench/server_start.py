#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long an editor waits: from starting the server until it is ready, and from a cold start until
the graph of the demo's trace is there. Prints the median and the worst of several runs.

    bazel run //bench:server_start [-- TRACE...]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TASKLENS = os.path.abspath("server/command_line/tasklens")
CHOLESKY = os.path.abspath("examples/cholesky")
ROUNDS = 20


class Server:
    def __init__(self):
        self.process = subprocess.Popen(
            [TASKLENS, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.answers = {}  # by id: those that nobody has taken yet

    def send(self, method, params, **id):
        body = json.dumps({"jsonrpc": "2.0", **id, "method": method, "params": params}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def wait(self, id):
        """The answer to the request `id`: the whole message."""
        while id not in self.answers:
            length = int(self.process.stdout.readline().split(b":")[1])
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if "method" not in message:
                self.answers[message["id"]] = message
        return self.answers.pop(id)

    def request(self, method, params):
        self.send(method, params, id=1)
        message = self.wait(1)
        if "error" in message:
            sys.exit(f"{method}: {message['error']['message']}")
        return message["result"]

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def start():
    server = Server()
    server.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
    return server


def median_and_worst(what, target, work):
    times_ms = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        server = work()
        times_ms.append((time.perf_counter() - begin) * 1000)
        server.end()
    median, worst = statistics.median(times_ms), max(times_ms)
    print(f"{what:<48} {median:8.1f} ms median {worst:8.1f} ms worst   {target}")


def main():
    traces = [os.path.abspath(path) for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        if not traces:
            os.environ["XDG_CACHE_HOME"] = folder
            server = start()
            run = server.request("tasklens/run", {"program": CHOLESKY})
            server.end()
            print(run["message"])
            traces = [run["directory"]]

        def first_graph():
            server = start()
            server.request("tasklens/openTrace", {"uris": traces})
            server.request("tasklens/graph", {})
            return server

        median_and_worst("empty server: start to ready", "target <= 100 ms", start)
        median_and_worst("cold start to the first graph of the demo", "", first_graph)


if __name__ == "__main__":
    main()
