#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""programs_test.py LIBRARY HEADER: the tables are well formed, and a sample of what they say to run does run.

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
# (What changes every day has no table.)
TABLED = [edition for edition in programs.EDITIONS.values() if edition.package_version]


def complaints(edition, text):
    table = programs.table_of(edition).name
    found, names = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        name, verdict, why = (line.split("\t") + ["", ""])[:3]
        names.append(name)
        if verdict not in programs.VERDICTS:
            found.append(f"{table}:{number}: {verdict!r} is none of {', '.join(programs.VERDICTS)}")
        elif (verdict == "runs") == bool(why):
            found.append(f"{table}:{number}: {name}: a reason is given where, and only where, a program does not run")
    if names != sorted(set(names)):
        found.append(f"{table}: not sorted by name, or a name is there twice")
    for _, pattern in edition.groups:
        group = pattern.split("/")[0]
        if group != "*" and not any(name.startswith(f"tests/{group}/") for name in names):
            found.append(f"{table}: nothing of {group}")
    return found


def check_that_it_can_fail():
    wrong = dict(os.environ, TASKLENS_STARPU_SOURCE="/nowhere")
    done = subprocess.run([sys.executable, "-B", str(programs.HERE / "programs.py"), "--library", __file__, "--headers", "."],
                          env=wrong, text=True, capture_output=True, check=False)
    assert done.returncode == 1 and done.stdout.count("\n") == 1 and not done.stderr, done
    assert "TASKLENS_STARPU_SOURCE=/nowhere is not StarPU's source" in done.stdout, done
    for edition in TABLED:
        for words, text in (("is none of", "a\tmaybe\n"), ("a reason is given", "a\tfails\n"),
                            ("a reason is given", "a\truns\tso\n"), ("not sorted", "b\truns\na\truns\n"),
                            ("nothing of main", "a\truns\n")):
            assert any(words in c for c in complaints(edition, text)), (words, text)


def check(edition, library, header):
    """True where the edition's table is well formed and the sample of it runs, or cannot be tried here."""
    table = programs.table_of(edition)
    found = complaints(edition, table.read_text())
    runs = {line.split("\t")[0] for line in table.read_text().splitlines() if "\truns" in line}
    sample = [f"tests/{n}" if f"tests/{n}" in runs else f"examples/{n}" for n in SAMPLE]
    found += [f"{table.name}: {name} of the sample does not run" for name in sample if name not in runs]
    if found:
        print("\n".join(found))
        return False
    source = programs.source_folder(edition)
    if not source.is_dir():
        print(f"SKIPPED: the sample of {len(sample)} programs of {edition.version}: StarPU's source is not in {source}; "
              f"tests/runtime/starpu_programs/programs.py --starpu {edition.version} fetches it")
        return True
    command = [sys.executable, "-B", str(programs.HERE / "programs.py"), "--starpu", edition.version, "--no-fetch",
               "--show", "--library", library, "--headers", os.path.dirname(header),
               "--build", os.path.join(os.environ["TEST_TMPDIR"], "programs-" + edition.version)]
    for name in sample:
        command += ["--only", name]
    return subprocess.run(command, check=False).returncode == 0


def main(library, header):
    check_that_it_can_fail()
    results = [check(edition, library, header) for edition in TABLED]
    return 0 if all(results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except programs.Failure as failure:
        print(failure)
        sys.exit(1)
