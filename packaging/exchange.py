# SPDX-License-Identifier: Apache-2.0
"""Puts files below a prefix in place of those that were put there before: all of them, or none.

What was put stands in PREFIX/share/tasklens/installed, a line each, a folder before what is in it: a folder is
`NAME/`, a file or link `NAME`, a tab, and its mark (see mark_of). Older versions wrote no marks.

The new files are made in PREFIX/share/tasklens/.exchange/new: there a full disk shows. Then the old ones move to
.exchange/old, and the new ones into their places. Whatever stops that, the old ones move back: at once, or after a
kill in the next exchange (and an empty folder may stay). .exchange/state says how far it is:
    folders   those to remove, where they are empty, when .exchange goes
    put       the new files, once some may be in their places
    is_done   the new ones stay
"""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
from contextlib import contextmanager

LIST = "share/tasklens/installed"
ROOM = "share/tasklens/.exchange"
PART = ".tasklens-part"  # of a file while it is copied from another disk


class Failure(Exception):
    pass


class Place:
    """The prefix within destdir, which stands for / while a package is made."""

    def __init__(self, prefix, destdir=""):
        self.prefix = prefix
        self.root = os.path.normpath(destdir + "/" + prefix) if destdir else prefix

    def path(self, name):
        return os.path.normpath(os.path.join(self.root, name))

    def installed(self):
        """What was put here: marks by name, None for those of folders. None when nothing is installed."""
        try:
            with open(self.path(LIST), encoding="utf-8") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return None
        marks = {}
        for line in lines:
            name, _, mark = line.partition("\t")
            is_above = name.endswith("/") and set(name.strip("/").split("/")) <= {".", ".."}
            if name.startswith("/") or (".." in name.split("/") and not is_above):
                raise Failure(f"{self.path(LIST)}: not a list of TaskLens: {name}")
            marks[name] = mark or None
        return marks

    def changed(self, marks):
        """The files that are no longer what was put: what the user made of them."""
        listed_ns = os.lstat(self.path(LIST)).st_mtime_ns
        changed = set()
        for name, mark in marks.items():
            path = self.path(name)
            if name.endswith("/") or name == LIST or not os.path.lexists(path):
                continue
            # Without a mark: the list was written after all that it names.
            is_same = mark == mark_of(path) if mark else os.lstat(path).st_mtime_ns <= listed_ns
            if not is_same or is_real_folder(path):
                changed.add(name)
        return changed

    def missing_folders(self, names):
        """The folders that are missing for `names`, those above the prefix included."""
        missing = []
        for name in names:
            folder = self.path(os.path.dirname(name))
            while not os.path.isdir(folder):
                missing.append(os.path.relpath(folder, self.root) + "/")
                folder = os.path.dirname(folder)
        return outer_first(missing)

    def make_folders(self, names):
        for name in names:
            if not os.path.isdir(self.path(name)):
                os.mkdir(self.path(name))

    def remove_folders(self, names):
        """Those that are empty; answers those that are not."""
        left = []
        for name in reversed(names):
            try:
                os.rmdir(self.path(name))
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY):
                    raise
                left.append(name)  # somebody put something into it, or has a link in its place
        return left


def mark_of(path):
    """What a file or link is known by: the digest of its bytes, or where it points to."""
    if os.path.islink(path):
        return "-> " + os.readlink(path)
    if not os.path.isfile(path):
        return "neither"
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def outer_first(folders):
    """In this order they are made, in the reverse one removed; each once."""
    return sorted(set(folders), key=lambda name: (-name.count("../"), name))


def is_real_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def files_below(folder):
    """Files and links, as paths within the folder."""
    names = []
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        names += (os.path.relpath(os.path.join(place, name), folder) for name in files + links)
    return sorted(names)


def move(before, after):
    try:
        os.rename(before, after)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copy2(before, after + PART, follow_symlinks=False)
        os.rename(after + PART, after)
        os.unlink(before)


@contextmanager
def undisturbed():
    """What is put right is put right to its end."""
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Room:
    """PREFIX/share/tasklens/.exchange, of one exchange at a time."""

    def __init__(self, place):
        self.place = place
        self.path = place.path(ROOM)
        self.new = os.path.join(self.path, "new")
        self.old = os.path.join(self.path, "old")
        self.folders = []  # as in the state, until that is written
        self.locked = None

    def lock(self):
        """Until it is removed, or this process ends. (A file to write to, as NFS locks no other.)"""
        file = open(os.path.join(self.path, "lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise self.busy() from None
        except OSError as error:
            # A file system without locks: two at once are the user's to avoid.
            if error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK):
                file.close()
                raise
        self.locked = file

    def make(self):
        """Answers the folders that were made for it."""
        made = self.place.missing_folders([ROOM])
        try:
            self.place.make_folders(made)
            os.mkdir(self.path)
            self.lock()
        except FileExistsError:
            raise self.busy() from None
        except OSError:
            self.place.remove_folders(made + [ROOM])
            raise
        self.folders = made
        self.write_state(made)
        os.mkdir(self.new)
        os.mkdir(self.old)
        return made

    def give_up(self):
        """All as it was, where this exchange has begun."""
        if self.locked:
            self.put_back()
            self.remove()

    def busy(self):
        return Failure(f"another installation is under way below {self.place.root}")

    def write_state(self, folders, put=(), is_done=False):
        path = os.path.join(self.path, "state")
        with open(path + PART, "w", encoding="utf-8") as file:
            json.dump({"folders": outer_first(folders), "put": list(put), "is_done": is_done}, file)
        os.rename(path + PART, path)

    def state(self):
        try:
            with open(os.path.join(self.path, "state"), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {"folders": self.folders, "put": [], "is_done": False}

    def put_back(self):
        """The old files, unless the exchange is done."""
        state = self.state()
        if state["is_done"]:
            return
        for name in state["put"]:
            for path in (self.place.path(name), self.place.path(name + PART)):
                if os.path.lexists(path):
                    os.unlink(path)
        for name in files_below(self.old):
            if not name.endswith(PART):
                move(os.path.join(self.old, name), self.place.path(name))

    def remove(self):
        """Answers the folders that could not go, as there is something in them."""
        folders = self.state()["folders"]
        for part in (self.new, self.old):
            shutil.rmtree(part, ignore_errors=True)
        self.locked.close()
        shutil.rmtree(self.path)
        return self.place.remove_folders(folders)


def recover(place):
    """Puts right what a killed exchange left behind."""
    room = Room(place)
    if os.path.isdir(room.path):
        room.lock()
        with undisturbed():
            room.give_up()


class Exchanged:
    """What to tell of an exchange: paths below the prefix."""

    def __init__(self, put, aside, left):
        self.put = put  # the new files
        self.aside = aside  # the user's files that made room for new ones, by their new names
        self.left = left  # what the user changed, or has put into our folders


def exchange(place, write=None):
    """Puts what `write` writes into the folder that it is given; without `write`, removes what was put."""
    recover(place)
    before = place.installed() or {}
    changed = place.changed(before) if before else set()
    room = Room(place)
    try:
        with undisturbed():
            made = room.make()
        if write:
            write(room.new)
        put = files_below(room.new)
        refuse(place, put, before)
        aside = set_aside(place, room, changed.intersection(put))
        folders = stand_for(place, before, made, put)
        if write:
            write_list(room, put, folders)
            put.append(LIST)
        old = [name for name in before if not name.endswith("/") and os.path.lexists(place.path(name))]
        take = [name for name in old if name in put or name not in changed]
        swap(place, room, take, put + list(aside.values()), made + folders)
        obsolete = [name for name in before if name.endswith("/") and name not in folders]
        room.write_state(obsolete, is_done=True)
    except BaseException:
        with undisturbed():
            room.give_up()
        raise
    with undisturbed():
        left = room.remove()
    paths = [place.path(name) for name in left]
    left = [name for name in left if not any(path.startswith(place.path(name) + "/") for path in paths)]
    return Exchanged(put, aside, sorted(left + [name for name in changed if name not in put]))


def refuse(place, put, before):
    """Never writes over what somebody else has put there."""
    for name in put:
        path = place.path(name)
        is_others = name not in before or is_real_folder(path)
        if os.path.lexists(path) and is_others:
            raise Failure(f"{path} is there already and is not TaskLens'; move it away first")
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder) and os.path.relpath(folder, place.root) not in before:
            raise Failure(f"{folder} is not a folder; move it away first")


def set_aside(place, room, names):
    """Copies the user's files to go beside the new ones; answers the copies' names by the names."""
    copies = {}
    for name in sorted(names):
        number = 1
        copy = name + ".changed"
        while os.path.lexists(place.path(copy)) or os.path.lexists(os.path.join(room.new, copy)):
            number += 1
            copy = f"{name}.changed{number}"
        shutil.copy2(place.path(name), os.path.join(room.new, copy), follow_symlinks=False)
        copies[name] = copy
    return copies


def stand_for(place, before, made, put):
    """The folders of ours that `put` needs: those made before and now, and those to be made."""
    if not put:
        return []
    needed = {"./"}
    for name in put + [LIST]:
        while name := os.path.dirname(name):
            needed.add(name + "/")
    ours = [name for name in before if name.endswith("/") and (name in needed or name.startswith("../"))]
    ours += made + place.missing_folders(put + [LIST])
    return outer_first(ours)


def write_list(room, put, folders):
    path = os.path.join(room.new, LIST)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in folders)
        file.writelines(f"{name}\t{mark_of(os.path.join(room.new, name))}\n" for name in put)
        file.write(f"{LIST}\n")
    os.chmod(path, 0o644)


def swap(place, room, take, put, folders):
    for name in take:
        os.makedirs(os.path.dirname(os.path.join(room.old, name)), exist_ok=True)
        move(place.path(name), os.path.join(room.old, name))
    room.write_state(folders, put)
    place.make_folders(folders)
    for name in put:
        move(os.path.join(room.new, name), place.path(name))
