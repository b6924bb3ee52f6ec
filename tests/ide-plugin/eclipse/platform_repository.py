#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes a p2 repository that says what an assembled Eclipse has, so that p2 can tell whether a
bundle may be installed there: platform_repository.py ECLIPSE FOLDER"""

import os
import sys
from xml.sax.saxutils import quoteattr

sys.path.insert(0, "ide-plugin/eclipse/build")
from debian_eclipse import clauses, manifest_of  # noqa: E402

REPOSITORY = """<?xml version="1.0" encoding="UTF-8"?>
<?{kind}Repository version="1.1.0"?>
<repository name="platform" type="org.eclipse.equinox.{type}" version="1">{contents}</repository>
"""


def provided(namespace, name, version):
    return (f'<provided namespace="{namespace}" name={quoteattr(name)} '
            f"version={quoteattr(version)}/>")


def main(eclipse, folder):
    capabilities = [
        provided("org.eclipse.equinox.p2.iu", "platform", "1.0.0"),
        provided("osgi.ee", "JavaSE", "17.0.0"),
    ]
    for jar in sorted(os.listdir(eclipse + "/plugins")):
        manifest = manifest_of(f"{eclipse}/plugins/{jar}")
        if "Bundle-SymbolicName" in manifest:
            name = manifest["Bundle-SymbolicName"].split(";")[0].strip()
            capabilities.append(provided("osgi.bundle", name, manifest["Bundle-Version"]))
            for package, attributes in clauses(manifest.get("Export-Package")):
                version = attributes.get("version", "0.0.0")
                capabilities.append(provided("java.package", package, version))
    provides = f'<provides size="{len(capabilities)}">{"".join(capabilities)}</provides>'
    unit = (f'<units size="1"><unit id="platform" version="1.0.0">{provides}'
            '<touchpoint id="null" version="0.0.0"/></unit></units>')
    metadata = "internal.p2.metadata.repository.LocalMetadataRepository"
    artifacts = "p2.artifact.repository.simpleRepository"
    os.makedirs(folder)
    for file, kind, repository, contents in (
        ("content.xml", "metadata", metadata, unit),
        ("artifacts.xml", "artifact", artifacts, '<artifacts size="0"/>'),
    ):
        with open(f"{folder}/{file}", "w", encoding="utf-8") as out:
            out.write(REPOSITORY.format(kind=kind, type=repository, contents=contents))


if __name__ == "__main__":
    main(*sys.argv[1:])
