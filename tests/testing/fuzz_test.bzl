# SPDX-License-Identifier: Apache-2.0
"""Fuzz tests: libFuzzer for twenty seconds, with the sanitizers that find what it provokes."""

_CHECKS = "address,undefined"

def _with_clang_impl(_settings, _attr):
    return {
        "//command_line_option:copt": [
            "-O1",
            "-g1",
            "-UNDEBUG",
            "-U_FORTIFY_SOURCE",
            "-fno-omit-frame-pointer",
            "-fsanitize=fuzzer-no-link," + _CHECKS,
            "-fno-sanitize=vptr,function",
            "-fno-sanitize-recover=all",
        ],
        "//command_line_option:crosstool_top": "@clang//:toolchain",
        "//command_line_option:linkopt": ["-fsanitize=" + _CHECKS],
    }

# Whatever the rest of the build is made with.
_with_clang = transition(
    implementation = _with_clang_impl,
    inputs = [],
    outputs = [
        "//command_line_option:copt",
        "//command_line_option:crosstool_top",
        "//command_line_option:linkopt",
    ],
)

def _clang_binary_impl(ctx):
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = ctx.executable.binary, is_executable = True)
    return DefaultInfo(executable = link)

_clang_binary = rule(
    implementation = _clang_binary_impl,
    attrs = {
        "binary": attr.label(cfg = _with_clang, executable = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

def fuzz_test(name, srcs, corpus, deps, local_defines = [], data = [], tags = []):
    """NAME, which fuzzes for twenty seconds, and NAME_binary, libFuzzer's program, for longer runs.

    Args:
      name: of the test.
      srcs: what defines LLVMFuzzerTestOneInput().
      corpus: a file group; what is found beyond it is not kept, a crash is an output of the test.
      deps: of srcs.
      local_defines: of srcs.
      data: files that it reads besides.
      tags: of the test.
    """
    native.cc_binary(
        name = name + "_target",
        testonly = True,
        srcs = srcs,
        linkopts = ["-fsanitize=fuzzer"],
        local_defines = local_defines,
        tags = ["manual"],
        deps = deps,
    )
    _clang_binary(
        name = name + "_binary",
        testonly = True,
        binary = name + "_target",
        tags = ["manual"],
    )
    native.sh_test(
        name = name,
        size = "medium",
        srcs = ["//tests/testing:run_fuzzer.sh"],
        args = [
            "$(rootpath :%s_binary)" % name,
            "$(rootpaths %s)" % corpus,
        ],
        data = [
            corpus,
            name + "_binary",
        ] + data,
        tags = tags,
    )
