#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What any editor gains without a plugin: hovers, hints, call hierarchy, references, advice."""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import EDITOR, STARPU, TASKLENS, Client, main  # noqa: E402

CHOLESKY = os.path.join(STARPU, "cholesky_lws/prof_file_0")
SOURCE = os.path.join(STARPU, "src/cholesky.c")


class Language(unittest.TestCase):
    def cholesky(self, **params):
        c = Client(**params)
        c.source = c.root + "/cholesky.c"
        shutil.copy(SOURCE, c.source)
        os.utime(c.source, (0, 0))
        c.uri = "file://" + c.source
        with open(c.source, encoding="utf-8") as file:
            c.text = file.read()
        c.lines = c.text.split("\n")
        c.open(CHOLESKY)
        return c

    def line_of(self, c, text):
        return next(i for i, line in enumerate(c.lines) if text in line)

    def site_of(self, c, name):
        """The line that submits the codelet."""
        symbols = c.request("workspace/symbol", {"query": name})
        return next(s["location"]["range"]["start"]["line"] for s in symbols if s["name"].endswith(name))

    def at(self, c, line, text=None):
        column = c.lines[line].index(text) if text else 0
        position = {"line": line, "character": column}
        return {"textDocument": {"uri": c.uri}, "position": position}

    def hover(self, c, *place):
        """The hover once the trace is analysed."""
        while True:
            reply = c.request("textDocument/hover", self.at(c, *place))
            if reply is None or "in a moment" not in reply["contents"]["value"]:
                return reply and reply["contents"]["value"]

    def site_lines(self, c):
        return [lens["range"]["start"]["line"] for lens in c.lenses(c.uri)]

    def test_hover_of_a_site_has_its_table(self):
        with self.cholesky() as c:
            line = self.site_of(c, "gemm")
            text = self.hover(c, line)
            self.assertIn("| codelet | on | tasks |", text)
            self.assertRegex(text, r"\| demo\\_cholesky\\_gemm \| CPU \| \d+ \| [\d.]+ [µm]s \|")
            self.assertIn("median", text)
            self.assertIn("workers", text)
            self.assertIsNone(self.hover(c, 0))

    def test_a_trace_that_lost_data_says_so_wherever_it_is_told_of(self):
        with Client() as c:
            c.source = shutil.copy(SOURCE, c.root)
            os.utime(c.source, (0, 0))
            c.uri = "file://" + c.source
            with open(c.source, encoding="utf-8") as file:
                c.lines = file.read().split("\n")
            with open(CHOLESKY, "rb") as whole, open(c.root + "/prof_file_0", "wb") as part:
                part.write(whole.read()[:60000])
            c.open(c.root + "/prof_file_0")
            lenses = c.lenses(c.uri)
            self.assertTrue(lenses)
            for lens in lenses:
                self.assertIn(" · the trace lost data", lens["command"]["title"])
            value = self.hover(c, lenses[0]["range"]["start"]["line"])
            self.assertIn(" · the trace lost data**", value)
            self.assertRegex(value, r"\nlost: 1 × fxt\\_truncated: ")
            shown = c.request("tasklens/showSite", lenses[0]["command"]["arguments"][0])
            self.assertTrue(shown["dataLoss"])
            self.assertIn(" · the trace lost data", shown["text"])
        with self.cholesky() as c:
            (lens, *_) = c.lenses(c.uri)
            self.assertNotIn("lost", lens["command"]["title"])
            self.assertNotIn("lost", self.hover(c, lens["range"]["start"]["line"]))
            self.assertFalse(c.request("tasklens/showSite", lens["command"]["arguments"][0])["dataLoss"])

    def test_hover_of_a_codelet_sums_it_up(self):
        with self.cholesky() as c:
            self.hover(c, self.site_of(c, "gemm"))  # wait for the analysis
            line = self.line_of(c, "starpu_codelet gemm")
            self.assertRegex(self.hover(c, line, "gemm"), r"^\*\*demo\\_cholesky\\_gemm\*\*: \d+ tasks")

    def test_names_in_hovers_are_no_markup(self):
        with self.cholesky() as c:
            for line in self.site_lines(c):
                self.assertNotIn("<", self.hover(c, line))

    def test_hints_stand_behind_the_sites(self):
        with self.cholesky() as c:
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
            params = {"textDocument": {"uri": c.uri}, "range": whole}
            hints = c.request("textDocument/inlayHint", params)
            self.assertEqual(
                sorted({hint["position"]["line"] for hint in hints}), sorted(set(self.site_lines(c)))
            )
            for hint in hints:
                self.assertRegex(hint["label"], r"^\d+ × [\d.]+ [nµm]?s$")
                line = c.lines[hint["position"]["line"]]
                self.assertEqual(hint["position"]["character"], len(line.rstrip()))
            params["range"] = {"start": whole["start"], "end": whole["start"]}
            self.assertEqual(c.request("textDocument/inlayHint", params), [])

    def test_call_hierarchy_follows_the_dependencies(self):
        with self.cholesky() as c:
            line = self.site_of(c, "potrf")
            self.hover(c, line)
            items = c.request("textDocument/prepareCallHierarchy", self.at(c, line))
            self.assertEqual([item["name"] for item in items], ["demo_cholesky_potrf"])
            incoming = c.request("callHierarchy/incomingCalls", {"item": items[0]})
            self.assertEqual({call["from"]["name"] for call in incoming}, {"demo_cholesky_syrk"})
            outgoing = c.request("callHierarchy/outgoingCalls", {"item": items[0]})
            self.assertEqual({call["to"]["name"] for call in outgoing}, {"demo_cholesky_trsm"})
            self.assertRegex(outgoing[0]["to"]["detail"], r"^\d+ dependenc(y|ies) · ")
            self.assertEqual(outgoing[0]["fromRanges"], [items[0]["range"]])
            self.assertIsNone(c.request("textDocument/prepareCallHierarchy", self.at(c, 0)))
            code, _ = c.error("callHierarchy/incomingCalls", {"item": {"data": {}}})
            self.assertEqual(code, -32602)

    def test_references_and_definition_connect_codelet_kernel_and_site(self):
        with self.cholesky() as c:
            site = self.site_of(c, "trsm")
            variable = self.line_of(c, "starpu_codelet trsm")
            places = c.request("textDocument/references", {
                **self.at(c, variable, "trsm"), "context": {"includeDeclaration": False}})
            self.assertEqual([p["range"]["start"]["line"] for p in places], [site])
            places = c.request("textDocument/definition", self.at(c, site))
            lines = [p["range"]["start"]["line"] for p in places]
            self.assertIn(variable, lines)
            kernels = [line for line in lines if line != variable]
            self.assertTrue(all("trsm" in c.lines[line] for line in kernels), kernels)
            self.assertTrue(kernels)

    def test_symbols_are_sites_by_name_and_tasks_by_job(self):
        with self.cholesky() as c:
            symbols = c.request("workspace/symbol", {"query": "PTRF"})
            self.assertEqual([symbol["name"] for symbol in symbols], ["demo_cholesky_potrf"])
            job = c.request("tasklens/tasksAt", {"uri": c.uri, "line": self.site_lines(c)[0]})
            job = job["tasks"][0]["job"]
            symbols = c.request("workspace/symbol", {"query": f"#{job}"})
            self.assertTrue(symbols[0]["name"].startswith(f"#{job} "))
            for query in ("#", "#x", "#99999999999999999999", "nothing like it"):
                self.assertEqual(c.request("workspace/symbol", {"query": query}), [])

    def test_symbols_are_those_of_all_open_traces(self):
        tags = {"workspace": {"symbol": {"tagSupport": {"valueSet": [1]}}}}
        for able in (tags, {}):
            with self.cholesky(capabilities=able) as c:
                shutil.copy(os.path.join(STARPU, "src/tags.c"), c.root)
                c.open(os.path.join(STARPU, "tags/prof_file_0"))
                c.open(os.path.join(STARPU, "cholesky_dmdas/prof_file_0"))
                symbols = c.request("workspace/symbol", {"query": ""})
                files = {os.path.basename(symbol["location"]["uri"]) for symbol in symbols}
                self.assertEqual(files, {"cholesky.c", "tags.c"})
                places = [
                    (s["name"], s["location"]["uri"], s["location"]["range"]["start"]["line"])
                    for s in symbols
                ]
                self.assertEqual(len(places), len(set(places)))
                self.assertFalse(any("tags" in symbol for symbol in symbols))
                tagged = c.request("tasklens/search", {"trace": "t2", "text": ""})
                self.assertEqual(tagged["count"], 0)
                # A line that was rewritten since is marked, where the client can show that.
                c.request("tasklens/closeTrace", {"trace": "t3"})
                site = self.site_of(c, "potrf")
                lines = list(c.lines)
                lines[site] = "nothing();"
                c.did_open(c.uri, "\n".join(lines))
                (symbol,) = c.request("workspace/symbol", {"query": "PTRF"})
                self.assertEqual(symbol.get("tags"), [1] if able else None)

    def test_symbols_are_found_by_tag(self):
        with Client() as c:
            shutil.copy(os.path.join(STARPU, "src/tags.c"), c.root)
            os.utime(c.root + "/tags.c", (0, 0))
            c.open(os.path.join(STARPU, "tags/prof_file_0"))
            found = 0
            for task in range(c.request("tasklens/traces")["traces"][0]["tasks"]):
                fields = c.request("tasklens/task", {"task": task})["fields"]
                tag = next((f["text"] for f in fields if f["name"] == "Tag"), None)
                if tag in (None, "none"):
                    continue
                symbols = c.request("workspace/symbol", {"query": f"#{int(tag, 0)}"})
                self.assertIn(f"(tag {int(tag, 0)})", " ".join(s["name"] for s in symbols))
                # As generated files write it.
                self.assertEqual(c.request("workspace/symbol", {"query": f"#{int(tag, 0):#x}"}), symbols)
                found += 1
            self.assertGreater(found, 0)

    def test_generated_files_lead_to_the_source(self):
        with self.cholesky() as c:
            site = self.site_lines(c)[0]
            record = f"Name: potrf\nFile: {c.source}\nLine: {site + 1}\n\nName: other\n"
            rec = c.write("tasks.rec", record)
            dot = c.write("dag.dot", f'digraph {{\n"t" [ href="{c.source}#{site + 1}" ]\n}}\n')
            for path, line in ((rec, 0), (rec, 2), (dot, 1)):
                place = {"line": line, "character": 0}
                params = {"textDocument": {"uri": "file://" + path}, "position": place}
                found = c.request("textDocument/definition", params)
                self.assertEqual(found["uri"], c.uri)
                self.assertEqual(found["range"]["start"]["line"], site)
            params = {"textDocument": {"uri": "file://" + rec}, "position": {"line": 4, "character": 0}}
            self.assertIsNone(c.request("textDocument/definition", params))
            for path in (rec, dot):
                links = c.request(
                    "textDocument/documentLink", {"textDocument": {"uri": "file://" + path}}
                )
                self.assertEqual([link["target"] for link in links], [f"{c.uri}#L{site + 1}"])
            # Edits since the run move them.
            c.did_open(c.uri, "\n\n\n" + c.text)
            for path, line in ((rec, 0), (dot, 1)):
                found = self.definition(c, path, line)
                self.assertEqual(found["range"]["start"]["line"], site + 3)
                params = {"textDocument": {"uri": "file://" + path}}
                links = c.request("textDocument/documentLink", params)
                self.assertEqual([link["target"] for link in links], [f"{c.uri}#L{site + 4}"])
                place = {"position": {"line": line, "character": 0}, **params}
                self.assertIn("tasks", c.request("textDocument/hover", place)["contents"]["value"])
            c.notify("textDocument/didClose", {"textDocument": {"uri": c.uri}})
            rec = c.write("outside.rec", "File: /etc/passwd\nLine: 1\n")
            params = {"textDocument": {"uri": "file://" + rec}}
            self.assertEqual(c.request("textDocument/documentLink", params), [])

    def paraver(self, c, line):
        """A trace of Paraver's whose second record names line `line` of the source."""
        labels = c.write(
            "run.pcf",
            "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n\n"
            "STATES\n0    Idle\n1    Running\n\n\n"
            "EVENT_TYPE\n0    60000119    Line of the function\n0    60000219    The same\nVALUES\n"
            f"1      {line} (cholesky.c, {c.source})\n2      potrf (cholesky.c:{line})\n"
            "3      9 (passwd, /etc/passwd)\n\n\n"
            "EVENT_TYPE\n9    40000001    Application\nVALUES\n0      End\n1      *Begin*\n",
        )
        trace = c.write(
            "run.prv",
            "#Paraver (21/11/2026 at 12:00):2000000_ns:1(2):1:1(2:1)\n"
            "1:1:1:1:1:0:1500:1\n"
            "2:1:1:1:1:1500:40000001:1:60000219:1\n"
            "2:1:1:1:2:1600:40000001:0:60000119:3:7:7\n"
            "3:1:1:1:1:100:110:2:1:1:2:300:320:64:7\n"
            "2:1:1:1:2:x\n",
        )
        return labels, trace

    def test_files_of_paraver_lead_to_the_source(self):
        with self.cholesky() as c:
            site = self.site_lines(c)[0]
            labels, trace = self.paraver(c, site + 1)
            for path, line in ((labels, 15), (labels, 16), (trace, 2)):
                found = self.definition(c, path, line)
                self.assertEqual((found["uri"], found["range"]["start"]["line"]), (c.uri, site), line)
            for path, line in ((labels, 0), (labels, 7), (labels, 17), (trace, 0), (trace, 1), (trace, 3)):
                self.assertIsNone(self.definition(c, path, line), (path, line))
            document = {"textDocument": {"uri": "file://" + labels}}
            links = c.request("textDocument/documentLink", document)
            self.assertEqual([link["target"] for link in links], [f"{c.uri}#L{site + 1}"] * 2)
            self.assertEqual(links[1]["range"]["start"], {"line": 16, "character": 14})
            symbols = c.request("textDocument/documentSymbol", document)
            self.assertEqual(
                [(row["name"], row["detail"], row["range"]["end"]["line"]) for row in symbols],
                [
                    ("DEFAULT_OPTIONS", "", 3),
                    ("STATES", "", 8),
                    ("Line of the function", "event type 60000119", 17),
                    ("Application", "event type 40000001", 24),
                ],
            )
            folds = c.request("textDocument/foldingRange", document)
            self.assertEqual([fold["startLine"] for fold in folds], [0, 6, 11, 20])
            document = {"textDocument": {"uri": "file://" + trace}}
            (link,) = c.request("textDocument/documentLink", document)
            self.assertEqual(link["target"], f"{c.uri}#L{site + 1}")
            self.assertEqual(
                link["range"],
                {"start": {"line": 2, "character": 26}, "end": {"line": 2, "character": 36}},
            )
            (header,) = c.request("textDocument/documentSymbol", document)
            self.assertIn("#Paraver", header["name"])

    def test_records_of_paraver_are_said_in_words(self):
        with self.cholesky() as c:
            site = self.site_lines(c)[0]
            labels, trace = self.paraver(c, site + 1)

            def hover(path, line):
                place = {"textDocument": {"uri": "file://" + path}, "position": {"line": line, "character": 0}}
                found = c.request("textDocument/hover", place)
                return found and found["contents"]["value"]

            self.assertIn("**Running (1)**: thread 1.1.1 on CPU 1", hover(trace, 1))
            self.assertIn("from 0 ns to 1.50 µs, 1.50 µs", hover(trace, 1))
            events = hover(trace, 2)
            self.assertIn("at 1.50 µs, thread 1.1.1 on CPU 1", events)
            self.assertIn("| Application (40000001) | \\*Begin\\* (1) |", events)
            self.assertIn("tasks", events.split("---")[-1])
            self.assertIn("| 7 | 7 |", hover(trace, 3))
            self.assertIn("**message** of 64 bytes, tag 7", hover(trace, 4))
            self.assertIn("sent at 100 ns by thread 1.1.1 on CPU 1; received at 320 ns", hover(trace, 4))
            self.assertIsNone(hover(trace, 5))
            self.assertIn("tasks", hover(labels, 15))
            self.assertIsNone(hover(labels, 8))

    def generated(self, c):
        """What we write of the trace, beside a copy of it that is open."""
        folder = c.root + "/out"
        os.mkdir(folder)
        trace = shutil.copy(CHOLESKY, folder)
        subprocess.run([TASKLENS, "convert", trace, "-o", folder], check=True, stderr=subprocess.DEVNULL)
        printed = subprocess.run([TASKLENS, "print", trace], check=True, capture_output=True)
        with open(folder + "/run.events", "wb") as file:
            file.write(printed.stdout)
        shutil.copy(folder + "/run.events", folder + "/run.txt")
        c.request("tasklens/closeTrace", {"trace": "t1"})
        c.open(trace)
        return folder

    def definition(self, c, path, line):
        place = {"line": line, "character": 0}
        return c.request(
            "textDocument/definition", {"textDocument": {"uri": "file://" + path}, "position": place}
        )

    def test_events_of_jobs_lead_to_the_line_that_submitted_them(self):
        with self.cholesky() as c:
            folder = self.generated(c)
            with open(folder + "/tasks.rec", encoding="utf-8") as file:
                records = [dict(line.split(": ", 1) for line in r.split("\n")) for r in
                           file.read().strip().split("\n\n")]  # fmt: skip
            line_of = {r["JobId"]: int(r["Line"]) for r in records if "Line" in r}
            with open(folder + "/paje.trace", encoding="utf-8") as file:
                events = file.read().split("\n")
            found = 0
            for number, event in enumerate(events):
                if event.startswith("20\t"):
                    job = event.split("\t")[9].strip('"')
                    place = self.definition(c, folder + "/paje.trace", number)
                    if job in line_of:
                        self.assertEqual(place["range"]["start"]["line"] + 1, line_of[job], event)
                        found += 1
            self.assertGreater(found, 20)
            for name in ("run.events", "run.txt"):
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    lines = file.read().split("\n")
                for kind in ("task_start", "task_site", "task_submit"):
                    number = next(
                        i for i, line in enumerate(lines)
                        if f" {kind}: " in line and line_of.get(re.search(r"task (\d+)", line)[1])
                    )  # fmt: skip
                    job = re.search(r"task (\d+)", lines[number])[1]
                    place = self.definition(c, f"{folder}/{name}", number)
                    self.assertEqual(place["range"]["start"]["line"] + 1, line_of[job], lines[number])
                    hover = c.request("textDocument/hover", {
                        "textDocument": {"uri": f"file://{folder}/{name}"},
                        "position": {"line": number, "character": 0}})  # fmt: skip
                    self.assertIn("tasks · ", hover["contents"]["value"])
                self.assertIsNone(self.definition(c, f"{folder}/{name}", 0))
            for name in ("paje.trace", "run.events"):
                document = {"textDocument": {"uri": f"file://{folder}/{name}"}}
                links = c.request("textDocument/documentLink", document)
                self.assertGreater(len(links), 20)
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    lines = file.read().split("\n")
                for link in links:
                    start, end = link["range"]["start"], link["range"]["end"]
                    text = lines[start["line"]][start["character"] : end["character"]]
                    target = link["target"].removeprefix(c.uri + "#L")
                    if text in line_of:  # else it names the line itself
                        self.assertEqual(int(target), line_of[text])
            self.assertIsNone(self.definition(c, folder + "/paje.trace", 0))
            self.assertIsNone(self.definition(c, folder + "/paje.trace", 10**8))

    def test_generated_files_have_symbols_and_folds(self):
        with self.cholesky() as c:
            folder = self.generated(c)
            for name, some, folds in (
                ("tasks.rec", "demo_cholesky_gemm", True),
                ("dag.dot", "demo_cholesky_gemm", False),
                ("paje.trace", "PajeSetState", True),
                ("run.events", "demo_cholesky_gemm", True),
                ("run.events", "CPU0", True),
            ):
                document = {"textDocument": {"uri": f"file://{folder}/{name}"}}
                symbols = c.request("textDocument/documentSymbol", document)
                self.assertIn(some, [symbol["name"] for symbol in symbols])
                ranges = c.request("textDocument/foldingRange", document)
                self.assertEqual(bool(ranges), folds, name)
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    lines = file.read().split("\n")
                for symbol in symbols:
                    self.assertLess(symbol["range"]["end"]["line"], len(lines))
            document = {"textDocument": {"uri": c.uri}}
            self.assertEqual(c.request("textDocument/documentSymbol", document), [])
            self.assertEqual(c.request("textDocument/foldingRange", document), [])

    def test_places_in_large_generated_files_are_found(self):
        with self.cholesky() as c:
            folder = self.generated(c)
            with open(folder + "/tasks.rec", encoding="utf-8") as file:
                records = file.read()
            times = (17 << 20) // len(records) + 1
            with open(folder + "/large.rec", "w", encoding="utf-8") as file:
                for _ in range(times):
                    file.write(records)
            lines = records.count("\n")
            number = records[: records.index("\nLine: ")].count("\n") + 1
            first = self.definition(c, folder + "/large.rec", number)
            self.assertEqual(first["uri"], c.uri)
            self.assertEqual(self.definition(c, folder + "/large.rec", (times - 1) * lines + number), first)
            self.assertIsNone(self.definition(c, folder + "/large.rec", times * lines + 10))
            document = {"textDocument": {"uri": f"file://{folder}/large.rec"}}
            self.assertEqual(len(c.request("textDocument/documentSymbol", document)), 10000)
            self.assertEqual(len(c.request("textDocument/documentLink", document)), 5000)

    def advice(self, c):
        """The next diagnostics of the source; the first come when the trace is analysed."""
        name = "textDocument/publishDiagnostics"
        params = c.wait_for(name, lambda params: params["uri"] == c.uri)
        c.notifications.remove((name, params))
        return params["diagnostics"]

    def test_advice_is_published_at_its_lines_and_follows_them(self):
        related = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
        with self.cholesky(capabilities=related) as c:
            found = self.advice(c)
            self.assertTrue(found)
            for diagnostic in found:
                self.assertEqual(diagnostic["source"], "tasklens")
                self.assertIn(diagnostic["range"]["start"]["line"], self.site_lines(c))
                self.assertTrue(diagnostic["data"]["evidence"])
                own = diagnostic["range"]["start"]["line"]
                for related in diagnostic.get("relatedInformation", []):
                    line = related["location"]["range"]["start"]["line"]
                    self.assertIn(line, self.site_lines(c))
                    self.assertNotEqual(line, own)
                    self.assertRegex(related["message"], r"^\d+ dependenc(y|ies) of ")
            self.assertTrue(any(d.get("relatedInformation") for d in found))
            c.did_open(c.uri, "\n\n" + c.text)
            moved = self.advice(c)
            self.assertEqual(
                [d["range"]["start"]["line"] - 2 for d in moved],
                [d["range"]["start"]["line"] for d in found],
            )
            c.request("tasklens/closeTrace", {"trace": "t1"})
            self.assertEqual(self.advice(c), [])

    def test_advice_is_told_again_when_a_file_is_opened_again(self):
        with self.cholesky() as c:
            found = self.advice(c)
            self.assertTrue(found)
            for _ in range(2):
                c.did_open(c.uri, c.text)
                c.request("tasklens/traces")  # answered after what came before it
                told = [
                    params["diagnostics"]
                    for name, params in c.notifications
                    if name == "textDocument/publishDiagnostics" and params["uri"] == c.uri
                ]
                self.assertEqual(told, [found])
                c.notifications.clear()
                c.notify("textDocument/didClose", {"textDocument": {"uri": c.uri}})

    def test_advice_is_silenced_by_its_code_actions(self):
        with self.cholesky() as c:
            first = self.advice(c)[0]
            params = {"textDocument": {"uri": c.uri}, "range": first["range"], "context": {"diagnostics": []}}
            actions = c.request("textDocument/codeAction", params)
            here = next(a for a in actions if a["title"] == f"Ignore {first['code']} here")
            in_file = next(
                a for a in actions if a["title"] == f"Ignore {first['code']} in this file"
            )
            edit = here["edit"]["changes"][c.uri][0]
            lines = list(c.lines)
            lines.insert(edit["range"]["start"]["line"], edit["newText"].rstrip("\n"))
            c.did_open(c.uri, "\n".join(lines))
            same = [
                d
                for d in self.advice(c)
                if d["code"] == first["code"] and d["message"] == first["message"]
            ]
            self.assertEqual(same, [])
            insertion = in_file["edit"]["changes"][c.uri][0]["newText"]
        with self.cholesky() as c:
            self.advice(c)
            c.did_open(c.uri, insertion + c.text)
            self.assertNotIn(first["code"], [d["code"] for d in self.advice(c)])

    def project_action(self, c, diagnostic):
        params = {"textDocument": {"uri": c.uri}, "range": diagnostic["range"], "context": {"diagnostics": []}}
        title = f"Ignore {diagnostic['code']} in this project"
        return next(a for a in c.request("textDocument/codeAction", params) if a["title"] == title)["command"]

    def test_advice_is_silenced_in_the_project_by_a_code_action(self):
        with self.cholesky() as c:
            first = self.advice(c)[0]
            rule = first["code"]
            c.write(".tasklens/silenced-rules", "# ours\nsome-other-rule  # as agreed")
            command = self.project_action(c, first)
            for _ in range(2):  # the second time changes nothing
                answer = c.request("workspace/executeCommand", {k: command[k] for k in ("command", "arguments")})
            self.assertEqual(answer["uri"], "file://" + c.root + "/.tasklens/silenced-rules")
            with open(c.root + "/.tasklens/silenced-rules", encoding="utf-8") as file:
                self.assertEqual(file.read(), f"# ours\nsome-other-rule  # as agreed\n{rule}\n")
            self.assertNotIn(rule, [d["code"] for d in self.advice(c)])
            for method in ("tasklens/advice", "tasklens/overview"):
                self.assertNotIn(rule, [f["rule"] for f in c.request(method)["findings"]])
            with self.cholesky(root=c.root) as later:
                self.assertNotIn(rule, [f["rule"] for f in later.request("tasklens/advice")["findings"]])

    def test_only_rules_that_there_are_are_silenced_and_only_in_the_workspace(self):
        with self.cholesky() as c:
            self.assertIn("no rule of advice is called 'x'; there are: ", c.error("tasklens/silence", {"rule": "x"})[1])
            rule = self.advice(c)[0]["code"]
            self.assertEqual(
                c.error("tasklens/silence", {"rule": rule, "line": 3})[1], "params.line needs the uri of its file"
            )
            self.assertEqual(
                c.error("tasklens/silence", {"rule": rule, "uri": c.uri, "line": 4000000000})[1],
                f"this editor does not take edits from the server; write /* tasklens: ignore {rule} */ above the line",
            )
            outside = c.write("outside", "")
            os.mkdir(c.root + "/.tasklens")
            os.symlink(outside, c.root + "/.tasklens/silenced-rules")
            self.assertIn("is a symbolic link, which is not followed", c.error("tasklens/silence", {"rule": rule})[1])
            self.assertEqual(os.path.getsize(outside), 0)
        with Client(workspaceFolders=None) as c:
            self.assertIn("to the setting silencedRules", c.error("tasklens/silence", {"rule": rule})[1])

    def test_a_comment_is_written_only_into_files_of_the_workspace(self):
        edits = {**EDITOR, "workspace": {**EDITOR["workspace"], "applyEdit": True}}
        with self.cholesky(capabilities=edits) as c:
            rule = self.advice(c)[0]["code"]
            for uri, why in (
                ("file:///etc/passwd", "not in the workspace, nor in a folder of the setting sourceRoots"),
                (f"file://{c.root}/none.c", "no such file"),
                ("untitled:x", "no such file"),
            ):
                message = c.error("tasklens/silence", {"rule": rule, "uri": uri})[1]
                self.assertEqual(message, f"{uri}: {why}")
            self.assertEqual([method for method, _ in c.asked if method == "workspace/applyEdit"], [])

    def test_a_list_of_silenced_rules_written_by_hand_counts_when_it_is_saved(self):
        with self.cholesky() as c:
            rule = self.advice(c)[0]["code"]
            path = c.write(".tasklens/silenced-rules", rule + "\n")
            saved = {"textDocument": {"uri": "file://" + path}}
            c.notify("textDocument/didSave", saved)
            self.assertNotIn(rule, [d["code"] for d in self.advice(c)])
            os.unlink(path)
            c.notify("textDocument/didSave", saved)
            self.assertIn(rule, [d["code"] for d in self.advice(c)])

    def test_advice_is_silenced_in_the_project_by_a_setting(self):
        with self.cholesky() as c:
            rules = sorted({d["code"] for d in self.advice(c)})
            c.notify(
                "workspace/didChangeConfiguration",
                {"settings": {"tasklens": {"silencedRules": rules}}},
            )
            self.assertEqual(self.advice(c), [])


if __name__ == "__main__":
    main()
