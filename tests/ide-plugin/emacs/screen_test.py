#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The shortest way in Emacs, on a screen: install, open, run, click. Its pictures are those of the README."""

import re
import sys
import time

from emacs_screen import command, open_emacs, project_or_skip
from editor_project import measured

project = project_or_skip(sys.argv[1], sys.argv[2])
with open_emacs(project, "examples/cholesky.c") as screen:
    screen.until_shown("Tiled right-looking Cholesky")
    command(screen, "tasklens-run", "Run traced:", "../cholesky")
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
    # By keyboard: the other window, RET on a task.
    screen.keys("C-x", "o")
    screen.until("point in the list", lambda: re.match(r"(potrf|trsm|syrk|gemm) +task_", screen.cursor_line()))
    name = screen.cursor_line().split()[0]
    screen.keys("Enter")
    screen.until("point on the line", lambda: f"starpu_task_insert(&{name}," in screen.cursor_line())
    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_messages()
