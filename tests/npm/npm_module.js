// SPDX-License-Identifier: Apache-2.0
// The packages of package.json for tests in JavaScript. Where they are not installed, the test that
// asks for one says so and ends.
"use strict";
const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const { createRequire } = require("module");

const TOOLS = path.join(__dirname, "../../tools");

// The folder of a set of tools/npm_packages.py, which exists when its packages are installed.
function npmFolder(set) {
  const script = `import sys; sys.path.insert(0, sys.argv[1]); from npm_packages import npm_folder; print(npm_folder(sys.argv[2]))`;
  return execFileSync("python3", ["-B", "-c", script, TOOLS, set], { encoding: "utf8" }).trim();
}

// What require(name) gives for a module of a package.
function npmModule(name) {
  const folder = npmFolder("tests/npm");
  if (!fs.existsSync(folder)) {
    console.log(`SKIPPED: ${name} of npm is not installed; ./tasklens test installs it`);
    process.exit(0);
  }
  return createRequire(path.join(folder, "package.json"))(name);
}

module.exports = { npmFolder, npmModule };
