#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Whatever stops an exchange of files, and wherever, the old ones are there or the new ones, and the user's always."""

import errno
import os
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, "packaging")
import exchange as subject  # noqa: E402
from exchange import Failure, Place, exchange, recover  # noqa: E402

MAKING = ["rename", "mkdir", "symlink"]  # what a full disk refuses
CALLS = MAKING + ["unlink", "rmdir"]  # what changes folders
OLD = {"bin/tool": "old", "lib/a": "old a", "lib/gone/b": "old b", "share/same": "same"}
NEW = {"bin/tool": "new", "lib/a": "new a", "lib/fresh/c": "new c", "share/same": "same"}
MINE = {"bin/mine": "mine", "lib/gone/mine": "mine"}


def write_files(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def put(place, files):
    return exchange(place, lambda folder: write_files(folder, files))


def found(folder):
    """Everything below a folder: texts of files, targets of links, None of folders."""
    all_of_it = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            if os.path.islink(path):
                value = os.readlink(path)
            elif os.path.isdir(path):
                value = None
            else:
                with open(path, encoding="utf-8") as file:
                    value = file.read()
            all_of_it[os.path.relpath(path, folder)] = value
    return all_of_it


def filled(files):
    """Without empty folders, which a kill may leave between two calls, and the list, which does not name them then."""
    return {name: text for name, text in files.items() if text is not None and name != subject.LIST}


def stopping_at(call, how):
    """From now on the functions of `os` that change folders are counted, and `how` is called before the one with the
    number `call`. Answers a function that says how many there were."""
    count = [0]

    def wrapped(function):
        def counted(*arguments, **named):
            count[0] += 1
            if count[0] == call:
                how()
            return function(*arguments, **named)

        return counted

    for name in MAKING if how is full else CALLS:
        setattr(os, name, wrapped(getattr(os, name)))
    return lambda: count[0]


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted():
    os.kill(os.getpid(), signal.SIGINT)


class ExchangeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def prefix(self, name, *versions):
        """A folder with the user's files, and what was put there."""
        folder = write_files(os.path.join(self.work, name), MINE)
        for files in versions:
            put(Place(folder), files)
        return folder

    def stopped_everywhere(self, versions, change, how):
        """Does `change` with a stop at each of its calls; what is there then must be one of the two states."""
        self.prefix("before", *versions)
        change(Place(self.prefix("after", *versions)))
        states, call = [], 0
        while True:
            call += 1
            folder = self.prefix(f"{how.__name__}{call}", *versions)
            child = os.fork()
            if child == 0:
                calls = stopping_at(call, how)
                try:
                    change(Place(folder))
                    status = 0 if calls() < call else 1
                except BaseException:
                    status = 1
                os._exit(status)
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
                break
            view = found
            if how is killed:
                view = lambda folder: filled(found(folder))  # noqa: E731
                recover(Place(folder))
            now = view(folder)
            at = f"{how.__name__} at call {call}"
            self.assertIn(now, (view(self.work + "/before"), view(self.work + "/after")), at)
            states.append(now == view(self.work + "/after"))
            change(Place(folder))
            self.assertEqual(view(folder), view(self.work + "/after"), "done again after " + at)
        self.assertEqual(states, sorted(states), "first the old ones, then the new ones")
        self.assertIn(False, states)
        if how is not full:  # which nothing more is needed for, once all is in its place
            self.assertIn(True, states)

    def test_a_first_version(self):
        for how in (killed, full, interrupted):
            with self.subTest(how.__name__):
                self.stopped_everywhere([], lambda place: put(place, NEW), how)

    def test_over_an_older_version(self):
        for how in (killed, full, interrupted):
            with self.subTest(how.__name__):
                self.stopped_everywhere([OLD], lambda place: put(place, NEW), how)

    def test_taken_away(self):
        def take_away(place):
            if place.installed() is not None:
                exchange(place)

        for how in (killed, full, interrupted):
            with self.subTest(how.__name__):
                self.stopped_everywhere([OLD], take_away, how)

    def test_from_another_disk(self):
        """Where a folder below the prefix is a link to one on another disk: its files are copied."""
        real = os.rename

        def rename(before, after):
            if ("/bin/" in before) and before.endswith("tool") or "/bin/tool" in after and "old" not in before:
                if not before.endswith(subject.PART):
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            real(before, after)

        os.rename = rename
        try:
            self.stopped_everywhere([OLD], lambda place: put(place, NEW), killed)
        finally:
            os.rename = real

    def test_nothing_is_left_and_nothing_of_the_user_is_gone(self):
        folder = self.prefix("prefix")
        before = found(folder)
        put(Place(folder), OLD)
        put(Place(folder), NEW)
        put(Place(folder), NEW)
        exchange(Place(folder))
        self.assertEqual(found(folder), before)

    def test_what_stays_is_told_by_the_innermost_folder(self):
        folder = os.path.join(self.work, "prefix")
        put(Place(folder), NEW)
        write_files(folder, {"lib/fresh/mine": "mine"})
        self.assertEqual(exchange(Place(folder)).left, ["lib/fresh/"])

    def test_folders_above_the_prefix_go_as_well(self):
        folder = os.path.join(self.work, "home")
        os.mkdir(folder)
        put(Place(os.path.join(folder, "a", "b", "prefix")), NEW)
        exchange(Place(os.path.join(folder, "a", "b", "prefix")))
        self.assertEqual(found(folder), {})

    def test_what_the_user_changed_stays(self):
        folder = self.prefix("prefix", OLD)
        write_files(folder, {"lib/a": "mine", "lib/gone/b": "mine"})
        os.unlink(os.path.join(folder, "bin/tool"))
        os.symlink("/my/tool", os.path.join(folder, "bin/tool"))
        done = put(Place(folder), NEW)
        self.assertEqual(done.aside, {"bin/tool": "bin/tool.changed", "lib/a": "lib/a.changed"})
        self.assertEqual(done.left, ["lib/gone/b"])
        now = found(folder)
        self.assertEqual((now["lib/a"], now["lib/a.changed"], now["lib/gone/b"]), ("new a", "mine", "mine"))
        self.assertEqual((now["bin/tool"], now["bin/tool.changed"]), ("new", "/my/tool"))
        # Changed once more, and taken away: the changed files stay under their names.
        write_files(folder, {"lib/a": "mine too"})
        done = exchange(Place(folder))
        self.assertEqual(done.left, ["lib/a"])
        now = found(folder)
        self.assertEqual({name: text for name, text in now.items() if text is not None}, {
            **MINE, "lib/a": "mine too", "lib/a.changed": "mine", "lib/gone/b": "mine",
            "bin/tool.changed": "/my/tool",
        })

    def test_a_list_without_marks(self):
        """As older versions wrote it: what is newer than the list is the user's."""
        folder = self.prefix("prefix", OLD)
        path = os.path.join(folder, subject.LIST)
        with open(path, encoding="utf-8") as file:
            names = [line.split("\t")[0] for line in file.read().splitlines()]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in names)
        write_files(folder, {"lib/a": "mine"})
        listed = os.stat(path).st_mtime_ns
        os.utime(os.path.join(folder, "lib/a"), ns=(listed + 1, listed + 1))
        done = put(Place(folder), NEW)
        self.assertEqual(done.aside, {"lib/a": "lib/a.changed"})
        self.assertEqual(found(folder)["bin/tool"], "new")
        self.assertNotIn("lib/gone/b", found(folder))

    def test_what_somebody_else_put_there_is_not_overwritten(self):
        folder = write_files(os.path.join(self.work, "prefix"), {"lib": "a file"})
        before = found(folder)
        with self.assertRaisesRegex(Failure, "lib is not a folder; move it away first"):
            put(Place(folder), NEW)
        self.assertEqual(found(folder), before)
        folder = write_files(os.path.join(self.work, "other"), {"bin/tool": "theirs"})
        with self.assertRaisesRegex(Failure, "bin/tool is there already and is not TaskLens'"):
            put(Place(folder), NEW)
        self.assertEqual(found(folder), {"bin": None, "bin/tool": "theirs"})

    def test_two_at_once(self):
        folder = self.prefix("prefix", OLD)

        def write(new):
            with self.assertRaisesRegex(Failure, "another installation is under way below"):
                exchange(Place(folder))
            write_files(new, NEW)

        exchange(Place(folder), write)
        self.assertEqual(found(folder)["bin/tool"], "new")

    def test_a_list_that_is_no_list(self):
        folder = write_files(os.path.join(self.work, "prefix"), {subject.LIST: "../../etc/passwd\n"})
        with self.assertRaisesRegex(Failure, "not a list of TaskLens: ../../etc/passwd"):
            exchange(Place(folder))


if __name__ == "__main__":
    unittest.main()
