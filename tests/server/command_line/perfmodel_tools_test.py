#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""`tasklens perfmodel` and the twins of StarPU's tools on perfmodels, beside what StarPU's print of the same files."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TASKLENS = os.path.abspath(sys.argv.pop(1))
CALIBRATE = os.path.abspath(sys.argv.pop(1))
MACHINE = os.path.abspath(sys.argv.pop(1))
STARPUS_MACHINE = "/usr/bin/starpu_machine_display"
DATA = os.path.abspath("tests/data/perfmodels")
TRACE = os.path.abspath("tests/data/starpu/cholesky_dmdas/prof_file_0")
TASKS = os.path.abspath("tests/data/starpu/cholesky_lws/reference/tasks.rec")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def reference(name):
    return text_of(os.path.join(DATA, "reference", name))


class Tools(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.host, self.folder = "node0", os.path.join(DATA, "sampling")

    def run_as(self, name, *words, status=0, text=None, **variables):
        """Standard output and error of the program under that name."""
        link = os.path.join(self.work, name)
        if not os.path.lexists(link):
            os.symlink(TASKLENS, link)
        environment = {"PATH": os.environ["PATH"], "STARPU_HOSTNAME": self.host, "STARPU_NCPU": "2",
                       "STARPU_PERF_MODEL_DIR": self.folder, **variables}
        done = subprocess.run([link, *words], cwd=self.work, env=environment, input=text, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        if status:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stdout, done.stderr

    def display(self, *words, **more):
        return self.run_as("starpu_perfmodel_display", *words, **more)

    def publish(self, host):
        """The folder of a published machine."""
        self.host, self.folder = host, os.path.join(self.work, "published")
        name = None
        for part in re.split(r"^=== (.*)\n", text_of(os.path.join(DATA, "published.txt")), flags=re.M)[1:]:
            if name is None:
                name = os.path.join(self.folder, part)
                continue
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8") as file:
                file.write(part)
            name = None

    def test_display_prints_what_starpus_prints(self):
        for symbol in ["demo_cholesky_gemm", "demo_cholesky_potrf", "non_linear_memset_regression_based"]:
            self.assertEqual(self.display("-s", symbol)[0], reference(f"display-{symbol}.txt"))
            self.assertEqual(self.display("-x", "-s", symbol)[0], reference(f"display-{symbol}.xml"))
        listed = reference("display-l.txt").replace("$HOME/.starpu/sampling", self.folder)
        self.assertEqual(self.ours(self.display("-l")[0]), listed)
        self.assertEqual(self.ours(self.display("-d")[0]), f"directory: <{self.folder}/codelets/45/>\n")

    def ours(self, listed):
        """What is listed of self.folder: the machine's own models (Debian's starpu-examples) come last."""
        return re.split(r"(?m)^.*directory: </usr/share/starpu/", listed)[0]

    def test_display_prints_one_parameter_footprint_or_architecture(self):
        self.assertEqual(self.display("-s", "memset_regression_based", "-p", "mean", "-a", "cpu", "-f", "acb71e5a")[0],
                         "# performance model for cpu0_impl0 (Comb0)\n2.767713e+01   \n"
                         "# performance model for cpu0_impl1 (Comb0)\n1.068380e+02   \n")
        # One implementation, by the name that the text has for it.
        whole = self.display("-s", "memset_regression_based")[0]
        for arch in ["cpu0_impl0", "cpu0_impl0 (Comb0)"]:
            said = self.display("-s", "memset_regression_based", "-a", arch)[0]
            self.assertEqual(re.findall("performance model for (.*)", said), ["cpu0_impl0 (Comb0)"])
            self.assertIn(said, whole)
        self.publish("mirage")
        self.assertEqual(self.display("-s", "chol_model_22", "-a", "cuda0", "-p", "mean")[0],
                         "# performance model for cuda0_impl0 (Comb1)\n"
                         "8.944354e+02   \n2.805491e+03   \n2.011248e+02   \n")
        self.assertEqual(len(self.display("-s", "chol_model_22", "-a", "cuda", "-p", "mean")[0].splitlines()), 12)

    def test_display_says_in_a_line_what_is_wrong(self):
        for words, said in [
            ([], "one of -l, -d and -s SYMBOL is needed"), (["-s"], "-s needs a value"), (["-y"], "unknown option '-y'"),
            (["-s", "none"], "no perfmodel of the symbol 'none' for host 'node0'"),
            (["-s", "../../x"], "cannot be the symbol"),
            (["-s", "demo_cholesky_gemm", "-a", "tpu"], "no architecture is called 'tpu'"),
            (["-s", "demo_cholesky_gemm", "-a", "cpu0_impl7"], "knows nothing of the architecture 'cpu0_impl7'"),
            (["-s", "demo_cholesky_gemm", "-a", "cuda_1"], "knows nothing of the architecture 'cuda_1'"),
            (["-s", "demo_cholesky_gemm", "-p", "speed"], "no parameter is called 'speed'"),
            (["-s", "demo_cholesky_gemm", "-f", "0x"], "'0x' is not a footprint"),
        ]:
            with self.subTest(words):
                status = 1 if {"none", "cuda_1", "cpu0_impl7"} & set(words) else 2
                self.assertIn(said, self.display(*words, status=status)[1])
        self.publish("idgraf")
        self.assertIn("line 274: these are not the numbers a, b, c",
                      self.display("-s", "starpu_dlu_lu_model_22", status=1)[1])

    def test_plot_writes_the_files_of_starpus(self):
        for flag, prefix, symbols in [
            ([], "starpu_", ["demo_cholesky_potrf", "non_linear_memset_regression_based"]),
            (["-f"], "starpu_gflops_", ["demo_cholesky_gemm", "demo_cholesky_potrf",
                                        "non_linear_memset_regression_based"]),
        ]:
            for symbol in symbols:
                self.run_as("starpu_perfmodel_plot", "-s", symbol, *flag)
                for ending in [".gp", "_avg.data"]:
                    name = prefix + symbol + ending
                    self.assertEqual(text_of(os.path.join(self.work, name)), reference("plot/" + name))

    def test_plot_shows_what_a_trace_measured(self):
        self.run_as("starpu_perfmodel_plot", "-s", "demo_cholesky_gemm", "-i", TRACE)
        script = text_of(os.path.join(self.work, "starpu_demo_cholesky_gemm.gp"))
        self.assertEqual(script, reference("plot/starpu_demo_cholesky_gemm.gp"))
        ours = text_of(os.path.join(self.work, "starpu_demo_cholesky_gemm.data")).splitlines()
        theirs = reference("plot/starpu_demo_cholesky_gemm.data").splitlines()
        self.assertEqual(len(ours), 120)
        self.assertEqual([line.rsplit("\t", 1)[0] for line in ours], [line.rsplit("\t", 1)[0] for line in theirs])
        for our, their in zip(ours, theirs):
            # StarPU's adds the gap before a task, where that was short.
            self.assertLessEqual(float(our.split("\t")[2]), float(their.split("\t")[2]) + 2e-6)
        self.assertTrue(any(our == their for our, their in zip(ours, theirs)))
        self.assertIn("none.fxt", self.run_as("starpu_perfmodel_plot", "-s", "demo_cholesky_gemm", "-i", "none.fxt", status=1)[1])

    def test_plot_draws_watts(self):
        time, energy = "non_linear_memset_regression_based", "joules"
        codelets = os.path.join(self.work, "sampling/codelets/45")
        os.makedirs(codelets)
        model = text_of(os.path.join(self.folder, "codelets/45", time + ".node0"))
        self.folder = os.path.join(self.work, "sampling")
        for symbol in [time, energy]:
            with open(os.path.join(codelets, symbol + ".node0"), "w", encoding="utf-8") as file:
                file.write(model)
        self.run_as("starpu_perfmodel_plot", "-se", time, energy)
        script = text_of(os.path.join(self.work, f"starpu_power_{time}.gp"))
        self.assertIn('set ylabel "Power (W)"', script)
        self.assertIn(f'set output "starpu_power_{time}.eps"', script)
        # As many joules as the other says microseconds.
        lines = text_of(os.path.join(self.work, f"starpu_power_{time}_avg.data")).splitlines()
        self.assertEqual(len(lines), 25)
        for line in lines:
            self.assertEqual(float(line.split()[1]), 1e6)
        self.assertIn("Power (W)", self.run_as("tasklens", "perfmodel", "plot", time, "--watts", energy)[0])
        self.assertIn("use one of them",
                      self.run_as("starpu_perfmodel_plot", "-f", "-se", time, energy, status=2)[1])

    def test_plot_knows_combinations(self):
        self.publish("mirage")
        out, _ = self.run_as("starpu_perfmodel_plot", "-lc", "-s", "chol_model_22")
        self.assertIn("\tComb 3: 1 device\n\t\tDevice 0: type: cuda - devid: 2 - ncores: 1\n", out)
        self.run_as("starpu_perfmodel_plot", "-s", "chol_model_22", "-c", "1", "-o", "there")
        script = text_of(os.path.join(self.work, "there/starpu_chol_model_22.gp"))
        self.assertIn('using 1:2:3 with errorlines title "Average cuda0-impl0 (Comb1)"\n', script)
        self.assertNotIn("cpu0", script)

    def test_recdump_writes_the_records_of_starpus(self):
        # The memory's size is this machine's, where the host is; the file's machine is another one.
        expected = re.sub(r"Size: 11560738406\n", "", reference("perfmodel.rec"))
        self.assertEqual(self.run_as("starpu_perfmodel_recdump", TASKS)[0], expected)
        self.run_as("starpu_perfmodel_recdump", "-o", "all.rec")
        self.assertEqual(text_of(os.path.join(self.work, "all.rec")).count("\nSamples: "), 12 + 14 + 25)

    def test_recdump_tells_flops_where_tasks_had_the_same(self):
        self.folder = shutil.copytree(self.folder, os.path.join(self.work, "sampling"))
        path = os.path.join(self.folder, "codelets/45/demo_cholesky_potrf.node0")
        os.chmod(path, 0o644)
        text = text_of(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("1.092267e+04", "nan"))
        self.assertIn("Footprint: e5a07e31\nSize: 4096\nMean: 3.256143e+00", self.run_as("starpu_perfmodel_recdump")[0])

    def test_recdump_tells_of_transfers_where_the_bus_was_measured(self):
        self.publish("mirage")
        out, err = self.run_as("starpu_perfmodel_recdump")
        self.assertIn("Architecture: cuda2\nNbWorkers: 1\n", out)
        self.assertIn("MemoryNodeSrc: 0\nMemoryNodeDst: 1\nBandwidth: 6030.996807\nLatency: 9.836008\n", out)
        self.assertEqual(err, "")

    def test_complete_adds_estimates_and_keeps_everything_else(self):
        self.run_as("starpu_tasks_rec_complete", TASKS, "tasks2.rec")
        lines = text_of(os.path.join(self.work, "tasks2.rec")).splitlines()
        estimates = [line for line in lines if line.startswith("EstimatedTime: ")]
        self.assertEqual(len(estimates), text_of(TASKS).count("\nModel: "))
        self.assertEqual(estimates[0], "EstimatedTime: 3.256143e+00 3.256143e+00")
        self.assertEqual([line for line in lines if line not in estimates], text_of(TASKS).splitlines())

    def test_complete_leaves_tasks_without_a_model_alone(self):
        text = "Name: a\nModel: nobody\nFootprint: 1\n\nName: b\n\n"
        out, err = self.run_as("starpu_tasks_rec_complete", text=text)
        self.assertEqual(out, text)
        self.assertIn("no estimates for tasks without a model: nobody", err)

    def test_machine_tells_of_a_host_what_its_files_say(self):
        def comparable(text):
            return re.sub(r"Real hostname: \S+|\t(STARPU_PERF\S*|STARPU_HOST\S*|STARPU_NCPU\S*)\n", "", text)
        self.assertEqual(comparable(self.run_as("tasklens", "perfmodel", "machine")[0]),
                         comparable(reference("machine_display.txt")))
        self.publish("mirage")
        out, _ = self.run_as("tasklens", "perfmodel", "machine")
        self.assertIn("3 CUDA workers:\n\tCUDA 0\n", out)
        self.assertIn("from/to\tNUMA 0\tCUDA 0\t", out)
        self.assertIn("NUMA 0\t0\t6031\t6011\t6023\t", out)

    def machine(self, *words, program=MACHINE, status=0, **variables):
        """What starpu_machine_display prints on this machine, whose bus files lie in self.folder."""
        environment = {"PATH": os.environ["PATH"], "STARPU_HOSTNAME": self.host, "STARPU_PERF_MODEL_DIR": self.folder,
                       **variables}
        done = subprocess.run([program, *words], env=environment, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def buses(self):
        folder = os.path.join(self.folder, "bus")
        return {name: text_of(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}

    @unittest.skipUnless(os.path.exists(STARPUS_MACHINE), "starpu-tools is not installed")
    def test_machine_display_prints_what_starpus_prints_of_the_same_files(self):
        def comparable(text):
            # 1.3 names kinds otherwise than 1.4, has fewer of them, and says nothing of the host.
            text = re.sub(r"^Real hostname(.|\n)*?(?=StarPU has found|No CPU|\d+ CPU)", "", text)
            text = text.replace("STARPU_OPENCL_WORKER", "OpenCL")
            text = re.sub(r"STARPU_(\w+)_WORKER", r"\1", text)
            text = text.replace("sampling//bus", "sampling/bus").replace(self.folder + "//", self.folder + "/")
            return re.sub(r"No (FPGA|MPI_MS|TCPIP_MS|HIP) worker\n", "", text)
        self.host = "shared"
        for name, measured_by in [("theirs", STARPUS_MACHINE), ("ours", MACHINE)]:
            self.folder = os.path.join(self.work, name)  # (StarPU's cuts long paths off)
            self.machine(program=measured_by)  # nobody has measured the buses: it does
            buses = self.buses()
            self.assertEqual(list(buses), ["shared." + kind for kind in
                             ("affinity", "bandwidth", "config", "latency", "platform.v4.xml", "platform.xml")])
            for words, variables in [
                ([], {}), ([], {"STARPU_NCPU": "1"}), ([], {"STARPU_NCPU": "0"}), ([], {"STARPU_SCHED": "pheft"}),
                ([], {"STARPU_WORKERS_CPUID": "0"}), (["-i"], {}), (["--info"], {}),
            ]:
                with self.subTest(name, words=words, **variables):
                    self.assertEqual(comparable(self.machine(*words, **variables)),
                                     comparable(self.machine(*words, program=STARPUS_MACHINE, **variables)))
            self.assertEqual(buses, self.buses(), "no program has measured them again")

    def test_machine_display_shows_the_simulated_machine(self):
        self.publish("mirage")
        out = self.machine(STARPU_NSIM_CUDA="3", STARPU_NCPU="9")
        self.assertIn("(StarPU hostname: mirage)\nEnvironment variables\n\tSTARPU_NCPU=9\n\tSTARPU_NSIM_CUDA=3\n", out)
        self.assertIn("\n3 CUDA workers:\n\tCUDA 0", out)
        self.assertIn("\nfrom/to\tNUMA 0\tCUDA 0\tCUDA 1\tCUDA 2\t\nNUMA 0\t0\t6031\t6011\t6023\t\n", out)
        self.assertTrue(out.endswith("\nGPU\tNUMA in preference order (logical index), host-to-device, device-to-host\n"
                                     "CUDA_0\t 0\t\nCUDA_1\t 0\t\nCUDA_2\t 0\t\n"), out)

    def test_machine_display_prints_what_is_asked_for(self):
        self.publish("mirage")
        def said(*words, status=0):
            return self.machine(*words, status=status, STARPU_NSIM_CUDA="3", STARPU_NCPU="2")
        self.assertIn("\n\n3 CUDA workers:\n\tCUDA 0", said("-w", "cuda"))
        self.assertTrue(said("-w", "CUDA", "-c", "-n").endswith("=mirage\n\n3 CUDA workers\n"))
        self.assertIn("StarPU has found :\n2 CPU workers\n3 CUDA workers\n0 OpenCL workers\n", said("--count"))
        for absent in ["topology", "bandwidth"]:
            self.assertIn(absent, said())
            self.assertNotIn(absent, said("--notopology"))
        self.assertEqual(said("-i"), "".join(f"{kind:>9}: <{self.folder}/bus/mirage.{kind}>\n"
                                             for kind in ["bandwidth", "affinity", "latency"]))
        for words, why in [
            (["-w", "TPU"], "no workers are called 'TPU'; there are CPU, CUDA, OpenCL, FPGA, MPI_MS, TCPIP_MS, HIP"),
            (["-w"], "-w wants a value after it"), (["-y"], "unknown option '-y'; -h lists them"),
        ]:
            self.assertEqual(said(*words, status=2), f"starpu_machine_display: {why}\n")
        self.assertTrue(said("-h").startswith("usage: starpu_machine_display [-i] [-f] [-w KIND] [-c] [-n]\n"))
        self.assertEqual(said("--version"), "starpu_machine_display (TaskLens) 1.4.12\n")

    def test_machine_display_has_the_buses_measured_where_it_is_asked_to(self):
        self.host, self.folder = "measured", os.path.join(self.work, "measured")
        self.machine()
        before = self.buses()
        with open(os.path.join(self.folder, "bus/measured.latency"), "a", encoding="utf-8") as file:
            file.write("# old\n")
        self.machine()
        self.assertIn("# old", self.buses()["measured.latency"])
        self.assertIn("StarPU hostname: measured", self.machine("-f"))
        self.assertEqual(before, self.buses())
        for kind in ("platform.v4.xml", "platform.xml"):
            xml.etree.ElementTree.parse(os.path.join(self.folder, "bus", "measured." + kind))

    def test_machine_display_goes_on_where_buses_cannot_be_measured(self):
        self.folder = os.path.join(self.work, "file")
        with open(self.folder, "w", encoding="utf-8"):
            pass
        self.assertIn("\nbandwidth (MB/s) and latency (us)...\nfrom/to\tNUMA 0\t\n", self.machine())
        self.assertIn("buses are not measured", self.machine("--force", status=1))

    def test_calibrate_bus_has_starpus_options(self):
        def said(*words):
            done = subprocess.run([CALIBRATE, *words], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr
        self.assertEqual(said("-v"), (0, "starpu_calibrate_bus (TaskLens) 1.4.12\n", ""))
        self.assertEqual(said("--help")[0], 0)
        self.assertTrue(said("-h")[1].startswith("usage: starpu_calibrate_bus\n"))
        self.assertEqual(said("-x"), (1, "", "starpu_calibrate_bus: unknown option '-x'; -h says what there is\n"))

    def test_tasklens_perfmodel_does_the_same(self):
        show = ["perfmodel", "show", "demo_cholesky_gemm"]
        self.assertEqual(self.run_as("tasklens", *show)[0], reference("display-demo_cholesky_gemm.txt"))
        self.assertEqual(self.run_as("tasklens", *show, "--xml")[0], reference("display-demo_cholesky_gemm.xml"))
        self.assertEqual(self.run_as("tasklens", "perfmodel")[0], self.display("-l")[0])
        self.assertEqual(self.run_as("tasklens", "perfmodel", "records", TASKS)[0],
                         self.run_as("starpu_perfmodel_recdump", TASKS)[0])
        self.assertIn("name a model", self.run_as("tasklens", "perfmodel", "show", status=2)[1])

    def test_tasklens_perfmodel_says_how_models_come_about(self):
        self.folder = self.work
        self.assertIn("STARPU_CALIBRATE=1", self.run_as("tasklens", "perfmodel", "show", "gemm", status=1)[1])
        listed, _ = self.run_as("tasklens", "perfmodel", HOME=self.work)
        # StarPU's package may have installed some.
        self.assertTrue("STARPU_CALIBRATE=1" in listed or "file: <" in listed, listed)

    def test_tasklens_perfmodel_draws(self):
        self.publish("mirage")
        svg, _ = self.run_as("tasklens", "perfmodel", "plot", "chol_model_22")
        self.assertIn("Time (ms)", svg)
        root = xml.etree.ElementTree.fromstring(svg)
        space = "{http://www.w3.org/2000/svg}"
        curves = [g for g in root.iter(space + "g") if g.get("class") == "curve"]
        self.assertEqual([g.get("data-name") for g in curves],
                         ["cpu0_impl0 (Comb0)"] + [f"cuda{i}_impl0 (Comb{i + 1})" for i in range(3)])
        for curve in curves:
            self.assertEqual(len(list(curve.iter(space + "title"))), 3)


if __name__ == "__main__":
    unittest.main()
