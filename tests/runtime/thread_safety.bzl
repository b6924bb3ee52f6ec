# SPDX-License-Identifier: Apache-2.0
"""A test that a library keeps what its locks promise, by clang's -Wthread-safety.

See runtime/support/thread_annotations.h and runtime/locks.md.
"""

# The files of a folder at once, since most of the time goes into the headers that they share: a twentieth of what one
# by one costs. Where that fails, be it that two files use one name for two things, one by one, with these headers
# compiled once.
_CHECK = """
stamp=$1 && shift
flags=()
while [[ $1 != -- ]]; do flags+=("$1") && shift; done
shift
work=$(mktemp -d) && trap 'rm -r "$work"' EXIT
printf '#include "%s"\\n' "$@" >"$work/all.cc"
if ! clang++ "${flags[@]}" -fsyntax-only "$work/all.cc" 2>/dev/null; then
  grep -hE '^#include [<"]' "$@" | sort -u >"$work/all.h"
  clang++ "${flags[@]}" -x c++-header "$work/all.h" -o "$work/all.pch" || exit 1
  for file in "$@"; do clang++ "${flags[@]}" -fsyntax-only -include-pch "$work/all.pch" "$file" || exit 1; done
fi
touch "$stamp"
"""

def _thread_safety_test_impl(ctx):
    context = ctx.attr.library[CcInfo].compilation_context
    sources = [file for file in ctx.files.srcs if file.extension == "cc"]
    headers = [file for file in ctx.files.srcs if file.extension != "cc"]
    flags = ctx.actions.args()
    flags.add("-std=c++20")
    flags.add_all(["-iquote", "."])
    # The other warnings are those of the compiler that builds the library.
    flags.add_all(["-Wno-everything", "-Wthread-safety", "-Werror"])
    flags.add_all(ctx.attr.local_defines, format_each = "-D%s")
    flags.add_all(context.defines, format_each = "-D%s")
    flags.add_all(context.quote_includes, before_each = "-iquote")
    flags.add_all(context.includes, before_each = "-I")
    flags.add_all(context.system_includes, before_each = "-isystem")
    folders = {}
    for source in sources:
        folders.setdefault(source.dirname, []).append(source)
    stamps = []
    for folder, files in folders.items():
        name = "%s/%s" % (ctx.label.name, folder.replace("/", "_"))
        stamp = ctx.actions.declare_file(name + ".checked")
        ctx.actions.run_shell(
            outputs = [stamp],
            inputs = depset(files + headers, transitive = [context.headers]),
            command = _CHECK,
            arguments = [stamp.path, flags, "--"] + [file.path for file in files],
            mnemonic = "ThreadSafety",
            progress_message = "Checking the locks of %s" % folder,
        )
        stamps.append(stamp)
    test = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(test, "#!/bin/sh\necho '%d files keep their locks'\n" % len(sources), is_executable = True)
    return DefaultInfo(executable = test, runfiles = ctx.runfiles(files = stamps))

thread_safety_test = rule(
    implementation = _thread_safety_test_impl,
    attrs = {
        "library": attr.label(mandatory = True, providers = [CcInfo]),
        "local_defines": attr.string_list(),
        "srcs": attr.label_list(mandatory = True, allow_files = True),
    },
    test = True,
)
