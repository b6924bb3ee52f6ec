#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The shortest way in Emacs, on a screen: install, open, run, click. Its pictures are those of the README."""

import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath("tests/ide-plugin/terminal"))
from editor_project import Project, measured  # noqa: E402
from terminal import Terminal, missing  # noqa: E402

HAS_EGLOT = ["emacs", "--batch", "--eval", "(progn (package-initialize) (kill-emacs (if (require 'eglot nil t) 0 1)))"]

reason = missing() or (None if shutil.which("emacs") else "emacs is missing (apt-get install emacs-nox)")
if not reason and subprocess.run(HAS_EGLOT, check=False, stderr=subprocess.DEVNULL).returncode != 0:
    reason = "eglot is missing (apt-get install elpa-eglot)"
if reason:
    print(f"SKIPPED: {reason}")
    sys.exit(0)

project = Project(sys.argv[1], sys.argv[2])
shutil.copytree("ide-plugin/emacs", project.home + "/tasklens")
os.makedirs(project.home + "/.emacs.d")
# What a first start of Emacs compiles it warns of in a window of its own.
with open(project.home + "/.emacs.d/early-init.el", "w", encoding="utf-8") as file:
    file.write("(setq native-comp-deferred-compilation nil)\n")
with open(project.home + "/.emacs.d/init.el", "w", encoding="utf-8") as file:
    file.write("""
(setq inhibit-startup-screen t)
(add-to-list 'load-path "~/tasklens")
(autoload 'tasklens-run "tasklens" nil t)
(setq frame-background-mode 'light)
(frame-set-background-mode (selected-frame))
(xterm-mouse-mode 1)
(menu-bar-mode -1)
""")

with Terminal(["emacs", "-nw", "examples/cholesky.c"], project.work, project.environment) as screen:
    screen.until_shown("Tiled right-looking Cholesky")
    screen.keys("M-x")
    screen.until_shown("M-x")
    screen.type("tasklens-run\r")
    screen.until_shown("Run traced:")
    screen.type("../cholesky\r")
    begun = time.monotonic()
    screen.until_shown("56 of 56 tasks")
    measured("from the run command to the first list", begun)
    for name in ("potrf", "trsm", "syrk", "gemm"):
        # The list stays where it is; a click on a row of it shows the line, RET goes there.
        row = screen.until(f"a row of {name}", lambda: next(
            (i for i, line in enumerate(screen.lines()) if line.startswith(name + " ")), 0))  # fmt: skip
        begun = time.monotonic()
        screen.click(3, row)
        screen.until_shown(f"starpu_task_insert(&{name},")
        measured(f"from the click on a task of {name} to its line on the screen", begun)
        screen.until("point on the row", lambda: screen.cursor_line().startswith(name + " "))
        screen.keys("Enter")
        screen.until("point on the line", lambda: f"starpu_task_insert(&{name}," in screen.cursor_line())
        screen.until(f"the tasks of {name} light up", lambda: screen.is_lit(name + " "))
        print(f"ok   a click on a task of {name}, and RET: {screen.cursor_line().strip()}")
    screen.until_shown("20 tasks · ")
    screen.picture("clicked")
    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_messages()
