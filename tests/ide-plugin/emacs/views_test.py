#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What else Emacs shows of runs, by its keys on a screen: the timeline, advice, kept runs, comparisons, the page in the browser."""

import os
import re
import sys
import time

from emacs_screen import command, open_emacs, project_or_skip

project = project_or_skip(sys.argv[1], sys.argv[2])
screen = open_emacs(project, "examples/cholesky.c")


def ok(claim):
    print(f"ok   {claim}", flush=True)


def until_point_on(name):
    screen.until(f"point on the line of {name}", lambda: f"starpu_task_insert(&{name}," in screen.cursor_line())


def key(name):
    """A command by the prefix key."""
    screen.keys("C-c", "t", name)


def says(name, answer):
    """The same, which answers in the echo area. That keeps it for a moment only: then again."""

    def is_said():
        key(name)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            if answer in screen.lines()[-1]:
                return True
        return False

    screen.until(answer, is_said)


def kept():
    return [one for one in os.listdir(project.work + "/.tasklens/runs") if one.startswith("cholesky")]


def shows_only(name):
    """One window, which shows a buffer."""
    screen.keys("C-x", "b")
    screen.type(name + "\r")
    screen.keys("C-x", "1")
    screen.until(f"only {name}", lambda: name in screen.lines()[-2])


with screen:
    screen.until_shown("Tiled right-looking Cholesky")
    key("r")
    screen.until_shown("Run traced:")
    screen.type("../cholesky 4\r")
    screen.until_shown("20 of 20 tasks")
    ok("the commands are behind a prefix key")
    command(screen, "tasklens-run", "Run traced:", "../cholesky")
    screen.until_shown("56 of 56 tasks")

    # Each letter of the timeline is a task: the first of gemm, by the keyboard.
    key("t")
    screen.until_shown(" a column ")
    shows_only("*TaskLens timeline*")
    letter = re.search(r"(\S) gemm", "\n".join(screen.lines()))[1]
    screen.keys("M-<")
    screen.keys("C-s")
    screen.type("|")  # behind the head and the first label
    screen.keys("Enter", "C-s")
    screen.type(letter)
    screen.keys("Enter", "Left", "Enter")
    until_point_on("gemm")
    ok("the timeline is text, and RET on a letter goes to the line of its task")
    screen.keys("C-x", "1")
    key("t")
    screen.until_shown(" a column ")
    screen.until("its tasks light up in the timeline", lambda: re.search(rf"\x1b\[[0-9;]*48;2;180;238;180m{letter}", screen.colours()))
    screen.picture("timeline")
    ok("the tasks of the line at point light up in the timeline")
    screen.keys("C-x", "o")
    head = [next(line for line in screen.lines() if " a column " in line)]
    for sign in "+><=":
        screen.type(sign)
        head.append(screen.until(f"what {sign} shows", lambda: next(
            (line for line in screen.lines() if " a column " in line and line != head[-1]), None)))  # fmt: skip
    if head[4] != head[0]:
        sys.exit(f"= shows all again: {head}")
    ok("the timeline goes nearer, along and back")

    # Advice, at its line. (A run may be one of which nothing can be said.)
    key("a")
    said = screen.until("advice", lambda: next(
        (line for line in screen.lines() if "What to do" in line or "nothing is wrong with this run" in line), None))  # fmt: skip
    if "What to do" in said:
        shows_only("*TaskLens advice*")
        screen.keys("M-<", "Enter")
        screen.until("point at the advice's line, or told that it has none", lambda: any(
            "starpu_task_insert(" in screen.cursor_line() or "about the whole run" in line for line in screen.lines()))  # fmt: skip
        screen.picture("advice")
    ok(f"advice: {said.strip()}")

    # Kept runs: the newer one is compared with the older one.
    key("h")
    screen.until_shown("cholesky 4")
    shows_only("*TaskLens runs*")
    screen.keys("M-<")
    screen.until("point on the newer run", lambda: re.match(r"cholesky +\d{4}-", screen.cursor_line()))
    screen.type("r")
    screen.until_shown("Name of this run:")
    screen.type("six tiles\r")
    screen.until("its name", lambda: screen.cursor_line().startswith("six tiles "))
    ok("a run gets a name")
    screen.type("c")
    screen.until_shown("with the earlier one:")
    screen.keys("Enter")
    screen.until_shown("by codelet")
    shows_only("*TaskLens compare*")
    text = "\n".join(screen.lines())
    for part in ("before: cholesky 4 ", "after:  six tiles ", "cholesky.c:117", "potrf", "gemm"):
        if part not in text:
            sys.exit(f"the comparison lacks {part}:\n{text}")
    screen.picture("compared")
    ok("two runs are compared")
    key("=")
    screen.until_shown("Compare the run:")
    screen.keys("Enter")
    screen.until_shown("with the earlier one:")
    screen.keys("Enter")
    screen.until("the comparison", lambda: "*TaskLens compare*" in screen.lines()[-2])
    key("h")
    # (The comparison names them, too.)
    screen.until("the list of runs", lambda: any(line.startswith("six tiles ") for line in screen.lines()))
    shows_only("*TaskLens runs*")
    screen.keys("M->", "Up")
    screen.until("point on the older run", lambda: screen.cursor_line().startswith("cholesky 4 "))
    screen.type("d")
    screen.until_shown("Delete the run cholesky 4 with its trace?")
    screen.type("y")
    screen.until("it is gone", lambda: not any(line.startswith("cholesky 4 ") for line in screen.lines()))
    if len(kept()) != 1:
        sys.exit(f"its traces are deleted: {kept()}")
    screen.keys("M-<", "Enter")
    screen.until_shown("56 of 56 tasks")
    ok("a run is deleted, another one opened")

    key("R")
    screen.until("another run of it", lambda: len(kept()) == 2)
    ok("the last program is run again")
    key("g")
    shows_only("*TaskLens graph*")
    screen.keys("M-<", "C-s")
    screen.type("gemm")
    screen.keys("Enter", "Enter")
    until_point_on("gemm")
    says("s", "20 tasks")
    says("k", "nothing runs")
    says("x", "nothing is being read")
    key("c")
    shows_only("*TaskLens costs*")
    screen.until_shown("56 tasks")
    key("o")
    screen.until_shown("Trace or its folder:")
    screen.keys("C-g")
    ok("each command has its key")

    # The page, in what is the user's browser here.
    key("b")
    page = screen.until("the page", project.opened)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if not ("<!doctype html>" in text and "tasklens-data" in text):
        sys.exit(f"{page} is no page of the run")
    ok("the browser gets the run as one page")

    screen.keys("C-x", "C-c")
    screen.until_ended()
project.check_messages()
