#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The program where users are: another locale, another umask, any home folder. What it writes is the same."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

TASKLENS = os.path.abspath(sys.argv.pop(1))
HELLO = os.path.abspath(sys.argv.pop(1))
TRACES = [os.path.abspath("tests/data/starpu/" + name) for name in ("cholesky_dmdas", "mpi2")]
MODELS = os.path.abspath("tests/data/perfmodels/sampling")
COMMANDS = [
    *(["stats", "--by", by] for by in ("site", "codelet", "worker", "state")),
    ["advise"], ["critical-path"], ["bound"], ["timeline"], ["graph"],
]  # fmt: skip


class Place:
    """A folder to work in, and the variables that the program gets: these alone."""

    def __init__(self, **variables):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.variables = {"PATH": os.environ["PATH"], "HOME": self.home, "TASKLENS_SAVED_TRACES": "off",
                          "STARPU_PERF_MODEL_DIR": MODELS, "STARPU_HOSTNAME": "node0", **variables}
        self.variables = {name: value for name, value in self.variables.items() if value is not None}

    def run(self, *words, umask=-1):
        done = subprocess.run([TASKLENS, *words], cwd=self.folder, env=self.variables, capture_output=True,
                              check=False, umask=umask)
        if done.returncode != 0 or b"tasklens: " in done.stderr:
            raise AssertionError(f"{words}: {done.returncode}, {done.stderr.decode()}")
        return done.stdout

    def written(self, folder):
        """Contents by path below the folder."""
        contents = {}
        for place, _, names in os.walk(os.path.join(self.folder, folder)):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    # (OTF2 gives each archive a number of its own.)
                    contents[os.path.relpath(path, self.folder)] = len(file.read()) if "otf2" in path else file.read()
        return contents

    def all(self):
        """What every command prints and writes."""
        said = {}
        for number, trace in enumerate(TRACES):
            for command in COMMANDS:
                said[(trace, *command)] = self.run(*command, trace)
                said[(trace, *command, "--json")] = self.run(*command, trace, "--json")
            self.run("convert", "--to", "all", "-o", f"out{number}", trace)
            self.run("report", trace, "-o", f"out{number}/report.html")
            said.update(self.written(f"out{number}"))
        for words in (["show", "demo_cholesky_gemm"], ["plot", "demo_cholesky_gemm"], ["records"]):
            said["perfmodel", *words] = self.run("perfmodel", *words)
        return said


class Server:
    """`tasklens serve`, asked one thing after another."""

    def __init__(self, place):
        self.process = subprocess.Popen([TASKLENS, "serve"], cwd=place.folder, env=place.variables,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def tell(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method, params):
        self.tell(id=method, method=method, params=params)
        while True:
            size = int(self.process.stdout.readline().split(b":")[1])
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(size))
            if message.get("id") == method and "method" not in message:
                return message.get("result", message.get("error"))

    def end(self):
        self.ask("shutdown", None)
        self.tell(method="exit")
        self.process.communicate()
        return self.process.returncode


def told_by_server(place):
    """What `tasklens serve` tells of tasks and of the run."""
    server = Server(place)
    server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    server.tell(method="initialized", params={})
    server.ask("tasklens/openTrace", {"uris": [TRACES[0]]})
    told = {
        "tasks": [server.ask("tasklens/task", {"task": task}) for task in range(60)],
        "advice": server.ask("tasklens/advice", {}),
        "error": server.ask("tasklens/openTrace", {"uris": ["/nobody/has.this"]}),
        "graph": server.ask("tasklens/graph", {"layout": "graphviz", "svg": True}),
    }
    assert server.end() == 0
    return told


class Surroundings(unittest.TestCase):
    maxDiff = 2000

    def german(self):
        """A place where numbers have a comma."""
        place = Place(LANG="de_DE.UTF-8", LC_ALL="de_DE.UTF-8")
        if b"de_DE.utf8" not in subprocess.check_output(["locale", "-a"]):
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", place.folder + "/de_DE.UTF-8"],
                                  capture_output=True, text=True, check=False)
            if made.returncode != 0:
                self.skipTest("no German locale can be made: apt-get install locales: " + made.stderr)
            place.variables["LOCPATH"] = place.folder
        comma = subprocess.check_output(["locale", "decimal_point"], env=place.variables, text=True)
        self.assertEqual(comma, ",\n")
        return place

    def same(self, expected, got):
        self.assertEqual(list(expected), list(got))
        for key, value in expected.items():
            self.assertEqual(value, got[key], key)

    def test_numbers_have_a_point_in_every_locale(self):
        self.same(Place().all(), self.german().all())

    def test_the_server_says_the_same_in_every_locale(self):
        expected = told_by_server(Place())
        self.assertIn("No such file or directory", expected["error"]["message"])
        self.assertRegex(json.dumps(expected["tasks"]), r"\d\.\d+ ms")
        self.same(expected, told_by_server(self.german()))

    def test_what_is_written_is_nobody_elses_where_the_user_says_so(self):
        place = Place()
        for words in (
            ["convert", "--to", "all", "-o", "out", TRACES[1]],
            ["report", TRACES[1], "-o", "report.html"],
            ["perfmodel", "plot", "demo_cholesky_gemm", "-o", "plot.svg"],
            ["perfmodel", "plot", "demo_cholesky_gemm", "--gnuplot", "-o", "plot"],
            ["run", "-o", "run", "--", HELLO],
        ):
            place.run(*words, umask=0o077)
        files = 0
        for folder, folders, names in os.walk(place.folder):
            for name in folders + names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or path == place.home:
                    continue
                mode = stat.S_IMODE(os.stat(path).st_mode)
                is_open = os.path.isdir(path) or name.endswith(".gp")
                self.assertEqual(oct(mode), oct(0o700 if is_open else 0o600), path)
                files += 1
        self.assertGreater(files, 15)

    def test_any_home_will_do(self):
        expected = Place().all()
        blank = tempfile.mkdtemp(prefix="a home ", dir=os.environ.get("TEST_TMPDIR"))
        for variables in (
            {"HOME": blank},
            {"HOME": None},
            {"HOME": ""},
            {"HOME": "/proc/nobody"},  # may not even be made
            {"HOME": "/dev/null"},
            {"HOME": None, "XDG_CACHE_HOME": blank, "XDG_CONFIG_HOME": blank, "XDG_DATA_HOME": blank},
        ):
            with self.subTest(**variables):
                self.same(expected, Place(**variables, TASKLENS_SAVED_TRACES=None).all())


if __name__ == "__main__":
    unittest.main()
