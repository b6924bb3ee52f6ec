# SPDX-License-Identifier: Apache-2.0
"""An Emacs on a screen, with the package as a new user installs it: what its tests begin with."""

import glob
import os
import re
import shutil
import subprocess
import sys

for place in ("tests/ide-plugin/terminal", "packaging"):
    sys.path.insert(0, os.path.abspath(place))
from editor_project import Project  # noqa: E402
from emacs_autoloads import autoloads  # noqa: E402
from terminal import Terminal, missing  # noqa: E402

HAS_EGLOT = ["emacs", "--batch", "--eval", "(progn (package-initialize) (kill-emacs (if (require 'eglot nil t) 0 1)))"]


def install(folder):
    """The package, as `./tasklens install` puts it there."""
    os.makedirs(folder)
    files = []
    for path in glob.glob("ide-plugin/emacs/*.el"):
        shutil.copy(path, folder)
        with open(path, encoding="utf-8") as file:
            files.append((os.path.basename(path), file.read()))
    with open(folder + "/tasklens-autoloads.el", "w", encoding="utf-8") as file:
        file.write(autoloads(files))


def what_the_pages_say():
    """The lines for the init file: those of the package's page, the first of which is all that README.md asks for."""
    with open("ide-plugin/emacs/README.md", encoding="utf-8") as page:
        forms = re.findall(r"^    (\(.*\))$", page.read(), re.MULTILINE)
    with open("README.md", encoding="utf-8") as page:
        assert f"`{forms[0]}` in the init file" in page.read(), f"README.md does not say {forms[0]}"
    return forms


def project_or_skip(tasklens, cholesky):
    """A project and the package in a home of its own; ends the test where something is missing."""
    reason = missing() or (None if shutil.which("emacs") else "emacs is missing (apt-get install emacs-nox)")
    if not reason and subprocess.run(HAS_EGLOT, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        reason = "eglot is missing (apt-get install elpa-eglot)"
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(0)
    project = Project(tasklens, cholesky)
    install(project.home + "/.local/share/emacs/site-lisp")
    os.makedirs(project.home + "/.emacs.d")
    # What a first start of Emacs compiles it warns of in a window of its own.
    with open(project.home + "/.emacs.d/early-init.el", "w", encoding="utf-8") as file:
        file.write("(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)\n")
    with open(project.home + "/.emacs.d/init.el", "w", encoding="utf-8") as file:
        file.write("\n".join(what_the_pages_say()))
        file.write(f"""
(setq inhibit-startup-screen t)
(setq frame-background-mode 'light)
(frame-set-background-mode (selected-frame))
(xterm-mouse-mode 1)
(menu-bar-mode -1)
(setq browse-url-browser-function 'browse-url-generic browse-url-generic-program "{project.browser}")
""")
    return project


def open_emacs(project, file):
    # In as many colours as terminals of today have.
    return Terminal(["emacs", "-nw", file], project.work, {**project.environment, "COLORTERM": "truecolor"})


def command(screen, name, prompt=None, answer=None):
    """M-x and a command, and the answer to what it asks."""
    screen.keys("M-x")
    screen.until_shown("M-x")
    screen.type(name + "\r")
    if prompt:
        screen.until_shown(prompt)
        screen.keys("C-a", "C-@", "C-e", "C-w")  # what was answered last (C-k fails where there is nothing, and Emacs drops keys then)
        screen.type(answer + "\r")
