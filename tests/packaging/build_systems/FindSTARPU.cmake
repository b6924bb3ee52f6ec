# SPDX-License-Identifier: Apache-2.0
# As such modules look: pkg-config from the newest version down, then the folder STARPU_DIR.
if(NOT WITHOUT_PKG_CONFIG)
  find_package(PkgConfig REQUIRED)
  pkg_search_module(PC_STARPU starpu-1.4 starpu-1.3 starpu-1.2 libstarpu)
endif()
set(_dir "${STARPU_DIR}")
if(NOT _dir)
  set(_dir "$ENV{STARPU_DIR}")
endif()
find_path(STARPU_INCLUDE_DIRS starpu.h HINTS ${PC_STARPU_INCLUDE_DIRS} "${_dir}/include"
  PATH_SUFFIXES starpu/1.4 starpu/1.3 NO_DEFAULT_PATH)
find_library(STARPU_LIBRARIES NAMES starpu-1.4 starpu-1.3 HINTS ${PC_STARPU_LIBRARY_DIRS} "${_dir}/lib" NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(STARPU DEFAULT_MSG STARPU_LIBRARIES STARPU_INCLUDE_DIRS)
