#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launch configurations, kept runs, and what lenses say about the run before."""

import fcntl
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, is_alive, main, wait_for_end  # noqa: E402

OURS = {"experimental": {"tasklens": {}}}
HELLO = os.path.join(STARPU, "hello/prof_file_0")
HELLO_SOURCE = os.path.join(STARPU, "src/hello.c")
CHOLESKY = os.path.join(STARPU, "cholesky_lws/prof_file_0")
# A stand-in for a program that records: it leaves the trace of a real run where it was told to.
RECORD = f'cp "{HELLO}" "$STARPU_FXT_PREFIX/trace_0"; '


class Launch(unittest.TestCase):
    def launch_file(self, c, *configurations, **members):
        file = {"version": 1, "configurations": list(configurations), **members}
        c.write(".tasklens/launch.json", json.dumps(file))

    def problems(self, c):
        return c.request("tasklens/configurations")["problems"]

    def titles(self, c, path, command):
        return [lens["command"]["title"] for lens in c.lenses("file://" + path, command)]

    def hello(self, c):
        path = c.root + "/hello.c"
        shutil.copy(HELLO_SOURCE, path)
        os.utime(path, (0, 0))
        return path

    # Configurations.

    def test_a_configuration_becomes_a_run(self):
        with Client(capabilities=OURS) as c:
            c.script(RECORD + 'echo "$@ $STARPU_NCPU $STARPU_NCUDA $STARPU_SCHED $STARPU_CALIBRATE $X"')
            self.launch_file(
                c,
                {
                    "name": "small",
                    "program": "./program",
                    "arguments": ["a b", "$X"],
                    "environment": {"X": "y"},
                    "cpus": 3,
                    "gpus": 1,
                    "scheduler": "eager",
                    "calibrate": True,
                },
            )
            reply = c.request("tasklens/run", {"configuration": "small"})
            self.assertEqual(reply["runtime"], "starpu")
            self.assertEqual(c.output(), "a b $X 3 1 eager 1 y\n")
            c.notifications.clear()
            c.request("tasklens/run", {"configuration": "small", "cpus": 7, "arguments": []})
            self.assertEqual(c.output(), " 7 1 eager 1 y\n")

    def test_the_only_configuration_needs_no_name(self):
        with Client() as c:
            self.assertIn(".tasklens/launch.json", c.error("tasklens/run", {})[1])
            self.launch_file(c, {"name": "one", "program": c.script(RECORD)})
            self.assertEqual(c.request("tasklens/run", {})["exitStatus"], 0)
            self.launch_file(
                c, {"name": "one", "program": "a"}, {"name": "two", "program": "b"}
            )
            text = "no program is given; name one of the launch configurations: one, two"
            self.assertEqual(c.error("tasklens/run"), (-32803, text))
            text = "no launch configuration is called 'three'; there are: one, two"
            self.assertEqual(c.error("tasklens/run", {"configuration": "three"}), (-32803, text))

    def test_settings_come_first_and_hide_those_of_the_file(self):
        options = {"configurations": [{"name": "a", "program": "mine"}]}
        with Client(options=options) as c:
            self.launch_file(
                c, {"name": "a", "program": "theirs"}, {"name": "b", "program": "other"}
            )
            rows = c.request("tasklens/configurations")["configurations"]
            self.assertEqual(
                [(row["name"], row["configuration"]["program"]) for row in rows],
                [("a", "mine"), ("b", "other")],
            )
            self.assertEqual([row["origin"] for row in rows][0], "settings")

    def test_each_folder_of_a_workspace_has_a_file(self):
        with Client(capabilities=OURS) as c:
            c.script(RECORD + "pwd")
            self.launch_file(c, {"name": "small", "program": "./program"})
            folder = c.root + "/stencil"
            os.makedirs(folder + "/build")
            shutil.copy(c.root + "/program", folder + "/build/program")
            theirs = {"program": "./program", "workingDirectory": "build"}
            c.write(
                "stencil/.tasklens/launch.json",
                json.dumps(
                    {
                        "version": 1,
                        "configurations": [{"name": "small", **theirs}, {"name": "large", **theirs}],
                    }
                ),
            )
            added = {"uri": "file://" + folder, "name": "stencil"}
            c.notify(
                "workspace/didChangeWorkspaceFolders", {"event": {"added": [added], "removed": []}}
            )
            rows = c.request("tasklens/configurations")["configurations"]
            self.assertEqual([row["name"] for row in rows], ["small", "small (stencil)", "large"])
            for name, where in (("small", ""), ("small (stencil)", "/stencil/build"), ("large", "/stencil/build")):
                c.notifications.clear()
                c.request("tasklens/run", {"configuration": name})
                self.assertEqual(c.output(), c.root + where + "\n", name)

    def test_each_mistake_in_the_file_is_one_line_that_names_it(self):
        with Client() as c:
            path = c.root + "/.tasklens/launch.json"
            good = {"name": "n", "program": "p"}
            for configurations, text in (
                ([{**good, "cpu": 3}], "configurations[0].cpu is not known; there are name, program"),
                ([{**good, "cpus": "3"}], "configurations[0].cpus must be an integer from 0 to"),
                ([{**good, "cpus": -1}], "configurations[0].cpus must be an integer from 0 to"),
                ([{**good, "arguments": "a"}], "configurations[0].arguments must be an array"),
                ([{**good, "environment": {"A": 1}}], "configurations[0].environment.A must be a string"),
                ([{**good, "runtime": "omp"}], "configurations[0].runtime is tasklens or starpu, not 'omp'"),
                ([{"program": "p"}], "configurations[0].name is missing"),
                ([{"name": "n"}], "configurations[0].program is missing"),
                ([good, good], "configurations[1].name is already used: n"),
                ([3], "configurations[0] must be an object"),
            ):
                self.launch_file(c, *configurations)
                (problem,) = self.problems(c)
                self.assertTrue(problem.startswith(f"{path}: {text}"), problem)
            self.launch_file(c, good, comment="x")
            self.assertIn("file.comment is not known", self.problems(c)[0])
            self.launch_file(c, good, version=2)
            self.assertIn("file.version must be 1", self.problems(c)[0])
            for text, place in (("{", "1:2"), ('{"version": 1,\n "a" 2}', "2:6"), ("", "1:1")):
                c.write(".tasklens/launch.json", text)
                (problem,) = self.problems(c)
                self.assertTrue(problem.startswith(f"{path}:{place}: "), problem)
                self.assertNotIn("\n", problem)
                self.assertEqual(c.error("tasklens/run", {}), (-32602, problem))
            c.write(".tasklens/launch.json", '// why\n{"version": 1, /* so */ "configurations": []}')
            self.assertEqual(self.problems(c), [])

    def test_a_file_that_is_nested_without_end_is_a_mistake(self):
        for members in ("[" * 400_000 + "]" * 400_000, '{"a":' * 150_000 + "1" + "}" * 150_000):
            with Client() as c:
                path = c.write(".tasklens/launch.json", f'{{"version":1,"configurations":[{members}]}}')
                self.assertEqual(self.problems(c), [f"{path}: nested deeper than 100 levels"])

    def test_one_bad_configuration_leaves_the_others_usable(self):
        with Client() as c:
            self.launch_file(
                c, {"name": "bad", "program": 1}, {"name": "good", "program": c.script(RECORD)}
            )
            self.assertEqual(c.error("tasklens/run", {"configuration": "bad"})[0], -32602)
            self.assertEqual(c.request("tasklens/run", {"configuration": "good"})["exitStatus"], 0)

    def test_builds_before_it_runs(self):
        with Client(capabilities=OURS) as c:
            c.script(f"echo building; printf '#!/bin/sh\\n{RECORD}' > made; chmod +x made", name="make")
            reply = c.request("tasklens/run", {"program": "./made", "build": ["./make"]})
            self.assertEqual(reply["exitStatus"], 0)
            self.assertEqual(c.output(), "building\n")

    def test_a_build_that_fails_says_why_and_runs_nothing(self):
        with Client(capabilities=OURS) as c:
            program = c.script("touch ran")
            c.script("echo chol.c:3: bad >&2; exit 2", name="make")
            code, text = c.error("tasklens/run", {"program": program, "build": ["./make"]})
            self.assertEqual(code, -32803)
            self.assertEqual(
                text, "the build (./make) exited with status 2: chol.c:3: bad; program was not run"
            )
            self.assertFalse(os.path.exists(c.root + "/ran"))
            self.assertEqual(c.request("tasklens/runs")["runs"], [])
            code, text = c.error("tasklens/run", {"program": program, "build": ["./none"]})
            self.assertIn("build: ", text)

    def test_a_build_is_stopped_like_a_program(self):
        with Client(capabilities=OURS) as c:
            make = c.script("echo $$; exec sleep 1000", name="make")
            id = c.start("tasklens/run", {"program": "./p", "build": [make]})
            pid = int(c.wait_for("tasklens/runOutput")["text"])
            c.notify("$/cancelRequest", {"id": id})
            self.assertEqual(c.wait(id)["error"]["code"], -32800)
            self.assertFalse(is_alive(pid))

    def test_a_launcher_stands_in_front_of_the_program(self):
        with Client(capabilities=OURS) as c:
            program = c.script("echo program $@; " + RECORD)
            launcher = c.script('echo launcher $1; shift; exec "$@"', name="launcher")
            reply = c.request(
                "tasklens/run", {"program": program, "launcher": [launcher, "-n"], "arguments": ["x"]}
            )
            self.assertEqual(c.output(), "launcher -n\nprogram x\n")
            self.assertEqual(reply["trace"], "t1")
            _, text = c.error("tasklens/run", {"program": program, "launcher": ["no-mpirun"]})
            self.assertEqual(text, "no-mpirun: no such program in PATH")

    def test_mpirun_stands_in_front_of_the_program(self):
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        with Client(capabilities=OURS) as c:
            program = c.script(
                f'cp "{STARPU}/mpi2/prof_file_$OMPI_COMM_WORLD_RANK" '
                '"$STARPU_FXT_PREFIX/trace_$OMPI_COMM_WORLD_RANK"'
            )
            launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
            reply = c.request(
                "tasklens/run",
                {
                    "program": program,
                    "launcher": launcher,
                    # Its sockets lie there, and their names may not be long.
                    "environment": {"TMPDIR": "/tmp"},
                },
            )
            self.assertIsNotNone(reply["contents"], (reply, c.output("stderr")))
            self.assertEqual(reply["contents"]["ranks"], 2, (reply, c.output("stderr")))

    def test_each_rank_of_our_runtime_writes_a_trace_of_its_own(self):
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        with Client(capabilities=OURS) as c:
            reply = c.request(
                "tasklens/run",
                {
                    "program": os.path.abspath("tests/runtime/hello_traced"),
                    "launcher": ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"],
                    "environment": {"TMPDIR": "/tmp", "STARPU_WORKERS_NOBIND": "1"},
                    "cpus": 1,
                },
            )
            self.assertEqual(reply["exitStatus"], 0, (reply, c.output("stderr")))
            traces = [name for name in os.listdir(reply["directory"]) if name.endswith(".tlt")]
            self.assertEqual(sorted(traces), ["trace_0.tlt", "trace_1.tlt", "trace_2.tlt"])
            self.assertEqual(reply["contents"]["ranks"], 3, reply)

    def need_slurm(self):
        if shutil.which("srun") is None:
            self.skipTest("there is no srun")
        ping = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False)
        if " UP" not in ping.stdout:
            said = " ".join((ping.stdout + ping.stderr).split())
            self.skipTest("no controller of Slurm answers: " + said)

    def jobs_of_slurm(self):
        done = subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_srun_stands_in_front_of_the_program(self):
        self.need_slurm()
        with Client(capabilities=OURS) as c:
            reply = c.request(
                "tasklens/run",
                {
                    "program": os.path.abspath("tests/runtime/hello_traced"),
                    "launcher": ["srun", "-n", "2"],
                    "environment": {"STARPU_WORKERS_NOBIND": "1"},
                    "cpus": 1,
                },
            )
            self.assertEqual(reply["exitStatus"], 0, (reply, c.output("stderr")))
            traces = [name for name in os.listdir(reply["directory"]) if name.endswith(".tlt")]
            self.assertEqual(sorted(traces), ["trace_0.tlt", "trace_1.tlt"])
            self.assertEqual(reply["contents"]["ranks"], 2, reply)

    def test_what_srun_started_ends_with_the_run(self):
        self.need_slurm()
        for end in (
            lambda c: c.request("tasklens/stop"),
            lambda c: c.process.stdin.close(),
            lambda c: c.process.kill(),
        ):
            with Client(capabilities=OURS) as c:
                program = c.script("sleep 1000 & echo $$ $!; wait")
                c.start("tasklens/run", {"program": program, "launcher": ["srun", "-n", "2"]})
                while c.output().count("\n") < 2:
                    c.step()
                end(c)
                for pid in c.output().split():
                    wait_for_end(int(pid))
                # Slurm knows, too, that nothing of it runs any more.
                while self.jobs_of_slurm():
                    os.sched_yield()

    def test_a_starpu_without_fxt_is_refused_before_it_runs(self):
        with Client() as c:
            rows = c.request("tasklens/configurations", {"runtimes": True})["runtimes"]
            self.assertEqual(rows[0]["runtime"], "tasklens")
            program = c.script(RECORD)
            for row in rows[1:]:
                self.assertEqual(row["runtime"], "starpu")
            starpu = rows[1]
            self.assertEqual(starpu["package"], "starpu-1.3")
            self.assertIn("without FxT", starpu["problem"])
            reply = c.error("tasklens/run", {"program": program, "runtime": "starpu"})
            self.assertEqual(reply, (-32803, starpu["problem"]))

    def test_a_starpu_with_fxt_is_found_and_led_to(self):
        with Client(capabilities=OURS) as c:
            # Where another StarPU was installed, as its own files say it.
            c.write("pc/starpu-1.4.pc", (
                f"Name: starpu\nDescription: x\nVersion: 1.4.7\nlibdir={c.root}/lib\n"
                f"Cflags: -I{c.root}/include\nLibs: -lstarpu-1.4\n"
            ))  # fmt: skip
            c.write("include/starpu_config.h", "#define STARPU_USE_FXT 1\n")
            params = {
                "program": c.script(RECORD + 'echo "$LD_LIBRARY_PATH"'),
                "build": [c.script('echo "$STARPU_CFLAGS $STARPU_LIBS"', name="make")],
                "runtime": "starpu",
                "environment": {"PKG_CONFIG_PATH": c.root + "/pc", "LD_LIBRARY_PATH": ""},
            }
            reply = c.request("tasklens/run", params)
            self.assertEqual(reply["runtime"], "starpu")
            self.assertEqual(c.output(), f"-I{c.root}/include -lstarpu-1.4\n{c.root}/lib\n")

    def test_says_when_another_runtime_was_used_than_asked_for(self):
        with Client(env={"TASKLENS_ROOT": "/tree"}) as c:
            reply = c.request("tasklens/run", {"program": c.script(RECORD), "runtime": "tasklens"})
            self.assertIn("it used StarPU, not TaskLens' runtime that was asked for", reply["message"])

    def test_nothing_runs_in_a_workspace_that_is_not_trusted(self):
        with Client(options={"trusted": False}) as c:
            program = c.script("touch ran")
            make = c.script("touch built", name="make")
            code, text = c.error("tasklens/run", {"program": program, "build": [make]})
            self.assertEqual(code, -32803)
            self.assertIn("not trusted", text)
            self.assertEqual(self.titles(c, self.hello(c), "tasklens.run"), [])
            c.notify("workspace/didChangeConfiguration", {"settings": {"tasklens": {"keepRuns": 3}}})
            self.assertIn("not trusted", c.error("tasklens/run", {"program": program})[1])
            c.notify("workspace/didChangeConfiguration", {"settings": {"tasklens": {"trusted": True}}})
            c.request("tasklens/run", {"program": program})
            self.assertEqual(sorted(os.listdir(c.root))[-1], "ran")
            self.assertFalse(os.path.exists(c.root + "/built"))

    # Output.

    def test_places_in_the_output_are_links(self):
        with Client(capabilities=OURS) as c:
            c.write("src/a.c", "")
            program = c.script(
                "echo 'é src/a.c:12:7: bad'; echo '(src/a.c:3)'; echo /etc/passwd:1 b.c:1 12:34:56"
            )
            c.request("tasklens/run", {"program": program})
            found = []
            for method, params in c.notifications:
                if method == "tasklens/runOutput":
                    for link in params["links"]:
                        text = params["text"].encode("utf-16-le")[2 * link["start"] : 2 * link["end"]]
                        self.assertEqual(link["uri"], f"file://{c.root}/src/a.c")
                        found.append((text.decode("utf-16-le"), link["line"], link["character"]))
            self.assertEqual(found, [("src/a.c:12:7", 11, 6), ("src/a.c:3", 2, 0)])

    def test_a_line_that_comes_in_pieces_is_one(self):
        with Client(capabilities=OURS) as c:
            c.write("a.c", "")
            c.request("tasklens/run", {"program": c.script("printf a.; printf 'c:1\\nx'")})
            self.assertEqual(c.output(), "a.c:1\nx")

    def test_a_place_in_pieces_or_in_colours_is_a_link(self):
        with Client(capabilities=OURS) as c:
            c.write("a.c", "")
            # The first piece of the second line is there before the rest is written.
            os.mkfifo(c.root + "/go")
            program = c.script(
                "printf '\\033[1ma.c:12:5:\\033[0m bad\\na.'; read go < go; printf 'c:13: split\\n'"
            )
            run = c.start("tasklens/run", {"program": program})
            c.wait_for("tasklens/runOutput", lambda params: params["text"].endswith("a."))
            with open(c.root + "/go", "w", encoding="utf-8") as file:
                file.write("\n")
            c.wait(run)
            found = [
                (params["text"][link["start"] : link["end"]], link["line"], link["character"])
                for method, params in c.notifications
                if method == "tasklens/runOutput"
                for link in params["links"]
            ]
            self.assertEqual(found, [("a.c:12:5", 11, 4), ("c:13", 12, 0)])

    # Kept runs.

    def test_runs_are_listed_named_and_deleted(self):
        with Client() as c:
            program = c.script(RECORD)
            first = c.request("tasklens/run", {"program": program, "arguments": ["1"]})
            second = c.request("tasklens/run", {"program": program, "arguments": ["2"]})
            runs = c.request("tasklens/runs")["runs"]
            self.assertEqual([run["kept"] for run in runs], [second["kept"], first["kept"]])
            self.assertEqual(runs[0]["configuration"]["arguments"], ["2"])
            self.assertEqual(runs[0]["trace"], "t2")
            self.assertEqual((runs[0]["exitStatus"], runs[0]["signal"]), (0, None))
            self.assertLessEqual(runs[0]["startedNs"], runs[0]["endedNs"])
            c.request("tasklens/renameRun", {"kept": first["kept"], "name": "before"})
            traces = c.request("tasklens/traces")["traces"]
            self.assertEqual([trace["title"] for trace in traces], ["program", "before"])
            self.assertIsNone(c.request("tasklens/deleteRun", {"kept": second["kept"]}))
            self.assertFalse(os.path.exists(second["directory"]))
            self.assertEqual([t["trace"] for t in c.request("tasklens/traces")["traces"]], ["t1"])
            with Client(root=c.root) as later:
                (run,) = later.request("tasklens/runs")["runs"]
                self.assertEqual((run["name"], run["trace"]), ("before", None))
                self.assertEqual(later.open(run["directory"])["title"], "before")

    def test_other_requests_do_not_wait_while_a_large_run_is_deleted(self):
        with Client() as c:
            directory = c.root + "/.tasklens/runs/large"
            os.makedirs(directory)
            for number in range(50_000):
                with open(f"{directory}/{number}", "w", encoding="ascii"):
                    pass
            delete = c.start("tasklens/deleteRun", {"kept": "large"})
            self.assertEqual(c.request("tasklens/runs")["runs"], [])
            self.assertNotIn(f"{delete}", c.replies)
            self.assertIsNone(c.wait(delete)["result"])
            self.assertEqual(os.listdir(c.root + "/.tasklens/runs"), [])

    def test_only_what_is_listed_can_be_deleted(self):
        with Client() as c:
            os.makedirs(c.root + "/.tasklens/runs")
            outside = c.write("precious/file", "x")
            os.symlink(os.path.dirname(outside), c.root + "/.tasklens/runs/link")
            for kept in ("../../precious", "link", "", ".", "/etc", "none"):
                for method, more in (("deleteRun", {}), ("renameRun", {"name": "x"})):
                    code, text = c.error("tasklens/" + method, {"kept": kept, **more})
                    self.assertEqual((code, text[:15]), (-32803, "no run is kept "))
            self.assertTrue(os.path.exists(outside))

    def test_kept_runs_are_compared(self):
        with Client() as c:
            program = c.script(RECORD)
            kept = [c.request("tasklens/run", {"program": program})["directory"] for _ in range(2)]
            with Client(root=c.root) as later:
                ids = [later.open(directory)["trace"] for directory in kept]
                (comparison,) = later.request("tasklens/compare", {"traces": ids})["comparisons"]
                self.assertEqual(comparison["spanBeforeNs"], comparison["spanAfterNs"])

    def test_old_runs_go_but_not_those_with_a_name(self):
        with Client(options={"keepRuns": 2}) as c:
            program = c.script(RECORD)
            runs = []
            for i in range(5):
                runs.append(c.request("tasklens/run", {"program": program})["kept"])
                c.request("tasklens/closeTrace", {"trace": f"t{i + 1}"})
                if i == 0:
                    c.request("tasklens/renameRun", {"kept": runs[0], "name": "first"})
            left = [run["kept"] for run in c.request("tasklens/runs")["runs"]]
            self.assertEqual(left, [runs[4], runs[3], runs[0]])
            told = "1 old run deleted (setting keepRuns)"
            c.wait_for("window/logMessage", lambda p: p["message"] == told)

    def test_old_runs_go_with_their_traces(self):
        with Client(options={"keepRuns": 2}) as c:
            program = c.script(RECORD)
            runs = [c.request("tasklens/run", {"program": program})["kept"] for _ in range(4)]
            self.assertEqual([run["kept"] for run in c.request("tasklens/runs")["runs"]], runs[:1:-1])
            open_now = [trace["trace"] for trace in c.request("tasklens/traces")["traces"]]
            self.assertEqual(open_now, ["t4", "t3"])
            # Somebody looks at the older one.
            c.request("tasklens/closeTrace", {"trace": "t3"})
            c.open(f"{c.root}/.tasklens/runs/{runs[2]}")
            last = c.request("tasklens/run", {"program": program})["kept"]
            left = [run["kept"] for run in c.request("tasklens/runs")["runs"]]
            self.assertEqual(left, [last, runs[3], runs[2]])

    def test_all_runs_stay_when_the_setting_says_so(self):
        with Client(options={"keepRuns": 0}) as c:
            program = c.script(RECORD)
            for _ in range(22):
                trace = c.request("tasklens/run", {"program": program})["trace"]
                c.request("tasklens/closeTrace", {"trace": trace})
            self.assertEqual(len(c.request("tasklens/runs")["runs"]), 22)

    def test_a_run_that_fails_says_why_and_keeps_what_it_recorded(self):
        with Client() as c:
            text = RECORD + "echo; echo 'assertion n > 0 failed' >&2; kill -ABRT $$"
            reply = c.request("tasklens/run", {"program": c.script(text)})
            self.assertTrue(
                reply["message"].startswith(
                    "program was ended by SIGABRT (Aborted): assertion n > 0 failed; its trace has 3 tasks"
                ),
                reply["message"],
            )
            (run,) = c.request("tasklens/runs")["runs"]
            self.assertEqual((run["signal"], run["message"]), (signal.SIGABRT, reply["message"]))
            self.assertTrue(os.path.exists(run["directory"] + "/trace_0"))

    def test_records_that_are_no_records_are_runs_of_which_nothing_is_known(self):
        with Client() as c:
            for i, text in enumerate(("", "[]", '{"version": 2}', '{"version": 1, "sites": [3]}')):
                c.write(f".tasklens/runs/x{i}/run.json", text)
            rows = c.request("tasklens/runs")["runs"]
            self.assertEqual(sorted(row["title"] for row in rows), ["x0", "x1", "x2", "x3"])

    # Going away.

    def detached(self, c):
        """A program that outlives its client; its process."""
        text = "mkfifo go; echo $$; read line <go; echo end; " + RECORD
        params = {"program": c.script(text), "keepRunning": True, "workingDirectory": c.root}
        c.start("tasklens/run", params)
        return int(c.wait_for("tasklens/runOutput")["text"])

    def let_it_end(self, c):
        c.write("go", "on\n")

    def ended(self, c):
        """The row of the only run, when its guard has ended too."""
        while True:
            (run,) = c.request("tasklens/runs")["runs"]
            if not run["running"]:
                return run

    def test_a_run_whose_server_was_killed_says_how_it_ended(self):
        with Client(capabilities=OURS) as c:
            c.start("tasklens/run", {"program": c.script(RECORD + "echo $$; exec sleep 1000")})
            pid = int(c.wait_for("tasklens/runOutput")["text"])
            c.process.kill()
            wait_for_end(pid)
            with Client(root=c.root) as later:
                run = self.ended(later)
                self.assertEqual((run["exitStatus"], run["signal"]), (None, signal.SIGTERM))
                self.assertEqual(
                    run["message"],
                    "its server ended first; program was ended by SIGTERM (Terminated)",
                )
                # What is known stays known, and the run is one like any other.
                later.request("tasklens/renameRun", {"kept": run["kept"], "name": "killed"})
                self.assertEqual(self.ended(later)["message"], run["message"])
                later.request("tasklens/deleteRun", {"kept": run["kept"]})
                self.assertEqual(later.request("tasklens/runs")["runs"], [])

    def test_a_run_whose_guard_was_killed_too_has_an_end_that_nobody_knows(self):
        with Client(capabilities=OURS) as c:
            pid = self.detached(c)
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                guard = int(re.search(r"PPid:\s+(\d+)", file.read()).group(1))
            c.process.kill()
            c.process.wait()
            os.kill(guard, signal.SIGKILL)
            wait_for_end(pid)
            with Client(root=c.root) as later:
                run = self.ended(later)
                self.assertEqual((run["exitStatus"], run["signal"], run["endedNs"]), (None, None, None))
                self.assertEqual(
                    run["message"], "its server ended first; how the program ended is not known"
                )

    def test_a_run_goes_on_without_its_client_when_it_is_told_to(self):
        for end in (
            lambda c: c.process.stdin.close(),
            lambda c: c.process.send_signal(signal.SIGKILL),
            lambda c: (c.request("shutdown"), c.notify("exit", None)),
        ):
            with Client(capabilities=OURS) as c:
                pid = self.detached(c)
                end(c)
                c.process.wait()
                self.assertTrue(is_alive(pid))
                with Client(root=c.root) as later:
                    (run,) = later.request("tasklens/runs")["runs"]
                    self.assertEqual((run["running"], run["message"]), (True, "it is still running"))
                    text = later.error("tasklens/deleteRun", {"kept": run["kept"]})[1]
                    self.assertIn("has not ended", text)
                    self.let_it_end(c)
                    wait_for_end(pid)
                    run = self.ended(later)
                    self.assertEqual(
                        run["message"], "its server ended first; program exited with status 0"
                    )
                    self.assertEqual((run["exitStatus"], run["signal"]), (0, None))
                    self.assertGreaterEqual(run["endedNs"], run["startedNs"])
                    with open(run["directory"] + "/stdout.txt", encoding="utf-8") as file:
                        self.assertEqual(file.read(), f"{pid}\nend\n")
                    self.assertEqual(later.open(run["directory"])["tasks"], 3)

    def test_it_is_stopped_by_a_later_server(self):
        for params in ("all", "kept"):
            with Client(capabilities=OURS) as c:
                pid = self.detached(c)
                c.process.kill()
                c.process.wait()
                with Client(root=c.root) as later:
                    (run,) = later.request("tasklens/runs")["runs"]
                    stop = {} if params == "all" else {"kept": run["kept"]}
                    self.assertEqual(later.request("tasklens/stop", stop), {"stopped": [run["kept"]]})
                    wait_for_end(pid)
                    self.assertEqual(
                        self.ended(later)["message"],
                        "its server ended first; program was ended by SIGTERM (Terminated)",
                    )
                    self.assertEqual(later.request("tasklens/stop"), {"stopped": []})
                    self.assertIn("is no longer running", later.error("tasklens/stop", {"kept": run["kept"]})[1])

    def test_a_run_of_a_server_that_is_there_is_stopped_only_by_name(self):
        with Client(capabilities=OURS) as c, Client(root=c.root) as other:
            pid = self.detached(c)
            self.assertEqual(other.request("tasklens/stop"), {"stopped": []})
            self.assertTrue(is_alive(pid))
            (run,) = other.request("tasklens/runs")["runs"]
            other.request("tasklens/stop", {"kept": run["kept"]})
            self.assertEqual(c.wait(c.next_id - 1)["result"]["signal"], signal.SIGTERM)
            self.assertIn("no run is kept as", other.error("tasklens/stop", {"kept": "../x"})[1])
            self.assertIn("cannot be used together", other.error("tasklens/stop", {"kept": "x", "run": "r1"})[1])

    def test_no_other_process_is_taken_for_a_guard(self):
        """A report file names a process by number and start; it is told only if it has the file open."""
        with Client() as c:
            path = c.write(".tasklens/runs/x/guard", "")
            c.write(".tasklens/runs/x/run.json", '{"version": 1, "program": "/x"}')

            def start_of(pid):
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    return int(file.read().rsplit(")", 1)[1].split()[19])

            def told(command, ticks_later):
                """Whether a process that runs `command` is ended when the file names it."""
                with subprocess.Popen(["sh", "-c", f"{command}; echo; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process, open(path, "wb", buffering=0) as file:
                    process.stdout.readline()
                    fcntl.flock(file, fcntl.LOCK_EX)
                    start = start_of(process.pid) + ticks_later
                    file.write(struct.pack("@i4xi4xQi4xQ", 3, process.pid, start, process.pid, 1))
                    reply = c.ask("tasklens/stop", {"kept": "x"})
                    process.stdin.close()
                    return "result" in reply, process.wait() == -signal.SIGHUP

            self.assertEqual(told("true", 0), (False, False))
            self.assertEqual(told(f"exec 4<{path}", 1), (False, False))
            self.assertEqual(told(f"exec 4<{path}", 0), (True, True))

    def test_it_ends_like_any_other_while_its_client_is_there(self):
        with Client(capabilities=OURS) as c:
            pid = self.detached(c)
            self.let_it_end(c)
            self.assertEqual(c.wait(c.next_id - 1)["result"]["exitStatus"], 0)
            self.assertEqual(c.output(), f"{pid}\nend\n")
        with Client(capabilities=OURS) as c:
            pid = self.detached(c)
            c.request("tasklens/stop")
            self.assertEqual(c.wait(c.next_id - 2)["result"]["signal"], signal.SIGTERM)
            self.assertFalse(is_alive(pid))

    def test_nothing_is_left_when_the_client_is_killed(self):
        with Client(initialize=False) as c:
            # A process of its own stands for the client: the server watches it.
            client = subprocess.Popen(["sleep", "1000"])
            c.initialize(capabilities=OURS, processId=client.pid)
            c.start("tasklens/run", {"program": c.script("echo $$; setsid sleep 1000")})
            pid = int(c.wait_for("tasklens/runOutput")["text"])
            client.kill()
            client.wait()
            self.assertNotEqual(c.end(), None)
            wait_for_end(pid)

    # Lenses.

    def test_the_lens_at_main_runs_what_was_run_last(self):
        with Client() as c:
            path = self.hello(c)
            self.assertEqual(self.titles(c, path, "tasklens.run"), ["run traced"])
            program = c.script(RECORD, name="hello")
            c.request("tasklens/run", {"program": program, "arguments": ["4"]})
            c.request("tasklens/run", {"program": program, "arguments": ["8", "x"]})
            lens = c.lenses("file://" + path, "tasklens.run")[0]
            self.assertEqual(lens["command"]["title"], f"run traced: {os.path.basename(program)} 8 x")
            with open(path, encoding="utf-8") as file:
                line = file.read().split("\n")[lens["range"]["start"]["line"]]
            self.assertIn("main(", line)
            reply = c.request("workspace/executeCommand", {
                "command": lens["command"]["command"], "arguments": lens["command"]["arguments"]})  # fmt: skip
            self.assertEqual(reply["exitStatus"], 0)
            with Client(root=c.root) as later:
                self.assertEqual(
                    self.titles(later, path, "tasklens.run"), [f"run traced: {os.path.basename(program)} 8 x"]
                )

    def test_the_lens_at_main_offers_the_configurations_of_its_program(self):
        with Client() as c:
            path = self.hello(c)
            self.launch_file(
                c,
                {"name": "by name", "program": "build/hello"},
                {"name": "by source", "program": "x", "source": "hello.c"},
                {"name": "another", "program": "cholesky"},
                {"name": "elsewhere", "program": "hello", "source": "other.c"},
                {"name": "bad", "program": "hello", "cpus": "x"},
            )
            self.assertEqual(
                self.titles(c, path, "tasklens.run"),
                ["run traced: by name", "run traced: by source"],
            )

    def test_files_without_a_main_or_without_starpu_have_no_such_lens(self):
        with Client() as c:
            for text in ("int main(void) {}\n", "#include <starpu.h>\nint f(void) {}\n"):
                self.assertEqual(self.titles(c, c.write("a.c", text), "tasklens.run"), [])

    def test_a_lens_says_what_changed_since_the_run_before(self):
        with Client() as c:
            source = c.root + "/cholesky.c"
            shutil.copy(os.path.join(STARPU, "src/cholesky.c"), source)
            os.utime(source, (0, 0))
            for folder, time in (("cholesky_lws", 1000), ("cholesky_dmdas", 2000)):
                shutil.copytree(os.path.join(STARPU, folder), f"{c.root}/{folder}")
                for file in os.listdir(f"{c.root}/{folder}"):
                    os.utime(f"{c.root}/{folder}/{file}", (time, time))
            before = c.open(c.root + "/cholesky_lws/prof_file_0")
            lenses = self.titles(c, source, "tasklens.showSite")
            self.assertTrue(all("since" not in lens and "before" not in lens for lens in lenses))
            c.open(c.root + "/cholesky_dmdas/prof_file_0")
            costs = {
                (row["file"], row["line"]): row
                for row in c.request("tasklens/stats", {"trace": before["trace"]})["costs"]
            }
            rows = c.request("tasklens/stats")["costs"]
            for row in rows:
                old = costs[row["file"], row["line"]]
                self.assertEqual(row["before"]["tasks"], old["tasks"])
                self.assertEqual(row["before"]["totalNs"], old["totalNs"])
                percent = round(100 * (row["totalNs"] / row["ran"] * old["ran"] / old["totalNs"] - 1))
                sign = "+" if percent > 0 else "−"
                # A mean is told where it changed by more than noise.
                if "mean" in row["change"]:
                    self.assertIn(f"mean {sign}{abs(percent):,} %", row["change"])
            shown = self.titles(c, source, "tasklens.showSite")
            self.assertEqual(len(shown), len(rows))
            for title in shown:
                self.assertRegex(title, r" · (as before|.* since the run before)$")

    def test_the_run_before_may_be_of_another_day_and_its_lines_elsewhere(self):
        with Client() as c:
            source = self.hello(c)
            program = c.script(RECORD)
            c.request("tasklens/run", {"program": program})
            self.assertNotIn("before", self.titles(c, source, "tasklens.showSite")[0])
            with Client(root=c.root) as later:
                later.request("tasklens/run", {"program": program})
                titles = self.titles(later, source, "tasklens.showSite")
                self.assertTrue(all(title.endswith(" · as before") for title in titles), titles)

    def test_a_run_of_another_program_is_no_run_before(self):
        with Client() as c:
            source = self.hello(c)
            c.request("tasklens/run", {"program": c.script(RECORD, name="one")})
            c.request("tasklens/run", {"program": c.script(RECORD, name="two")})
            titles = self.titles(c, source, "tasklens.showSite")
            self.assertTrue(titles and all("before" not in title for title in titles))


if __name__ == "__main__":
    main()
