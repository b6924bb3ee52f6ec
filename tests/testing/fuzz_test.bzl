# SPDX-License-Identifier: Apache-2.0
"""Tests of code that reads bytes of strangers: over all inputs that fuzzing found, and fuzzing for more."""

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

def fuzz_test(name, srcs, corpus, deps, local_defines = [], data = []):
    """NAME, which runs every input of the corpus, and two for fuzzing, by hand or at night.

    NAME_binary is libFuzzer's program, for as long as one likes; NAME_again is a test that fuzzes for
    $FUZZ_SECONDS. They compile what they use a second time, with clang, so nothing else builds them.

    Args:
      name: of the test.
      srcs: what defines LLVMFuzzerTestOneInput().
      corpus: a file group; what is found beyond it is not kept, a crash is an output of the test.
      deps: of srcs.
      local_defines: of srcs.
      data: files that it reads besides.
    """
    native.cc_test(
        name = name,
        srcs = srcs,
        args = ["$(rootpaths %s)" % corpus],
        data = [corpus] + data,
        local_defines = local_defines,
        deps = deps + ["//tests/testing:corpus_main"],
    )
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
        name = name + "_again",
        size = "large",
        srcs = ["//tests/testing:run_fuzzer.sh"],
        args = [
            "$(rootpath :%s_binary)" % name,
            "$(rootpaths %s)" % corpus,
        ],
        data = [
            corpus,
            name + "_binary",
        ] + data,
        tags = [
            "fuzzing",
            "manual",
        ],
    )
