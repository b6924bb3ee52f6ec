# SPDX-License-Identifier: Apache-2.0
"""Headers of libraries that are compiled once, for all files that include them before all else.

    precompiled_header(name = "precompiled", header = "x_precompiled.h", includes = [...], copts = [...], deps = [...])

writes x_precompiled.h and compiles it. Whoever depends on it and compiles with `-include x_precompiled.h` and the same
options (`copts` besides those of all files) starts with these headers read. With other options gcc reads the headers
themselves, and says so (-Winvalid-pch). With -DNOTHING_IS_PRECOMPILED the header is empty: only that build fails when a
file does not include a header that it needs.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.attr.header)
    includes = "".join(["#include <%s>\n" % name for name in ctx.attr.includes])
    ctx.actions.write(header, "#ifndef NOTHING_IS_PRECOMPILED\n%s#endif\n" % includes)
    compiled = ctx.actions.declare_file(ctx.attr.header + ".gch")

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    of_deps = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        include_directories = of_deps.includes,
        output_file = compiled.path,
        preprocessor_defines = of_deps.defines,
        quote_include_directories = of_deps.quote_includes,
        source_file = header.path,
        system_include_directories = of_deps.system_includes,
        use_pic = True,  # .bazelrc: --force_pic
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
    )
    of_compiler = {"action_name": CPP_COMPILE_ACTION_NAME, "feature_configuration": features}
    ctx.actions.run(
        arguments = ["-x", "c++-header"] +
                    cc_common.get_memory_inefficient_command_line(variables = variables, **of_compiler),
        env = cc_common.get_environment_variables(variables = variables, **of_compiler),
        executable = cc_common.get_tool_for_action(**of_compiler),
        inputs = depset([header], transitive = [of_deps.headers, toolchain.all_files]),
        mnemonic = "CppPrecompile",
        outputs = [compiled],
        progress_message = "Compiling " + header.short_path,
    )
    return [CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset([header, compiled])))]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(doc = "options beyond those of all files"),
        "deps": attr.label_list(doc = "where the headers are", providers = [CcInfo]),
        "header": attr.string(doc = "name of the file that is made", mandatory = True),
        "includes": attr.string_list(doc = "the headers", mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
