#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Assembles a runnable Eclipse 4.26 workbench from the jars of Debian 12's packages.

    debian_eclipse.py FOLDER [BUNDLE.jar...]
    debian_eclipse.py --build FOLDER    what the plugin and its update site are built with, and no workbench

writes FOLDER/plugins (links to Debian's bundles, a few repaired ones, and the given ones) and
FOLDER/configuration/config.ini. `launch.sh` beside this file starts an application of it.

Debian has the platform as single jars, made for other uses than a workbench. What is repaired:
- SWT: its jar is SWT 4.26, its manifest says 3.114 and exports half of the packages;
- four OSGi packages lie in one jar (osgi.cmpn) that is no bundle: each becomes a bundle;
- BouncyCastle, which p2 imports, has no OSGi manifest: a wrapper has one.
"""

import glob
import os
import re
import sys
import zipfile

JARS = "/usr/share/java"

# What the plugin is compiled against, the applications of p2 that make an update site, and what they find only at run
# time. The closure of their requirements is computed.
BUILD = """
org.eclipse.ui.ide org.eclipse.ui.editors org.eclipse.ui.console org.eclipse.debug.ui
org.eclipse.jface.notifications org.eclipse.equinox.event org.eclipse.equinox.launcher
org.apache.felix.scr org.eclipse.osgi.compatibility.state
org.eclipse.equinox.p2.publisher org.eclipse.equinox.p2.publisher.eclipse
org.eclipse.equinox.p2.metadata.repository org.eclipse.equinox.p2.artifact.repository
org.eclipse.equinox.p2.updatesite
""".split()
# And the workbench, with the applications of p2 that install from an update site.
WORKBENCH = BUILD + """
org.eclipse.ui.ide.application org.eclipse.ui.genericeditor org.eclipse.ui.navigator.resources
org.eclipse.ui.browser org.eclipse.ui.themes org.eclipse.e4.ui.swt.gtk org.eclipse.e4.ui.progress
org.eclipse.e4.core.di.extensions.supplier org.eclipse.search org.eclipse.core.net
org.eclipse.equinox.simpleconfigurator org.eclipse.equinox.p2.director
org.eclipse.equinox.p2.director.app org.eclipse.equinox.p2.touchpoint.eclipse
org.eclipse.equinox.p2.touchpoint.natives org.eclipse.equinox.p2.garbagecollector
org.eclipse.equinox.simpleconfigurator.manipulator org.eclipse.equinox.frameworkadmin.equinox
""".split()

# Packages of the system or of no jar at all.
JAVA = re.compile(
    r"(java|javax\.(xml|crypto|net|security|naming|swing|imageio|print)|org\.xml|org\.w3c\.dom)\b"
)

# What must run before the rest; without it declarative services and events find nobody.
START = {
    "org.apache.felix.scr": "@1\\:start",
    "org.eclipse.equinox.common": "@2\\:start",
    "org.eclipse.equinox.event": "@2\\:start",
    "org.eclipse.core.runtime": "@start",
    "org.eclipse.core.contenttype": "@start",
}


def clauses(header):
    """`a;x=1,b;y="2,3"` as [("a", {"x": "1"}), ("b", {"y": "2,3"})]; a clause may name several."""
    for clause in re.findall(r'(?:[^,"]|"[^"]*")+', header or ""):
        parts = [part.strip() for part in re.findall(r'(?:[^;"]|"[^"]*")+', clause)]
        attributes = dict(re.split(r"\s*:?=\s*", part, 1) for part in parts if "=" in part)
        attributes = {key: value.strip('"') for key, value in attributes.items()}
        for name in parts:
            if "=" not in name:
                yield name, attributes


def manifest_of(path):
    try:
        with zipfile.ZipFile(path) as jar:
            text = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return {}
    lines = text.replace("\r\n", "\n").replace("\n ", "").split("\n")
    return dict(line.split(": ", 1) for line in lines if ": " in line)


class Bundle:
    def __init__(self, path, manifest):
        self.path, self.manifest = path, manifest
        self.name = manifest["Bundle-SymbolicName"].split(";")[0].strip()

    def required(self, header):
        for name, attributes in clauses(self.manifest.get(header)):
            if attributes.get("resolution") != "optional":
                yield name


def installed_bundles():
    found, seen = {}, set()
    for link in sorted(glob.glob(JARS + "/*.jar")):
        path = os.path.realpath(link)
        if path in seen:
            continue
        seen.add(path)
        manifest = manifest_of(path)
        if "Bundle-SymbolicName" in manifest:
            bundle = Bundle(path, manifest)
            found.setdefault(bundle.name, bundle)
    return found


def closure(bundles, roots):
    """The bundles that `roots` need, by name."""
    exporters = {}
    for bundle in bundles.values():
        for package, _ in clauses(bundle.manifest.get("Export-Package")):
            exporters.setdefault(package, []).append(bundle.name)
    chosen, todo = {}, list(roots)
    while todo:
        name = todo.pop()
        if name in chosen or name == "system.bundle":
            continue
        if name not in bundles:
            if name in roots:
                sys.exit(f"debian_eclipse: {name} is missing; see packages.txt")
            continue  # its framework says what does not resolve, and whether it matters
        bundle = chosen[name] = bundles[name]
        todo += bundle.required("Require-Bundle")
        todo += (host for host, _ in clauses(bundle.manifest.get("Fragment-Host")))
        for package in bundle.required("Import-Package"):
            names = exporters.get(package)
            if names and not JAVA.match(package) and not any(n in chosen for n in names):
                todo.append(next((n for n in names if n.startswith("org.eclipse.")), names[0]))
    return chosen


def write_bundle(path, name, version, jars, packages=None, more=()):
    """A bundle with the classes of `packages` (a dict of versions; None: all) of `jars`."""
    contents = {}
    for jar in jars:
        with zipfile.ZipFile(f"{JARS}/{jar}") as archive:
            for entry in archive.namelist():
                package = os.path.dirname(entry).replace("/", ".")
                if entry.endswith("/") or package.startswith("META-INF"):
                    continue
                if packages is None or package in packages:
                    contents[entry] = archive.read(entry)
    found = {os.path.dirname(e).replace("/", ".") for e in contents if e.endswith(".class")}
    exported = packages or dict.fromkeys(sorted(found), version)
    exports = ",".join(f'{p};version="{v}"' for p, v in exported.items() if p)
    headers = ["Manifest-Version: 1.0", "Bundle-ManifestVersion: 2", f"Bundle-Version: {version}",
               f"Bundle-SymbolicName: {name}", f"Export-Package: {exports}", *more]
    lines = []
    for header in headers:  # at most 72 bytes a line
        lines.append(header[:70])
        lines += [" " + header[i : i + 69] for i in range(70, len(header), 69)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("META-INF/MANIFEST.MF", "\n".join(lines) + "\n")
        for entry, data in contents.items():
            out.writestr(entry, data)


def write_repaired(plugins):
    swt = f"{plugins}/org.eclipse.swt.jar"
    if os.path.lexists(swt):
        os.remove(swt)
    write_bundle(swt, "org.eclipse.swt;singleton:=true", "3.122.0", ["org.eclipse.swt.jar"])
    compendium = ["osgi.cmpn-7.0.0.jar"]
    for name, version, more in (
        ("org.osgi.service.prefs", "1.1.2", ()),
        ("org.osgi.service.event", "1.4.1", ["Import-Package: org.osgi.framework"]),
        ("org.osgi.util.function", "1.1.0", ()),
        ("org.osgi.util.promise", "1.1.1", ["Import-Package: org.osgi.util.function"]),
    ):
        write_bundle(f"{plugins}/{name}.jar", name, version, compendium, {name: version}, more)
    write_bundle(f"{plugins}/bouncycastle.jar", "bouncycastle", "1.72.0",
                 ["bcprov-1.72.jar", "bcpg-1.72.jar"])


def assemble(folder, roots, extra):
    plugins = os.path.abspath(folder) + "/plugins"
    configuration = os.path.abspath(folder) + "/configuration"
    os.makedirs(plugins)
    os.makedirs(configuration)
    for bundle in closure(installed_bundles(), roots).values():
        os.symlink(bundle.path, f"{plugins}/{bundle.name}.jar")
    write_repaired(plugins)
    for path in extra:
        os.symlink(os.path.abspath(path), f"{plugins}/{os.path.basename(path)}")

    def url(name):
        return f"reference\\:file\\:{plugins}/{name}.jar"

    framework = ("org.eclipse.osgi", "org.eclipse.equinox.launcher")
    names = sorted(name[:-4] for name in os.listdir(plugins))
    listed = [url(name) + START.get(name, "") for name in names if name not in framework]
    with open(configuration + "/config.ini", "w", encoding="utf-8") as out:
        out.write("osgi.bundles=" + ",\\\n  ".join(listed) + "\n")
        out.write("osgi.bundles.defaultStartLevel=4\n")
        out.write(f"osgi.framework=file\\:{plugins}/org.eclipse.osgi.jar\n")
        out.write(f"osgi.framework.extensions={url('org.eclipse.osgi.compatibility.state')}\n")
        out.write("eclipse.application=org.eclipse.ui.ide.workbench\n")
        out.write("eclipse.p2.data.area=@config.dir/p2\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--build":
        assemble(sys.argv[2], BUILD, [])
    else:
        assemble(sys.argv[1], WORKBENCH, sys.argv[2:])
