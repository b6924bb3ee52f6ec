// SPDX-License-Identifier: Apache-2.0
// Waiting for what nothing can tell: how another process looks from outside, such as an editor's window, or
// what a server answers to a viewer that asks again and again. All else is waited for by the message, file
// or event that tells it; tests/tree/sleep_test.py sees to it.
"use strict";

// What `look` answers, once that is something, however long it takes.
async function looked(look, pause_ms = 25) {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, pause_ms));  // it leaves the processor to those who are looked at
  }
}

module.exports = { looked };
