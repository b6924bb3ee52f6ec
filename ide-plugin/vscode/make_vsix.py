#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes the extension: checks its types, joins it into one file, and packs it as a .vsix.

    make_vsix.py [--unchecked] OUT

--unchecked leaves the types alone, which take most of the time: for tests, while another one checks them. The npm packages of npm/package.json have to be installed (tools/npm_packages.py). A .vsix is a zip with two
pages that describe it; it is written here, always with the same bytes, because vsce wants a newer Node.js than
Debian's and two hundred packages more.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from xml.sax.saxutils import escape, quoteattr

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools"))
from npm_packages import npm_folder  # noqa: E402
from protocol import Protocol  # noqa: E402
from protocol_page import typescript  # noqa: E402

TYPES = {
    ".js": "application/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".vsixmanifest": "text/xml",
}


def text(path):
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        return file.read()


def as_json(value):
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def manifest():
    """package.json, with the members of a launch configuration where VS Code wants to know them."""
    package = json.loads(text("package.json"))
    members = json.loads(text("schemas/configuration.json"))
    contributes = package["contributes"]
    contributes["taskDefinitions"][0]["properties"] = members
    contributes["debuggers"][0]["configurationAttributes"]["launch"]["properties"] = members
    row = contributes["configuration"]["properties"]["tasklens.configurations"]["items"]
    row["properties"] = named(members)
    return package


def named(members):
    """Those of a configuration that has a name, rather than naming one."""
    rest = {name: member for name, member in members.items() if name != "configuration"}
    return {"name": {"type": "string", "description": "What it is called."}, **rest}


def launch_schema():
    row = {
        "type": "object",
        "required": ["name", "program"],
        "properties": named(json.loads(text("schemas/configuration.json"))),
        "additionalProperties": False,
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "allowComments": True,
        "type": "object",
        "required": ["version", "configurations"],
        "properties": {
            "version": {"const": 1},
            "configurations": {"type": "array", "items": row},
        },
    }


def bundle(is_checked):
    """The script, after its types were checked."""
    packages = os.path.join(npm_folder("ide-plugin/vscode/npm"), "node_modules")
    if not os.path.isdir(packages):
        sys.exit("the npm packages of the VS Code extension are missing; run ./tasklens build")
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(os.path.join(HERE, "src"), os.path.join(work, "src"))
        with open(os.path.join(work, "src/messages.ts"), "w", encoding="utf-8") as file:
            file.write(typescript("", Protocol()))
        shutil.copy(os.path.join(HERE, "tsconfig.json"), work)
        os.symlink(packages, os.path.join(work, "node_modules"))
        out = os.path.join(work, "extension.js")
        check = ["node", "node_modules/typescript/bin/tsc", "-p", "."]
        for command in (
            *([check] if is_checked else []),
            ["esbuild", "src/extension.ts", "--bundle", "--minify", "--platform=node", "--format=cjs"]
            + ["--target=node18", "--external:vscode", "--log-level=warning", "--outfile=" + out],
        ):
            done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
        with open(out, "rb") as file:
            return file.read()


def vsix_manifest(package):
    def asset(kind, path):
        return f'<Asset Type="Microsoft.VisualStudio.{kind}" Path="extension/{path}" Addressable="true"/>'

    def attribute(name, value):
        return f'<Property Id="Microsoft.VisualStudio.{name}" Value={quoteattr(value)}/>'

    identity = " ".join(
        f"{name}={quoteattr(package[key])}"
        for name, key in (("Id", "name"), ("Version", "version"), ("Publisher", "publisher"))
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" {identity}/>
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Tags>{escape(",".join(package["keywords"]))}</Tags>
    <Categories>{escape(",".join(package["categories"]))}</Categories>
    <Properties>
      {attribute("Code.Engine", package["engines"]["vscode"])}
      {attribute("Code.ExtensionKind", ",".join(package["extensionKind"]))}
      {attribute("Code.ExtensionDependencies", "")}
      {attribute("Code.ExtensionPack", "")}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/{package["icon"]}</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    {asset("Code.Manifest", "package.json")}
    {asset("Services.Content.Details", "README.md")}
    {asset("Services.Content.License", "LICENSE.txt")}
    {asset("Services.Icons.Default", package["icon"])}
  </Assets>
</PackageManifest>
"""


def content_types():
    rows = "".join(
        f'<Default Extension="{ending}" ContentType="{kind}"/>' for ending, kind in TYPES.items()
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}</Types>\n'
    )


def icon():
    """The extension's picture: VS Code shows no SVG there."""
    svg = os.path.join(HERE, "media/tasklens.svg")
    command = ["rsvg-convert", "-w", "128", "-h", "128", "--background-color=#10355a", svg]
    return subprocess.run(command, capture_output=True, check=True).stdout


def contents(is_checked):
    package = manifest()
    package["icon"] = "media/icon.png"
    files = {
        "[Content_Types].xml": content_types().encode(),
        "extension.vsixmanifest": vsix_manifest(package).encode(),
        "extension/package.json": as_json(package),
        "extension/launch.schema.json": as_json(launch_schema()),
        "extension/extension.js": bundle(is_checked),
        "extension/media/icon.png": icon(),
        "extension/LICENSE.txt": text("../../LICENSE").encode(),
    }
    for folder in ("media", "pictures"):
        for name in os.listdir(os.path.join(HERE, folder)):
            with open(os.path.join(HERE, folder, name), "rb") as file:
                files[f"extension/{folder}/{name}"] = file.read()
    files["extension/README.md"] = text("README.md").encode()
    return files


def main():
    *options, path = sys.argv[1:]
    files = contents(is_checked=options != ["--unchecked"])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), files[name], zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
