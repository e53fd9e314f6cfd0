# SPDX-License-Identifier: Apache-2.0
# Helpers every CMakeLists.txt of the project uses, so that warnings and sanitizers are set once.
include(GNUInstallDirs)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(archipelago_options INTERFACE)
add_library(archipelago::options ALIAS archipelago_options)
target_compile_features(archipelago_options INTERFACE cxx_std_17)
target_include_directories(archipelago_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/archipelago>)
# -ffp-contract=off: results must not depend on whether the compiler may fuse.
target_compile_options(archipelago_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Werror;-ffp-contract=off>)
if(ARCHIPELAGO_SANITIZE)
  target_compile_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()
if(ARCHIPELAGO_FUZZ)
  target_compile_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link,address,undefined;-fno-omit-frame-pointer>)
  target_link_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()

install(TARGETS archipelago_options EXPORT archipelago-targets)
set_target_properties(archipelago_options PROPERTIES EXPORT_NAME options)

# archipelago_library(NAME sources... ) makes target archipelago_NAME, alias archipelago::NAME.
# What the chip is made of is installed with the package; the host's side (testbenches/) serves the
# command and the tests only and is not.
function(archipelago_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(archipelago_${name} STATIC ${ARG_SOURCES})
  add_library(archipelago::${name} ALIAS archipelago_${name})
  set_target_properties(archipelago_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(archipelago_${name} PUBLIC archipelago_options ${ARG_PUBLIC}
                                            PRIVATE ${ARG_PRIVATE})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT folder MATCHES "^testbenches/")
    install(TARGETS archipelago_${name} EXPORT archipelago-targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# archipelago_test(NAME SOURCES ... LIBS ... LABELS ...): one GoogleTest binary; each TEST becomes
# one ctest entry in its own process.
function(archipelago_test name)
  if(NOT ARCHIPELAGO_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS;DEFS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE archipelago_options ${ARG_LIBS} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE
    ARCHIPELAGO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${ARG_DEFS})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# Finds a Python 3 that has PyYAML; sets ARCHIPELAGO_PYTHON.
function(archipelago_find_python)
  foreach(candidate /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -c "import yaml" RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      set(ARCHIPELAGO_PYTHON ${candidate} CACHE STRING "Python 3 with PyYAML" FORCE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no Python 3 with PyYAML found; install the package python3-yaml")
endfunction()
