// SPDX-License-Identifier: Apache-2.0
// What tests of VS Code say of claims. (VSCode.check() tries one.)
"use strict";

function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

function finish(test) {
  test().catch((error) => {
    console.log(error.stack);
    process.exitCode = 1;
  });
}

module.exports = { finish, holds };
