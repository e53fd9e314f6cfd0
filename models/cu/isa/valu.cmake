# SPDX-License-Identifier: Apache-2.0
# Sources of the vector ALU, one translation unit per host level, and how they are compiled.
# Included by CMakeLists.txt of this folder (source properties are visible only in the directory
# that sets them).
set(ARCHIPELAGO_VALU_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/lane_exec.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format_lanes_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/image_lanes_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lane_memory_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/valu_portable.cpp)

# -O3 in every build type: lane loops are the hottest code of a simulation. -frounding-math because
# the rounding mode changes at run time; traps are never enabled. -Wno-psabi: vector types are
# passed between inlined functions only.
set(_archipelago_valu_options -O3 -ffp-contract=off -frounding-math -fno-trapping-math
    -fno-math-errno -Wno-psabi -Wno-ignored-attributes)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/valu_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format_lanes_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/image_lanes_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lane_memory_portable.cpp PROPERTIES
  COMPILE_OPTIONS "${_archipelago_valu_options}")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND ARCHIPELAGO_VALU_SOURCES ${CMAKE_CURRENT_LIST_DIR}/valu_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/format_lanes_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/image_lanes_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lane_memory_avx2.cpp)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/valu_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/format_lanes_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/image_lanes_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/lane_memory_avx2.cpp PROPERTIES
    COMPILE_OPTIONS "${_archipelago_valu_options};-mavx2;-mfma;-mf16c;-mbmi2")
  set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/lane_exec.cpp APPEND PROPERTY
    COMPILE_DEFINITIONS ARCHIPELAGO_VALU_HAVE_AVX2)
else()
  message(FATAL_ERROR "models/cu/isa: the vector ALU needs an x86-64 host (it sets MXCSR)")
endif()
