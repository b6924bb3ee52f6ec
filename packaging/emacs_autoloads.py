# SPDX-License-Identifier: Apache-2.0
"""What Emacs has to know of a package before it loads it: tasklens-autoloads.el, made of what `;;;###autoload` marks in its files."""

import re

MARK = ";;;###autoload"
HEAD = """;;; tasklens-autoloads.el --- The commands of TaskLens, loaded when they are called  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;; Made of the files beside it. (load "this file") in the init file is all that is needed.

(add-to-list 'load-path (directory-file-name (file-name-directory (or load-file-name buffer-file-name))))
"""


def autoloads(files):
    """Its text. `files`: pairs of the name of a file and its text."""
    lines = []
    for name, text in files:
        feature = name.removesuffix(".el")
        for marked in text.split(f"\n{MARK}")[1:]:
            # A form behind the mark, or a form of one line below it, is meant as it is.
            form = marked.split("\n", 1)[0].strip() or marked.split("\n", 2)[1]
            if command := re.match(r"\(defun (\S+) ", form):
                form = f'(autoload \'{command[1]} "{feature}" nil t)'
            elif not form.startswith("(autoload "):
                raise ValueError(f"{name}: what is marked is no command: {form}")
            lines.append(form)
    return HEAD + "\n".join(lines) + "\n\n(provide 'tasklens-autoloads)\n;;; tasklens-autoloads.el ends here\n"
