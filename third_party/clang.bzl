# SPDX-License-Identifier: Apache-2.0
"""Clang as a second C++ toolchain, @clang//:toolchain, for what gcc has not: libFuzzer."""

load("@bazel_tools//tools/cpp:unix_cc_configure.bzl", "configure_unix_toolchain")

def _clang_toolchain_impl(ctx):
    clang = ctx.which("clang")
    if not clang:
        fail("clang is missing: apt-get install clang libclang-rt-dev")
    configure_unix_toolchain(ctx, "k8", {"gcc": str(clang)})

clang_toolchain = repository_rule(
    implementation = _clang_toolchain_impl,
    configure = True,
    local = True,
)
