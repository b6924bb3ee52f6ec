# SPDX-License-Identifier: Apache-2.0
"""The editors that TaskLens has plugins for: which are on this machine, and what else is needed to use a plugin."""

import glob
import os
import shutil
import zipfile
from typing import NamedTuple

from exchange import Failure


class WrongUsage(Failure):
    pass


class Editor(NamedTuple):
    title: str
    commands: list  # any of them in PATH tells that it is here
    places: list  # so does any of these files or folders, where it starts without PATH
    plugin: str = ""  # the file in share/tasklens that is built of the plugin; none: its sources lie ready
    inside: str = ""  # what is in that file, a zip
    unbuilt: str = ""  # what may be in the way of building it
    use: str = ""  # what the user does then, with the prefix in the place of {}


EDITORS = {
    "eclipse": Editor(
        "Eclipse",
        ["eclipse"],
        ["~/eclipse/*/eclipse", "~/eclipse/*/eclipse/eclipse", "/opt/eclipse*/eclipse"]
        + ["/snap/bin/eclipse", "/var/lib/flatpak/app/org.eclipse.*"],
        plugin="tasklens-eclipse.zip",
        inside="artifacts.jar",
        unbuilt="it is compiled against Debian's packages of Eclipse",
        use="Help > Install New Software > Add > Archive: {}/share/tasklens/tasklens-eclipse.zip",
    ),
    "vscode": Editor(
        "VS Code",
        ["code", "code-insiders", "codium", "code-server"],
        # Where an editor on another machine has put its half.
        ["~/.vscode-server*", "/snap/bin/code", "/var/lib/flatpak/app/com.visualstudio.code*"],
        plugin="tasklens.vsix",
        inside="extension.vsixmanifest",
        unbuilt="it is made with packages of npm",
        use="code --install-extension {}/share/tasklens/tasklens.vsix",
    ),
    "neovim": Editor("Neovim", ["nvim"], ["/var/lib/flatpak/app/io.neovim.nvim"]),
    "emacs": Editor(
        "Emacs",
        ["emacs"],
        ["/snap/bin/emacs", "/var/lib/flatpak/app/org.gnu.emacs"],
        use="(load \"{}/share/emacs/site-lisp/tasklens-autoloads\") in its init file",
    ),
}


def is_here(name):
    editor = EDITORS[name]
    return any(map(shutil.which, editor.commands)) or any(
        glob.glob(os.path.expanduser(place)) for place in editor.places
    )


def chosen(text):
    """The names that --with says; None for those whose editor is on this machine."""
    if text is None:
        return [name for name in EDITORS if is_here(name)]
    if text in ("all", "none"):
        return list(EDITORS) if text == "all" else []
    names = text.split(",")
    for name in names:
        if name not in EDITORS:
            raise WrongUsage(f"--with: '{name}' is none of {', '.join(EDITORS)}; or say all, none")
    return [name for name in EDITORS if name in names]


def ready_made(folder):
    """The built plugins in a folder that --from says, by editor: beside each other, or in its share/tasklens."""
    if folder is None:
        return {}
    files = {}
    for name, editor in EDITORS.items():
        for place in (folder, os.path.join(folder, "share/tasklens")):
            path = os.path.join(place, editor.plugin)
            if editor.plugin and os.path.isfile(path):
                files.setdefault(name, path)
    if not files:
        plugins = " nor ".join(editor.plugin for editor in EDITORS.values() if editor.plugin)
        raise Failure(f"--from: {folder} has neither {plugins}; name an unpacked release")
    for name, path in files.items():
        if not is_plugin(path, EDITORS[name].inside):
            raise Failure(f"--from: {path} is no plugin of {EDITORS[name].title}; fetch it again")
    return files


def is_plugin(path, inside):
    try:
        with zipfile.ZipFile(path) as file:
            return inside in file.namelist() and file.testzip() is None
    except zipfile.BadZipFile:
        return False
