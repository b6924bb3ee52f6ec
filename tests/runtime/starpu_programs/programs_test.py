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
import sanitizers  # noqa: E402

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


# A race of ours, one of a program's own with memory that we allocated, and one of which we make a half.
RACES = """\
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x7b by thread T1:
    #0 memcpy ../libsanitizer/tsan.cpp:1 (libtsan.so.2+0x1)
    #1 Copy runtime/data/a.cc:12 (libstarpu.so+0x2)

  Previous read of size 8 at 0x7b by main thread:
    #0 Read /x/runtime/core/b.h:3 (libstarpu.so+0x3)
SUMMARY: ThreadSanitizer: data race runtime/data/a.cc:12 in Copy
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4 at 0x7b by thread T1:
    #0 main tests/main/own.c:7 (own+0x1)

  Previous write of size 4 at 0x7b by main thread:
    #0 main tests/main/own.c:9 (own+0x1)
    #1 Call runtime/core/c.cc:1 (libstarpu.so+0x1)

  Location is heap block of size 4 allocated by main thread:
    #0 malloc ../libsanitizer/tsan.cpp:1 (libtsan.so.2+0x1)
    #1 Allocate runtime/data/d.cc:2 (libstarpu.so+0x2)
SUMMARY: ThreadSanitizer: data race tests/main/own.c:7 in main
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4 at 0x7b by thread T1:
    #0 main tests/main/own.c:7 (own+0x1)

  Previous write of size 4 at 0x7b by main thread:
    #0 End runtime/core/e.cc:5 (libstarpu.so+0x1)
SUMMARY: ThreadSanitizer: data race tests/main/own.c:7 in main
"""
FREED = """\
==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x5
READ of size 4 at 0x60 thread T0
    #0 0x55 in {}

0x60 is located 0 bytes inside of 4-byte region
freed by thread T0 here:
    #0 0x7f in __interceptor_free ../libsanitizer/asan.cpp:1
    #1 0x55 in Free runtime/data/f.cc:9
SUMMARY: AddressSanitizer: heap-use-after-free
"""


def check_reports():
    assert sanitizers.of_ours(RACES) == ["ThreadSanitizer: data race at runtime/data/a.cc:12, runtime/core/b.h:3",
                                         "ThreadSanitizer: data race at runtime/core/e.cc:5"], sanitizers.of_ours(RACES)
    by_openmp = RACES.replace("SUMMARY", "    #9 <null> (libgomp.so.1+0x1)\nSUMMARY")
    assert sanitizers.of_ours(by_openmp) == [], sanitizers.of_ours(by_openmp)
    assert sanitizers.of_ours(FREED.format("main own.c:3")) == []
    assert sanitizers.of_ours(2 * FREED.format("Look /x/trace/format/g.cc:3")) == [
        "AddressSanitizer: heap-use-after-free at trace/format/g.cc:3"]
    undefined = "/x/runtime/core/h.cc:4:9: runtime error: signed integer overflow"
    assert sanitizers.of_ours(undefined) == ["signed integer overflow at runtime/core/h.cc:4"], sanitizers.of_ours(undefined)


def check_last_line():
    crashed = "computing\n[host:123] *** Process received signal ***\n[host:123] [ 0] libc.so.6\n" + 74 * "-" + "\nPrimary job\n"
    assert programs.last_line(crashed) == "computing", programs.last_line(crashed)


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
    check_reports()
    check_last_line()
    results = [check(edition, library, header) for edition in TABLED]
    return 0 if all(results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except programs.Failure as failure:
        print(failure)
        sys.exit(1)
