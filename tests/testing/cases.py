# SPDX-License-Identifier: Apache-2.0
"""Cases of a script, one after the other. Each reports by itself, also in Bazel's test.xml: where one fails the
others run all the same.

    cases = Cases()
    with cases("two runs are compared"):
        ...
    sys.exit(cases.status())
"""

import contextlib
import os
import traceback
from xml.etree import ElementTree


class Cases:
    def __init__(self):
        self.ended = {}  # name -> why it failed, or None

    @contextlib.contextmanager
    def __call__(self, name):
        why = None
        try:
            yield
        except (Exception, SystemExit) as problem:  # pylint: disable=broad-except
            why = str(problem) or repr(problem)
            traceback.print_exc()
        print(f"FAILED  {name}: {why}" if why else f"ok      {name}", flush=True)
        self.ended[name] = why
        self.write()  # what is known, should the next one not end

    def write(self):
        suite = ElementTree.Element("testsuite")
        for name, why in self.ended.items():
            case = ElementTree.SubElement(suite, "testcase", name=name)
            if why:
                ElementTree.SubElement(case, "failure", message=why.encode("ascii", "replace").decode())
        if "XML_OUTPUT_FILE" in os.environ:
            ElementTree.ElementTree(suite).write(os.environ["XML_OUTPUT_FILE"])

    def status(self):
        """Of the script."""
        return 1 if any(self.ended.values()) or not self.ended else 0
