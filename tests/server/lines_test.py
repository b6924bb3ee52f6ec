#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of programs that are compiled, edited and run for real, and where their codelets are used."""

import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import EDITOR, TASKLENS, Client, main  # noqa: E402

OURS = {**EDITOR, "experimental": {"tasklens": True}}

APP = {
    "app.h": """#include <starpu.h>
#ifdef __cplusplus
extern "C" {
#endif
extern struct starpu_codelet gemm_cl;
static struct starpu_codelet *const trsm_alias = 0;
void submit(struct starpu_codelet *cl, starpu_data_handle_t h);
void trsm_cpu(void *buffers[], void *arg);
extern struct starpu_codelet trsm_cl, filled_cl;
void fill(void);
#define SUBMIT_GEMM(h) \\
  starpu_task_insert(&gemm_cl, STARPU_RW, h, 0)
#ifdef __cplusplus
}
#endif
""",
    "codelets.c": """#include "app.h"
static void gemm_cpu(void *buffers[], void *arg) { (void)buffers; (void)arg; }
void trsm_cpu(void *buffers[], void *arg) { (void)buffers; (void)arg; }
static void filled_cpu(void *buffers[], void *arg) { (void)buffers; (void)arg; }
struct starpu_codelet gemm_cl = {.cpu_funcs = {gemm_cpu}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "gemm"};
struct starpu_codelet trsm_cl = {.cpu_funcs = {trsm_cpu}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "trsm"};
struct starpu_codelet filled_cl;
void fill(void) {
  starpu_codelet_init(&filled_cl);
  filled_cl.cpu_funcs[0] = filled_cpu;
  filled_cl.nbuffers = 1;
  filled_cl.modes[0] = STARPU_RW;
  filled_cl.name = "filled";
}
void submit(struct starpu_codelet *cl, starpu_data_handle_t h) {
  starpu_task_insert(cl, STARPU_RW, h, 0);
}
""",
    "main.c": """#include "app.h"
int main(void) {
  int v[4] = {0};
  starpu_data_handle_t h;
  if (starpu_init(NULL) != 0) return 77;
  fill();
  starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, 4, sizeof(v[0]));
  SUBMIT_GEMM(h);
  submit(&trsm_cl, h);
  starpu_task_insert(&filled_cl, STARPU_RW, h, 0);
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
""",
}

# Macros and functions that submit, around each other.
WRAPPERS = {
    "main.cc": """#include <starpu.h>
#define INSERT(cl, h) starpu_task_insert(&cl, STARPU_RW, h, 0)
#define SUBMIT(cl, h) INSERT(cl, h)
#define FOURTH(h) SUBMIT(four, h)
static void kernel(void *buffers[], void *arg) { (void)buffers; (void)arg; }
static struct starpu_codelet one, two, three, four;
static void fill(struct starpu_codelet *cl) {
  starpu_codelet_init(cl);
  cl->cpu_funcs[0] = kernel; cl->nbuffers = 1; cl->modes[0] = STARPU_RW;
}
static void submit(struct starpu_codelet *cl, starpu_data_handle_t h) {
  starpu_task_insert(cl, STARPU_RW, h, 0);
}
static void pass(struct starpu_codelet *cl, starpu_data_handle_t h) { submit(cl, h); }
static void second(starpu_data_handle_t h) { pass(&two, h); }
static void down(int n, starpu_data_handle_t h) {
  if (n > 0) down(n - 1, h);
  second(h);
}
int main() {
  int v = 0;
  starpu_data_handle_t h;
  if (starpu_init(nullptr) != 0) return 77;
  fill(&one); fill(&two); fill(&three); fill(&four);
  one.name = "one"; two.name = "two"; three.name = "three"; four.name = "four";
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
  auto lambda = [&](struct starpu_codelet *cl) { starpu_task_insert(cl, STARPU_RW, h, 0); };
  SUBMIT(one, h);
  pass(&one, h);
  down(2, h);
  lambda(&three);
  FOURTH(h);
  starpu_data_unregister(h);
  starpu_shutdown();
}
"""
}

# Two tasks of a line, five of the next but one.
TWO_SITES = {
    "main.c": """#include <starpu.h>
static void kernel(void *buffers[], void *arg) { (void)buffers; (void)arg; }
static struct starpu_codelet few = {.cpu_funcs = {kernel}, .name = "few"};
static struct starpu_codelet many = {.cpu_funcs = {kernel}, .name = "many"};
int main(void) {
  if (starpu_init(NULL) != 0) return 77;
  for (int i = 0; i < 5; i++) {
    if (i < 2) starpu_task_insert(&few, 0);
    /* between */
    starpu_task_insert(&many, 0);
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  return 0;
}
""",
}


class Lines(unittest.TestCase):
    def app(self, files=None, **params):
        c = Client(capabilities=OURS, **params)
        for name, text in (files or APP).items():
            c.write(name, text)
        return c

    def build(self, c, compiler="cc", options=()):
        """By absolute names, which do not hold where the tree was moved."""
        names = [name for name in sorted(os.listdir(c.root)) if name.endswith((".c", ".cc"))]
        sources = [os.path.join(c.root, name) for name in names]
        command = [compiler, *options, "-I", os.path.abspath("runtime/include"), "-o", "app", *sources]
        library = os.path.abspath("runtime/libstarpu.so")
        command += [library, "-Wl,-rpath," + os.path.dirname(library)]
        subprocess.run(command, cwd=c.root, check=True)

    def run_app(self, c, **params):
        reply = c.request("tasklens/run", {"program": "./app", "cpus": 1, **params})
        self.assertEqual(reply["exitStatus"], 0, (reply, c.output("stderr")))
        return reply

    def uri(self, c, name):
        return f"file://{c.root}/{name}"

    def text(self, c, name):
        with open(f"{c.root}/{name}", encoding="utf-8") as file:
            return file.read()

    def edit(self, c, name, text):
        """Saves another text; later than anything before it, however coarse the clock of files is."""
        newest = max(os.stat(f"{c.root}/{other}").st_mtime_ns for other in os.listdir(c.root))
        while True:
            c.write(name, text)
            if os.stat(f"{c.root}/{name}").st_mtime_ns > newest:
                return

    def lenses(self, c, name):
        """Line and remark of each."""
        return [
            (lens["range"]["start"]["line"], lens["command"]["title"].split(" · ")[-1])
            for lens in c.lenses(self.uri(c, name))
        ]

    def line_of(self, text, part):
        return next(i for i, line in enumerate(text.split("\n")) if part in line)

    # Lines that move

    def test_lines_of_a_program_are_those_of_its_source(self):
        with self.app() as c:
            self.build(c)
            self.run_app(c)
            main_c = APP["main.c"]
            lines = [self.line_of(main_c, part) for part in ("SUBMIT_GEMM", "(&filled_cl")]
            self.assertEqual([line for line, _ in self.lenses(c, "main.c")], lines)
            for _, remark in self.lenses(c, "main.c"):
                self.assertRegex(remark, r"%$")
            self.edit(c, "main.c", "\n\n" + main_c)
            self.assertEqual(
                [line for line, _ in self.lenses(c, "main.c")], [line + 2 for line in lines]
            )

    def test_a_source_that_was_edited_after_the_build_is_marked(self):
        with self.app() as c:
            self.build(c)
            self.edit(c, "main.c", "/* edited */\n" + APP["main.c"])
            reply = self.run_app(c)
            for line, remark in self.lenses(c, "main.c"):
                self.assertEqual(remark, "perhaps older than the file", line)
            for _, remark in self.lenses(c, "codelets.c"):
                self.assertRegex(remark, r"%$")
            sources = c.request("tasklens/sources")
            certain = {os.path.basename(row["path"]): row["certain"] for row in sources["files"]}
            self.assertEqual(certain, {"main.c": False, "codelets.c": True})
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
            params = {"textDocument": {"uri": self.uri(c, "main.c")}, "range": whole}
            self.assertEqual(c.request("textDocument/inlayHint", params), [])
            place = {"line": self.lenses(c, "main.c")[0][0], "character": 0}
            params = {"textDocument": {"uri": self.uri(c, "main.c")}, "position": place}
            self.assertIn(
                "perhaps older than the file",
                c.request("textDocument/hover", params)["contents"]["value"],
            )
            # Kept with the run, so that a later session says it as well.
            with Client(root=c.root, capabilities=OURS) as later:
                later.open(reply["directory"])
                self.assertEqual(self.lenses(later, "main.c"), self.lenses(c, "main.c"))
                self.assertIn("perhaps", self.lenses(later, "main.c")[0][1])

    def test_a_program_that_was_not_built_anew_keeps_its_text(self):
        with self.app(TWO_SITES) as c:
            self.build(c)
            self.run_app(c)
            lines = [self.line_of(TWO_SITES["main.c"], part) for part in ("&few", "&many")]
            self.assertEqual([line for line, _ in self.lenses(c, "main.c")], lines)
            # Two lines are what lies between the two sites.
            self.edit(c, "main.c", "\n\n" + TWO_SITES["main.c"])
            moved = [line + 2 for line in lines]
            not_rebuilt = self.run_app(c)
            for client in (c, Client(root=c.root, capabilities=OURS)):
                client.open(not_rebuilt["directory"])
                found = self.lenses(client, "main.c")
                self.assertEqual([line for line, _ in found], moved)
                for _, remark in found:
                    self.assertNotIn("tasks", remark)  # as many as before
                    self.assertNotIn("perhaps", remark)
            client.__exit__()
            self.build(c)
            self.run_app(c)
            found = self.lenses(c, "main.c")
            self.assertEqual([line for line, _ in found], moved)
            for _, remark in found:
                self.assertRegex(remark, r"^(as before|mean .{1,9} %( \(noise not known\))? since the run before)$")

    def test_different_sites_are_not_compared(self):
        with self.app(TWO_SITES) as c:
            self.build(c)
            self.edit(c, "main.c", "\n\n" + TWO_SITES["main.c"])
            self.run_app(c)  # of which text, nobody knows
            self.build(c)
            self.run_app(c)
            for _, remark in self.lenses(c, "main.c"):
                self.assertRegex(remark, "%$")

    def test_a_library_that_was_built_anew_has_its_new_text(self):
        with self.app(TWO_SITES) as c:
            main_c = "int work(void);\nint main(void) { return work(); }\n"
            self.edit(c, "work.c", TWO_SITES["main.c"].replace("main(void)", "work(void)"))
            self.edit(c, "main.c", main_c)

            runtime = os.path.abspath("runtime")
            link = [runtime + "/libstarpu.so", "-Wl,-rpath," + runtime]

            def compile(*words):
                subprocess.run(["cc", "-I", runtime + "/include", *words, *link], cwd=c.root, check=True)

            library = ["-shared", "-fPIC", "-o", "libwork.so", "work.c"]
            compile(*library)
            compile("-o", "app", "main.c", "-L.", "-lwork", "-Wl,-rpath," + c.root)
            self.run_app(c)
            self.assertNotIn("perhaps", str(self.lenses(c, "work.c")))
            self.edit(c, "work.c", "\n\n" + self.text(c, "work.c"))
            compile(*library)
            self.run_app(c)
            lines = [self.line_of(self.text(c, "work.c"), part) for part in ("&few", "&many")]
            self.assertEqual([line for line, _ in self.lenses(c, "work.c")], lines)

    def test_a_folder_of_a_run_may_be_used_again(self):
        with self.app(TWO_SITES) as c:
            for text in (TWO_SITES["main.c"], "\n\n" + TWO_SITES["main.c"]):
                self.edit(c, "main.c", text)
                self.build(c)
                command = [TASKLENS, "run", "-o", "traced", "--", "./app"]
                subprocess.run(command, cwd=c.root, check=True, capture_output=True)
            c.open(c.root + "/traced")
            lines = [self.line_of(text, part) for part in ("&few", "&many")]
            self.assertEqual([line for line, _ in self.lenses(c, "main.c")], lines)

    def test_what_was_committed_when_the_program_was_linked_is_certain(self):
        with self.app() as c:
            git = ["git", "-C", c.root, "-c", "user.name=n", "-c", "user.email=e@example.org"]
            env = dict(os.environ, HOME=c.root)
            env |= {f"GIT_{who}_DATE": "2001-09-11T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
            for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "m"]):
                subprocess.run(git + command, env=env, check=True)
            self.build(c)
            self.edit(c, "main.c", APP["main.c"])  # touched, checked out anew, copied
            self.run_app(c)
            for _, remark in self.lenses(c, "main.c"):
                self.assertRegex(remark, r"%$")
            # Edited: the lines are those of the history, which may not be what was compiled.
            shutil.rmtree(c.root + "/.tasklens")  # where no run before tells
            self.edit(c, "main.c", "/* edited */\n" + APP["main.c"])
            self.run_app(c)
            lines = [
                self.line_of(APP["main.c"], part) + 1 for part in ("SUBMIT_GEMM", "(&filled_cl")
            ]
            self.assertEqual(
                self.lenses(c, "main.c"), [(line, "perhaps older than the file") for line in lines]
            )
            # What it came from is named, for as many commits as come later.
            head = subprocess.run(git + ["rev-parse", "HEAD"], check=True, capture_output=True, text=True)
            for command in (["add", "."], ["commit", "-q", "-m", "later"]):
                subprocess.run(git + command, env=env, check=True)
            self.assertEqual(self.source(c, "main.c")["commit"], head.stdout.strip())
            digest = hashlib.sha256(APP["main.c"].encode()).hexdigest()
            self.assertEqual(self.source(c, "main.c")["sha256"], digest)
            c.notify("workspace/didChangeConfiguration", {"settings": {"trusted": False}})
            self.assertIsNone(self.source(c, "main.c")["commit"])

    def source(self, c, name):
        files = c.request("tasklens/sources")["files"]
        return next(file for file in files if os.path.basename(file["file"]) == name)

    def test_sums_in_the_program_make_it_certain(self):
        if shutil.which("clang") is None:
            self.skipTest("there is no clang")
        with self.app() as c:
            self.build(c, "clang", ["-g"])
            self.edit(c, "main.c", APP["main.c"])  # touched only
            self.run_app(c)
            for _, remark in self.lenses(c, "main.c"):
                self.assertRegex(remark, r"%$")
            shutil.rmtree(c.root + "/.tasklens")  # where no run before tells
            self.edit(c, "main.c", "/* edited */\n" + APP["main.c"])
            self.run_app(c)
            for _, remark in self.lenses(c, "main.c"):
                self.assertEqual(remark, "perhaps older than the file")

    def test_a_build_right_before_the_run_makes_it_certain(self):
        with self.app() as c:
            self.build(c)
            self.edit(c, "main.c", APP["main.c"])
            self.run_app(c)
            self.assertIn("perhaps", self.lenses(c, "main.c")[0][1])
            # A build that compares contents makes nothing anew.
            self.run_app(c, build=["true"])
            self.assertNotIn("perhaps", self.lenses(c, "main.c")[0][1])

    def test_lines_are_found_when_the_tree_was_moved(self):
        with self.app() as c:
            self.build(c)
            reply = self.run_app(c)
            moved = c.root + "-moved"
            shutil.copytree(c.root, moved)
            try:
                with Client(root=moved, capabilities=OURS) as later:
                    shutil.rmtree(c.root)
                    self.edit(later, "main.c", "\n/* edited */\n" + APP["main.c"])
                    later.open(moved + reply["directory"][len(c.root) :])
                    lines = [
                        self.line_of(APP["main.c"], part) + 2
                        for part in ("SUBMIT_GEMM", "(&filled_cl")
                    ]
                    found = self.lenses(later, "main.c")
                    self.assertEqual([line for line, _ in found], lines)
                    for _, remark in found:
                        self.assertRegex(remark, r"%$")
                    params = {
                        "textDocument": {"uri": self.uri(later, "main.c")},
                        "position": {"line": lines[0], "character": 4},
                    }
                    hover = later.request("textDocument/hover", params)["contents"]["value"]
                    self.assertIn("this file is assumed to be it", hover)
                    # What the run before cost is known there, too.
                    self.build(later)
                    self.run_app(later)
                    titles = str(later.lenses(self.uri(later, "main.c")))
                    self.assertRegex(titles, "as before|since the run before")
                    later.open(moved + reply["directory"][len(c.root) :])
                    sources = later.request("tasklens/sources")
                    self.assertEqual({row["foundBy"] for row in sources["files"]}, {"guess"})
                    self.assertEqual({row["text"] for row in sources["files"]}, {"saved"})
                    (guess,) = sources["guesses"]
                    self.assertEqual(guess, {"from": c.root, "to": moved, "files": 2})
                    self.assertEqual(
                        sources["roots"], [{"folder": moved, "origin": "workspace"}]
                    )
            finally:
                shutil.rmtree(moved)
                os.makedirs(c.root, exist_ok=True)

    def test_a_trace_that_grows_keeps_the_roots_that_were_set_meanwhile(self):
        steady = {  # a task for each line of its input
            "main.c": """#include <starpu.h>
#include <stdio.h>
static void work(void *buffers[], void *arg) { (void)buffers; (void)arg; }
static struct starpu_codelet cl = {.cpu_funcs = {work}, .name = "work"};
int main(void) {
  if (starpu_init(NULL) != 0) return 77;
  for (int c; (c = getchar()) != EOF;) {
    starpu_task_insert(&cl, 0);
    starpu_task_wait_for_all();
  }
  starpu_shutdown();
  return 0;
}
"""
        }
        with self.app(steady) as elsewhere, Client(capabilities=OURS) as c:
            self.build(elsewhere)
            traced = {"STARPU_FXT_TRACE": "1", "STARPU_FXT_PREFIX": c.root, "STARPU_NCPU": "1"}
            program = subprocess.Popen(
                ["./app"], cwd=elsewhere.root, env=dict(os.environ, **traced), stdin=subprocess.PIPE, bufsize=0
            )
            with program:  # whose input ends with that
                program.stdin.write(b"\n")
                c.request("tasklens/openTrace", {"uris": [c.root], "wait": True})
                settings = {"tasklens": {"sourceRoots": [elsewhere.root]}}
                c.notify("workspace/didChangeConfiguration", {"settings": settings})

                def is_found():
                    program.stdin.write(b"\n")
                    rows = c.request("tasklens/sources")["files"]
                    return bool(rows) and all(row["path"] for row in rows)

                while not is_found():
                    pass
                for _ in range(2):  # read again
                    c.notifications.clear()
                    while "tasklens/traceGrew" not in [name for name, _ in c.notifications]:
                        is_found()
                    self.assertTrue(is_found())
                program.stdin.close()
                c.wait_for("tasklens/traceUpdated", lambda params: params.get("growing") is False)
                rows = c.request("tasklens/sources")["files"]
                self.assertTrue(rows and all(row["path"] for row in rows))

    def test_a_trace_is_complete_when_it_is_closed_though_its_program_has_not_ended(self):
        with self.app(TWO_SITES) as elsewhere, Client(capabilities=OURS) as c:
            self.build(elsewhere)
            traced = {"STARPU_FXT_TRACE": "1", "STARPU_FXT_PREFIX": elsewhere.root, "STARPU_NCPU": "1"}
            subprocess.run(["./app"], cwd=elsewhere.root, env=dict(os.environ, **traced), check=True)
            (name,) = glob.glob(elsewhere.root + "/*.tlt")
            with open(name, "rb") as file:
                closed = file.read()
            flags = 20  # where they are in the header; see trace/format/format.h
            self.assertEqual(closed[flags] & 1, 1)
            second_chunk = closed.index(b"TTCHUNK1", closed.index(b"TTCHUNK1") + 1)
            with open(os.path.join(c.root, "run.tlt"), "w+b", buffering=0) as program:
                fcntl.flock(program, fcntl.LOCK_EX)  # as its recorder does until it ends
                program.write(closed[:flags] + bytes([closed[flags] & ~1]) + closed[flags + 1 : second_chunk])
                c.request("tasklens/openTrace", {"uris": [program.name]})
                c.wait_for("tasklens/traceUpdated", lambda params: params["growing"])
                program.seek(0)
                program.write(closed)
                while not c.notifications or c.notifications[-1][1].get("ran") != 7:
                    c.step()
                name, params = c.notifications[-1]
                self.assertEqual((name, params["growing"]), ("tasklens/traceUpdated", False))

    def test_a_call_is_changed_where_any_of_its_lines_is(self):
        call = "    starpu_task_insert(&many,\n                       STARPU_NAME, \"(\",\n                       0);"
        files = {"main.c": TWO_SITES["main.c"].replace("    starpu_task_insert(&many, 0);", call)}
        with self.app(files) as c:
            self.build(c)
            self.run_app(c)
            text = self.text(c, "main.c")
            few, many = (line for line, _ in self.lenses(c, "main.c"))
            if few > many:
                few, many = many, few
            c.did_open(self.uri(c, "main.c"), text)
            changed = "the line was changed since"
            for then, moved, is_changed in (
                (text.replace('"("', '")"'), 0, True),
                (text.replace("                       0);", "                       STARPU_PRIORITY, 1, 0);"), 0, True),
                (text.replace("0);\n  }", "STARPU_PRIORITY, 1,\n 0);\n  }"), 0, True),
                (text.replace("    starpu_task_insert(&many,\n", "    starpu_task_insert(&many,\n\n"), 0, False),
                (text.replace("0);\n  }", "/* no more */ 0);\n  }"), 0, False),
                (text.replace("STARPU_NAME, ", "STARPU_NAME,\n  "), 0, False),
                (text.replace("  for (", "  /* new */\n  for ("), 1, False),
                (text.replace("  starpu_shutdown", "  int x = (0);\n  starpu_shutdown"), 0, False),
            ):
                self.assertNotEqual(then, text)
                c.notify("textDocument/didChange", {
                    "textDocument": {"uri": self.uri(c, "main.c"), "version": 2},
                    "contentChanges": [{"text": then}]})  # fmt: skip
                found = dict(self.lenses(c, "main.c"))
                self.assertEqual(sorted(found), [few + moved, many + moved], then)
                self.assertNotEqual(found[few + moved], changed, then)
                self.assertEqual(found[many + moved] == changed, is_changed, then)

    # Codelets, kernels, macros and wrappers

    def places(self, c, method, name, part, word=None, **more):
        """"FILE:LINE" of each place that a request names for a word of a file."""
        text = self.text(c, name)
        line = self.line_of(text, part)
        column = text.split("\n")[line].index(word or part)
        position = {"line": line, "character": column}
        params = {"textDocument": {"uri": self.uri(c, name)}, "position": position, **more}
        return sorted(
            f"{os.path.basename(place['uri'])}:{place['range']['start']['line']}"
            for place in c.request("textDocument/" + method, params)
        )

    def references(self, c, name, part, word=None, declaration=False):
        return self.places(
            c, "references", name, part, word, context={"includeDeclaration": declaration}
        )

    def at(self, name, *parts, files=None):
        return sorted(f"{name}:{self.line_of((files or APP)[name], part)}" for part in parts)

    def check_app(self, c):
        gemm = self.at("main.c", "SUBMIT_GEMM")
        gemm_code = self.at("codelets.c", "gemm_cl = ", "void gemm_cpu")
        for name, part, word in (
            ("codelets.c", "gemm_cl = ", "gemm_cl"),
            ("codelets.c", "gemm_cl = ", "{gemm_cpu}"[1:]),
            ("codelets.c", "void gemm_cpu", "gemm_cpu"),
            ("app.h", "gemm_cl;", "gemm_cl"),
        ):
            self.assertEqual(self.references(c, name, part, word), gemm, (name, part, word))
            self.assertEqual(self.places(c, "definition", name, part, word), gemm_code)
        self.assertEqual(
            self.references(c, "codelets.c", "gemm_cl = ", "gemm_cl", declaration=True),
            sorted(gemm + gemm_code),
        )
        # A macro: where it is, what it submits, and its uses.
        for name, part in (("main.c", "SUBMIT_GEMM"), ("app.h", "SUBMIT_GEMM")):
            self.assertEqual(self.references(c, name, part), gemm)
            self.assertEqual(
                self.places(c, "definition", name, part),
                sorted(gemm_code + self.at("app.h", "SUBMIT_GEMM")),
            )
        # A function around a submission: its uses, the submission in it, and what is given to it here.
        trsm_code = self.at("codelets.c", "trsm_cl = ", "void trsm_cpu")
        inside = self.at("codelets.c", "starpu_task_insert(cl")
        used = self.at("main.c", "submit(&trsm_cl")
        self.assertEqual(self.references(c, "main.c", "submit(&trsm"), sorted(inside + used))
        self.assertEqual(
            self.places(c, "definition", "main.c", "submit(&trsm"),
            sorted(inside + trsm_code + self.at("codelets.c", "void submit(")),
        )
        self.assertIn(used[0], self.references(c, "codelets.c", "trsm_cl = ", "trsm_cl"))
        self.assertEqual(self.places(c, "definition", "main.c", "&trsm_cl", "trsm_cl"), trsm_code)
        # A codelet that statements fill.
        filled = self.at("main.c", "(&filled_cl")
        for part, word in (("filled_cl;", None), ("cpu_funcs[0] = ", "filled_cpu")):
            self.assertEqual(self.references(c, "codelets.c", part, word), filled)
        self.assertEqual(
            self.places(c, "definition", "main.c", "&filled_cl", "filled_cl"),
            self.at("codelets.c", "struct starpu_codelet filled_cl;", "void filled_cpu"),
        )
        # Nothing of ours.
        self.assertEqual(self.references(c, "main.c", "int v[4]", "v"), [])
        self.assertEqual(self.places(c, "definition", "main.c", "starpu_init"), [])

    def test_codelets_are_found_across_files(self):
        with self.app() as c:
            self.build(c)
            self.run_app(c)
            self.check_app(c)

    def test_sources_say_it_without_a_trace(self):
        with self.app() as c:
            self.assertEqual(
                self.references(c, "codelets.c", "gemm_cl = ", "gemm_cl"),
                self.at("main.c", "SUBMIT_GEMM"),
            )
            line = self.line_of(APP["main.c"], "(&filled_cl")
            params = {
                "textDocument": {"uri": self.uri(c, "main.c")},
                "position": {"line": line, "character": 2},
            }
            self.assertEqual(len(c.request("textDocument/definition", params)), 2)
            # In a text that was not saved.
            text = '#include "app.h"\nvoid f(int h) {\n  SUBMIT_GEMM(h);\n}\n'
            c.did_open(self.uri(c, "new.c"), text)
            self.assertEqual(
                self.references(c, "codelets.c", "gemm_cl = ", "gemm_cl"),
                sorted([*self.at("main.c", "SUBMIT_GEMM"), "new.c:2"]),
            )

    def test_codelets_whose_names_macros_paste_are_found(self):
        files = {
            "kernels.h": """#include <starpu.h>
#define KERNEL(x) void x##_cpu(void *buffers[], void *arguments)
#define CODELET(x) struct starpu_codelet cl_##x = {.cpu_funcs = {x##_cpu}, .nbuffers = 1, .modes = {STARPU_RW}}
#define SUBMIT(x, ...) starpu_task_insert(&cl_##x, __VA_ARGS__)
""",
            "kernels.c": """#include "kernels.h"
KERNEL(gemm) {}
KERNEL(trsm) {}
CODELET(gemm);
CODELET(trsm);
""",
            "main.c": """#include "kernels.h"
extern struct starpu_codelet cl_gemm, cl_trsm;
int main(void) {
  starpu_data_handle_t h = 0;
  SUBMIT(gemm, STARPU_RW, h, 0);
  SUBMIT(trsm, STARPU_RW, h, 0);
  return 0;
}
""",
        }
        with Client() as c:
            for name, text in files.items():
                c.write(name, text)
            at = lambda name, *parts: self.at(name, *parts, files=files)  # noqa: E731
            code = at("kernels.c", "CODELET(gemm)", "KERNEL(gemm)")
            for name, part, word in (
                ("main.c", "SUBMIT(gemm", "SUBMIT"),
                ("main.c", "cl_gemm, ", "cl_gemm"),
            ):
                found = self.places(c, "definition", name, part, word)
                self.assertEqual([place for place in found if place in code], code, (name, word))
            for name, part, word in (("main.c", "cl_gemm, ", "cl_gemm"), ("main.c", "SUBMIT(gemm", "gemm")):
                self.assertEqual(self.references(c, name, part, word), at("main.c", "SUBMIT(gemm"), (name, word))

    def test_codelets_of_c_plus_plus_are_found(self):
        files = {
            "app.cc": """#include <starpu.h>
namespace kernels {
static void a(void *buffers[], void *) { (void)buffers; }
static void b(void *buffers[], void *) { (void)buffers; }
}
extern "C" {
static starpu_codelet cls[2];
}
namespace {
void fill() {
  for (auto &cl : cls) starpu_codelet_init(&cl);
  cls[0].cpu_funcs[0] = kernels::a;
  cls[0].name = "first";
  cls[1].cpu_funcs[0] = kernels::b;
  cls[1].name = "second";
}
}
int main() {
  if (starpu_init(nullptr) != 0) return 77;
  fill();
  starpu_task_insert(&cls[0], 0);
  starpu_task_insert(&cls[1],
                     0);
  starpu_task_wait_for_all();
  starpu_shutdown();
}
"""
        }
        with self.app(files) as c:
            self.build(c, "c++")
            self.run_app(c)
            self.assertEqual(
                self.references(c, "app.cc", "static starpu_codelet cls", "cls"),
                self.at("app.cc", "&cls[0]", "&cls[1]", files=files),
            )
            self.assertEqual(
                self.places(c, "definition", "app.cc", "&cls[0]", "cls"),
                self.at("app.cc", "cls[2]", "void a(", "void b(", files=files),
            )

    def hovered(self, c, name, part, word):
        """The hover of a word, once the trace is analysed."""
        text = self.text(c, name)
        line = self.line_of(text, part)
        position = {"line": line, "character": text.split("\n")[line].index(word)}
        params = {"textDocument": {"uri": self.uri(c, name)}, "position": position}
        while True:
            hover = c.request("textDocument/hover", params)
            if hover is None or "in a moment" not in hover["contents"]["value"]:
                return hover and hover["contents"]["value"]

    def test_wrappers_are_followed_whatever_is_around_them(self):
        with self.app(WRAPPERS) as c:
            self.build(c, "c++")
            self.run_app(c)
            at = lambda *parts: self.at("main.cc", *parts, files=WRAPPERS)  # noqa: E731
            insert = at("  starpu_task_insert(cl")
            for variable, lines in (
                ("one", insert + at("SUBMIT(one", "pass(&one")),
                ("two", insert + at("pass(&two", "down(n - 1", "  second(h)", "down(2")),
                ("three", at("auto lambda", "lambda(&three")),
                ("four", at("  FOURTH(h)")),
            ):
                found = self.references(c, "main.cc", "struct starpu_codelet one", variable)
                self.assertEqual(found, sorted(lines), variable)
            self.assertEqual(
                self.references(c, "main.cc", "static void pass", "pass"),
                at("static void pass", "pass(&two", "pass(&one"),
            )
            self.assertEqual(
                self.places(c, "definition", "main.cc", "  second(h)", "second"),
                at("struct starpu_codelet one", "static void second"),
            )

    def test_the_hover_of_a_wrapper_tells_what_it_is_given(self):
        with self.app(WRAPPERS) as c:
            self.build(c, "c++")
            self.run_app(c)
            for part, word, tasks in (
                ("#define INSERT", "INSERT", {"one": 2, "four": 1}),
                ("#define FOURTH", "FOURTH", {"four": 1}),
                ("static void submit", "submit", {"one": 2, "two": 3}),
                ("static void pass", "pass", {"one": 2, "two": 3}),
                ("pass(&one", "pass", {"one": 2}),
                ("static void second", "second", {"two": 3}),
                ("down(2", "down", {"two": 3}),
                ("lambda(&three", "lambda", {"three": 1}),
                ("fill(&one", "fill", {}),
            ):
                value = self.hovered(c, "main.cc", part, word) or ""
                for name in ("one", "two", "three", "four"):
                    count = tasks.get(name)
                    said = f"**{name}**: {count} task" + ("" if count == 1 else "s") if count else f"**{name}**"
                    self.assertEqual(said in value, bool(count), (part, name, value))

    def test_the_hover_of_a_codelet_is_as_full_as_that_of_a_line(self):
        with self.app() as c:
            self.build(c)
            self.run_app(c)
            for name, part, word in (
                ("codelets.c", "gemm_cl = ", "gemm_cl"),
                ("codelets.c", "void gemm_cpu", "gemm_cpu"),
                ("app.h", "gemm_cl;", "gemm_cl"),
            ):
                value = self.hovered(c, name, part, word)
                self.assertIn("**gemm**: 1 task", value)
                self.assertIn("| codelet | on | tasks |", value)
                self.assertRegex(value, r"\| gemm \| CPU \| 1 \|")
                self.assertIn("waited for a worker", value)
                self.assertIn("data: 16 B a task", value)


if __name__ == "__main__":
    main()
