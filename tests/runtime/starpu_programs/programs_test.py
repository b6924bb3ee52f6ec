#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""programs_test.py LIBRARY HEADER: table.tsv is well formed, and a sample of what it says to run does run.

The sample needs StarPU's source where programs.py puts it, or where TASKLENS_STARPU_SOURCE says.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import programs  # noqa: E402

SAMPLE = ["basic_examples/hello_world", "filters/fvector", "tag_example/tag_example", "main/insert_task",
          "main/task_wait_api", "datawizard/commute", "datawizard/increment_redux", "microbenchs/sync_tasks_overhead",
          "sched_policies/simple_deps", "perfmodels/user_base"]


def complaints(text):
    found, names = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        name, verdict, why = (line.split("\t") + ["", ""])[:3]
        names.append(name)
        if verdict not in programs.VERDICTS:
            found.append(f"table.tsv:{number}: {verdict!r} is none of {', '.join(programs.VERDICTS)}")
        elif (verdict == "runs") == bool(why):
            found.append(f"table.tsv:{number}: {name}: a reason is given where, and only where, a program does not run")
    if names != sorted(set(names)):
        found.append("table.tsv: not sorted by name, or a name is there twice")
    for _, pattern in programs.GROUPS:
        group = pattern.split("/")[0]
        if group != "*" and not any(name.startswith(f"tests/{group}/") for name in names):
            found.append(f"table.tsv: nothing of {group}")
    return found


def check_that_it_can_fail():
    wrong = dict(os.environ, TASKLENS_STARPU_SOURCE="/nowhere")
    done = subprocess.run([sys.executable, "-B", str(programs.HERE / "programs.py"), "--library", __file__, "--headers", "."],
                          env=wrong, text=True, capture_output=True, check=False)
    assert done.returncode == 1 and done.stdout.count("\n") == 1 and not done.stderr, done
    assert "TASKLENS_STARPU_SOURCE=/nowhere is not StarPU's source" in done.stdout, done
    assert any("is none of" in c for c in complaints("a\tmaybe\n"))
    assert any("a reason is given" in c for c in complaints("a\tfails\n"))
    assert any("a reason is given" in c for c in complaints("a\truns\tso\n"))
    assert any("not sorted" in c for c in complaints("b\truns\na\truns\n"))
    assert any("nothing of main" in c for c in complaints("a\truns\n"))


def main(library, header):
    check_that_it_can_fail()
    table = programs.TABLE.read_text()
    found = complaints(table)
    runs = {line.split("\t")[0] for line in table.splitlines() if "\truns" in line}
    sample = [f"tests/{n}" if f"tests/{n}" in runs else f"examples/{n}" for n in SAMPLE]
    found += [f"table.tsv: {name} of the sample does not run" for name in sample if name not in runs]
    if found:
        print("\n".join(found))
        return 1
    source = programs.source_folder()
    if not source.is_dir():
        print(f"SKIPPED: the sample of {len(sample)} programs: StarPU's source is not in {source}; "
              "tests/runtime/starpu_programs/programs.py fetches it")
        return 0
    command = [sys.executable, "-B", str(programs.HERE / "programs.py"), "--no-fetch", "--show", "--library", library,
               "--headers", os.path.dirname(header), "--build", os.path.join(os.environ["TEST_TMPDIR"], "programs")]
    for name in sample:
        command += ["--only", name]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except programs.Failure as failure:
        print(failure)
        sys.exit(1)
