# SPDX-License-Identifier: Apache-2.0
"""Waiting for what nothing can tell: how another process looks from outside.

The screen of an editor in a terminal, whether a process has work: the system sends no message when these
change. All else is waited for by the message, file or pipe that tells it; tests/tree/sleep_test.py sees to it.
"""

import math
import os
import time

PAUSE_S = 0.01  # it leaves the processor to those who are looked at
ENDS = time.monotonic() + float(os.environ.get("TEST_TIMEOUT", math.inf))


def looked(condition):
    """What `condition()` answers once that is true. It may take as long as it does, but what waits in vain leaves half of
    the time that Bazel gives the test to others."""
    gives_up = (time.monotonic() + ENDS) / 2
    while not (found := condition()):
        if time.monotonic() > gives_up:
            raise TimeoutError("waited in vain")
        time.sleep(PAUSE_S)
    return found
