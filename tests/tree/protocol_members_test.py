#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Plugins and page ask for what ide-plugin/protocol.json has, and those without types (Java, Lua and Lisp) read
members that it has, and no misspelt ones. (That of VS Code has types made of it, see tools/protocol_page.py.)"""

import os
import re
import sys

from tree import Tree, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../tools"))
from protocol import Protocol  # noqa: E402

SCHEMA = "ide-plugin/protocol.json"
CLIENT = re.compile(r"^ide-plugin/.*\.(el|java|js|lua|ts)$")
METHOD = re.compile(r"[\"':(](tasklens/\w+)[\"'\s)]")

# Members of LSP's messages, of JSON-RPC's, and of what the page sends (`host/...` in protocol.md).
LSP = """
arguments base64 capabilities code command diagnostics edit error event experimental external hover id message method
newText params percentage range result selection serverInfo state success tasklens textDocument theme token type value
version width window workspace
""".split()


class Language:
    """How a client reads members; `own`: what is read likewise and is not the server's."""

    def __init__(self, files, comment, read, own=""):
        self.files, self.comment, self.read = re.compile(files), re.compile(comment), re.compile(read, re.S)
        self.own = set(own.split())


LANGUAGES = [
    Language(
        r"^ide-plugin/eclipse/plugin/.*\.java$",
        r"//[^\n]*",
        r'Json\.(?:array|flag|number|object|objects|real|text|texts)\([^";]*"(\w+)"',
        # The end of a plural.
        "s",
    ),
    Language(
        r"^ide-plugin/emacs/.*\.el$",
        r"(?m)^\s*;[^\n]*",
        r"\(plist-get [^:()]*(?:\([^()]*\))?[^:()]*:(\w+)",
        # Of rows of its own.
        "has last length",
    ),
    Language(
        r"^ide-plugin/neovim/lua/.*\.lua$",
        r"--[^\n]*",
        # Not of modules, of the editor, of numbers and of names of files.
        r"\b(?!vim\b|M\b|client\b|windows\b|config\b|math\b|target\b|place\b|event\b|tasklens\b|levels\b|\d)"
        r"(?<!vim\.)\w+(?:\[[^\]\n]*\])?\.([a-zA-Z]\w*)\b(?!\s*\(|['\"])",
        "asked begin columns filetype has_tasks last pid",
    ),
]


def complaints(tree: Tree):
    protocol = Protocol(os.path.join(tree.root, SCHEMA))
    known = {*LSP, *(member.name for shape in protocol.shapes().values() for member in protocol.own_members(shape))}
    methods = protocol.requests.keys() | protocol.notifications.keys()
    found = []
    for language in LANGUAGES:
        for path in filter(language.files.search, tree.files()):
            text = language.comment.sub("", tree.text(path))
            for name in sorted(set(language.read.findall(text)) - known - language.own):
                found.append(f"{path}: the member {name} is not in {SCHEMA}")
    for path in filter(CLIENT.search, tree.files()):
        for method in sorted(set(METHOD.findall(tree.text(path))) - methods):
            found.append(f"{path}: {method} is not in {SCHEMA}")
    return found


if __name__ == "__main__":
    SAMPLE = {SCHEMA: '{"types": {}, "requests": {}, "notifications": {}}'}

    def sample(path, text):
        return {**SAMPLE, f"ide-plugin/{path}": text}

    JAVA, LUA, LISP = "eclipse/plugin/src/A.java", "neovim/lua/a.lua", "emacs/a.el"
    run(
        complaints,
        [
            (sample(JAVA, 'Json.number(task, "startNS", 0)'), "the member startNS is not in"),
            (sample(JAVA, 'ask("tasklens/taks")'), "tasklens/taks is not in"),
            (sample(LISP, "(plist-get task :startNS)"), "the member startNS is not in"),
            (sample(LISP, "(plist-get (aref rows 0) :labell)"), "the member labell is not in"),
            (sample(LISP, "(request :tasklens/taks nil)"), "tasklens/taks is not in"),
            (sample(LUA, "x = task.startNS + 1"), "the member startNS is not in"),
            (sample(LUA, "x = tasks[i + 1].labell .. ' '"), "the member labell is not in"),
            (sample(LUA, "request('tasklens/taks')"), "tasklens/taks is not in"),
            (sample("webview/a.js", 'request("tasklens/taks", {})'), "tasklens/taks is not in"),
        ],
    )
