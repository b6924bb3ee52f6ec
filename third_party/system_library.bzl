# SPDX-License-Identifier: Apache-2.0
"""A library of the system, found by pkg-config, as the repository @NAME with the target @NAME."""

_BUILD = """\
# Written by //third_party:system_library.bzl from pkg-config.
cc_library(
    name = "{name}",
    hdrs = glob(["include/**", "default/**"]),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
    deps = ["@tasklens//third_party:sanitizers"] + {precompiled},
    visibility = {visibility},
)
"""

# Headers that are compiled once, for those that include NAME_precompiled.h before all else.
_PRECOMPILED = """
load("@tasklens//third_party:precompiled_header.bzl", "precompiled_header")

cc_library(
    name = "headers",
    hdrs = glob(["include/**", "default/**"]),
    defines = {defines},
    includes = {includes},
)

precompiled_header(
    name = "precompiled",
    copts = {copts},
    header = "{name}_precompiled.h",
    includes = {precompiled},
    deps = [":headers"],
)
"""

def _has(ctx, modules):
    tool = ctx.which("pkg-config")
    return not tool or ctx.execute([tool, "--exists"] + modules).return_code == 0

# Those of the library, or of the one that takes its place on this machine.
def _modules(ctx):
    other = ctx.attr.other_modules
    return other if other and not _has(ctx, ctx.attr.modules) and _has(ctx, other) else ctx.attr.modules

def _pkg_config(ctx, option):
    tool = ctx.which("pkg-config")
    if not tool:
        fail("pkg-config is missing: apt-get install pkg-config")
    result = ctx.execute([tool, option] + _modules(ctx))
    if result.return_code:
        fail("{} is missing: apt-get install {}\n{}".format(
            " ".join(ctx.attr.modules),
            ctx.attr.debian_package,
            result.stderr,
        ))
    return [word for word in result.stdout.strip().split(" ") if word]

def _is_missing(ctx):
    return not _has(ctx, _modules(ctx))

def _system_library_impl(ctx):
    ctx.file("is_there.bzl", "IS_THERE = %s\n" % (not (ctx.attr.is_optional and _is_missing(ctx))))
    if ctx.attr.is_optional and _is_missing(ctx):
        # buildifier: disable=print
        print("%s is missing: what needs it is left out (apt-get install %s)" % (
            " ".join(ctx.attr.modules),
            ctx.attr.debian_package,
        ))
        ctx.file("BUILD", "")
        return
    includes = []
    defines = []
    for flag in _pkg_config(ctx, "--cflags"):
        if flag.startswith("-I") and "/mkspecs/" not in flag:
            includes.append("include/%d" % len(includes))
            ctx.symlink(flag[2:], includes[-1])
        elif flag.startswith("-D"):
            defines.append(flag[2:])

    # Headers in /usr/include are found without an option; they are listed all the same, so that
    # an upgrade of the package rebuilds what uses it.
    for header in ctx.attr.headers:
        ctx.symlink("/usr/include/" + header, "default/" + header)

    build = _BUILD.format(
        name = ctx.name,
        defines = repr(ctx.attr.defines + defines),
        includes = repr(includes),
        linkopts = repr([] if ctx.attr.is_loaded else _pkg_config(ctx, "--libs")),
        precompiled = repr([":precompiled"] if ctx.attr.precompiled else []),
        visibility = repr(["@tasklens//%s:__subpackages__" % owner for owner in ctx.attr.owners]),
    )
    if ctx.attr.precompiled:
        build += _PRECOMPILED.format(
            name = ctx.name,
            copts = repr(ctx.attr.precompiled_copts),
            defines = repr(ctx.attr.defines + defines),
            includes = repr(includes),
            precompiled = repr(ctx.attr.precompiled),
        )
    ctx.file("BUILD", build)

system_library = repository_rule(
    implementation = _system_library_impl,
    local = True,
    attrs = {
        "defines": attr.string_list(doc = "besides those of pkg-config"),
        "debian_package": attr.string(mandatory = True, doc = "what to install when it is missing"),
        "is_loaded": attr.bool(doc = "by dlopen(): only its headers are used"),
        "is_optional": attr.bool(doc = "where it is missing, IS_THERE of its is_there.bzl is False"),
        "headers": attr.string_list(doc = "what it puts directly into /usr/include"),
        "modules": attr.string_list(mandatory = True, doc = "its names for pkg-config"),
        "other_modules": attr.string_list(doc = "those of a library that does as well, where it is missing"),
        "precompiled": attr.string_list(doc = "headers in NAME_precompiled.h: see precompiled_header.bzl"),
        "precompiled_copts": attr.string_list(doc = "options of those who include it, beyond those of all files"),
        "owners": attr.string_list(mandatory = True, doc = "top folders that may use it"),
    },
)
