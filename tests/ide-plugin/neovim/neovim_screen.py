# SPDX-License-Identifier: Apache-2.0
"""A Neovim on a screen, with the plugin as a new user installs it: what its tests begin with."""

import os
import shutil
import sys

sys.path.insert(0, os.path.abspath("tests/ide-plugin/terminal"))
from editor_project import Project  # noqa: E402
from terminal import Terminal, missing  # noqa: E402


def project_or_skip(tasklens, cholesky):
    """A project and the plugin in a home of its own; ends the test where something is missing."""
    reason = missing() or (None if shutil.which("nvim") else "nvim is missing (apt-get install neovim)")
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(0)
    project = Project(tasklens, cholesky)
    shutil.copytree("ide-plugin/neovim", project.home + "/data/nvim/site/pack/tasklens/start/tasklens")
    os.makedirs(project.home + "/config/nvim")
    with open(project.home + "/config/nvim/init.lua", "w", encoding="utf-8") as file:
        file.write("vim.o.termguicolors, vim.o.background, vim.o.mouse, vim.o.number = true, 'light', 'a', true\n")
        # Neovim's own colours have a grey column of signs and pale lenses.
        file.write("vim.cmd('highlight SignColumn guibg=NONE | highlight LspCodeLens guifg=#57606a')\n")
        file.write("vim.o.hlsearch = false\n")
    return project


def open_neovim(project, file):
    return Terminal(["nvim", "-n", file], project.work, project.environment)
