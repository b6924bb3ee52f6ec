#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Neovim and Emacs on a node without a display, by ssh: a program is run traced, its graph is text, and Enter goes to the line."""

import os
import re
import shlex
import subprocess
import sys

for folder in ("terminal", "neovim", "emacs"):
    sys.path.insert(0, os.path.abspath("tests/ide-plugin/" + folder))
import emacs_screen  # noqa: E402
import neovim_screen  # noqa: E402
from terminal import Terminal  # noqa: E402

SSH = os.path.abspath("tests/testing/ssh_node.sh")


def by_ssh(project, *editor):
    """A terminal in which an editor runs on the node, where the project is and no display."""
    keys = os.path.join(project.folder, "ssh")
    os.makedirs(keys)
    missing = subprocess.run([SSH, keys, "--missing"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
    if missing:
        print(f"SKIPPED: {missing}")
        sys.exit(0)
    there = {**project.environment, "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
    words = ["env", *(f"{name}={value}" for name, value in there.items()), *editor]
    command = f"cd {shlex.quote(project.work)} && [ -z \"$DISPLAY\" ] && exec {shlex.join(words)}"
    return Terminal([SSH, keys, "-tt", "node", command], project.work, {})


def until_on_gemm(screen):
    screen.until("the cursor on the line of gemm", lambda: "starpu_task_insert(&gemm," in screen.cursor_line())


project = neovim_screen.project_or_skip(sys.argv[1], sys.argv[2])
with by_ssh(project, "nvim", "-n", "examples/cholesky.c") as screen:
    screen.until_shown("1 /* SPDX-License-Identifier")
    screen.type(":TaskLensRun ./cholesky\r")
    screen.until_shown("56 of 56 tasks")
    screen.keys("C-w", "b")
    screen.type("/ gemm \r")
    screen.until("the cursor on a task", lambda: " gemm " in screen.cursor_line())
    screen.keys("Enter")
    until_on_gemm(screen)
    screen.until("its tasks lit up", lambda: screen.is_lit(" gemm "))
    screen.picture("neovim")
    screen.type(":qa!\r")
    screen.until_ended()
project.check_messages()
print("ok   Neovim by ssh: run, graph, and a task's line", flush=True)

project = emacs_screen.project_or_skip(sys.argv[1], sys.argv[2])
with by_ssh(project, "emacs", "-nw", "examples/cholesky.c") as screen:
    screen.until_shown("Tiled right-looking Cholesky")
    emacs_screen.command(screen, "tasklens-run", "Run traced:", "../cholesky")
    screen.until_shown("56 of 56 tasks")
    screen.keys("C-x", "o")
    screen.until("point in the graph", lambda: re.match(r"\w+ +task_", screen.cursor_line()))
    screen.keys("M-<", "C-s")
    screen.type("gemm")
    screen.keys("Enter", "Enter")
    until_on_gemm(screen)
    emacs_screen.command(screen, "tasklens-graph")
    screen.until("its tasks lit up", lambda: screen.is_lit("gemm "))
    screen.picture("emacs")
    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_messages()
print("ok   Emacs by ssh: run, graph, and a task's line")
