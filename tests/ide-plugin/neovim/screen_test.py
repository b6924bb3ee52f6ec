#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The shortest way in Neovim, on a screen: install, open, run, click. Its pictures are those of the README."""

import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.abspath("tests/ide-plugin/terminal"))
from editor_project import Project, measured  # noqa: E402
from terminal import Terminal, missing  # noqa: E402

reason = missing() or (None if shutil.which("nvim") else "nvim is missing (apt-get install neovim)")
if reason:
    print(f"SKIPPED: {reason}")
    sys.exit(0)

project = Project(sys.argv[1], sys.argv[2])
plugins = project.home + "/data/nvim/site/pack/tasklens/start"
shutil.copytree("ide-plugin/neovim", plugins + "/tasklens")
os.makedirs(project.home + "/config/nvim")
with open(project.home + "/config/nvim/init.lua", "w", encoding="utf-8") as file:
    file.write("vim.o.termguicolors, vim.o.background, vim.o.mouse, vim.o.number = true, 'light', 'a', true\n")
    file.write("vim.o.hlsearch = false\n")

with Terminal(["nvim", "-n", "examples/cholesky.c"], project.work, project.environment) as screen:
    screen.until_shown("1 /* SPDX-License-Identifier")
    screen.type(":TaskLensRun ./cholesky\r")
    begun = time.monotonic()
    screen.until_shown("56 of 56 tasks")
    measured("from the run command to the first picture", begun)
    screen.type(f"{project.line_of('gemm')}Gzb")
    screen.until_shown("20 tasks · ")
    screen.until("the cursor in the source", lambda: f"{project.line_of('gemm')} " in screen.cursor_line())
    screen.picture("1_run")
    for name in ("potrf", "trsm", "syrk", "gemm"):
        screen.type("1G")
        screen.until("the cursor on line 1", lambda: "1 /* SPDX" in screen.cursor_line())
        screen.keys("C-w", "b")
        screen.type("gg")
        screen.until("the cursor in the graph", lambda: screen.cursor_line().startswith("56 of 56 tasks"))
        row, task = screen.until(f"a task of {name}", lambda: next(
            ((i, line) for i, line in enumerate(screen.lines()) if re.match(rf"task_\d+ +{name} ", line)), None))  # fmt: skip
        begun = time.monotonic()
        screen.click(20, row)
        screen.until_shown(f"starpu_task_insert(&{name},")
        measured(f"from the click on a task of {name} to its line on the screen", begun)
        screen.until("the cursor on the task, where the click left it", lambda: screen.cursor_line() == task)
        screen.keys("Enter")
        screen.until("the cursor on the line", lambda: f"starpu_task_insert(&{name}," in screen.cursor_line())
        screen.until(f"the tasks of {name} light up", lambda: screen.is_lit(f" {name} "))
        print(f"ok   a click on a task of {name}, and Enter: {screen.cursor_line().strip()}")
    screen.picture("2_clicked")
    screen.type(":TaskLensTimeline!\r")
    screen.until_shown(" a column ")
    screen.picture("3_timeline")
    print("ok   the timeline")
    screen.type(":qa!\r")
    screen.until_ended()
project.check_messages()
