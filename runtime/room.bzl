# SPDX-License-Identifier: Apache-2.0
"""A room of the runtime: a folder, one target, the rooms that it may use (ARCHITECTURE.md)."""

# It defines the functions that the macros of starpu_call_sites.h stand before.
DEFINES = ["STARPU_NO_CALL_SITES"]

def room(name, deps = []):
    """The library of all that is in the folder `name`, and `name`_sources, its files."""
    headers = native.glob([name + "/**/*.h"])
    lists = native.glob([name + "/**/*.inc"])
    sources = native.glob([name + "/**/*.cc"])
    native.filegroup(
        name = name + "_sources",
        srcs = headers + lists + sources,
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        local_defines = DEFINES,
        textual_hdrs = lists,
        deps = [
            ":headers",
            "//third_party:cxx_headers",
        ] + deps,
        # Some functions are called by programs alone.
        alwayslink = True,
    )
