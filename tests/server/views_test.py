#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The view requests on real traces: columns are equally long and point into their tables, groups
open and close, pictures show what is answered, numbers agree with each other and with the commands."""

import array
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, TASKLENS, Client, main  # noqa: E402
from protocol import camel  # noqa: E402

HELLO = os.path.join(STARPU, "hello/prof_file_0")
CHOLESKY = os.path.join(STARPU, "cholesky_lws/prof_file_0")
STENCIL = os.path.join(STARPU, "stencil_2k/prof_file_0")
TRACES = ["cholesky_lws", "tags", "mpi2", "mem_reclaim", "two_ctx"]


def command(*arguments):
    done = subprocess.run([TASKLENS, *arguments, "--json"], capture_output=True, check=True)
    answer = json.loads(done.stdout)
    assert answer.pop("version") == 1
    return answer


def rows(columns):
    """A table of columns as a list of rows."""
    lengths = {len(column) for column in columns.values() if column is not None}
    assert len(lengths) <= 1, {name: len(column) for name, column in columns.items()}
    keys = [name for name, column in columns.items() if column is not None]
    return [dict(zip(keys, row)) for row in zip(*(columns[key] for key in keys))]


def layers(timeline):
    return [layer for row in timeline["rows"] for layer in row["layers"]]


def unpack(column):
    """The type and the values of a packed column."""
    ((type, text),) = column.items()
    codes = {"i8": "b", "i16": "h", "i32": "i", "f32": "f", "f64": "d"}
    return type, list(array.array(codes[type], base64.b64decode(text, validate=True)))


def marked(answer):
    """The tasks of `marks`."""
    _, marks = unpack(answer["marks"])
    return {task for task in range(8 * len(marks)) if marks[task // 8] >> task % 8 & 1}


def boxes_of(svg):
    """The corner and the size of each node and frame of a picture of a graph, by id."""
    found = re.findall(
        r'id="([^"]*)"[^>]*>(?:<title>[^<]*</title>)?<rect x="([-\d.]+)" y="([-\d.]+)" '
        r'width="([\d.]+)" height="([\d.]+)"',
        svg,
    )
    return {id: tuple(map(float, box)) for id, *box in found}


def overlap(a, b):
    """By more than is lost when numbers are rounded to a tenth."""
    return all(min(a[i] + a[i + 2], b[i] + b[i + 2]) - max(a[i], b[i]) > 0.2 for i in (0, 1))


class Graphs(unittest.TestCase):
    def check(self, graph):
        """The nodes, after what must hold for every graph."""
        nodes, texts = rows(graph["nodes"]), graph["texts"]
        self.assertEqual(len(texts["ids"]), len(nodes))
        self.assertEqual(len(set(texts["ids"])), len(nodes))
        for i, node in enumerate(nodes):
            node["id"] = texts["ids"][i]
            node["name"] = texts["labels"][node["label"]]
            self.assertLess(node["colour"], len(graph["legend"]["entries"]))
            self.assertLess(node["frame"], len(texts["frames"]))
            kind = texts["kinds"][node["kind"]]
            self.assertEqual(kind == "task", node["task"] >= 0)
            self.assertEqual(kind == "group", node["canOpen"] == 1)
            if node["site"] >= 0:
                self.assertIn(str(node["site"]), texts["sites"])
        for edge in rows(graph["edges"]):
            self.assertLess(max(edge["from"], edge["to"]), len(nodes))
        return nodes

    def test_columns_agree_on_every_trace(self):
        with Client() as c:
            for trace in TRACES:
                c.open(os.path.join(STARPU, trace))
                for params in ({}, {"group": ["codelet"]}, {"group": ["worker", "iteration"]}):
                    graph = c.request("tasklens/graph", params)
                    self.assertEqual(
                        sum(node["tasks"] for node in self.check(graph)), graph["tasksShown"]
                    )

    def test_a_picture_shows_what_is_answered_in_every_layout(self):
        with Client() as c:
            c.open(CHOLESKY)
            for params in ({}, {"group": ["codelet"]}, {"task": 20}):
                graph = c.request("tasklens/graph", params)
                self.assertIsNone(graph["svg"])
                for layout in ("auto", "graphviz", "levels", "time"):
                    drawn = c.request("tasklens/graph", {**params, "svg": True, "layout": layout})
                    boxes = boxes_of(drawn.pop("svg"))
                    self.assertEqual(drawn, {k: v for k, v in graph.items() if k != "svg"})
                    self.assertLessEqual(set(graph["texts"]["ids"]), boxes.keys(), layout)

    def test_few_tasks_are_shown_one_by_one(self):
        with Client() as c:
            c.open(CHOLESKY)
            for few in ({}, {"group": []}):
                graph = c.request("tasklens/graph", few)
                tasks = [n["tasks"] for n in rows(graph["nodes"]) if n["task"] >= 0]
                self.assertEqual(tasks, [1] * graph["tasksTotal"])

    def test_opens_and_closes_groups(self):
        with Client() as c:
            c.open(STENCIL)
            ask = {"group": ["iteration", "codelet"]}
            closed = c.request("tasklens/graph", ask)
            before = self.check(closed)
            self.assertRegex(
                closed["caption"], r"^[\d,]+ of [\d,]+ tasks in [\d,]+ groups?(, .*)?$"
            )
            group = next(n for n in before if n["canOpen"] and n["tasks"] > 3)
            opened = c.request("tasklens/graph", {**ask, "open": [group["id"]]})
            after = {node["id"]: node for node in self.check(opened)}
            self.assertEqual(opened["texts"]["frames"], [group["id"]])
            inside = [node for node in after.values() if node["frame"] == 0]
            self.assertEqual(sum(node["tasks"] for node in inside), group["tasks"])
            self.assertLess({node["id"] for node in before} - {group["id"]}, after.keys())
            again = c.request("tasklens/graph", ask)
            self.assertEqual(again, closed)

    def test_say_which_groups_are_around_a_task_and_which_tasks_are_in_a_group(self):
        with Client() as c:
            c.open(STENCIL)
            for group in (["iteration", "codelet"], ["codelet"], ["site"], ["levels", "codelet"]):
                around = c.request("tasklens/group", {"group": group, "task": 1000})["groups"]
                self.assertGreater(len(around), 0)
                graph = c.request("tasklens/graph", {"group": group, "open": around})
                self.assertEqual(sorted(graph["texts"]["frames"]), sorted(around))
                nodes = rows(graph["nodes"])
                self.assertIn(1000, [node["task"] for node in nodes])
                frames = rows(graph["frames"])
                for i, id in enumerate(graph["texts"]["frames"]):
                    inside = c.request("tasklens/group", {"group": group, "id": id})
                    self.assertEqual(inside["groups"], around[: around.index(id) + 1])
                    self.assertEqual(inside["count"], frames[i]["tasks"])
                    self.assertEqual(inside["count"], len(inside["tasks"]))
                    self.assertIn(1000, inside["tasks"])
                    shown = {n["task"] for n in nodes if n["frame"] == i and n["task"] >= 0}
                    self.assertLessEqual(shown, set(inside["tasks"]))
            ask = {"group": group, "id": id, "limit": 2, "marks": True}
            few = c.request("tasklens/group", ask)
            self.assertEqual((few["tasks"], few["count"]), (inside["tasks"][:2], inside["count"]))
            self.assertEqual(marked(few), set(inside["tasks"]))
            self.assertNotIn("marks", inside)

            lines = c.request("tasklens/graph", {"group": ["site"]})
            for id, site in zip(lines["texts"]["ids"], lines["nodes"]["site"]):
                inside = c.request("tasklens/group", {"group": ["site"], "id": id})
                self.assertEqual(inside["site"], None if site < 0 else site)
            steps = c.request("tasklens/graph", {"group": ["iteration"]})
            mixed = steps["texts"]["ids"][steps["nodes"]["mixed"].index(1)]
            several = c.request("tasklens/group", {"group": ["iteration"], "id": mixed})
            self.assertIsNone(several["site"])
            self.assertRegex(
                c.error("tasklens/group", {"id": "/iteration.0.999"})[1],
                "^the graph of the trace t1 has no group '/iteration.0.999'",
            )
            self.assertEqual(c.error("tasklens/group", {})[0], -32602)
            self.assertEqual(c.error("tasklens/group", {"task": 1, "id": "/x"})[0], -32602)
            self.assertRegex(
                c.error("tasklens/group", {"task": 10**6})[1], "^the trace t1 has no task 1000000"
            )

    def test_says_where_it_cannot_group_by_what_was_asked_for(self):
        with Client() as c:
            c.open(STENCIL)
            few = {"group": ["data"], "maxNodes": 10}
            graph = c.request("tasklens/graph", few)
            self.assertTrue(graph["byLevelInstead"])
            opened = c.request("tasklens/graph", {**few, "open": graph["texts"]["ids"][:1]})
            self.assertTrue(opened["byLevelInstead"])
            for group in (["codelet"], ["levels"], ["levels", "data"]):
                self.assertFalse(c.request("tasklens/graph", {"group": group})["byLevelInstead"])

    def test_boxes_of_a_picture_do_not_overlap_and_lie_in_their_frames(self):
        with Client() as c:
            c.open(STENCIL)
            ask = {"group": ["codelet"], "svg": True}
            few = min(
                (n for n in self.check(c.request("tasklens/graph", ask)) if n["canOpen"]),
                key=lambda n: n["tasks"],
            )
            for layout in ("levels", "time"):
                graph = c.request(
                    "tasklens/graph", {**ask, "layout": layout, "open": [few["id"]]}
                )
                boxes, nodes = boxes_of(graph["svg"]), self.check(graph)
                x, y, width, height = boxes[few["id"]]
                for i, node in enumerate(nodes):
                    box = boxes[node["id"]]
                    for other in nodes[:i]:
                        self.assertFalse(overlap(box, boxes[other["id"]]), (layout, node, other))
                    if node["frame"] == 0:
                        self.assertLessEqual((x, y), box[:2])
                        self.assertLessEqual(box[0] + box[2], x + width + 0.2)
                        self.assertLessEqual(box[1] + box[3], y + height + 0.2)

    def test_keeps_to_what_it_may_show(self):
        with Client() as c:
            c.open(STENCIL)
            graph = c.request("tasklens/graph", {"maxNodes": 40, "maxEdges": 10})
            nodes = self.check(graph)
            self.assertLessEqual(len(nodes), 40)
            self.assertLessEqual(len(graph["edges"]["from"]), 10)
            group = max((n for n in nodes if n["canOpen"]), key=lambda n: n["tasks"])
            ask = {"maxNodes": len(nodes), "open": [group["id"]]}
            full = c.request("tasklens/graph", ask)
            self.assertEqual(full["notOpened"], [group["id"]] if full["notOpened"] else [])
            self.assertLessEqual(len(self.check(full)), len(nodes))
            unknown = c.request("tasklens/graph", {"open": ["/codelet.7.7"]})
            self.assertEqual(unknown["notFound"], ["/codelet.7.7"])

    def test_colours_by_anything(self):
        with Client() as c:
            c.open(CHOLESKY)
            for by in ("codelet", "worker", "duration", "waiting", "slack", "iteration"):
                graph = c.request("tasklens/graph", {"colour": by, "group": ["codelet"]})
                self.check(graph)
                self.assertEqual(graph["legend"]["by"], by)

    def test_a_colour_says_what_its_task_is_like(self):
        names = {"codelet": lambda t: t["name"], "worker": lambda t: t["worker"]}
        scales = {
            "duration": lambda t: t["durationNs"],
            "waiting": lambda t: t["startNs"] - t["readyNs"],
            "slack": lambda t: t["slackNs"],
            "iteration": lambda t: t["iteration"],
        }
        with Client() as c:
            c.open(os.path.join(STARPU, "stencil"))
            panels = {}
            for by in [*names, *scales]:
                graph = c.request("tasklens/graph", {"colour": by})
                entries = graph["legend"]["entries"]
                used = set()
                for node in self.check(graph):
                    if node["task"] < 0 or node["startNs"] < 0:
                        continue
                    number = node["task"]
                    if number not in panels:
                        panels[number] = c.request("tasklens/task", {"task": number})
                    entry = entries[node["colour"]]
                    used.add(node["colour"])
                    if by in names:
                        self.assertEqual(entry["label"], names[by](panels[number]))
                    elif scales[by](panels[number]) is not None:
                        self.assertLessEqual(entry["low"], scales[by](panels[number]), by)
                        self.assertLessEqual(scales[by](panels[number]), entry["high"], by)
                self.assertGreater(len(panels), 50)
                self.assertGreater(len(used), 1, by)

    def test_shows_what_surrounds_a_task(self):
        with Client() as c:
            c.open(CHOLESKY)
            step = c.request("tasklens/criticalPath")["steps"][3]["task"]["task"]
            task = c.request("tasklens/task", {"task": step})
            own = set(c.request("tasklens/graph")["nodes"]["task"])
            near = {t["task"] for end in ("predecessors", "successors") for t in task[end]["tasks"]}
            graph = c.request("tasklens/graph", {"task": step, "depth": 1})
            self.check(graph)
            self.assertEqual(set(graph["nodes"]["task"]), (near & own) | {step})
            self.assertRegex(graph["caption"], r"^\d+ of 56 tasks$")
            alone = c.request("tasklens/graph", {"task": step, "depth": 0})
            self.assertEqual(alone["nodes"]["task"], [step])
            last = task["lastDependency"]
            paths = c.request("tasklens/graph", {"task": step, "to": last, "internal": True})
            self.assertLessEqual({step, last}, set(paths["nodes"]["task"]))

    def test_shows_the_tasks_of_a_line_of_data_of_a_tag(self):
        with Client() as c:
            c.open(CHOLESKY)
            cost = c.request("tasklens/stats")["costs"][0]
            graph = c.request("tasklens/graph", {"site": cost["site"]})
            self.assertEqual(graph["tasksShown"], cost["tasks"])
            self.assertEqual(set(graph["nodes"]["site"]), {cost["site"]})
            task = graph["nodes"]["task"][0]
            data = c.request("tasklens/task", {"task": task})["data"]
            users = c.request("tasklens/graph", {"handle": data[0]["handle"]})
            self.assertIn(task, users["nodes"]["task"])
            c.open(os.path.join(STARPU, "tags"))
            graph = c.request("tasklens/graph", {"group": ["codelet"]})
            tagged = next(
                t
                for t in range(graph["tasksTotal"])
                if c.request("tasklens/task", {"task": t})["tag"] is not None
            )
            tag = c.request("tasklens/task", {"task": tagged})["tag"]
            self.assertEqual(
                c.error("tasklens/graph", {"tag": 5})[1], "the trace t2 has no task with the tag 5"
            )
            for same in (tag, hex(tag)):
                self.assertIn(tagged, c.request("tasklens/graph", {"tag": same})["nodes"]["task"])
            code, message = c.error("tasklens/graph", {"tag": "12"})
            self.assertEqual(message, 'params.tag must be an integer, 0 or more, or a string such as "0x2a"')

    def test_names_the_groups_of_a_part_of_the_graph(self):
        with Client() as c:
            c.open(STENCIL)
            site = c.request("tasklens/stats")["costs"][0]["site"]
            part = {"group": ["iteration"], "site": site}
            graph = c.request("tasklens/graph", part)
            texts = graph["texts"]
            group = next(i for i, many in zip(texts["ids"], graph["nodes"]["tasks"]) if many > 1)
            inside = c.request("tasklens/group", {**part, "id": group})
            self.assertEqual(inside["site"], site)
            task = inside["tasks"][0]
            name = c.request("tasklens/task", {"task": task})["name"]
            self.assertEqual({texts["codelets"][i] for i in graph["nodes"]["codelet"]}, {name})
            around = c.request("tasklens/group", {**part, "task": task})
            self.assertEqual(around["groups"][0], group)

    def test_refuses_what_it_does_not_know(self):
        with Client() as c:
            c.open(HELLO)
            for params, text in (
                ({"group": ["colour"]}, "params.group takes iteration, codelet, site, levels, "),
                ({"layout": "round"}, "params.layout is auto, graphviz, levels or time, not 'round'"),
                ({"colour": "red"}, "params.colour is codelet, worker, duration, waiting, slack or "),
                ({"maxNodes": 3000}, "params.maxNodes must be 2 to 2000"),
                ({"maxEdges": 5000}, "params.maxEdges must be at most 4000"),
                ({"task": 0, "site": 0}, "params.task cannot be used together with site, "),
                ({"to": 1}, "params.to needs task"),
            ):
                code, message = c.error("tasklens/graph", params)
                self.assertEqual(code, -32602)
                self.assertTrue(message.startswith(text), message)


class Cancelling(unittest.TestCase):
    def test_every_view_is_answered_once_and_the_next_one_is_right(self):
        with Client() as c:
            c.open(STENCIL)
            for method, params in (
                ("graph", {"group": ["levels", "codelet"], "colour": "slack"}),
                ("timeline", {"counters": True, "flags": True, "arrows": ["dependency"]}),
                ("advice", {}),
                ("criticalPath", {}),
                ("bound", {}),
                ("stats", {"by": "state"}),
                ("compare", {"traces": ["t1", "t1"]}),
            ):
                id = c.start("tasklens/" + method, params)
                c.notify("$/cancelRequest", {"id": id})
                reply = c.wait(id)
                if "error" in reply:  # else the answer was faster
                    self.assertEqual(reply["error"]["code"], -32800)
                # Nothing half done was kept.
                self.assertEqual(
                    c.request("tasklens/" + method, params), c.request("tasklens/" + method, params)
                )
            c.request("tasklens/traces")
            self.assertEqual(c.replies, {})


    def test_looking_at_a_part_leaves_the_whole_as_it_was(self):
        with Client() as c:
            c.open(STENCIL)
            ask = {"group": ["codelet", "iteration"]}
            group = c.request("tasklens/graph", ask)["texts"]["ids"][0]
            opened = c.request("tasklens/graph", {**ask, "open": [group]})
            for task in range(5):
                c.request("tasklens/graph", {"task": task})
            self.assertEqual(c.request("tasklens/graph", {**ask, "open": [group]}), opened)


class Timelines(unittest.TestCase):
    def test_shows_every_row(self):
        with Client() as c:
            c.open(CHOLESKY)
            view = c.request("tasklens/timeline", {"pixels": 80})
            texts = view["texts"]
            self.assertEqual(len(view["rows"]), view["rowsTotal"])
            self.assertEqual(len(texts["rows"]), view["rowsTotal"])
            self.assertIn("CPU0", [row["name"] for row in texts["rows"]])
            names = set()
            for row in view["rows"]:
                for layer in row["layers"]:
                    glyphs = rows(layer)
                    self.assertLessEqual(len(glyphs), 161)
                    end = 0
                    for glyph in glyphs:
                        self.assertLessEqual(end, glyph["start"])
                        self.assertLessEqual(glyph["start"], glyph["end"])
                        end = glyph["end"]
                        entry = view["legend"]["entries"][glyph["colour"]]
                        if glyph["name"] >= 0:
                            names.add(texts["names"][glyph["name"]])
                            self.assertEqual(entry["label"], texts["names"][glyph["name"]])
                        else:
                            self.assertEqual(entry["label"], texts["states"][glyph["state"]])
                    self.assertLessEqual(end, view["toNs"])
            self.assertIn("demo_cholesky_gemm", names)

    def test_packed_columns_say_the_same(self):
        with Client() as c:
            c.open(CHOLESKY)
            ask = {"pixels": 300, "counters": True}
            plain = c.request("tasklens/timeline", ask)
            packed = c.request("tasklens/timeline", {**ask, "packed": True})

            def columns(view, parts, names):
                return [part[name] for part in parts(view) for name in names]

            types = set()
            for parts, names in (
                (layers, ("start", "end", "state", "name", "task", "count", "colour")),
                (lambda view: view["counters"], ("start", "end", "low", "high", "mean")),
            ):
                wanted, found = columns(plain, parts, names), columns(packed, parts, names)
                self.assertEqual(len(wanted), len(found))
                for values, column in zip(wanted, found):
                    type, unpacked = unpack(column)
                    types.add(type)
                    self.assertEqual(len(values), len(unpacked))
                    for value, near in zip(values, unpacked):
                        self.assertLessEqual(abs(value - near), abs(value) / 1e6 if type == "f32" else 0)
            self.assertEqual(types, {"i8", "i16", "i32", "f32"})

    def test_counts_what_shares_a_pixel(self):
        with Client() as c:
            c.open(CHOLESKY)
            fine = c.request("tasklens/timeline", {"pixels": 10000})
            coarse = c.request("tasklens/timeline", {"pixels": 1})
            for before, after in zip(fine["rows"], coarse["rows"]):
                for layer, whole in zip(before["layers"], after["layers"]):
                    if sum(layer["count"]) > 1:
                        self.assertGreaterEqual(sum(whole["count"]), 1)
                        self.assertEqual(len(whole["count"]), 1)

    def test_shows_part_of_it(self):
        with Client() as c:
            c.open(CHOLESKY)
            whole = c.request("tasklens/timeline")
            middle = whole["endNs"] // 2
            part = c.request(
                "tasklens/timeline",
                {"fromNs": middle, "toNs": middle + 1000000, "rows": [1, 0], "texts": False},
            )
            self.assertEqual([row["row"] for row in part["rows"]], [1, 0])
            self.assertIsNone(part["texts"]["rows"])
            for row in part["rows"]:
                for layer in row["layers"]:
                    for glyph in rows(layer):
                        self.assertLessEqual(0, glyph["start"])
                        self.assertLessEqual(glyph["end"], 1000000)

    def test_shows_counters_flags_and_arrows_when_asked(self):
        with Client() as c:
            c.open(CHOLESKY)
            plain = c.request("tasklens/timeline")
            for part in ("counters", "flags", "arrows"):
                self.assertIsNone(plain[part])
            view = c.request(
                "tasklens/timeline",
                {"counters": True, "flags": True, "arrows": ["dependency", "steal"], "pixels": 50},
            )
            self.assertIn("ready_tasks", [curve["kind"] for curve in view["counters"]])
            kind = lambda curve: view["texts"]["rows"][curve["row"]]["kind"]
            of_run = [curve for curve in view["counters"] if kind(curve) != "worker"]
            self.assertLess(len(of_run), len(view["counters"]))
            fewer = c.request(
                "tasklens/timeline", {"counters": True, "workerCounters": False, "pixels": 50}
            )
            self.assertEqual(fewer["counters"], of_run)
            for curve in view["counters"]:
                columns = {k: curve[k] for k in ("start", "end", "low", "high", "mean")}
                for piece in rows(columns):
                    self.assertLessEqual(piece["low"], piece["high"])
                    slack = 1e-3 * max(abs(curve["max"]), 1e-9)
                    self.assertLessEqual(piece["high"], curve["max"] + slack)
            texts = view["flags"].pop("texts")
            for flag in rows(view["flags"]):
                self.assertLess(flag["text"], len(texts))
            self.assertFalse(any("is ready" in text for text in texts))
            more = c.request("tasklens/timeline", {"schedulerFlags": True})["flags"]["texts"]
            self.assertTrue(any("is ready" in text for text in more))
            left_out, kinds = view["arrows"].pop("leftOut"), view["arrows"].pop("kinds")
            arrows = rows(view["arrows"])
            self.assertGreaterEqual(left_out, 0)
            self.assertIn("dependency", [kinds[arrow["kind"]] for arrow in arrows])
            for arrow in arrows:
                self.assertLess(max(arrow["fromRow"], arrow["toRow"]), view["rowsTotal"])

    def test_says_which_tasks_are_of_a_codelet(self):
        with Client() as c:
            c.open(STENCIL)
            codelets = c.request("tasklens/stats", {"by": "codelet"})["groups"]
            self.assertGreater(len(codelets), 1)
            seen = set()
            for codelet in codelets:
                ask = {"codelet": codelet["label"], "marks": True, "limit": 100000}
                answer = c.request("tasklens/codelet", ask)
                self.assertEqual(answer["count"], codelet["tasks"])
                self.assertEqual(marked(answer), set(answer["tasks"]))
                self.assertFalse(seen & marked(answer))
                seen |= marked(answer)
                one = c.request("tasklens/task", {"task": answer["tasks"][-1]})
                self.assertEqual(one["name"], codelet["label"])
                part = c.request("tasklens/codelet", {**ask, "first": 1, "limit": 2})
                self.assertEqual(part["tasks"], answer["tasks"][1:3])
                self.assertEqual(marked(part), marked(answer))
            self.assertRegex(
                c.error("tasklens/codelet", {"codelet": "none"})[1],
                "^the trace t1 has no task of a codelet 'none'",
            )

    def test_shows_the_whole_critical_path_however_coarse_the_view(self):
        with Client() as c:
            c.open(STENCIL)
            path = c.request("tasklens/criticalPath", {"limit": 0, "marks": True})
            self.assertEqual(path["steps"], [])
            on = marked(path)
            steps = c.request("tasklens/criticalPath", {"limit": path["count"]})["steps"]
            self.assertEqual(on, {step["task"]["task"] for step in steps})
            self.assertIsNone(c.request("tasklens/timeline", {"pixels": 10})["path"])
            for pixels in (1, 10, 10000):
                view = c.request("tasklens/timeline", {"pixels": pixels, "path": True})
                stretches = rows(view["path"])
                self.assertEqual(sum(one["count"] for one in stretches), path["count"])
                self.assertLessEqual(len(stretches), pixels * view["rowsTotal"])

    def test_shows_the_dependencies_of_a_task(self):
        with Client() as c:
            c.open(CHOLESKY)
            step = c.request("tasklens/criticalPath")["steps"][2]["task"]["task"]
            task = c.request("tasklens/task", {"task": step})
            arrows = c.request("tasklens/timeline", {"task": step, "pixels": 1})["arrows"]
            before = {from_ for from_, to in zip(arrows["fromTask"], arrows["toTask"]) if to == step}
            after = {to for from_, to in zip(arrows["fromTask"], arrows["toTask"]) if from_ == step}
            self.assertLessEqual(before, {t["task"] for t in task["predecessors"]["tasks"]})
            self.assertLessEqual(after, {t["task"] for t in task["successors"]["tasks"]})
            self.assertTrue(before or after)

    def test_refuses_what_cannot_be_drawn(self):
        with Client() as c:
            c.open(CHOLESKY)
            for params, text in (
                ({"fromNs": 5, "toNs": 5}, "params.fromNs must be at least 0 and before toNs"),
                ({"pixels": 0}, "params.pixels must be at least 1"),
                ({"rows": [0], "pixels": 4000001}, "rows times pixels must be at most 4,000,000"),
                ({"rows": [99]}, "the trace t1 has no row 99; it has "),
                ({"arrows": ["up"]}, "params.arrows takes dependency, transfer, message and steal"),
            ):
                self.assertTrue(c.error("tasklens/timeline", params)[1].startswith(text), params)


class SameWords(unittest.TestCase):
    """What commands and requests both have is the same, member for member; rows of commands are columns of
    requests."""

    def test_of_groups_and_of_the_run(self):
        for trace in TRACES:
            path = os.path.join(STARPU, trace)
            with Client() as c:
                opened = c.open(path)
                for by in ("codelet", "site", "worker", "kind", "size", "state"):
                    printed = camel(command("stats", path, "--by", by))
                    groups = c.request("tasklens/stats", {"by": by})
                    self.assertEqual({name: opened.get(name) for name in printed.keys() - groups.keys()},
                                     {name: printed[name] for name in printed.keys() - groups.keys()})
                    self.assertEqual({name: printed.get(name) for name in groups.keys() - {"trace"}},
                                     {name: groups[name] for name in groups.keys() - {"trace"}})

    def test_of_two_runs(self):
        with Client() as c:
            c.open(CHOLESKY), c.open(HELLO)
            for by in ("codelet", "site", "worker", "kind", "state"):
                (told,) = c.request("tasklens/compare", {"traces": ["t1", "t2"], "by": by})["comparisons"]
                (printed,) = camel(command("compare", CHOLESKY, HELLO, "--by", by))["comparisons"]
                self.assertEqual({**told, "before": CHOLESKY, "after": HELLO}, printed)

    def test_of_a_graph(self):
        for trace in TRACES:
            path = os.path.join(STARPU, trace)
            with Client() as c:
                c.open(path)
                for group in ([], ["codelet"], ["iteration", "codelet"]):
                    told = c.request("tasklens/graph", {"group": group})
                    printed = camel(command("graph", path, *(["--group", ",".join(group)] if group else [])))
                    nodes, texts = rows(told["nodes"]), told["texts"]
                    self.assertEqual({name: told[name] for name in printed if name not in ("nodes", "edges")},
                                     {name: printed[name] for name in printed if name not in ("nodes", "edges")})
                    self.assertEqual(rows(told["edges"]), printed["edges"])
                    self.assertEqual(texts["ids"], [node["id"] for node in printed["nodes"]])
                    for node, row in zip(nodes, printed["nodes"]):
                        for name in ("tasks", "totalNs", "firstLevel", "lastLevel", "canOpen"):
                            self.assertEqual(node[name], row[name], name)
                        self.assertEqual(texts["labels"][node["label"]], row["label"])
                        self.assertEqual(node["task"], row["task"]["task"] if row["task"] else -1)
                        for name in ("startNs", "endNs"):
                            self.assertEqual(node[name], -1 if row[name] is None else row[name])

    def test_of_a_timeline(self):
        for trace in TRACES:
            path = os.path.join(STARPU, trace)
            with Client() as c:
                c.open(path)
                told = c.request("tasklens/timeline", {"pixels": 100, "counters": True, "flags": True})
                printed = camel(command("timeline", path, "--pixels", "100"))
                plain = printed.keys() - {"rows", "counters", "arrows"}
                self.assertEqual({name: told[name] for name in plain}, {name: printed[name] for name in plain})
                texts, since = told["texts"], told["fromNs"]
                for text, row, shown in zip(texts["rows"], told["rows"], printed["rows"], strict=True):
                    self.assertEqual(text, {name: shown[name] for name in text})
                    states = [
                        [(state["start"] + since, state["end"] + since, texts["states"][state["state"]],
                          state["count"], state["task"]) for state in rows(layer)]
                        for layer in row["layers"]
                    ]  # fmt: skip
                    self.assertEqual(states, [
                        [(state["startNs"], state["endNs"], state["state"], state["count"],
                          state["task"]["task"] if state["task"] else -1) for state in layer]
                        for layer in shown["layers"]
                    ])  # fmt: skip
                for curve, shown in zip(told["counters"], printed["counters"], strict=True):
                    for name in ("kind", "name", "unit", "row", "min", "max"):
                        self.assertEqual(curve[name], shown[name])
                    for at, slice in enumerate(shown["slices"]):
                        self.assertEqual((curve["start"][at], curve["end"][at]), (slice["startNs"], slice["endNs"]))
                        for name in ("low", "high", "mean"):  # to four digits in requests
                            self.assertAlmostEqual(curve[name][at], slice[name],
                                                   delta=1e-4 * max(abs(shown["min"]), abs(shown["max"]), 1e-300))
                flags = [
                    (row, flag["timeNs"], flag["text"], flag["count"])
                    for row, shown in enumerate(printed["rows"]) for flag in shown["flags"]
                ]  # fmt: skip
                kept = told["flags"]
                self.assertEqual(sorted(flags), sorted(
                    (row, at + since, kept["texts"][text], count)
                    for row, at, text, count in zip(kept["row"], kept["at"], kept["text"], kept["count"])
                ))  # fmt: skip


class Answers(unittest.TestCase):
    """What a request answers is what the command prints."""

    def test_are_those_of_the_commands(self):
        with Client() as c:
            zero = c.open(CHOLESKY)["zeroNs"]  # from where commands count
            advice = c.request("tasklens/advice")
            self.assertEqual(advice.pop("trace"), "t1")
            self.assertIn("firstSite", advice)
            del advice["firstSite"]  # for editors: a line of theirs, not of the trace
            for finding in advice["findings"]:
                self.assertEqual(finding["site"] is None, finding["file"] == "")
            self.assertEqual(advice, camel(command("advise", CHOLESKY)))

            path = c.request("tasklens/criticalPath")
            printed = camel(command("critical-path", CHOLESKY))
            self.assertEqual((path.pop("count"), path.pop("first")), (len(printed["steps"]), 0))
            self.assertEqual({**printed, "trace": "t1"}, path)
            page = c.request("tasklens/criticalPath", {"first": 2, "limit": 3})
            self.assertEqual(page["steps"], printed["steps"][2:5])

            task = printed["steps"][-1]["task"]
            why = c.request("tasklens/why", {"task": task["task"]})
            late = camel(command("why", CHOLESKY, "--task", str(task["job"])))
            self.assertEqual(why["chain"], late["chain"])

            bound = c.request("tasklens/bound")
            self.assertEqual({**camel(command("bound", CHOLESKY)), "trace": "t1"}, bound)

            for by in ("codelet", "site", "worker", "kind", "state"):
                stats = c.request("tasklens/stats", {"by": by})
                stretch = {"fromNs": zero + 1_000_000, "toNs": zero + 9_000_000}
                part = c.request("tasklens/stats", {"by": by, **stretch})
                told = camel(command("stats", CHOLESKY, "--by", by, "--from", "1ms", "--to", "9ms"))
                self.assertEqual({**told, **part}, {**told, "trace": "t1"})
                self.assertLess(sum(group["totalNs"] for group in part["groups"]),
                                sum(group["totalNs"] for group in stats["groups"]))
            for wrong in ({"fromNs": 5}, {"toNs": 5}, {"fromNs": 5, "toNs": 5}, {"fromNs": -1, "toNs": 5}):
                answer = c.ask("tasklens/stats", {"by": "state", **wrong})
                self.assertIn("params.", answer["error"]["message"])
            self.assertIn("by", c.ask("tasklens/stats", {"fromNs": 1, "toNs": 5})["error"]["message"])

    def test_say_why_a_worker_was_idle(self):
        with Client() as c:
            c.open(CHOLESKY)
            step = c.request("tasklens/criticalPath")["steps"][1]["task"]
            names = [step["worker"]]
            found = False
            for worker in range(4):
                moment = {"worker": worker, "atNs": step["startNs"] - 1000}
                pause = c.ask("tasklens/why", moment).get("result", {}).get("pause")
                if pause and pause["worker"] in names:
                    found = True
                    limited = c.request("tasklens/why", {**moment, "limit": 1})["pause"]["chain"]
                    self.assertEqual([link["task"] for link in limited], [pause["nextTask"]])
                    self.assertGreater(len(pause["chain"]), 1)
                    self.assertEqual(
                        sum(pause["causesNs"].values()), pause["endNs"] - pause["startNs"]
                    )
            self.assertTrue(found)
            self.assertEqual(
                c.error("tasklens/why", {"worker": 0}),
                (-32602, "params needs task, or worker and atNs"),
            )
            instead = c.request("tasklens/why", {"worker": 0, "atNs": -1})["instead"]
            self.assertEqual((instead["what"], instead["task"]), ("before the run", None))
            step = c.request("tasklens/criticalPath")["steps"][0]["task"]
            track = next(
                w for w in range(100)
                if (c.request("tasklens/why", {"worker": w, "atNs": step["startNs"]})["instead"] or {})
                .get("task") is not None
            )
            busy = c.request("tasklens/why", {"worker": track, "atNs": step["startNs"]})
            self.assertIsNone(busy["pause"])
            self.assertEqual(busy["instead"]["what"], "busy")
            self.assertRegex(
                c.error("tasklens/why", {"worker": 99, "atNs": 0})[1], "^the trace t1 has no worker 99"
            )

    def test_compare_open_traces(self):
        with Client() as c:
            c.open(CHOLESKY)
            c.open(os.path.join(STARPU, "cholesky_dmdas/prof_file_0"))
            c.open(shutil.copy(CHOLESKY, c.root))
            reply = c.request("tasklens/compare", {"traces": ["t1", "t2", "t3"], "by": "codelet"})
            other, same = reply["comparisons"]
            self.assertEqual((other["before"], other["after"], same["after"]), ("t1", "t2", "t3"))
            self.assertTrue(other["changes"])
            self.assertTrue(other["complete"])
            total = other["total"]
            self.assertAlmostEqual(
                total["byCountNs"] + total["byDurationNs"], total["afterNs"] - total["beforeNs"], 0
            )
            self.assertAlmostEqual(
                total["changeNs"], sum(change["changeNs"] for change in other["changes"]), 0
            )
            for change in same["changes"]:
                self.assertEqual(change["changeNs"], 0)
                self.assertEqual(change["countVerdict"], "within noise")
            states = c.request("tasklens/compare", {"traces": ["t1", "t2"], "by": "state"})
            self.assertIsNone(states["comparisons"][0]["total"])
            self.assertEqual(
                c.error("tasklens/compare", {"traces": ["t1"]})[1],
                "params.traces must name at least two traces, the one to compare with first",
            )


if __name__ == "__main__":
    main()
