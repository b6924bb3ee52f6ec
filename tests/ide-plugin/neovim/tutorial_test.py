#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What docs/tutorial.md tells its reader to do, in Neovim."""

import re
import sys

from neovim_screen import open_neovim, project_or_skip

project = project_or_skip(sys.argv[1], sys.argv[2])
project.add_tutorial()

with open_neovim(project, "primes.c") as screen:
    screen.until_shown("primes.c")
    screen.type(":TaskLensRun\r")
    screen.until_shown("<- task_1")
    screen.until_shown(":TaskLensAdvice")
    screen.until("the cursor on the line to look at first", lambda: "starpu_task_insert(&count" in screen.cursor_line())
    screen.until_shown("40 tasks · ")
    screen.until("its tasks lit up", lambda: screen.is_lit(" count "))
    screen.picture("ran")
    print("ok   the program is built and run, nothing is asked, and its line is in sight")
    screen.type("gg")
    screen.until("the cursor elsewhere", lambda: "1 /* SPDX" in screen.cursor_line())
    screen.type(":TaskLensAdvice\r")
    screen.until("the cursor in the quickfix list", lambda: "primes.c" in screen.cursor_line())
    screen.until_shown("a serial chain")
    screen.picture("advice")
    screen.keys("Enter")
    screen.until("the cursor on the line of the fault", lambda: "starpu_task_insert(&count" in screen.cursor_line())
    print("ok   the fault is among the advice, and Enter goes to its line")
    screen.type(":+1s/STARPU_RW/STARPU_REDUX/\r")
    screen.until_shown("STARPU_REDUX, sum, 0")
    screen.type(":w\r")
    screen.until_shown("written")
    screen.type(":TaskLensRun\r")
    screen.until("its graph, in which no task waits for another", lambda: "40 of 40 tasks" in "\n".join(screen.lines())
                 and "<- task_" not in "\n".join(screen.lines()))  # fmt: skip
    screen.until("the end", lambda: re.search(r"\d findings?, :TaskLensAdvice|no findings", "\n".join(screen.lines())))
    screen.type(":TaskLensAdvice\r")
    screen.until("advice without the fault", lambda: "no findings in this run" in "\n".join(screen.lines())
                 or "a serial chain" not in "\n".join(screen.lines()))  # fmt: skip
    print("ok   one word mends it")
    screen.type(":TaskLensCompare\r")
    screen.until_shown("Compare the run:")
    screen.type("1\r")
    screen.until_shown("with the earlier run:")
    screen.type("1\r")
    screen.until_shown("before: primes")
    row = screen.until_shown("span: ")
    screen.until_shown("primes.c:")
    screen.picture("compared")
    print("ok   what the change was worth: " + screen.lines()[row].strip())
    screen.type(":qa!\r")
    screen.until_ended()
project.check_parallel()
project.check_messages()
