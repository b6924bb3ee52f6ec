#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The twins of StarPU's tools that count and draw, on what StarPU's converter wrote and on the traces themselves, against
sums made here of the same files."""

import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TASKLENS = os.path.abspath(sys.argv.pop(1))
DATA = os.path.abspath("tests/data/starpu")
TRACES = ["autostart", "cholesky_lws", "mem_reclaim", "mpi2", "parallel_small", "stencil", "tags", "two_ctx"]
# Those that stand for a tool each, with words that are right but for the file.
ALL = {
    "starpu_fxt_stats": ["-i"],
    "starpu_fxt_number_events_to_names.py": [],
    "fxt_print": ["-f"],
    "starpu_codelet_histo_profile": [],
    "starpu_fxt_data_trace": [],
    "starpu_workers_activity": [],
    "starpu_trace_state_stats.py": [],
    "starpu_paje_state_stats": [],
    "starpu_paje_draw_histogram": [],
    "starpu_paje_summary": [],
    "starpu_paje_sort": [],
    "starpu_mpi_comm_matrix.py": [],
    "starpu_send_recv_data_use.py": [],
}


def trace(name):
    folder = os.path.join(DATA, name)
    return folder if name == "mpi2" else os.path.join(folder, "prof_file_0")


def records(text):
    """Blocks of KEY: VALUE."""
    for block in re.split(r"\n\n+", re.sub(r"(?m)^#.*\n", "", text)):
        found = dict(re.findall(r"(?m)^(\w+): ?(.*)$", block))
        if found:
            yield found


class Twins(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(shutil.rmtree, self.work)

    def run_as(self, name, *words, status=0):
        link = os.path.join(self.work, ".bin", name)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.lexists(link):
            os.symlink(TASKLENS, link)
        done = subprocess.run([link, *words], cwd=self.work, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, f"{name} {words}: {done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def reference(self, name, file):
        """A file of StarPU's converter, in a folder of its own."""
        folder = os.path.join(self.work, "reference", name)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, file)
        shutil.copyfile(os.path.join(DATA, name, "reference", file), path)
        os.chmod(path, 0o644)
        return path

    def text(self, path):
        with open(os.path.join(self.work, path), encoding="utf-8") as file:
            return file.read()

    def files(self):
        return {
            os.path.relpath(os.path.join(place, name), self.work)
            for place, _, names in os.walk(self.work)
            for name in names
            if ".bin" not in place
        }

    def look(self, path):
        """A picture that its format's readers take."""
        with open(os.path.join(self.work, path), "rb") as file:
            data = file.read()
        if path.endswith(".svg"):
            self.assertIn(b"<path", data)
            xml.etree.ElementTree.fromstring(data)
        elif path.endswith(".pdf"):
            self.assertTrue(data.startswith(b"%PDF-1.4") and data.endswith(b"%%EOF\n"), path)
        elif path.endswith(".png"):
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", data[16:24])
            self.assertTrue(width > 100 and height > 100)
        else:
            self.assertIn(b"</html>", data)

    def test_say_how_they_are_used(self):
        for name in [*ALL, "starpu_codelet_profile"]:
            self.assertIn("usage: ", self.run_as(name, "--help"))
            self.assertIn("TaskLens", self.run_as(name, "--version"))

    def test_refuse_what_is_wrong_in_one_line_and_write_nothing(self):
        empty = os.path.join(self.work, "empty")
        with open(empty, "w", encoding="utf-8"):
            pass
        text = os.path.join(self.work, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.write("no trace\nat all\n")
        before = self.files()
        for name, words in ALL.items():
            for path in ["missing", empty, text]:
                said = self.run_as(name, *words, path, status=1)
                self.assertEqual(said.count("\n"), 1, f"{name} {path}: {said}")
            said = self.run_as(name, "--nothing", *words, text, status=2)
            self.assertIn("unknown option '--nothing'", said)
        for words in [[text, "gemm"], [trace("cholesky_lws"), "gemm"]]:
            said = self.run_as("starpu_codelet_profile", *words, status=1)
            self.assertEqual(said.count("\n"), 1)
        self.assertIn("there are demo_cholesky_gemm, demo_cholesky_potrf", said)
        said = self.run_as("starpu_fxt_data_trace", trace("cholesky_lws"), "gem", status=1)
        self.assertIn("no task has the codelet 'gem'", said)
        for name in ["starpu_mpi_comm_matrix.py", "starpu_send_recv_data_use.py"]:
            self.assertIn("no messages between ranks", self.run_as(name, trace("cholesky_lws"), status=1))
        self.assertIn("is svg, pdf or png", self.run_as("starpu_workers_activity", "--format", "eps", text, status=2))
        self.assertEqual(self.files(), before)

    def test_a_trace_without_what_is_drawn_is_a_line_and_no_file(self):
        empty = os.path.join(self.work, "empty")
        with open(os.path.join(trace("hello")), "rb") as file:
            data = file.read()
        # Up to where its events begin: blocks of 16 bytes and more behind the first word, of which one holds all events.
        at = 4
        while struct.unpack_from("<i", data, at + 8)[0] not in (0x200, 0x201):
            at += struct.unpack_from("<Q", data, at)[0]
        with open(empty, "wb") as file:
            file.write(data[:at + 16])
        before = self.files()
        for name, words in ALL.items():
            if name == "fxt_print":  # has the header to print
                continue
            said = self.run_as(name, *words, empty, status=1).splitlines()
            self.assertEqual([line for line in said if not line.startswith("lost: ")][1:], [], f"{name}: {said}")
            self.assertRegex(said[-1], "^tasklens: ", name)
            self.assertEqual(self.files(), before, name)
        for name, words, message in [
            ("starpu_mpi_comm_matrix.py", [], "no messages between ranks"),
            ("starpu_send_recv_data_use.py", [], "no messages between ranks"),
            ("starpu_codelet_profile", ["nothing"], "no task has the codelet 'nothing'; there are greet, print, scale"),
            ("starpu_fxt_data_trace", ["nothing"], "nothing"),
            ("starpu_paje_draw_histogram", ["-n", "nothing"], "no state in this range has one of these names"),
        ]:
            path = [trace("hello")]
            said = self.run_as(name, *(words + path if name.startswith("starpu_paje") else path + words), status=1)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(message, said)
            self.assertEqual(self.files(), before, name)

    def test_fxt_print_and_stats_count_the_same_records(self):
        for name in ["hello", "cholesky_lws", "stencil", "mem_reclaim"]:
            lines = [l for l in self.run_as("fxt_print", "-d", "-f", trace(name)).splitlines() if "u\t[" in l]
            times = [int(line.split("u\t")[0]) for line in lines]
            codes = collections.Counter(int(line.split("\t")[3].split("(")[0], 16) for line in lines)
            said = self.run_as("starpu_fxt_stats", "-i", trace(name))
            self.assertIn(f"start time {min(times):e} end time {max(times):e} length {max(times) - min(times):e}", said)
            self.assertIn(f"There was {codes[0x5105]} tasks and {codes[0x5115]} work stealing", said)
            offsets = [l for l in self.run_as("fxt_print", "-o", "-f", trace(name)).splitlines() if "u\t[" in l]
            self.assertEqual([int(l.split("u\t")[0]) for l in offsets], [t - times[0] for t in times])

    def test_names_of_events(self):
        for name in TRACES:
            path = self.reference(name, "number_events.data")
            counts = [int(line.split()[1]) for line in self.text(path).splitlines() if line.startswith("0x")]
            lines = self.run_as("starpu_fxt_number_events_to_names.py", path).splitlines()
            self.assertEqual([int(line.split()[0]) for line in lines[:-1]], counts)
            self.assertEqual(lines[-1], f"       TOTAL:   {sum(counts)}")
            self.assertTrue(any(line.endswith(" _STARPU_FUT_JOB_POP") for line in lines))
            self.assertEqual(self.run_as("starpu_fxt_number_events_to_names.py", trace(name)).splitlines(), lines)

    def test_codelet_profile_writes_the_lines_of_each_worker(self):
        path = self.reference("cholesky_lws", "distrib.data")
        lines = [line.split("\t") for line in self.text(path).splitlines()]
        self.run_as("starpu_codelet_profile", path, "demo_cholesky_gemm")
        workers = {line[1] for line in lines if line[0] == "demo_cholesky_gemm"}
        for worker in workers:
            mine = [line for line in lines if line[:2] == ["demo_cholesky_gemm", worker]]
            self.assertEqual([l.split("\t") for l in self.text(f"{path}.{worker}").splitlines()], mine)
            self.assertIn(f'distrib.data.{worker}" using 3:5', self.text(path + ".gp"))
        self.look(path + ".pdf")
        # Two runs beside each other, one of them a trace; and another format.
        self.run_as("starpu_codelet_profile", "--format", "svg", path, trace("cholesky_lws"), "demo_cholesky_gemm")
        self.look(path + ".svg")

    def test_histograms_for_each_codelet_worker_and_size(self):
        path = self.reference("cholesky_lws", "distrib.data")
        groups = {tuple(line.split("\t")[:4]) for line in self.text(path).splitlines()}
        said = self.run_as("starpu_codelet_histo_profile", path).splitlines()
        expected = {f"{path}.{n}.{w}.{hash}.{size}.pdf" for n, w, size, hash in groups}
        self.assertEqual(set(said), expected)
        for name in said:
            self.look(name)

    def test_data_trace(self):
        self.run_as("starpu_fxt_data_trace", "-d", "out", trace("cholesky_lws"), "demo_cholesky_gemm", "demo_cholesky_potrf")
        script = self.text("out/data_trace.gp")
        self.assertEqual(re.findall(r'title "(demo\w+)"', script), ["demo_cholesky_gemm", "demo_cholesky_potrf"])
        self.assertTrue(os.access(os.path.join(self.work, "out/data_trace.gp"), os.X_OK))
        self.assertEqual(len(self.text("out/demo_cholesky_gemm").splitlines()), 20)
        self.look("out/data_trace.pdf")

    def test_activity_of_one_and_of_several_ranks(self):
        for name in ["cholesky_lws", "mpi2"]:
            path = self.reference(name, "activity.data")
            for words in [[path], [trace(name)], [path, trace(name)], [path, "0.01", "0.05"]]:
                self.assertIn("START ", self.run_as("starpu_workers_activity", "--format", "svg", *words))
                self.look("activity.svg")
        self.run_as("starpu_workers_activity", "--format", "svg", trace("mpi2"))
        for rank in ["0", "1"]:
            self.assertIn(f">{rank}: CPU 0<", self.text("activity.svg"))

    def sums_of_states(self, path):
        """What workers spent in each state, as trace.rec tells it."""
        sums, stacks, current, ended = collections.defaultdict(lambda: [0, 0.0]), {}, {}, set()
        for record in records(self.text(path)):
            if "E" not in record or record.get("C") == "Program":
                continue
            worker = record["W"], record["T"] if record["W"] == "-1" else ""
            if worker in ended:
                continue
            if record.get("N") == "Deinitializing":
                ended.add(worker)
            now = float(record["S"])
            if record["E"] == "PushState":
                stacks.setdefault(worker, []).append(((record["N"], record["C"]), now))
                continue
            if record["E"] == "PopState":
                if not stacks.get(worker):
                    continue
                name, since = stacks[worker].pop()
            else:
                before = current.get(worker)
                current[worker] = (record["N"], record["C"]), now
                if before is None:
                    continue
                name, since = before
            sums[name][0] += 1
            sums[name][1] += now - since
        return sums

    def test_trace_state_stats_adds_up(self):
        for name in ["cholesky_lws", "stencil", "tags", "two_ctx"]:
            path = self.reference(name, "trace.rec")
            sums = self.sums_of_states(path)
            said = self.run_as("starpu_trace_state_stats.py", "-te", path)
            for line in said.splitlines()[1:]:
                state, count, category, ms = line.replace('"', "").split(",")
                found = sums.pop((state, category))
                self.assertEqual(int(count), found[0], f"{name}: {state}")
                self.assertAlmostEqual(float(ms), found[1], places=5, msg=f"{name}: {state}")
            self.assertEqual(sums, {})
            values = dict(l.replace('"', "").split(",") for l in self.text("efficiencies.csv").splitlines()[1:])
            times = dict(l.replace('"', "").split(",") for l in self.text("times.csv").splitlines()[1:])
            task, scheduling = float(times["Task"]), float(times["Scheduling"])
            self.assertAlmostEqual(float(values["Scheduling"]), task / (task + scheduling), places=5)
            self.look("efficiencies.pdf")

    def test_paje_states_of_two_traces_beside_each_other(self):
        path = self.reference("cholesky_lws", "paje.trace")
        # The same file twice has the same numbers twice; chosen names are those alone.
        self.run_as("starpu_paje_state_stats", "-n", "demo_cholesky_gemm,Sleeping", path, path)
        rows = [line.split(", ") for line in self.text("starpu_paje_state_stats.csv").splitlines()]
        self.assertEqual([row[0] for row in rows[1:]], ['"Sleeping"', '"demo_cholesky_gemm"'])
        for row in rows[1:]:
            self.assertEqual(row[1:3], row[3:5])
        self.assertEqual(rows[2][1], "40")
        self.run_as("starpu_paje_draw_histogram", "-n", "demo_cholesky_gemm", path, path)
        self.look("Rplots.pdf")
        self.run_as("starpu_paje_summary", path, trace("cholesky_lws"))
        self.look("summary.html")
        self.assertIn("no state in this range has one of these names", self.run_as("starpu_paje_state_stats", "-n", "x", path, status=1))
        self.assertIn("FROM:TO", self.run_as("starpu_paje_state_stats", "-r", "1", path, status=2))

    def test_paje_summary_is_of_all_of_the_trace(self):
        """StarPU's script for the summary has no eye for start_profiling, and a longer list of short names."""
        for name, value in [("mpi2", "Scheduling"), ("autostart", "Sleeping")]:
            path = self.reference(name, "paje.trace")
            self.run_as("starpu_paje_state_stats", path)
            self.run_as("starpu_paje_summary", path)
            stats = dict(re.findall(r'(?m)^"(\w+)", \S+, ([\d.e-]+)$', self.text("starpu_paje_state_stats.csv")))
            summary = dict(re.findall(r'(?m)^"(\w+)","[^"]*",([^,]+),', self.text("summary.csv")))
            self.assertGreater(float(summary[value]), 1.1 * float(stats[value]), name)
            self.assertNotIn("Sc", summary)

    def test_paje_sort_keeps_all_lines(self):
        path = self.reference("cholesky_lws", "paje.trace")
        before = self.text(path).splitlines()
        numbers = {"1", "2", "3", "4", "5", "6", "7", "8", "9"}
        self.run_as("starpu_paje_sort", path)
        after = self.text(path).splitlines()
        self.assertEqual(sorted(before), sorted(after))
        times = [float(l.split()[1]) for l in after if l.strip() and l[0].isdigit() and l.split()[0] not in numbers]
        self.assertEqual(times, sorted(times))

    def test_matrix_of_messages(self):
        output = os.path.join(self.work, "output")
        with open(output, "w", encoding="utf-8") as file:
            file.write("[starpu_comm_stats][0] TOTAL:\t30.000000 B\t0.1 MB\t 6.000000 B/s\t 0.0 MB/s\n"
                       "[starpu_comm_stats][0:1]\t30.000000 B\t0.1 MB\t 6.000000 B/s\t 0.0 MB/s\n"
                       "[starpu_comm_stats][1] TOTAL:\t7.000000 B\t0.1 MB\t 1.000000 B/s\t 0.0 MB/s\n"
                       "[starpu_comm_stats][1:0]\t7.000000 B\t0.1 MB\t 1.500000 B/s\t 0.0 MB/s\n")
        self.run_as("starpu_mpi_comm_matrix.py", output)
        self.assertEqual(self.text("output_volume.data"), "0.000000 7.000000 \n30.000000 0.000000 \n")
        self.assertEqual(self.text("output_bw.data"), "0.000000 1.500000 \n6.000000 0.000000 \n")
        # Columns of the file, which gnuplot puts along x, are those who sent.
        self.assertIn('set xtics ("src0" 0, "src1" 1)\nset ytics ("dst0" 0, "dst1" 1)\n', self.text("output_bw.gp"))
        self.look("output_bw_heatmap.pdf")
        self.run_as("starpu_mpi_comm_matrix.py", "-png", output)
        self.look("output_volume_heatmap.png")

    def test_time_until_data_is_used(self):
        folder = os.path.dirname(self.reference("mpi2", "comms.rec"))
        self.reference("mpi2", "tasks.rec")
        self.run_as("starpu_send_recv_data_use.py", folder)
        comms = list(records(self.text(os.path.join(folder, "comms.rec"))))
        tasks = list(records(self.text(os.path.join(folder, "tasks.rec"))))
        waits = [
            min(float(t["StartTime"]) for t in tasks
                if t.get("MPIRank") == c["Dst"] and "StartTime" in t and c["RecvHandle"] in t.get("Handles", "").split()
                and float(t["StartTime"]) >= float(c["RecvTime"])) - float(c["RecvTime"])
            for c in comms
        ]
        self.run_as("starpu_send_recv_data_use.py", "--format", "svg", folder)
        svg = self.text(os.path.join(folder, "recv_use.svg"))
        said = re.search(r">(\d+) messages, mean ([\d.]+) (\S+)<", svg)
        self.assertEqual(int(said[1]), len(waits))
        unit = {"ms": 1, "\u00b5s": 1e-3, "s": 1e3}[said[3]]
        self.assertAlmostEqual(float(said[2]) * unit, sum(waits) / len(waits), delta=1e-3 * float(said[2]) * unit)
        for name in ["recv_use.png", "send_use.png"]:
            self.look(os.path.join(folder, name))

    def test_plots_of_each_kind_in_each_format(self):
        for kind in ["durations", "sizes", "over-time", "activity", "speed", "summary", "messages", "message-use"]:
            for ending in ["svg", "pdf", "png", "html"]:
                name = "mpi2" if kind.startswith("message") else "cholesky_dmdas"
                path = os.path.join(self.work, f"{kind}.{ending}")
                done = subprocess.run([TASKLENS, "plot", kind, trace(name), trace(name), "-o", path, "--dark"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{kind}: {done.stderr}")
                self.look(path)

    def test_plot_refuses_in_one_line(self):
        for status, message, words in [
            (2, "no plot is called 'x'", ["x", trace("hello"), "-o", "a.svg"]),
            (2, "the name must end in .svg", ["activity", trace("hello"), "-o", "a.eps"]),
            (1, "no task has the codelet 'x'", ["durations", trace("hello"), "-o", "a.svg", "--codelet", "x"]),
            (1, "no messages between ranks", ["messages", trace("hello"), "-o", "a.svg"]),
            (1, "missing", ["activity", "missing", "-o", "a.svg"]),
            (1, "/dev/null", ["activity", trace("hello"), "-o", "/dev/null/a.svg"]),
            (2, "has no groups", ["activity", trace("hello"), "-o", "a.svg", "--by", "worker"]),
            (2, "by codelet or worker, not by 'size'", ["sizes", trace("hello"), "-o", "a.svg", "--by", "size"]),
            (2, "of the whole run", ["summary", trace("hello"), "-o", "a.svg", "--codelet", "greet"]),
        ]:
            done = subprocess.run([TASKLENS, "plot", *words], cwd=self.work, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(self.files(), set())


if __name__ == "__main__":
    unittest.main()
