#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The packages of the Eclipse plugin use each other as the table in its README says, and no other way.

The rows of that table stand above what they use, so that its arrows go one way; the classes beside the
packages, which put all together, may use any and are used by none. PLAIN packages use nothing of
Eclipse. No class has static state: fields are constants.
"""

import re

from tree import Tree, complaints_of_rooms, run

PAGE = "ide-plugin/eclipse/README.md"
HEADING = "## The code"
ROOT = "ide-plugin/eclipse/plugin/src/org/tasklens/eclipse/"
PLAIN = ["model", "rpc"]
TOP = "the classes that put all together"
USE = re.compile(r"\borg\.tasklens\.eclipse\.(?:(\w+)\.)?[A-Z]\w*")
ECLIPSE = re.compile(r"\borg\.(?:eclipse|osgi)\.")
STATIC = re.compile(r"^ +(?:(?:public|protected|private) )?static (?!class|record|interface|enum)([^({;=]*)(=[^;{(]*)?", re.MULTILINE)
# What a constant may not be, whatever it is declared as.
MUTABLE = re.compile(r"\bnew \w*(?:List|Map|Set|Deque|Queue)\b|\bAtomic\w+\b|\b\w*Executor\w*\b|\bThreadLocal\b")


def without_comments(text):
    """Java with blanks for comments and texts; lines stay where they are."""
    return re.sub(
        r'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?s:.*?)\*/',
        lambda found: re.sub(r"[^\n]", " ", found.group()),
        text,
    )


def picture_of(page):
    """Packages in the order of the page, each with those that it may use."""
    section = page.split(HEADING, 1)[-1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\|[^|]*\|([^|]*)\|$", section, re.MULTILINE)
    return {package: re.findall(r"`(\w+)`", uses) for package, uses in rows}


def static_state(path, text):
    """A complaint for each static field that is no constant."""
    for field in STATIC.finditer(text):
        declared = field.group(1).strip()
        is_method = text[field.end() : field.end() + 1] == "(" and not field.group(2)
        if is_method:
            continue
        value = text[field.start() : text.find(";", field.start())]
        if not declared.startswith("final ") or MUTABLE.search(value):
            line = text.count("\n", 0, field.start()) + 1
            yield f"{path}:{line}: `{declared}` is static and no constant: give it to an object that Application makes"


def complaints(tree: Tree):
    found, arrows = [], {}
    picture = picture_of(tree.text(PAGE))
    for path in tree.files():
        if not path.startswith(ROOT) or not path.endswith(".java"):
            continue
        text = without_comments(tree.text(path))
        found += static_state(path, text)
        package = path[len(ROOT) :].split("/")[0] if "/" in path[len(ROOT) :] else ""
        if package == "":
            continue
        if package not in picture:
            found.append(f"{path}: {PAGE} has no row for `{package}/`")
            continue
        for use in USE.finditer(text):
            used, line = use.group(1) or TOP, text.count("\n", 0, use.start()) + 1
            if used != package:
                arrows.setdefault((package, used), f"{path}:{line}")
        foreign = ECLIPSE.search(text)
        if package in PLAIN and foreign:
            line = text.count("\n", 0, foreign.start()) + 1
            found.append(f"{path}:{line}: `{package}/` is tested without Eclipse and may not use it")
    return found + list(complaints_of_rooms(PAGE, picture, arrows))


def with_page(rows, files):
    table = "".join(f"| `{package}/` | x | x | {uses} |\n" for package, uses in rows)
    return {PAGE: f"{HEADING}\n\n{table}", **{ROOT + path: text for path, text in files.items()}}


if __name__ == "__main__":
    UPPER_AND_LOWER = [("views", "`model`"), ("model", "")]
    USES = {"views/A.java": "import org.tasklens.eclipse.model.B;\n"}

    def field(text):
        return with_page(UPPER_AND_LOWER, {**USES, "views/C.java": f"class C {{\n  {text}\n}}\n"})

    run(
        complaints,
        [
            (
                with_page(UPPER_AND_LOWER, {**USES, "model/B.java": "import org.tasklens.eclipse.views.A;\n"}),
                "model/B.java:1: `model/` may not use `views`",
            ),
            (
                with_page(UPPER_AND_LOWER, {**USES, "views/C.java": "x = org.tasklens.eclipse.Application.of();\n"}),
                "views/C.java:1: `views/` may not use `the classes that put all together`",
            ),
            (with_page([("model", ""), ("views", "`model`")], USES), "`views/` uses `model`, which has no row below"),
            (with_page(UPPER_AND_LOWER, {**USES, "run/C.java": ""}), "has no row for `run/`"),
            (with_page(UPPER_AND_LOWER, {}), "`views/` does not use `model`"),
            (
                with_page(UPPER_AND_LOWER, {**USES, "model/B.java": "\nimport org.eclipse.swt.SWT;\n"}),
                "model/B.java:2: `model/` is tested without Eclipse",
            ),
            (field("private static C instance;"), "C.java:2: `C instance` is static and no constant"),
            (field("private static final List<C> ALL = new ArrayList<>();"), "is static and no constant"),
            (field("static final Map<String, List<C>> ALL = new HashMap<>();"), "is static and no constant"),
            (field("private static final ExecutorService WORK = Executors.of();"), "is static and no constant"),
        ],
    )
