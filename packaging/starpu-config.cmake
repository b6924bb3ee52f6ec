# SPDX-License-Identifier: Apache-2.0
# find_package(StarPU): the target StarPU::StarPU, and the variables that Find modules of StarPU set, with the name as
# it was written and in capitals. The folder may be moved.
get_filename_component(_starpu_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
string(TOUPPER "${CMAKE_FIND_PACKAGE_NAME}" _starpu_capitals)

if(NOT TARGET StarPU::StarPU)
  add_library(StarPU::StarPU SHARED IMPORTED)
  set_target_properties(StarPU::StarPU PROPERTIES
    IMPORTED_LOCATION "${_starpu_prefix}/lib/libstarpu.so"
    IMPORTED_SONAME libstarpu.so
    INTERFACE_INCLUDE_DIRECTORIES "${_starpu_prefix}/include/starpu/1.4")
endif()

foreach(_starpu_name IN ITEMS "${CMAKE_FIND_PACKAGE_NAME}" "${_starpu_capitals}")
  set(${_starpu_name}_FOUND TRUE)
  set(${_starpu_name}_INCLUDE_DIRS "${_starpu_prefix}/include/starpu/1.4")
  set(${_starpu_name}_LIBRARY_DIRS "${_starpu_prefix}/lib")
  set(${_starpu_name}_LIBRARIES "${_starpu_prefix}/lib/libstarpu.so")
endforeach()
unset(_starpu_capitals)
unset(_starpu_name)
unset(_starpu_prefix)
