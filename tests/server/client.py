# SPDX-License-Identifier: Apache-2.0
"""A client of `tasklens serve` for tests: the real program, through its pipes.

Every message that goes through it, both ways, is checked against the protocol's official types when
the test ends (see main()), and against the specification's meta model where $TASKLENS_METAMODEL names it.
Messages of ours are checked at once against ide-plugin/protocol.json.
"""

import ctypes
import json
import os
import select
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

sys.path.insert(0, os.path.abspath("tools"))
import protocol  # noqa: E402
from npm_packages import npm_folder  # noqa: E402

TASKLENS = os.path.abspath("server/command_line/tasklens")
STARPU = os.path.abspath("tests/data/starpu")


# What today's editors announce of the forms of answers; `capabilities` in place of it say it all.
EDITOR = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "documentSymbol": {
            "hierarchicalDocumentSymbolSupport": True,
            "symbolKind": {"valueSet": list(range(1, 27))},
        },
    },
    "workspace": {"symbol": {"symbolKind": {"valueSet": list(range(1, 27))}}},
}


def frame(text):
    body = text if isinstance(text, bytes) else text.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def is_alive(pid):
    """Whether the process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(pid):
    """Returns when the process has ended; without a limit of its own, as the test has one."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    select.select([process], [], [])
    os.close(process)


def wait_for_file(folder, condition):
    """What `condition()` answers, asked again whenever a file has come into the folder, once it is true."""
    moved_to, created, close_write = 0x80, 0x100, 0x8  # of <sys/inotify.h>
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_CLOEXEC)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(folder), moved_to | created | close_write) < 0:
        raise OSError(ctypes.get_errno(), "cannot watch the folder", folder)
    try:
        while not (found := condition()):
            os.read(watch, 1 << 16)  # returns at the next event
        return found
    finally:
        os.close(watch)


class Conversations:
    """What was said, in the form that check_messages.js reads; in a file, as it may be much."""

    def __init__(self):
        folder = os.environ.get("TEST_TMPDIR")
        self.file = tempfile.NamedTemporaryFile("w", dir=folder, suffix=".jsonl")
        self.started = 0

    def start(self, hostile):
        self.started += 1
        self.add(self.started, "start", hostile=hostile)
        return self.started

    def add(self, conversation, side, **members):
        entry = {"conversation": conversation, "from": side, **members}
        self.file.write(json.dumps(entry) + "\n")


conversations = Conversations()
checker = protocol.Checker(protocol.Protocol())
faults = []  # of messages of ours


class Cases(unittest.TextTestResult):
    """Keeps how each case ended."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ended = {}  # name -> ("", "failure" or "skipped"; why)

    def startTest(self, test):
        super().startTest(test)
        self.ended[str(test)] = ("", "")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.ended[str(test)] = ("skipped", reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.ended[str(test)] = ("failure", str(err[1]))

    def addError(self, test, err):
        super().addError(test, err)
        self.ended[str(test)] = ("failure", str(err[1]))


def write_cases(cases):
    """The cases where tools/summarize_tests.py looks for them, so that each skip is shown."""
    suite = ElementTree.Element("testsuite")
    for name, (how, why) in cases.items():
        case = ElementTree.SubElement(suite, "testcase", name=name)
        if how:
            ElementTree.SubElement(case, how, message=why.encode("ascii", "replace").decode())
    if "XML_OUTPUT_FILE" in os.environ:
        ElementTree.ElementTree(suite).write(os.environ["XML_OUTPUT_FILE"])


def main():
    """Runs the tests of the calling script, then checks what was said."""
    runner = unittest.TextTestRunner(resultclass=Cases)
    result = unittest.main(module="__main__", exit=False, testRunner=runner).result
    passed = result.wasSuccessful()
    if faults:
        passed = False
        result.ended["the messages against protocol.json"] = ("failure", faults[0])
        for fault in faults[:20]:
            print(f"against protocol.json: {fault}")
    packages = npm_folder("tests/npm")
    if not os.path.isdir(packages):
        why = f"{packages} is missing; ./tasklens test makes it"
        result.ended["the messages against the protocol's types"] = ("skipped", why)
        print(f"SKIPPED: no messages checked: {why}")
    elif not check_messages(packages):
        passed = False
    write_cases(result.ended)
    sys.exit(0 if passed else 1)


def check_messages(packages):
    conversations.file.flush()
    model = os.environ.get("TASKLENS_METAMODEL")
    command = ["node", os.path.abspath("tests/npm/check_messages.js"), conversations.file.name]
    done = subprocess.run(
        command + ([model] if model else []),
        env=dict(os.environ, TASKLENS_NPM=packages),
        check=False,
    )
    return done.returncode == 0


class Client:
    """Starts a server; `with` ends it. Requests are answered in the order in which they are asked.

    `hostile`: what it sends need not be as the protocol says; what it gets must."""

    def __init__(self, initialize=True, root=None, env=None, hostile=False, **params):
        self.conversation = conversations.start(hostile)
        self.ours = protocol.Conversation(checker, hostile)
        self.asked_methods = {}  # by the JSON text of the id
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.root = os.path.realpath(root or self.folder.name)
        self.stderr = tempfile.TemporaryFile()
        variables = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder.name, "cache"))
        variables.update(env or {})
        self.process = subprocess.Popen(
            [TASKLENS, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            env=variables,
        )
        self.next_id = 1
        self.notifications = []  # (method, params) in the order of arrival
        self.asked = []  # requests of the server: (method, params)
        asked = ("window/workDoneProgress/create", "workspace/codeLens/refresh", "workspace/inlayHint/refresh")
        self.answers = dict.fromkeys(asked)
        self.replies = {}
        if initialize:
            self.initialize(**params)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.stderr.close()
        self.folder.cleanup()

    def note(self, side, message):
        faults.extend(self.ours.look(side, message))
        # Our own messages are not the protocol's; their answers, which may be long, are left out.
        id = json.dumps(message.get("id"))
        if side == "client" and "method" in message:
            self.asked_methods[id] = message["method"]
        elif side == "server" and "result" in message:
            if self.asked_methods.pop(id, "").startswith("tasklens/"):
                message = {**message, "result": None}
        conversations.add(self.conversation, side, message=message)

    def misbehave(self):
        """From here on what it sends need not be as the protocol says."""
        self.conversation = conversations.start(hostile=True)
        self.ours.hostile = True

    def initialize(self, capabilities=None, options=None, **more):
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "workspaceFolders": [{"uri": "file://" + self.root, "name": "w"}],
            "capabilities": EDITOR if capabilities is None else capabilities,
            "initializationOptions": options,
        }
        params.update(more)
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        message = {"jsonrpc": "2.0", **message}
        self.note("client", message)
        self.raw(frame(json.dumps(message)))

    def notify(self, method, params=None):
        self.send({"method": method, **({} if params is None else {"params": params})})

    def notify_wrongly(self, method, params):
        """A notification that the protocol does not allow."""
        self.raw(frame(json.dumps({"jsonrpc": "2.0", "method": method, "params": params})))

    def start(self, method, params=None, id=None):
        """Sends a request; the id to wait for."""
        if id is None:
            id = self.next_id
            self.next_id += 1
        message = {"id": id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return id

    def read(self):
        """The next message of the server, or None at the end."""
        length = None
        while True:
            line = self.process.stdout.readline()
            if line == b"":
                return None
            if line == b"\r\n":
                break
            name, value = line.decode().split(": ")
            assert name == "Content-Length" and line.endswith(b"\r\n"), line
            length = int(value)
        body = self.process.stdout.read(length)
        message = json.loads(body.decode("utf-8", "strict"))
        self.note("server", message)
        return message

    def step(self):
        """Reads one message and files it. False at the end."""
        message = self.read()
        if message is None:
            return False
        if "method" not in message:
            assert ("result" in message) != ("error" in message), message
            self.replies[json.dumps(message["id"])] = message
        elif "id" in message:
            self.asked.append((message["method"], message.get("params")))
            if message["method"] in self.answers:
                answer = {"result": self.answers[message["method"]]}
            else:
                answer = {"error": {"code": -32601, "message": "not here"}}
            self.send({"id": message["id"], **answer})
        else:
            self.notifications.append((message["method"], message["params"]))
        return True

    def wait(self, id):
        """The answer to request `id`: the whole message."""
        key = json.dumps(id)
        while key not in self.replies:
            assert self.step(), "the server ended instead of answering: " + self.log()
        return self.replies.pop(key)

    def wait_for(self, method, where=lambda params: True):
        """The parameters of a notification that fits, which may have come already."""
        while True:
            for name, params in self.notifications:
                if name == method and where(params):
                    return params
            assert self.step(), "the server ended instead of sending " + method

    def ask(self, method, params=None):
        return self.wait(self.start(method, params))

    def request(self, method, params=None):
        reply = self.ask(method, params)
        assert "result" in reply, reply
        return reply["result"]

    def error(self, method, params=None):
        reply = self.ask(method, params)
        assert "error" in reply, reply
        return reply["error"]["code"], reply["error"]["message"]

    def open(self, *paths):
        return self.request("tasklens/openTrace", {"uris": list(paths)})

    def lenses(self, uri, command="tasklens.showSite"):
        """Those of the document with this command; without those of lines that wait, which come with
        the analysis, a while later."""
        lenses = self.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        return [
            lens
            for lens in lenses
            if lens["command"]["command"] == command
            and not lens["command"]["title"].startswith("waited ")
        ]

    def did_open(self, uri, text):
        document = {"uri": uri, "languageId": "c", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def write(self, name, text):
        """A file in the workspace; its path."""
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def script(self, text, name="program"):
        """A program in the workspace; its path."""
        path = self.write(name, "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def output(self, stream="stdout"):
        return "".join(
            params["text"]
            for method, params in self.notifications
            if method == "tasklens/runOutput" and params["stream"] == stream
        )

    def end(self):
        """Reads to the end; the exit status."""
        while self.step():
            pass
        return self.process.wait()

    def log(self):
        self.stderr.seek(0)
        return self.stderr.read().decode()
