#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tasklens/run: programs that end well, badly, or not at all, and that nothing is left behind."""

import os
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, is_alive, main, wait_for_end  # noqa: E402

OURS = {"experimental": {"tasklens": {}}}
HELLO = os.path.join(STARPU, "hello/prof_file_0")
# A stand-in for a program that records: it leaves the trace of a real run where it was told to.
RECORD = f'cp "{HELLO}" "$STARPU_FXT_PREFIX/trace_0"; '


class Runs(unittest.TestCase):
    def run_program(self, c, text, **params):
        return c.request("tasklens/run", {"program": c.script(text), **params})

    def test_runs_a_program_and_opens_its_trace(self):
        with Client(capabilities=OURS) as c:
            reply = self.run_program(c, RECORD + "echo out; echo err >&2")
            self.assertEqual((reply["exitStatus"], reply["signal"]), (0, None))
            self.assertEqual(reply["contents"]["tasks"], 3)
            self.assertEqual(reply["trace"], "t1")
            self.assertIn("exited with status 0; its trace has 3 tasks on 2 workers", reply["message"])
            self.assertEqual(c.output("stdout"), "out\n")
            self.assertEqual(c.output("stderr"), "err\n")
            self.assertEqual(c.wait_for("tasklens/traceUpdated")["trace"], "t1")
            self.assertTrue(reply["directory"].startswith(c.root + "/.tasklens/runs/program-"))
            with open(c.root + "/.tasklens/runs/.gitignore", encoding="utf-8") as file:
                self.assertEqual(file.read(), "*\n")

    def test_is_a_command_as_well(self):
        with Client() as c:
            reply = c.request(
                "workspace/executeCommand",
                {"command": "tasklens.run", "arguments": [{"program": c.script(RECORD)}]},
            )
            self.assertEqual(reply["trace"], "t1")

    def test_gives_arguments_environment_and_directory_as_they_are(self):
        with Client(capabilities=OURS) as c:
            os.mkdir(c.root + "/a b")
            self.run_program(
                c,
                'printf "%s|" "$@"; echo "$VALUE"; pwd; read line || echo no input; '
                'echo "$STARPU_FXT_TRACE $STARPU_FXT_SUFFIX"',
                arguments=["$HOME", "a  b", "", "*", ";echo x", "é"],
                environment={"VALUE": "$(id)"},
                workingDirectory="a b",
            )
            self.assertEqual(
                c.output(),
                f"$HOME|a  b||*|;echo x|é|$(id)\n{c.root}/a b\nno input\n1 trace\n",
            )

    def test_words_that_would_be_cut_off_are_refused(self):
        with Client() as c:
            program = c.script("touch ran")
            for params in (
                {"program": program, "arguments": ["a\0b"]},
                {"program": program + "\0b"},
                {"program": program, "launcher": ["env\0b"]},
                {"program": program, "build": [program, "\0"]},
                {"program": program, "environment": {"A": "\0"}},
            ):
                code, text = c.error("tasklens/run", params)
                self.assertEqual(code, -32602, text)
            self.assertFalse(os.path.exists(c.root + "/ran"))

    def test_uses_the_cache_when_there_is_no_workspace(self):
        with Client(workspaceFolders=None) as c:
            reply = self.run_program(c, RECORD)
            cache = os.path.join(c.folder.name, "cache", "tasklens", "runs")
            self.assertTrue(os.path.realpath(reply["directory"]).startswith(os.path.realpath(cache)))

    def test_says_which_program_is_missing(self):
        with Client(env={"PATH": "/usr/bin:/bin"}) as c:
            for program, text in (
                ("./none", f"{c.root}/none: no such program; is it built?"),
                ("no-such-program", "no-such-program: no such program in PATH"),
                (c.root, f"{c.root}: Is a directory"),
                (c.write("plain", "x"), f"{c.root}/plain: not executable (chmod +x?)"),
                ("plain-in-folder", "plain-in-folder: no such program in PATH"),
            ):
                self.assertEqual(c.error("tasklens/run", {"program": program}), (-32803, text))
            c.script("", name="here")
            self.assertEqual(
                c.error("tasklens/run", {"program": "here"}),
                (-32803, "here: not in PATH; did you mean ./here?"),
            )
            self.assertEqual(
                c.error("tasklens/run", {"program": ""})[1],
                "no program is given, and there is no launch configuration; write one into "
                ".tasklens/launch.json",
            )
            self.assertEqual(
                c.error("tasklens/run", {"program": "sh", "workingDirectory": "none"}),
                (-32803, f"{c.root}/none: no such working folder"),
            )
            self.assertEqual(
                c.error("tasklens/run", {"program": "sh", "environment": {"a=b": "c"}}),
                (-32602, 'not the name of an environment variable: "a=b"'),
            )

    def test_says_that_a_file_is_no_program(self):
        with Client() as c:
            path = c.write("text", "neither ELF nor script\n")
            os.chmod(path, 0o755)
            self.assertEqual(
                c.error("tasklens/run", {"program": path}),
                (-32803, "text cannot be run: neither a program for this machine nor a script with #!"),
            )
            self.assertEqual(os.listdir(c.root + "/.tasklens/runs"), [".gitignore"])

    def test_names_the_signal_of_a_crash_and_keeps_the_trace(self):
        with Client() as c:
            reply = self.run_program(c, RECORD + "kill -SEGV $$")
            self.assertEqual((reply["exitStatus"], reply["signal"]), (None, signal.SIGSEGV))
            self.assertEqual(reply["contents"]["tasks"], 3)
            self.assertIn(
                "program was ended by SIGSEGV (Segmentation fault); its trace has 3 tasks",
                reply["message"],
            )
            self.assertIn("SIGSEGV", c.wait_for("window/showMessage")["message"])

    def test_tells_of_a_failed_program(self):
        with Client() as c:
            reply = self.run_program(c, RECORD + "exit 3")
            self.assertEqual(reply["exitStatus"], 3)
            self.assertIn("program exited with status 3; its trace has", reply["message"])

    def test_says_what_to_do_when_there_is_no_trace(self):
        with Client() as c:
            reply = self.run_program(c, "exit 0")
            self.assertEqual(reply["trace"], None)
            self.assertIn("program exited with status 0; the program left no trace", reply["message"])
            self.assertIn("is it linked with TaskLens' runtime", reply["message"])
            self.assertEqual(os.listdir(c.root + "/.tasklens/runs"), [".gitignore"])

    def test_says_what_is_wrong_with_a_trace(self):
        with Client() as c:
            reply = self.run_program(c, 'echo nonsense > "$STARPU_FXT_PREFIX/trace_0"')
            self.assertEqual((reply["trace"], reply["exitStatus"]), (None, 0))
            self.assertIn("trace_0: not in a known trace format", reply["message"])

    def test_ends_what_a_program_leaves_behind(self):
        with Client(capabilities=OURS) as c:
            reply = self.run_program(c, RECORD + "sleep 1000 & echo $!; setsid sleep 1000 & echo $!")
            self.assertEqual(reply["leftBehind"], 2)
            self.assertTrue(
                reply["message"].endswith("; 2 processes that it left behind were ended"), reply
            )
            for pid in c.output().split():
                self.assertFalse(is_alive(pid))

    def test_shows_progress_with_the_token_of_the_request(self):
        with Client() as c:
            self.run_program(c, RECORD, workDoneToken="token")
            kinds = [p["value"]["kind"] for m, p in c.notifications if m == "$/progress"]
            self.assertEqual(kinds, ["begin", "report", "end"])
            self.assertEqual(c.asked, [])

    def test_asks_for_a_token_where_it_can(self):
        with Client(capabilities={"window": {"workDoneProgress": True}}) as c:
            self.run_program(c, RECORD)
            token = c.asked[0][1]["token"]
            c.wait_for("$/progress", lambda p: p["token"] == token and p["value"]["kind"] == "end")

    def test_output_that_is_no_utf8_arrives_all_the_same(self):
        with Client(capabilities=OURS) as c:
            self.run_program(c, r"printf 'a\377\303'; printf '\251z\360\237'")
            self.assertEqual(c.output(), "a\ufffdéz\ufffd\ufffd")

    def test_clients_without_our_notifications_get_output_as_log(self):
        with Client() as c:
            self.run_program(c, "echo hello")
            self.assertEqual(c.wait_for("window/logMessage"), {"type": 4, "message": "hello\n"})
            self.assertFalse(any(m.startswith("tasklens/") for m, _ in c.notifications))

    def start_endless(self, c, before="", trap=""):
        """A run that has begun; its request and the number of its process."""
        script = c.script(f"{trap}{before}echo $$; while :; do sleep 1000; done")
        id = c.start("tasklens/run", {"program": script})
        pid = int(c.wait_for("tasklens/runOutput")["text"])
        return id, pid

    def test_stop_ends_a_run_and_keeps_its_trace(self):
        with Client(capabilities=OURS) as c:
            id, pid = self.start_endless(c, before=RECORD)
            self.assertEqual(c.request("tasklens/stop", {"run": "r1"}), {"stopped": ["r1"]})
            reply = c.wait(id)["result"]
            self.assertEqual((reply["signal"], reply["contents"]["tasks"]), (signal.SIGTERM, 3))
            self.assertFalse(is_alive(pid))
            self.assertEqual(
                c.error("tasklens/stop", {"run": "r1"}),
                (-32803, "the run r1 is not known (it may have ended)"),
            )
            self.assertEqual(c.request("tasklens/stop"), {"stopped": []})

    def test_stop_ends_a_program_that_does_not_want_to(self):
        with Client(capabilities=OURS) as c:
            id, pid = self.start_endless(c, trap="trap '' TERM; ")
            c.request("tasklens/stop")
            self.assertEqual(c.wait(id)["result"]["signal"], signal.SIGKILL)
            self.assertFalse(is_alive(pid))

    def test_cancel_ends_a_run(self):
        with Client(capabilities=OURS) as c:
            id, pid = self.start_endless(c)
            c.notify("$/cancelRequest", {"id": id})
            error = c.wait(id)["error"]
            self.assertEqual(error["code"], -32800)
            self.assertIn("program was ended by SIGTERM", error["message"])
            self.assertFalse(is_alive(pid))

    def test_cancel_of_the_progress_ends_a_run(self):
        with Client(capabilities=OURS) as c:
            script = c.script("echo $$; exec sleep 1000")
            id = c.start("tasklens/run", {"program": script, "workDoneToken": 7})
            c.wait_for("tasklens/runOutput")
            c.notify("window/workDoneProgress/cancel", {"token": 7})
            self.assertEqual(c.wait(id)["error"]["code"], -32800)

    def test_several_runs_at_once(self):
        with Client(capabilities=OURS) as c:
            ids = [
                c.start("tasklens/run", {"program": c.script(RECORD + f"echo {i}", name=f"p{i}")})
                for i in range(4)
            ]
            traces = {c.wait(id)["result"]["trace"] for id in ids}
            self.assertEqual(len(traces), 4)
            self.assertEqual(len(c.request("tasklens/traces")["traces"]), 4)

    def test_a_killed_program_is_told_apart(self):
        with Client(capabilities=OURS) as c:
            id, pid = self.start_endless(c, before=RECORD)
            os.kill(pid, signal.SIGKILL)
            reply = c.wait(id)["result"]
            self.assertIn("was ended by SIGKILL", reply["message"])
            self.assertEqual(reply["contents"]["tasks"], 3)

    def left_behind_after(self, end):
        """Starts a run with processes in and out of its group, ends the server as told, and waits
        until they are gone."""
        with Client(capabilities=OURS) as c:
            script = c.script("trap '' TERM HUP; setsid sleep 1000 & echo $! $$; sleep 1000")
            c.start("tasklens/run", {"program": script})
            pids = [int(p) for p in c.wait_for("tasklens/runOutput")["text"].split()]
            end(c)
            c.process.wait()
            for pid in pids:
                wait_for_end(pid)

    def test_nothing_is_left_when_the_client_leaves(self):
        self.left_behind_after(lambda c: c.process.stdin.close())

    def test_nothing_is_left_after_exit(self):
        self.left_behind_after(lambda c: c.notify("exit", None))

    def test_nothing_is_left_when_the_server_is_killed(self):
        self.left_behind_after(lambda c: c.process.send_signal(signal.SIGKILL))

    def test_nothing_is_left_when_the_server_is_terminated(self):
        self.left_behind_after(lambda c: c.process.send_signal(signal.SIGTERM))

    def guards_of(self, c):
        """The processes between the server and its only program: the keeper and the guard."""
        with open(f"/proc/{c.process.pid}/task/{c.process.pid}/children", encoding="ascii") as file:
            (keeper,) = file.read().split()
        with open(f"/proc/{keeper}/task/{keeper}/children", encoding="ascii") as file:
            (guard,) = file.read().split()
        return int(keeper), int(guard)

    def kill_at_once(self, pids):
        for how in (signal.SIGSTOP, signal.SIGKILL):  # none can act between the others' ends
            for pid in pids:
                os.kill(pid, how)

    def after_killing(self, which, **params):
        """Starts a run with processes in and out of its group, kills of its keeper and guard those
        with these numbers, and waits until the run is over; its answer."""
        with Client(capabilities=OURS) as c:
            script = c.script(
                RECORD + "trap '' TERM HUP; setsid sleep 1000 & echo $! $$; sleep 1000"
            )
            id = c.start("tasklens/run", {"program": script, **params})
            pids = [int(p) for p in c.wait_for("tasklens/runOutput")["text"].split()]
            guards = self.guards_of(c)
            self.kill_at_once([guards[index] for index in which])
            reply = c.wait(id)["result"]
            for pid in (*guards, *pids):
                wait_for_end(pid)
            c.request("tasklens/traces")
            return reply

    def test_nothing_is_left_when_the_guard_is_killed(self):
        for params in ({}, {"keepRunning": True}):
            reply = self.after_killing([1], **params)
            self.assertIn("program was ended by SIGKILL (Killed); its trace has", reply["message"])

    def test_nothing_is_left_when_the_guards_keeper_is_killed(self):
        for params in ({}, {"keepRunning": True}):
            reply = self.after_killing([0], **params)
            self.assertEqual(reply["signal"], signal.SIGKILL)  # which it had not asked for
            self.assertEqual(reply["contents"]["tasks"], 3)

    def test_nothing_is_left_when_all_who_guard_a_run_are_killed_at_once(self):
        for params in ({}, {"keepRunning": True}):
            reply = self.after_killing([0, 1], **params)
            self.assertEqual(reply["signal"], signal.SIGKILL)

    def test_other_runs_go_on_when_all_who_guard_one_are_killed(self):
        with Client(capabilities=OURS) as c:
            first, pid = self.start_endless(c)
            guards = self.guards_of(c)
            c.notifications.clear()
            second, other = self.start_endless(c)
            self.kill_at_once(guards)
            self.assertEqual(c.wait(first)["result"]["signal"], signal.SIGKILL)
            wait_for_end(pid)
            self.assertTrue(is_alive(other))
            c.request("tasklens/stop")
            self.assertEqual(c.wait(second)["result"]["signal"], signal.SIGTERM)

    def test_shutdown_ends_runs_and_answers_for_them(self):
        with Client(capabilities=OURS) as c:
            id, pid = self.start_endless(c)
            self.assertIsNone(c.request("shutdown"))
            self.assertEqual(c.wait(id)["error"]["code"], -32800)
            self.assertFalse(is_alive(pid))

    def test_endless_output_does_not_hold_up_other_requests(self):
        with Client(capabilities=OURS) as c:
            id = c.start("tasklens/run", {"program": c.script("exec yes")})
            c.wait_for("tasklens/runOutput")
            for _ in range(10):
                c.request("tasklens/traces")
            c.request("tasklens/stop")
            self.assertEqual(c.wait(id)["result"]["signal"], signal.SIGTERM)

    def test_a_workspace_that_cannot_be_written_is_no_hindrance(self):
        with Client() as c:
            c.write(".tasklens", "in the way")
            reply = self.run_program(c, RECORD)
            self.assertIn("/cache/tasklens/runs/program-", reply["directory"])

    def test_sources_are_found_beside_the_program(self):
        with Client() as c:
            shutil.copy(os.path.join(STARPU, "src/hello.c"), c.root + "/hello.c")
            self.run_program(c, RECORD)
            location = c.request("tasklens/reveal", {"task": 0})["location"]
            self.assertEqual(location["uri"], "file://" + c.root + "/hello.c")

    def test_keeps_the_sources_so_that_their_lines_are_found_another_day(self):
        with Client() as c:
            source = c.root + "/hello.c"
            shutil.copy(os.path.join(STARPU, "src/hello.c"), source)
            os.utime(source, (0, 0))
            directory = self.run_program(c, RECORD)["directory"]
            with open(source, encoding="utf-8") as file:
                text = file.read()
            with open(source, "w", encoding="utf-8") as file:
                file.write("\n" * 7 + text)
            with Client(root=c.root) as later:
                before = [lens["range"]["start"]["line"] for lens in c.lenses("file://" + source)]
                later.open("file://" + directory)
                lenses = later.lenses("file://" + source)
                self.assertEqual([lens["range"]["start"]["line"] for lens in lenses], before)
                lines = text.split("\n")
                for line in before:
                    self.assertIn("starpu_task_insert", lines[line - 7])
                self.assertNotIn("older", lenses[0]["command"]["title"])


if __name__ == "__main__":
    main()
