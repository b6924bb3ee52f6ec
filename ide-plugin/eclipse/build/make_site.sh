#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a p2 update site (one zip file) of a bundle, with p2's own applications.
#
#     make_site.sh PLATFORM BUNDLE.jar FEATURE_FOLDER SITE.zip
set -euo pipefail

platform=$1 bundle=$(readlink -f "$2") feature=$(readlink -f "$3") site=$(readlink -m "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/source/plugins" "$work/source/features/org.tasklens.eclipse.feature"
cp -L "$bundle" "$work/source/plugins"
cp -L "$feature/feature.xml" "$work/source/features/org.tasklens.eclipse.feature"

# Prints what the application said only when it failed.
application() {
  java -jar "$platform/plugins/org.eclipse.equinox.launcher.jar" -install "$platform" \
    -configuration "$platform/configuration" -data "$work/workspace" -nosplash -consoleLog \
    -application "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}
application org.eclipse.equinox.p2.publisher.FeaturesAndBundlesPublisher \
  -metadataRepository "file:$work/site" -artifactRepository "file:$work/site" \
  -metadataRepositoryName TaskLens -artifactRepositoryName TaskLens \
  -source "$work/source" -publishArtifacts -compress
application org.eclipse.equinox.p2.publisher.CategoryPublisher \
  -metadataRepository "file:$work/site" -categoryDefinition "file:$feature/category.xml" -compress

rm -f "$site"
cd "$work/site"
python3 -m zipfile -c "$site" *
