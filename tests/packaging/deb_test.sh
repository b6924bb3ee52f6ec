#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package, in a root of its own. (Without maintainer scripts dpkg needs no other root than that.)
source tests/packaging/common.sh
export DPKG_DEB_COMPRESSOR_LEVEL=1  # it is thrown away

packaging/make_deb.py "$work/tasklens.deb" "$tree" 2>"$work/said" || fail "the package: $(<"$work/said")"
dpkg-deb --field "$work/tasklens.deb" Depends | grep -q libqt6core6 || fail "what it depends on"
root=$work/root
export PATH=$PATH:/usr/sbin:/sbin  # for dpkg
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
package=(dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$work/log")
# What a package has belongs to root: a user who is not plays it.
[[ $(id -u) == 0 ]] || package=(unshare --map-root-user "${package[@]}")
"${package[@]}" --install "$work/tasklens.deb" >"$work/said" 2>&1 || fail "dpkg: $(<"$work/said")"
export LD_LIBRARY_PATH=$root/usr/lib/tasklens
use "$root/usr/bin/tasklens" PKG_CONFIG_PATH="$root/usr/lib/tasklens/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
"${package[@]}" --purge tasklens >"$work/said" 2>&1 || fail "dpkg: $(<"$work/said")"
left=$(find "$root" -not -path "$root/var*" -not -path "$root")
[[ -z $left ]] || fail "left behind: $left"
echo "ok: the Debian package"
