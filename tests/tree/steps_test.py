#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What a page tells its reader to press or to call in an editor, a test of that editor presses.

A page and the tests are compared as texts: a step counts as pressed where a test hands it to the editor as the user
would, by the helpers of that editor's tests. Whether what happens then is right, those tests say.
"""

import re
from typing import Callable, NamedTuple

from tree import Tree, run

TUTORIAL = "docs/tutorial.md"


class Editor(NamedTuple):
    pages: list
    tests: str  # the folder of its tests
    steps: re.Pattern  # one group: the step, as a page writes it
    pressed: Callable  # (step, tree): patterns, any of which a test holds that presses it


def of_emacs(step, tree):
    """A command, by M-x or by its letter behind the prefix key; or keys."""
    if not step.startswith("tasklens-"):
        return [r"keys\(" + r", ".join(f'"{re.escape(key)}"' for key in step.split())]
    letters = re.findall(rf'\("(.)" \. {step}\)', tree.text("ide-plugin/emacs/tasklens.el"))
    return [rf'command\(screen, "{step}"'] + [rf'(?:key|says)\("{re.escape(letter)}"' for letter in letters]


def of_neovim(step, tree):
    """A command, typed or called; or keys."""
    if step.startswith(":"):
        return [rf'type\("{step}\b', rf"vim\.cmd\('{step[1:]}\b"]
    return [r"keys\(" + r", ".join(f'"{key}"' for key in re.sub(r"CTRL-(\w)", lambda k: "C-" + k[1].lower(), step).split())]


def of_vscode(step, tree):
    """A command by its title, in the list of commands, at a button or in a menu; or a key."""
    title = re.escape(step.removeprefix("TaskLens: "))
    return [rf'(?:command|click|fromMenu)\("(?:TaskLens: )?{title}"', rf'hasText: "{title}"', rf'ask(?:AndTake)?\("{title}"', rf'"TaskLens: {title}"']


def of_eclipse(step, tree):
    """A key, or an item of the menu, which may be a button as well."""
    if step.startswith("Ctrl+"):
        return [rf'press\("{re.escape(step.lower())}"\)']
    return [rf'(?:chooseFromMenu|clickTool|clickTab|clickButton)\("{re.escape(step)}']


EDITORS = {
    "Emacs": Editor(
        ["README.md", "ide-plugin/emacs/README.md", TUTORIAL], "tests/ide-plugin/emacs/",
        # Commands, which the tables of the page name without M-x; and keys. What is no command is an option.
        re.compile(r"`(?:M-x )?(tasklens-[a-z-]+|C-[a-z](?: (?:C-)?[a-z])?)`"), of_emacs,
    ),
    "Neovim": Editor(
        ["README.md", "ide-plugin/neovim/README.md", TUTORIAL], "tests/ide-plugin/neovim/",
        re.compile(r"`(:TaskLens\w+|CTRL-\w \w)[^`]*`"), of_neovim,
    ),
    "VS Code": Editor(
        ["ide-plugin/vscode/README.md", TUTORIAL], "tests/ide-plugin/vscode/",
        # The first column of the table of commands, and what is named with the extension's name or at a button.
        re.compile(r"^\| ([A-Z][^|`*]*?) \| [^|]+ \|$|\*(TaskLens: [^*]+|Run Traced|Show Advice)\*|(F1), ", re.MULTILINE), of_vscode,
    ),
    "Eclipse": Editor(
        ["ide-plugin/eclipse/README.md", "ide-plugin/eclipse/plugin/help/index.html", TUTORIAL], "tests/ide-plugin/eclipse/",
        re.compile(r"(Ctrl\+\d)\b|\*TaskLens\s+> (Run Traced|Compare)\*|view \*(Advice)\*|: \*(Yes)\*"), of_eclipse,
    ),
}  # fmt: skip


def steps_of(editor, page, text, tree):
    """Pairs of the number of a line and a step; of Emacs, of commands and keys alone."""
    for found in editor.steps.finditer(text):
        step = next(group for group in found.groups() if group).strip()
        if step.startswith("tasklens-") and f"(defun {step} " not in sources(tree, "ide-plugin/emacs/"):
            continue
        yield text[: found.start()].count("\n") + 1, step


def sources(tree, folder):
    return "\n".join(tree.text(path) or "" for path in tree.files() if path.startswith(folder) and re.search(r"\.(el|py|lua|js|java)$", path))


def complaints(tree: Tree):
    found = []
    for name, editor in EDITORS.items():
        tests = sources(tree, editor.tests)
        count = 0
        for page in editor.pages:
            if not tree.exists(page):
                continue
            for line, step in steps_of(editor, page, tree.text(page), tree):
                count += 1
                if not any(re.search(pattern, tests) for pattern in editor.pressed(step, tree)):
                    found.append(f"{page}:{line}: no test of {name} presses {step}; add it to one in {editor.tests}")
        if tests and not count:
            found.append(f"{editor.tests}: no page tells a step in {name}")
    return found


PACKAGE = {"ide-plugin/emacs/tasklens.el": '\'(("r" . tasklens-run))\n(defun tasklens-run (command)\n(defun tasklens-new ()\n'}

if __name__ == "__main__":
    run(
        complaints,
        [
            (PACKAGE | {"ide-plugin/emacs/README.md": "`M-x tasklens-new`", "tests/ide-plugin/emacs/a_test.py": "tasklens-new"}, "README.md:1: no test of Emacs presses tasklens-new;"),
            (PACKAGE | {"ide-plugin/emacs/README.md": "\n`tasklens-run`", "tests/ide-plugin/emacs/a_test.py": 'key("x")'}, "README.md:2: no test of Emacs presses tasklens-run;"),
            (PACKAGE | {"README.md": "`C-x o`", "tests/ide-plugin/emacs/a_test.py": 'keys("C-x", "b")'}, "README.md:1: no test of Emacs presses C-x o;"),
            ({"docs/tutorial.md": "`:TaskLensNew`", "tests/ide-plugin/neovim/a_test.lua": "vim.cmd('TaskLensNewer')"}, "no test of Neovim presses :TaskLensNew;"),
            ({"README.md": "`CTRL-W b`", "tests/ide-plugin/neovim/a.py": 'keys("C-w", "t")'}, "no test of Neovim presses CTRL-W b;"),
            ({"ide-plugin/vscode/README.md": "| Open Trace | opens |", "tests/ide-plugin/vscode/a.js": '// "Open Trace"'}, "no test of VS Code presses Open Trace;"),
            ({"ide-plugin/vscode/README.md": "press *Show Advice*", "tests/ide-plugin/vscode/a.js": ""}, "no test of VS Code presses Show Advice;"),
            ({"docs/tutorial.md": "press Ctrl+5", "tests/ide-plugin/eclipse/A.java": 'press("ctrl+6")'}, "no test of Eclipse presses Ctrl+5;"),
            ({"docs/tutorial.md": "nothing", "tests/ide-plugin/eclipse/A.java": 'press("ctrl+6")'}, "tests/ide-plugin/eclipse/: no page tells a step in Eclipse"),
        ],
    )  # fmt: skip
