#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""`tasklens serve --http` ends with 0 by SIGINT and SIGTERM, whichever of its threads the system gives the signal to,
and no library makes a thread before one is needed."""

import ctypes
import os
import signal
import subprocess
import sys
import unittest

TASKLENS = os.path.abspath(sys.argv.pop(1))
EARLY_THREAD = os.path.abspath(sys.argv.pop(1))
TRACE = os.path.abspath("tests/data/starpu/cholesky_lws/prof_file_0")
SIGNALS = [signal.SIGINT, signal.SIGTERM]


def tell_thread(process, thread, number):
    if ctypes.CDLL(None).tgkill(process, thread, number) != 0:
        raise OSError("tgkill")


class Server:
    """One that has said its address; `with` ends it."""

    def __init__(self, **more):
        # (That of a sanitizer wants to be the first library.)
        environment = {**os.environ, "LD_PRELOAD": EARLY_THREAD, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        self.process = subprocess.Popen([TASKLENS, "serve", "--http", TRACE], stdout=subprocess.PIPE, text=True,
                                        env=environment, **more)
        self.address = self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def threads(self):
        """Their names, by number."""
        folder = f"/proc/{self.process.pid}/task"
        names = {}
        for thread in sorted(map(int, os.listdir(folder))):
            with open(f"{folder}/{thread}/comm", encoding="ascii") as file:
                names[thread] = file.read().strip()
        return names


class Ending(unittest.TestCase):
    def test_every_thread_may_take_the_signal(self):
        for number in SIGNALS:
            with Server() as server:
                names = list(server.threads().values())
            self.assertIn("early", names)
            for place, name in enumerate(names):
                with self.subTest(signal=number, thread=name), Server() as server:
                    tell_thread(server.process.pid, list(server.threads())[place], number)
                    self.assertEqual(server.process.wait(), 0)

    def test_so_may_the_process(self):
        for number in SIGNALS:
            with self.subTest(signal=number), Server() as server:
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(), 0)

    def test_who_starts_it_may_have_blocked_them(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # which programs inherit
        try:
            for number in SIGNALS:
                with self.subTest(signal=number), Server() as server:
                    server.process.send_signal(number)
                    self.assertEqual(server.process.wait(), 0)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def test_what_solves_is_not_loaded_before_something_is_to_be_solved(self):
        with Server() as server:
            with open(f"/proc/{server.process.pid}/maps", encoding="utf-8") as file:
                libraries = {line.split("/")[-1].split(".so")[0] for line in file if ".so" in line}
        for name in libraries:
            self.assertNotRegex(name, "(?i)blas|lapack|clp|coin")


if __name__ == "__main__":
    unittest.main()
