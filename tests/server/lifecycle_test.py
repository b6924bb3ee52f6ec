#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The life of a server: from initialize to exit, and whatever a client may do wrong."""

import os
import random
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client, frame, main  # noqa: E402

with open("VERSION", encoding="ascii") as file:
    VERSION = file.read().strip()


class Lifecycle(unittest.TestCase):
    def test_goes_from_initialize_to_exit(self):
        with Client(initialize=False) as c:
            result = c.initialize()
            self.assertEqual(result["serverInfo"]["name"], "tasklens")
            self.assertEqual(result["capabilities"]["textDocumentSync"]["change"], 2)
            self.assertIn("tasklens.run", result["capabilities"]["executeCommandProvider"]["commands"])
            self.assertIsNone(c.request("shutdown"))
            c.notify("exit", None)
            self.assertEqual(c.end(), 0)

    def test_exit_without_shutdown_is_status_1(self):
        with Client() as c:
            c.notify("exit", None)
            self.assertEqual(c.end(), 1)

    def test_exit_before_initialize_is_status_1(self):
        with Client(initialize=False) as c:
            c.notify("exit", None)
            self.assertEqual(c.end(), 1)

    def test_refuses_requests_before_initialize(self):
        with Client(initialize=False) as c:
            self.assertEqual(
                c.error("tasklens/traces"), (-32002, "tasklens/traces came before initialize")
            )
            c.notify_wrongly("textDocument/didOpen", {})  # dropped
            c.initialize()
            self.assertEqual(c.request("tasklens/traces"), {"traces": []})

    def test_refuses_a_second_initialize(self):
        with Client() as c:
            self.assertEqual(c.error("initialize", {}), (-32600, "initialize came twice"))

    def test_refuses_requests_after_shutdown(self):
        with Client() as c:
            c.request("shutdown")
            self.assertEqual(
                c.error("tasklens/traces"), (-32600, "only exit may follow shutdown")
            )

    def test_initialize_with_bad_parameters_can_be_repeated(self):
        with Client(initialize=False) as c:
            self.assertEqual(c.error("initialize", {"processId": "x"})[0], -32602)
            self.assertEqual(
                c.error("initialize", {"initializationOptions": {"sourceRoots": "x"}}),
                (-32602, "params.initializationOptions.sourceRoots must be an array, not a string"),
            )
            c.initialize()

    def test_reads_capabilities_of_any_shape(self):
        for capabilities in ({"window": 1, "general": []}, {"general": {"positionEncodings": "x"}}):
            with Client(capabilities=capabilities, hostile=True) as c:
                self.assertEqual(c.request("tasklens/traces"), {"traces": []})

    def test_says_into_the_log_what_protocol_of_the_client_it_does_not_know(self):
        ours = f"this server ({VERSION}) speaks protocol 1"
        for number, sentence in (
            (2, f"the client speaks protocol 2, {ours}: update the server; until then some requests may fail"),
            (0, f"the client speaks protocol 0, {ours}: update the client; until then some requests may fail"),
            ("1", f"capabilities.experimental.tasklens.version must be a whole number; {ours}"),
        ):
            announced = {"experimental": {"tasklens": {"version": number}}}
            with Client(capabilities=announced) as c:
                self.assertEqual(c.notifications[0], ("window/logMessage", {"type": 2, "message": sentence}))
                self.assertEqual(c.request("tasklens/traces"), {"traces": []})  # and works on

    def test_says_nothing_of_its_own_protocol_nor_of_none(self):
        for ours in ({"version": 1}, {}, True):
            with Client(capabilities={"experimental": {"tasklens": ours}}) as c:
                c.request("tasklens/traces")
                self.assertEqual(c.notifications, [])

    def test_announces_its_version_and_that_of_the_protocol(self):
        with Client(initialize=False) as c:
            result = c.initialize()
            self.assertEqual(result["serverInfo"], {"name": "tasklens", "version": VERSION})
            self.assertEqual(result["capabilities"]["experimental"], {"tasklens": {"version": 1}})

    def test_chooses_the_first_position_encoding_it_knows(self):
        for offered, chosen in (
            (None, "utf-16"),
            ([], "utf-16"),
            (["utf-8", "utf-16"], "utf-8"),
            (["utf-7", "utf-32", "utf-16"], "utf-32"),
        ):
            general = {} if offered is None else {"positionEncodings": offered}
            with Client(initialize=False) as c:
                result = c.initialize(capabilities={"general": general})
                self.assertEqual(result["capabilities"]["positionEncoding"], chosen)

    def test_offers_lenses_to_clients_that_announce_nothing(self):
        with Client(initialize=False) as c:
            self.assertIn("codeLensProvider", c.initialize(capabilities={})["capabilities"])

    def test_unknown_methods(self):
        with Client() as c:
            for method in ("textDocument/nonsense", "$/nonsense", "tasklens/nonsense", ""):
                self.assertEqual(c.error(method), (-32601, "unknown request " + method))
            c.notify_wrongly("$/nonsense", {})
            c.notify_wrongly("nonsense", [1])
            self.assertEqual(
                c.error("workspace/executeCommand", {"command": "tasklens.nonsense"}),
                (-32602, "unknown command tasklens.nonsense"),
            )
            self.assertEqual(
                c.error("workspace/executeCommand", {"command": "textDocument/codeLens"})[0], -32602
            )
            self.assertEqual(
                c.error("workspace/executeCommand", {}), (-32602, "params.command is missing")
            )
            self.assertEqual(
                c.error("workspace/executeCommand", {"command": "a", "arguments": [1, 2]}),
                (-32602, "a command takes one argument, an object with its parameters"),
            )

    def test_ids_are_strings_or_integers_and_come_back_as_they_were(self):
        with Client() as c:
            for id in ("a", "1", 1, -5, 2**40):
                reply = c.wait(c.start("tasklens/traces", id=id))
                self.assertEqual(reply["id"], id)

    def test_wrong_messages_are_answered_with_the_right_error(self):
        with Client() as c:
            for text, id, code in (
                ("{", None, -32700),
                ("[]", None, -32600),
                ('[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]', None, -32600),
                ("{}", None, -32600),
                ('{"jsonrpc":"2.0","id":77,"method":1}', 77, -32600),
                ('{"jsonrpc":"2.0","id":1.5,"method":"a"}', None, -32600),
                ("[" * 100000, None, -32700),
            ):
                c.raw(frame(text))
                reply = c.wait(id)
                self.assertEqual(reply["error"]["code"], code, text)
                self.assertNotIn("\n", reply["error"]["message"])
            c.raw(frame(b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'))
            self.assertEqual(c.wait(None)["error"]["code"], -32700)
            c.request("tasklens/traces")  # and it goes on

    def test_an_answer_to_nothing_is_ignored(self):
        with Client(hostile=True) as c:
            c.send({"id": 99, "result": 1})
            c.send({"id": "x", "error": {"code": 1, "message": "m"}})
            c.request("tasklens/traces")

    def test_an_id_in_use_is_refused(self):
        with Client() as c:
            c.start("tasklens/run", {"program": c.script("sleep 1000")}, id=5)
            c.start("tasklens/traces", id=5)
            reply = c.wait(5)
            self.assertEqual(reply["error"]["code"], -32600)

    def test_garbage_is_reported_and_passed_over(self):
        with Client() as c:
            c.raw(b"garbage\n")
            c.start("tasklens/traces", id="after")
            reply = c.wait(None)
            self.assertEqual(reply["error"]["code"], -32700)
            self.assertIn("garbage", reply["error"]["message"])
            self.assertIn("result", c.wait("after"))

    def test_a_message_above_the_limit_is_refused(self):
        with Client() as c:
            size = (64 << 20) + 1
            c.raw(b"Content-Length: %d\r\n\r\n" % size)
            reply = c.wait(None)
            self.assertEqual(
                reply["error"]["message"],
                "a message of 67108865 bytes is above the limit of 67108864",
            )
            c.raw(b" " * size)
            c.request("tasklens/traces")

    def test_endless_header_ends_the_server(self):
        with Client() as c:
            c.raw(b"x" * 10000)
            self.assertEqual(c.end(), 1)
            self.assertIn("does not speak the protocol", c.log())

    def test_half_a_message_and_the_end(self):
        with Client() as c:
            c.raw(b'Content-Length: 100\r\n\r\n{"jsonrpc"')
            c.process.stdin.close()
            self.assertEqual(c.end(), 1)
            self.assertIn("the last message of the client is incomplete", c.log())
            c.process.stdin = open(os.devnull, "wb")

    def test_the_end_after_shutdown_is_fine(self):
        with Client() as c:
            c.request("shutdown")
            c.process.stdin.close()
            self.assertEqual(c.end(), 0)
            c.process.stdin = open(os.devnull, "wb")

    def test_ends_with_the_process_of_the_client(self):
        with subprocess.Popen(["sleep", "1000"]) as other:
            with Client(processId=other.pid) as c:
                c.request("tasklens/traces")
                other.send_signal(signal.SIGKILL)
                other.wait()
                self.assertEqual(c.end(), 1)
                self.assertIn("the client's process has ended", c.log())

    def test_a_client_that_does_not_read_cannot_stop_it(self):
        with Client() as c:
            # More answers than a pipe holds, none read.
            for _ in range(3000):
                c.start("initialize", {})
            c.process.stdin.close()
            c.process.stdout.close()
            self.assertEqual(c.process.wait(), 1)
            c.process.stdin = c.process.stdout = open(os.devnull, "wb")

    def test_random_bytes_never_crash_it(self):
        generator = random.Random(3)
        pieces = [b"Content-Length: 10\r\n\r\n", b"\r\n\r\n", b"{}", frame("{}"), frame('{"id":1}')]
        for _ in range(20):
            with Client(initialize=False) as c:
                data = b"".join(
                    generator.choice(pieces)
                    if generator.random() < 0.5
                    else generator.randbytes(generator.randrange(30))
                    for _ in range(40)
                )
                try:
                    c.raw(data)
                except BrokenPipeError:
                    pass
                try:
                    c.process.stdin.close()
                except BrokenPipeError:
                    pass
                self.assertEqual(c.end(), 1)
                c.process.stdin = open(os.devnull, "wb")

    def test_standard_output_carries_the_protocol_only(self):
        with Client() as c:
            c.raw(b"garbage\n")
            c.request("shutdown")
            c.notify("exit", None)
            c.end()  # asserts that everything read is framed
            self.assertIn("garbage", c.log())


if __name__ == "__main__":
    main()
