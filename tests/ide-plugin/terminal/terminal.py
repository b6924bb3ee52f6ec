# SPDX-License-Identifier: Apache-2.0
"""A terminal with a real editor in it, for tests: tmux without a window, keys, mouse, and pictures of its screen."""

import html
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath("tests/testing"))
from looking import looked  # noqa: E402

COLUMNS, ROWS = 150, 40
FOREGROUND, BACKGROUND = "#24292f", "#ffffff"
# The sixteen colours of a terminal on white.
PALETTE = (
    "#24292f #cf222e #116329 #7d4e00 #0969da #8250df #1b7c83 #6e7781 "
    "#57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f"
).split()


def missing():
    """Why no terminal can be had, or None."""
    return None if shutil.which("tmux") else "tmux is missing (apt-get install tmux)"


class Terminal:
    """Runs `command` in `folder` with `environment`; ends it, and all that it started, as a context."""

    def __init__(self, command, folder, environment):
        # The path of a socket is short, that of a test's folder is not.
        self.socket_folder = tempfile.mkdtemp(prefix="tasklens-")
        self.environment = {**os.environ, **environment, "LC_ALL": "C.UTF-8", "TMUX_TMPDIR": self.socket_folder}
        self.environment.pop("TMUX", None)
        settings = {"default-terminal": "tmux-256color", "escape-time": "0", "remain-on-exit": "on", "status": "off"}
        words = [word for name, value in settings.items() for word in ("set", "-g", name, value, ";")]
        words += ["set", "-ga", "terminal-overrides", ",*:Tc", ";", "new-session", "-d", "-c", folder]
        self.tmux(*words, "-x", str(COLUMNS), "-y", str(ROWS), *command)

    def __enter__(self):
        # A test that takes too long shows what it waits in front of, and leaves no terminal behind.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
        return self

    def __exit__(self, problem, *_):
        if problem:
            print("\n".join(self.lines()), "the cursor is at", self.look()[1], flush=True)
        self.tmux("kill-server")
        shutil.rmtree(self.socket_folder, ignore_errors=True)

    def tmux(self, *words):
        command = ["tmux", "-f", "/dev/null", "-L", "tasklens", *words]
        return subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout

    def keys(self, *names):
        """Keys by their tmux names: Enter, Escape, C-x, M-x."""
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def look(self):
        """The lines of the screen, and the cursor's column and row, from 0, all of one moment."""
        *lines, cursor = self.tmux("capture-pane", "-p", ";", "display", "-p", "#{cursor_x} #{cursor_y}").split("\n")[:-1]
        return lines, tuple(int(part) for part in cursor.split())

    def lines(self):
        return self.look()[0]

    def cursor_line(self):
        lines, (_, row) = self.look()
        return lines[row]

    def until(self, what, condition):
        """Waits until condition() is true, and returns it; fails when the editor has ended."""

        def shown():
            value = condition()
            if not value and self.has_ended():
                sys.exit(f"the editor has ended before {what}")
            return value

        return looked(shown)

    def has_ended(self):
        return self.tmux("display", "-p", "#{pane_dead}").strip() == "1"

    def until_ended(self):
        looked(self.has_ended)

    def until_shown(self, part):
        """The row of the screen that shows `part`."""
        return self.until(part, lambda: next((i + 1 for i, line in enumerate(self.lines()) if part in line), 0)) - 1

    def colours(self):
        """The lines of the screen with the sequences that colour them."""
        return self.tmux("capture-pane", "-e", "-p")

    def is_lit(self, part):
        """Whether a line that shows `part` begins with a background of its own."""
        rows = self.colours().split("\n")
        lines = [re.sub(r"\x1b\[[0-9;:]*m", "", row) for row in rows]
        return any(part in line and re.match(r"(\x1b\[[0-9;:]*m)*\x1b\[(\d+;)*(4[0-8]|10[0-7])", row) for row, line in zip(rows, lines))

    def click(self, column, row):
        """A click of the left button, as terminals tell it to programs that asked for the mouse."""
        self.type(f"\x1b[<0;{column + 1};{row + 1}M")
        self.type(f"\x1b[<0;{column + 1};{row + 1}m")

    def picture(self, name):
        """Keeps the screen as NAME.png with the outputs of the test, where there is a browser to draw it."""
        folder = os.environ["TEST_UNDECLARED_OUTPUTS_DIR"]
        if not shutil.which("chromium"):
            return print(f"no picture {name}: chromium is missing")
        with tempfile.TemporaryDirectory() as scratch:
            page = os.path.join(scratch, "screen.html")
            with open(page, "w", encoding="utf-8") as file:
                file.write(screen_page(self.tmux("capture-pane", "-e", "-N", "-p"), self.look()[1]))
            subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 f"--user-data-dir={scratch}/profile", f"--window-size={COLUMNS * 8 + 24},{ROWS * 17 + 24}",
                 f"--screenshot={folder}/{name}.png", f"file://{page}"],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": scratch},
            )  # fmt: skip
        return None


def colour(codes):
    """The colour that begins `codes`, as 5;n or 2;r;g;b, which it takes away."""
    if codes.pop(0) == 2:
        rgb, codes[:3] = codes[:3], []
        return "#" + "".join(f"{part:02x}" for part in rgb)
    n = codes.pop(0)
    if n < 16:
        return PALETTE[n]
    if n > 231:
        return "#" + f"{(n - 232) * 10 + 8:02x}" * 3
    return "#" + "".join(f"{(0 if part == 0 else part * 40 + 55):02x}" for part in ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6))


class Style:
    """How the next characters look, by the sequences of a terminal."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.fore = self.back = None
        self.bold = self.italic = self.underlined = self.reversed = False

    def take(self, codes):
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 22):
                self.bold = code == 1
            elif code in (3, 23):
                self.italic = code == 3
            elif code in (4, 24):
                self.underlined = code == 4
            elif code in (7, 27):
                self.reversed = code == 7
            elif code in (38, 48, 58):
                value = colour(codes)
                self.fore, self.back = (value if code == 38 else self.fore), (value if code == 48 else self.back)
            elif code in (39, 49):
                self.fore, self.back = (None if code == 39 else self.fore), (None if code == 49 else self.back)
            elif 30 <= code < 38 or 90 <= code < 98:
                self.fore = PALETTE[code - 30 if code < 38 else code - 82]
            elif 40 <= code < 48 or 100 <= code < 108:
                self.back = PALETTE[code - 40 if code < 48 else code - 92]

    def css(self, is_cursor):
        fore, back = self.fore or FOREGROUND, self.back or BACKGROUND
        if self.reversed != is_cursor:
            fore, back = back, fore
        return (
            f"color:{fore};background:{back}" + ";font-weight:bold" * self.bold
            + ";font-style:italic" * self.italic + ";text-decoration:underline" * self.underlined
        )  # fmt: skip


def screen_page(screen, cursor):
    """A page that looks like the screen, which has the sequences for colours in it."""
    style, rows = Style(), []
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        cells = []
        for text, codes in re.findall(r"([^\x1b])|\x1b\[([0-9;:]*)m", line):
            if text:
                cells.append((text, style.css((len(cells), row) == cursor)))
            else:
                # 4:3 is a kind of underline.
                style.take([int(code.split(":")[0] or 0) for code in codes.split(";")])
        # What tmux leaves out at the end of a line is empty, however the line looked.
        cells += [(" ", Style().css((column, row) == cursor)) for column in range(len(cells), COLUMNS)]
        rows.append("<div>" + "".join(f'<b style="{css}">{html.escape(text)}</b>' for text, css in cells) + "</div>")
    return f"""<!doctype html><meta charset="utf-8"><style>
body {{ margin: 12px; background: {BACKGROUND}; font: 13px "DejaVu Sans Mono"; }}
div {{ height: 17px; white-space: pre; }}
b {{ display: inline-block; width: 8px; height: 17px; line-height: 17px; font-weight: normal; }}
</style>{"".join(rows)}"""
