#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A release is refused with every reason at once, and is a tag when tests and packages are there; a version is
# written into all files that have it. In a repository of a few files, whose `tasklens` notes what is asked of it.
set -euo pipefail

tools=$TEST_SRCDIR/tasklens/tools
export HOME=$TEST_TMPDIR GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
mkdir -p "$TEST_TMPDIR/tree/tools" && cd "$TEST_TMPDIR/tree"
git init -q
cp -L "$tools/release.py" "$tools/set_version.py" tools
cat >tasklens <<'SH'
#!/bin/sh
echo "$@" >>"$(dirname "$0")/.git/asked"
[ ! -e "$(dirname "$0")/.git/fails-$1" ]
SH
chmod +x tasklens
echo 1.2.3 >VERSION
PYTHONPATH=tools python3 -B - <<'PY'
import os
from set_version import COPIES
for path, before, after in COPIES:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write(f"first\n{before}1.2.3{after}\n")
PY
commit() { git add -A && git commit -qm "$1"; }

refused() { # VERSION, what is said on standard input
  local status=0
  tools/release.py "$@" 2>.git/said || status=$?
  cat >.git/expected
  diff .git/expected .git/said
  [[ $status == 1 && -z $(git tag) ]] || { echo "exit status $status, tags: $(git tag)"; exit 1; }
}

refused 1.2 <<<"usage: ./tasklens release VERSION, such as 0.9.1"
refused <<<"usage: ./tasklens release VERSION, such as 0.9.1"

printf '# Changes\n\n## 1.2.3, unreleased\n\nMore.\n' >CHANGELOG.md
commit all
touch new
refused 1.2.4 <<'TEXT'
not released:
not everything is committed: new
VERSION: 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
docs/versions.md: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/eclipse/feature/feature.xml: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/eclipse/plugin/META-INF/MANIFEST.MF: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/emacs/tasklens.el: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/emacs/tasklens.el: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/neovim/lua/tasklens/client.lua: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
ide-plugin/vscode/package.json: version 1.2.3, not 1.2.4; run tools/set_version.py 1.2.4
CHANGELOG.md: no heading `## 1.2.4, YEAR-MONTH-DAY`
TEXT
rm new

# Without a date, with one to come, without a word.
changelog() {
  cat >CHANGELOG.md
  commit changelog
}
refused 1.2.3 <<'TEXT'
not released:
CHANGELOG.md: 1.2.3 has no date but 'unreleased'; write YEAR-MONTH-DAY
TEXT
changelog <<<$'## 1.2.3, 9999-12-31\n\nMore.'
refused 1.2.3 <<'TEXT'
not released:
CHANGELOG.md: 9999-12-31, of 1.2.3, is yet to come
TEXT
changelog <<<$'## 1.2.3, 2020-02-03\n\n## 1.2.2, 2020-02-02\n\nFirst.'
refused 1.2.3 <<'TEXT'
not released:
CHANGELOG.md: nothing is said of 1.2.3
TEXT
[[ ! -e .git/asked ]] || { echo "something was run for a release that is refused"; exit 1; }

# Tests or packages that fail: no tag.
changelog <<<$'## 1.2.3, 2020-02-03\n\nMore.\n\n### Traces\n\n- #1 is better.\n\n## 1.2.2, 2020-02-02\n\nFirst.'
for step in test package; do
  touch ".git/fails-$step"
  refused 1.2.3 <<<"not released: ./tasklens $step failed"
  rm ".git/fails-$step"
done
diff .git/asked <(printf '%s\n' test test "package -o $PWD/dist/1.2.3")

# What a release is.
tools/release.py 1.2.3 2>.git/said
diff .git/said <(echo "v1.2.3 is the commit $(git rev-parse HEAD), its packages are in dist/1.2.3; RELEASING.md goes on")
diff <(git for-each-ref --format='%(objecttype) %(contents)' refs/tags/v1.2.3) - <<'TEXT'
tag TaskLens 1.2.3

More.

### Traces

- #1 is better.

TEXT
tools/release.py 1.2.3 2>.git/said && exit 1
diff .git/said <(printf 'not released:\nthe tag v1.2.3 is there already\n')

# Another version, in all files at once.
tools/set_version.py 1.10.0
[[ $(cat VERSION) == 1.10.0 ]]
if grep -rn "1\.2\.3" docs ide-plugin; then exit 1; fi
[[ $(grep -rhoF 1.10.0 docs ide-plugin | wc -l) == 7 ]]
tools/set_version.py 2 2>.git/said && exit 1
diff .git/said <(echo "usage: tools/set_version.py VERSION, such as 0.9.1")
# A file that has changed its form: nothing is written.
echo '{}' >ide-plugin/vscode/package.json
tools/set_version.py 3.0.0 2>.git/said && exit 1
grep -q '^ide-plugin/vscode/package.json: no version after ' .git/said
[[ $(cat VERSION) == 1.10.0 ]]
