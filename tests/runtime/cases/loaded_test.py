#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runtime's library in a process that did not start with it: a plugin's, Python's.

    loaded_test.py LIBSTARPU
"""

import ctypes
import re
import subprocess
import sys
import threading
import unittest

LIBRARY = sys.argv[1]
TASKS = 100

# Opens a library twice and runs the runtime in it each time.
PLUGIN_HOST = """
import ctypes, _ctypes
for _ in range(2):
    library = ctypes.CDLL(%r)
    assert library.starpu_init(None) == 0
    assert library.starpu_task_wait_for_all() == 0
    library.starpu_shutdown()
    _ctypes.dlclose(library._handle)
print("done")
""" % LIBRARY


class Loaded(unittest.TestCase):
    def test_its_thread_storage_fits_where_little_room_is_left(self):
        text = subprocess.run(["readelf", "-lW", LIBRARY], text=True, stdout=subprocess.PIPE,
                              check=True).stdout
        storage = re.search(r"^ *TLS +(?:0x[0-9a-f]+ +){4}0x([0-9a-f]+)", text, re.MULTILINE)
        self.assertLess(int(storage[1], 16), 200)

    def test_python_opens_it_and_submits_tasks_from_several_threads(self):
        library = ctypes.CDLL(LIBRARY)
        self.assertEqual(0, library.starpu_init(None))
        errors = []

        def submit():
            library.starpu_task_create.restype = ctypes.c_void_p
            for _ in range(TASKS):
                task = ctypes.c_void_p(library.starpu_task_create())
                errors.append(library.starpu_task_submit(task))
        threads = [threading.Thread(target=submit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(0, library.starpu_task_wait_for_all())
        library.starpu_shutdown()
        self.assertEqual([0] * 4 * TASKS, errors)

    def test_a_plugin_is_closed_and_opened_again(self):
        run = subprocess.run([sys.executable, "-B", "-c", PLUGIN_HOST], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((0, "done\n"), (run.returncode, run.stdout))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
