#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a scenario of the fragment in a real Eclipse workbench, assembled from Debian's jars, with
# the plugin as p2 installs it from its update site, on an X server of its own. Screenshots are kept
# among the test's outputs.
#
#     run_eclipse.sh SCENARIO SERVER SITE.zip FRAGMENT.jar [BUNDLE.jar...]
set -euo pipefail

ends=$(($(date +%s) + ${TEST_TIMEOUT:-1000000})) # as Bazel says
scenario=$1 server=$PWD/$2 site=$PWD/$3
shift 3 # what is left goes into the workbench as it is
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/eclipse.XXXXXX")")
outputs=${TEST_UNDECLARED_OUTPUTS_DIR:-$work/outputs}
mkdir -p "$outputs" "$work/home" "$work/noted"
end() {
  local id
  # When it is ended from outside: how far it came.
  [[ -e $work/result || ! -e $outputs/eclipse.log ]] || tail -40 "$outputs/eclipse.log"
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  wait || true
}
started=()
trap end EXIT

# p2 installs the plugin into a folder of its own, and the workbench gets it from there.
readonly build=ide-plugin/eclipse/build
$build/debian_eclipse.py "$work/installer"
"${BASH_SOURCE[0]%/*}/platform_repository.py" "$work/installer" "$work/platform"
python3 -m zipfile -e "$site" "$work/site"
java -jar "$work/installer/plugins/org.eclipse.equinox.launcher.jar" -install "$work/installer" \
  -configuration "$work/installer/configuration" -data "$work/installer/workspace" \
  -nosplash -consoleLog \
  -application org.eclipse.equinox.p2.director -repository "file:$work/platform,file:$work/site" \
  -installIU org.tasklens.eclipse.feature.feature.group -destination "$work/installed" \
  -profile tasklens >"$outputs/install.log" 2>&1 || { cat "$outputs/install.log"; exit 1; }
rm -r "$work/installer"
$build/debian_eclipse.py "$work/eclipse" "$work"/installed/plugins/*.jar "$@"

# The X server chooses a free display and says which.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$work/display" >"$outputs/xvfb.log" 2>&1 &
started+=($!)
read -r display <"$work/display" || { cat "$outputs/xvfb.log"; exit 1; }
DISPLAY=:$display
export DISPLAY HOME=$work/home XDG_CACHE_HOME=$work/home/.cache GDK_BACKEND=x11 NO_AT_BRIDGE=1 \
  PATH=$work/bin:$PATH GTK_THEME=Adwaita
mkdir "$work/bin"
ln -s "$PWD/tests/testing/recorded_server.py" "$work/bin/tasklens"
export TASKLENS=$server CONVERSATIONS=$work/said.jsonl
# The user's browser, as the desktop knows it: it notes what it was asked to show.
printf '#!/bin/sh\necho "$1" >"%s"\n' "$work/noted/opened" >"$work/bin/browser"
chmod +x "$work/bin/browser"
mkdir -p "$HOME/.local/share/applications" "$HOME/.config"
printf '[Desktop Entry]\nType=Application\nName=Browser\nExec=%s %%u\nMimeType=text/html;\n' \
  "$work/bin/browser" >"$HOME/.local/share/applications/browser.desktop"
printf '[Default Applications]\ntext/html=browser.desktop\n' >"$HOME/.config/mimeapps.list"
openbox >/dev/null 2>&1 &
started+=($!)

# What the workbench may do with the system's network and desktop: nothing.
unset DBUS_SESSION_BUS_ADDRESS WAYLAND_DISPLAY
# SWT unpacks nothing and WebKit starts no sandbox of its own within that of the build.
export WEBKIT_FORCE_SANDBOX=0 LIBGL_ALWAYS_SOFTWARE=1
options=()
if [[ $scenario == plain ]]; then # all of SWT but its browser
  mkdir "$work/lib"
  for library in /usr/lib/jni/libswt*; do
    [[ $library == *webkit* ]] || ln -s "$library" "$work/lib"
  done
  options=(-Djava.library.path="$work/lib" -Dswt.library.path="$work/lib")
fi
if [[ $scenario == tutorial ]]; then # it compiles: headers, and the library as if Bazel had made it
  mkdir "$work/tree"
  ln -s "$PWD/runtime" "$work/tree/runtime"
  ln -s "$PWD" "$work/tree/bazel-bin"
  export TASKLENS_ROOT=$work/tree
fi
theme=()
[[ $scenario != faults ]] || theme=(-cssTheme org.eclipse.e4.ui.css.theme.e4_dark)
java -Xmx1g -Duser.home="$HOME" "${options[@]}" -Dtasklens.bin="$work/bin" \
  -Dtasklens.test="$scenario" -Dtasklens.result="$work/result" -Dtasklens.outputs="$outputs" \
  -Dtasklens.cases="${XML_OUTPUT_FILE:-}" -Dtasklens.ends="$ends" \
  -Dtasklens.work="$work/noted" -Dtasklens.data="$PWD" \
  -jar "$work/eclipse/plugins/org.eclipse.equinox.launcher.jar" -install "$work/eclipse" \
  -configuration "$work/eclipse/configuration" -data "$work/workspace" -nosplash -consoleLog \
  "${theme[@]}" -application org.eclipse.ui.ide.workbench >"$outputs/eclipse.log" 2>&1 &
eclipse=$!
started+=("$eclipse")
wait "$eclipse" || true
cp "$work/workspace/.metadata/.log" "$outputs/workbench.log" 2>/dev/null || true

grep -E '^(ok:|passed:|FAILED:|MEASURED|UI thread|  )' "$outputs/eclipse.log" || true
if [[ $(cat "$work/result" 2>/dev/null) != passed ]]; then
  tail -100 "$outputs/eclipse.log"
  cat "$work/result" 2>/dev/null || echo "the workbench ended without a result"
  exit 1
fi
server_id=$(cat "$work/noted/server.pid")
if ((server_id > 0)) && kill -0 "$server_id" 2>/dev/null; then
  echo "the server (process $server_id) lives on after the workbench"
  exit 1
fi
tests/npm/check_conversations.sh "$CONVERSATIONS"
