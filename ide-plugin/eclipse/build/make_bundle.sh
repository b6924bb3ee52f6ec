#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes an OSGi bundle of a folder: compiles its src/, draws its icons/*.svg for light, dark and any
# workbenches, and packs both with META-INF, plugin.xml (or fragment.xml), help and libraries.
#
#     make_bundle.sh PLATFORM FOLDER BUNDLE.jar [JAR...]
#
# PLATFORM: what debian_eclipse.py assembled. JAR: more to compile against. Debian's Gson is
# embedded where the manifest's Bundle-ClassPath names lib/gson.jar: not every Eclipse has it.
set -euo pipefail

platform=$1 folder=$2 bundle=$(readlink -m "$3")
shift 3
readonly gson=/usr/share/java/gson.jar
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/classes" "$work/bundle"

classpath=$(printf '%s:' "$platform"/plugins/*.jar "$@")$gson
find -L "$folder/src" -name '*.java' | sort >"$work/sources"
# Texts are joined by plain calls: what the virtual machine makes for them otherwise takes long the
# first time.
javac --release 17 -encoding UTF-8 -proc:none -XDstringConcat=inline \
  -Xlint:all,-processing,-classfile,-path,-serial -Werror \
  -cp "$classpath" -d "$work/classes" "@$work/sources"

cp -rL "$folder"/META-INF "$work/bundle"
for part in plugin.xml fragment.xml help; do
  [[ ! -e $folder/$part ]] || cp -rL "$folder/$part" "$work/bundle"
done
if grep -q 'lib/gson.jar' "$folder/META-INF/MANIFEST.MF"; then
  mkdir "$work/bundle/lib"
  cp -L "$gson" "$work/bundle/lib/gson.jar"
fi

# The drawings name their colours; a theme gives each its own.
draw() {
  local theme=$1 svg name
  shift
  mkdir -p "$work/bundle/icons/$theme"
  for svg in "$folder"/icons/*.svg; do
    name=$work/bundle/icons/$theme/$(basename "$svg" .svg)
    sed "$@" "$svg" >"$work/icon.svg"
    rsvg-convert --width 16 --height 16 "$work/icon.svg" --output "$name.png"
    rsvg-convert --width 32 --height 32 "$work/icon.svg" --output "$name@2x.png"
  done
}
if [[ -d $folder/icons ]]; then
  draw light -e s/INK/#4a4a4a/g -e s/BLUE/#2f6fc4/g -e s/GREEN/#2f8f46/g -e s/ORANGE/#d9822b/g \
    -e s/RED/#c0392b/g
  draw dark -e s/INK/#d0d0d0/g -e s/BLUE/#6ea8ff/g -e s/GREEN/#6ccf84/g -e s/ORANGE/#ffb45e/g \
    -e s/RED/#ff7b6b/g
  draw any -e s/INK/#8a8f98/g -e s/BLUE/#4a8ae0/g -e s/GREEN/#45a862/g -e s/ORANGE/#e8953a/g \
    -e s/RED/#de5a4b/g
fi

# Equal inputs, equal bytes: entries in order, all of one date.
cp -r "$work/classes/." "$work/bundle"
rm -f "$bundle"
(
  cd "$work/bundle"
  {
    echo META-INF/MANIFEST.MF
    find . -type f ! -path ./META-INF/MANIFEST.MF | sed 's|^\./||' | sort
  } |
    python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
    for name in sys.stdin.read().split("\n")[:-1]:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        out.writestr(info, open(name, "rb").read())
' "$bundle"
)
