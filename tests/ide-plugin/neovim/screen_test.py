#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The shortest way in Neovim, on a screen: install, open, run, click. Its pictures are those of the README."""

import re
import sys
import time

from neovim_screen import open_neovim, project_or_skip
from editor_project import measured

project = project_or_skip(sys.argv[1], sys.argv[2])
with open_neovim(project, "examples/cholesky.c") as screen:
    screen.until_shown("1 /* SPDX-License-Identifier")
    screen.type(":TaskLensRun ./cholesky\r")
    begun = time.monotonic()
    screen.until_shown("56 of 56 tasks")
    measured("from the run command to the first picture", begun)
    screen.until_shown("finding")
    screen.until("the cursor on the line to look at first", lambda: "starpu_task_insert(" in screen.cursor_line())
    screen.picture("0_ended")
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
