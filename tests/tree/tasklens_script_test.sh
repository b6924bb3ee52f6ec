#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ./tasklens answers when packages are missing. dpkg-query, apt-get, sudo and bazel are stand-ins,
# as no test may install anything; the rest of the script is real.
set -euo pipefail

work=$TEST_TMPDIR/"a folder"
mkdir -p "$work/bin" "$work/tree"
cp tasklens packages.txt "$work/tree"
root=$(dirname "$(readlink -f tasklens)")
cp -r "$root/packaging" "$root/tools" "$work/tree"
ln -s "$work/tree/tasklens" "$work/link"
export PATH=$work/bin:$PATH FAKE=$work HOME=$TEST_TMPDIR/home
mkdir "$HOME"

stand_in() { # NAME, body on standard input
  { printf '#!/usr/bin/env bash\n'; cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# Installed is what the file `installed` lists.
stand_in dpkg-query <<'SH'
if grep -qxF "${!#}" "$FAKE/installed"; then printf installed; else exit 1; fi
SH
# Installs the named packages, unless the file `apt-fails` is there.
stand_in apt-get <<'SH'
printf '%s\n' "apt-get $*" >>"$FAKE/calls"
if [[ -e $FAKE/apt-fails ]]; then echo "E: no such mirror" >&2; exit 100; fi
for word in "$@"; do [[ $word == -* ]] || printf '%s\n' "$word"; done >>"$FAKE/installed"
SH
# Builds the program: another stand-in, which says how it was called.
stand_in bazel <<'SH'
printf '%s\n' "bazel $*" >>"$FAKE/calls"
if [[ $* == *--check_up_to_date* && -e $FAKE/is-stale ]]; then exit 1; fi
mkdir -p bazel-bin/server/command_line
cp "$FAKE/program" bazel-bin/server/command_line/tasklens
SH
cat >"$work/program" <<'SH'
#!/usr/bin/env bash
printf 'program in %s:' "$PWD"
printf ' [%s]' "$@"
printf '\n'
exit 7
SH
chmod +x "$work/program"
stand_in id <<'SH'
echo "${FAKE_UID-0}"
SH
# Refuses, as for a user without the right, unless the file `may-sudo` is there.
stand_in sudo <<'SH'
[[ -e $FAKE/may-sudo ]] || exit 1
printf '%s\n' "sudo $*" >>"$FAKE/calls"
case $1 in -u) shift 4 ;; *) shift ;; esac # -u USER -H --, or -n
exec "$@"
SH
packages() { awk -v kind="$1" '$1 == kind { print $2 }' packages.txt; }

# Runs the script; leaves `out`, `err`, `status` and the calls of the stand-ins.
run() {
  : >"$work/calls"
  status=0
  "$work/tree/tasklens" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
  out=$(<"$work/out") err=$(<"$work/err") calls=$(<"$work/calls")
}

fail() {
  printf 'FAILED: %s\nstatus %s\nout: %s\nerr: %s\ncalls: %s\n' "$1" "$status" "$out" "$err" "$calls"
  exit 1
}

# A user without the right to install gets one line for the administrator, and nothing is built.
{ packages build | grep -v '^libfmt-dev$'; } >"$work/installed"
FAKE_UID=1000 run stats x.tlt
[[ $status == 1 ]] || fail "status of a missing package"
[[ $err == *$'\n''apt-get install -y --no-install-recommends libfmt-dev' ]] || fail "the apt-get line"
[[ -z $out && -z $calls ]] || fail "nothing is run before packages are there"

# The product needs no package of the tests; a test needs all kinds.
packages build >"$work/installed"
FAKE_UID=1000 run stats x.tlt
[[ $status == 7 && -z $err ]] || fail "tests' packages were asked for"
FAKE_UID=1000 run test
[[ $status == 1 && $err == *clang-format*libgmock-dev*librsvg2-bin* ]] || fail "the packages of the tests"
[[ $err != *qt6-base-dev* ]] || fail "an installed package is named"

# Root installs what is missing after naming it; so does a user with sudo.
{ packages build | grep -v -e '^libfmt-dev$' -e '^g++$'; } >"$work/installed"
run stats x.tlt
[[ $status == 7 && $err == "tasklens: installing: g++ libfmt-dev" ]] || fail "root installs"
[[ $calls == *"apt-get install -y --no-install-recommends g++ libfmt-dev"* ]] || fail "root's call"
packages build | grep -v '^libfmt-dev$' >"$work/installed"
touch "$work/may-sudo"
FAKE_UID=1000 run stats x.tlt
[[ $status == 7 && $err == "tasklens: installing: libfmt-dev" ]] || fail "sudo installs"

# To install the product needs no package of the tests, and those of a plugin's build only where that is wanted and
# not there from a release. (Nothing is put in place: the stand-in of the program has no manual page.)
packages build >"$work/installed"
rm "$work/may-sudo"
to=(--prefix "$work/prefix")
FAKE_UID=1000 run install "${to[@]}" --with none
[[ $calls == *" //packaging:parts" && $calls != *apt-get* ]] || fail "what is built without plugins"
[[ $status == 1 && $err == "tasklens: tasklens failed: "* && ! -e $work/prefix ]] || fail "half an installation"
FAKE_UID=1000 run install "${to[@]}" --with neovim,emacs
[[ $calls == *" //packaging:parts" && $calls != *apt-get* ]] || fail "what is built for Neovim and Emacs"
FAKE_UID=1000 run install "${to[@]}" --with eclipse
[[ $status == 1 && $err == *$'\n'"apt-get install -y --no-install-recommends $(packages eclipse | sort | xargs)" ]] ||
  fail "the packages of a plugin that is asked for"
[[ -z $calls ]] || fail "nothing is built before packages are there"
packages eclipse >>"$work/installed"
FAKE_UID=1000 run install "${to[@]}" --with eclipse
[[ $calls == *" //packaging:parts //packaging:parts_eclipse" ]] || fail "what is built for Eclipse"
packages build >"$work/installed"
mkdir "$work/release"
(cd "$work" && echo made >artifacts.jar && python3 -m zipfile -c release/tasklens-eclipse.zip artifacts.jar)
FAKE_UID=1000 run install "${to[@]}" --with eclipse --from "$work/release"
[[ $calls == *" //packaging:parts" && $calls != *apt-get* ]] || fail "a plugin that is there from a release"
# An Eclipse on the machine is no reason to fail for want of packages.
stand_in eclipse <<<true
FAKE_UID=1000 run install "${to[@]}"
[[ $calls == *" //packaging:parts" && $calls != *apt-get* ]] || fail "an editor that is on the machine"
rm "$work/bin/eclipse"
# By sudo the build is the user's.
touch "$work/may-sudo"
SUDO_USER=somebody run install "${to[@]}" --with none
[[ $calls == *"sudo -u somebody -H -- $work/tree/tasklens build-parts"$'\n'*"bazel build"* ]] || fail "a build by sudo"
rm "$work/may-sudo"
# What is wrong is told before anything is installed or built.
: >"$work/installed"
run install --prefix "$work/installed" --with eclips
[[ $status == 2 && $err == "tasklens: --with: 'eclips' is none of "* && -z $calls ]] || fail "an unknown editor"
run install --prefix "$work/installed"
[[ $status == 1 && $err == *"installed is a file; choose another --prefix" && -z $calls ]] || fail "a file as prefix"
run install --help
[[ $status == 0 && $out == *"--from DIR"* && -z $calls ]] || fail "the help"
touch "$work/may-sudo"

# When apt-get fails, what it said is shown.
packages build | grep -v '^libfmt-dev$' >"$work/installed"
touch "$work/apt-fails"
run stats x.tlt
[[ $status == 1 && $err == *"E: no such mirror"*"apt-get could not install"* ]] || fail "apt's error"
rm "$work/apt-fails"

# Arguments, folder and exit status are the program's; a link to the script works like the script.
packages build >"$work/installed"
cd "$work/bin"
run run -- "a b" '*' ''
[[ $status == 7 && $out == "program in $work/bin: [run] [--] [a b] [*] []" ]] || fail "arguments"
status=0
out=$("$work/link" stats "a b" 2>"$work/err") || status=$?
[[ $status == 7 && $out == "program in $work/bin: [stats] [a b]" ]] || fail "through a link"

# What was compiled is kept in the cache, but for what nobody asked for in three weeks.
touch "$work/is-stale"
kept=$HOME/.cache/tasklens/bazel
run stats
[[ $calls == *" --disk_cache=$kept "* ]] || fail "the cache of what was compiled"
mkdir -p "$kept/cas"
touch "$kept/cas/new"
touch -d '-30 days' "$kept/cas/old"
run stats
[[ -e $kept/cas/new && ! -e $kept/cas/old ]] || fail "what is kept of it"
# What Bazel alone put there is taken over; of another compiler nothing is kept.
rm "$kept/compiler"
run stats
[[ -e $kept/cas/new ]] || fail "what was there before is gone"
echo another >"$kept/compiler"
run stats
[[ ! -e $kept/cas/new ]] || fail "what another compiler made is kept"
rm "$work/is-stale"

# Without a home to write to, Bazel works in a temporary folder.
HOME='' TMPDIR=$TEST_TMPDIR run stats
[[ $status == 7 ]] || fail "no home"
[[ $calls == *"bazel --output_user_root=$TEST_TMPDIR/tasklens-0/bazel build"* ]] || fail "the temporary folder"

# A build that fails shows what Bazel said, and the program does not run.
stand_in bazel <<'SH'
echo "ERROR: a.cc:1: it does not compile" >&2
exit 1
SH
run stats
[[ $status == 1 && $err == *"a.cc:1: it does not compile"* && -z $out ]] || fail "a failed build"

# No command is a wrong usage.
run
[[ $status == 2 && $err == *"./tasklens demo"* && -z $out ]] || fail "no command"
echo "all answers are as they should be"
