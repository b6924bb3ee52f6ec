#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What else Emacs shows of runs, by its keys on a screen: the timeline, advice, kept runs, comparisons, the page in the browser."""

import os
import re
import sys
import time

from emacs_screen import command, open_emacs, project_or_skip

sys.path.insert(0, os.path.abspath("tests/testing"))
from cases import Cases  # noqa: E402

project = project_or_skip(sys.argv[1], sys.argv[2])
screen = open_emacs(project, "examples/cholesky.c")
cases = Cases()


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


def until_over():
    """All is shown and said that comes by itself after a run."""
    screen.until("what was found", lambda: re.search(r"findings?: M-x tasklens-advice|no findings", screen.lines()[-1]))


def kept():
    return [one for one in os.listdir(project.work + "/.tasklens/runs") if one.startswith("cholesky")]


def shows_only(name):
    """One window, which shows a buffer."""
    screen.keys("C-x", "b")
    screen.type(name + "\r")
    screen.keys("C-x", "1")
    screen.until(f"only {name}", lambda: name in screen.lines()[-2])


def case(name):
    """One that begins with the source alone, whatever the one before it has left."""
    screen.keys("C-g")
    screen.until("what was asked is given up", lambda: "Quit" in screen.lines()[-1])  # keys before that are lost
    shows_only("cholesky.c")
    return cases(name)


def column_head():
    return next((line for line in screen.lines() if " a column " in line), None)


def show_timeline():
    """Alone; the letter of gemm's tasks in it."""
    key("t")
    screen.until_shown(" a column ")
    shows_only("*TaskLens timeline*")
    return re.search(r"(\S) gemm", "\n".join(screen.lines()))[1].lower()  # it is small where tasks are short


def show_runs():
    """Alone, point at the beginning."""
    key("h")
    screen.until_shown("cholesky 4")
    shows_only("*TaskLens runs*")
    screen.keys("M-<")
    screen.until("point on the newer run", lambda: re.match(r"(cholesky|six tiles) +\d{4}-", screen.cursor_line()))


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


with screen:
    screen.until_shown("Tiled right-looking Cholesky")
    with cases("the commands are behind a prefix key"):
        key("r")
        screen.until_shown("Run traced:")
        screen.type("../cholesky 4\r")
        screen.until_shown("20 of 20 tasks")
        until_over()
        command(screen, "tasklens-run", "Run traced:", "../cholesky")
        screen.until_shown("56 of 56 tasks")
        until_over()

    with case("the timeline is text, and RET on a letter goes to the line of its task"):
        # Each letter of the timeline is a task: the first of gemm, by the keyboard.
        letter = show_timeline()
        screen.keys("M-<")
        screen.keys("C-s")
        screen.type("|")  # behind the head and the first label
        screen.keys("Enter", "C-s")
        screen.type(letter)
        screen.keys("Enter", "Left", "Enter")
        until_point_on("gemm")

    with case("the tasks of the line at point light up in the timeline"):
        letter = show_timeline()
        shows_only("cholesky.c")
        screen.keys("M-<", "C-s")
        screen.type("task_insert(&gemm")
        screen.keys("Enter")
        until_point_on("gemm")
        key("t")
        screen.until_shown(" a column ")
        screen.until("its tasks light up in the timeline", lambda: re.search(rf"\x1b\[[0-9;]*48;2;180;238;180m(?i:{letter})", screen.colours()))
        screen.picture("timeline")

    with case("the timeline goes nearer, along and back"):
        show_timeline()
        head = [column_head()]
        for sign in "+><=":
            screen.type(sign)
            head.append(screen.until(f"what {sign} shows", lambda: column_head() not in (None, head[-1]) and column_head()))
        expect(head[4] == head[0], f"= shows all again: {head}")

    with case("advice leads to its line"):
        # (A run may be one of which nothing can be said.)
        key("a")
        said = screen.until("advice", lambda: next(
            (line for line in screen.lines() if "What to do" in line or "no findings in this run" in line), None))  # fmt: skip
        if "What to do" in said:
            shows_only("*TaskLens advice*")
            screen.keys("M-<", "Enter")
            screen.until("point at the advice's line, or told that it has none", lambda: any(
                "starpu_task_insert(" in screen.cursor_line() or "about the whole run" in line for line in screen.lines()))  # fmt: skip
            screen.picture("advice")
        print(f"advice: {said.strip()}")

    with case("a run gets a name"):
        show_runs()
        screen.type("r")
        screen.until_shown("Name of this run:")
        screen.type("six tiles\r")
        screen.until("its name", lambda: screen.cursor_line().startswith("six tiles "))

    with case("a run is compared with an earlier one"):
        show_runs()
        screen.type("c")
        screen.until_shown("with the earlier one:")
        screen.keys("Enter")
        screen.until_shown("by codelet")
        shows_only("*TaskLens compare*")
        text = "\n".join(screen.lines())
        for part in ("before: cholesky 4 ", "after:  (six tiles|cholesky) ", "cholesky.c:117", "potrf", "gemm"):
            expect(re.search(part, text), f"the comparison lacks {part}:\n{text}")
        screen.picture("compared")

    with case("two runs are chosen to be compared"):
        key("=")
        screen.until_shown("Compare the run:")
        screen.keys("Enter")
        screen.until_shown("with the earlier one:")
        screen.keys("Enter")
        screen.until_shown("*TaskLens compare*")

    with case("a run is deleted, another one opened"):
        before = len(kept())
        show_runs()
        screen.keys("M->", "Up")
        screen.until("point on the older run", lambda: screen.cursor_line().startswith("cholesky 4 "))
        screen.type("d")
        screen.until_shown("Delete the run cholesky 4 with its trace?")
        screen.type("y")
        screen.until("it is gone", lambda: not any(line.startswith("cholesky 4 ") for line in screen.lines()))
        expect(len(kept()) == before - 1, f"its traces are deleted: {kept()}")
        screen.keys("M-<", "Enter")
        screen.until_shown("56 of 56 tasks")

    with case("the last program is run again"):
        before = len(kept())
        key("R")
        # Until its end the views still change under the keys that follow.
        screen.until_shown("its trace has 56 tasks")
        until_over()
        expect(len(kept()) == before + 1, f"another run of it: {kept()}")

    with case("each command has its key"):
        key("g")
        shows_only("*TaskLens graph*")
        screen.keys("M-<", "C-s")
        screen.type("gemm")
        screen.keys("Enter", "Enter")
        until_point_on("gemm")
        says("s", "20 tasks")
        says("k", "no program is running")
        says("x", "nothing is being read")
        key("c")
        shows_only("*TaskLens costs*")
        screen.until_shown("56 tasks")
        key("o")
        screen.until_shown("Trace or its folder:")

    with case("the browser gets the run as one page"):
        # In what is the user's browser here.
        key("b")
        page = screen.until("the page", project.opened)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        expect("<!doctype html>" in text and "tasklens-data" in text, f"{page} is no page of the run")

    with case("the editor ends"):
        screen.keys("C-x", "C-c")
        screen.until_ended()
with cases("the editor and the server keep to the protocol"):
    project.check_messages()
sys.exit(cases.status())
