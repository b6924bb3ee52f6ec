// SPDX-License-Identifier: Apache-2.0
// Claims, one after the other; the first that does not hold ends the test, with its reason.
"use strict";

async function check(claim, test) {
  try {
    await test();
    console.log(`ok      ${claim}`);
  } catch (error) {
    throw new Error(`FAILED  ${claim}\n        ${error.stack}`);
  }
}

function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

function finish(test) {
  test().catch((error) => {
    console.log(error.message);
    process.exitCode = 1;
  });
}

module.exports = { check, finish, holds };
