# SPDX-License-Identifier: Apache-2.0
# Helpers every CMakeLists.txt of the project uses, so that warnings and sanitizers are set once.
include(GNUInstallDirs)
# Where Debian's Python looks when the prefix is /usr.
set(ARCHIPELAGO_PYTHON_DIR lib/python3/dist-packages)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # It keeps objects that use precompiled headers only if it may assume that both are compiled with the same macros, which gcc
  # checks itself, and that neither uses __TIME__.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# gcc searches its memory for garbage from 128 MB on, a tenth of the time that large sources take. Few of ours take 512 MB.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)

add_library(archipelago_options INTERFACE)
add_library(archipelago::options ALIAS archipelago_options)
target_compile_features(archipelago_options INTERFACE cxx_std_17)
target_include_directories(archipelago_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/archipelago>)
# -ffp-contract=off: results must not depend on whether the compiler may fuse.
target_compile_options(archipelago_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Werror;-ffp-contract=off>)
# All code is position independent, for libraries of others: gcc must not expect that they replace a function of ours, or it
# inlines none that is called across classes. Microcode runs up to twice as fast (archipelago_afuc_speed).
target_compile_options(archipelago_options INTERFACE
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>>)
# gcc clears and copies structs of more than a hundred bytes by `rep stos` and `rep movs`, which take longer to begin than a
# few vector stores take in all: pins and messages are of that size.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(_strategy unrolled_loop:256:noalign,libcall:-1:noalign)
  target_compile_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-mmemset-strategy=${_strategy};-mmemcpy-strategy=${_strategy}>)
endif()
if(ARCHIPELAGO_SANITIZE)
  target_compile_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # As gcc does. testbenches/support/asan_fibers.cpp stands before a function of the shared runtime, and a frame kept
    # on the heap to find uses after return belongs to one stack, which SystemC's threads change.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE _runtime OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(_runtime ${_runtime} DIRECTORY)
    target_link_options(archipelago_options INTERFACE
      $<BUILD_INTERFACE:-shared-libasan;LINKER:-rpath,${_runtime}>)
    target_compile_options(archipelago_options INTERFACE
      $<BUILD_INTERFACE:-fsanitize-address-use-after-return=never>)
  endif()
endif()
if(ARCHIPELAGO_FUZZ)
  target_compile_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link,address,undefined;-fno-omit-frame-pointer>)
  target_link_options(archipelago_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()

install(TARGETS archipelago_options EXPORT archipelago-targets)
set_target_properties(archipelago_options PROPERTIES EXPORT_NAME options)

# archipelago_unity(TARGET [BATCH]): compiles sixty of its sources at a time, or BATCH, for the headers and the templates they
# share. Names of internal linkage must differ between them.
function(archipelago_unity target)
  if(ARCHIPELAGO_UNITY)
    set(batches 60 ${ARGN})
    list(GET batches -1 batch)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    # It spares the file named on the command line only.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# archipelago_cold(TARGET): none of it runs while a machine does, so optimising it further would cost
# more than it brings.
function(archipelago_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# archipelago_register_block(NAME): models/asic links the block's library, archipelago::NAME.
function(archipelago_register_block name)
  set_property(GLOBAL APPEND PROPERTY ARCHIPELAGO_REGISTER_BLOCKS archipelago::${name})
endfunction()

# archipelago_library(NAME [COLD] SOURCES... [COLD_SOURCES...] PUBLIC... PRIVATE... ) makes target archipelago_NAME, alias
# archipelago::NAME; COLD as above. COLD_SOURCES are those that are cold in a library that is not: they are target
# archipelago_NAME_cold, which has to depend itself on headers that are generated.
# What the chip is made of is installed with the package; the host's side (testbenches/) serves the
# command and the tests only and is not.
function(archipelago_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;COLD_SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(archipelago_${name} STATIC ${ARG_SOURCES})
  add_library(archipelago::${name} ALIAS archipelago_${name})
  set_target_properties(archipelago_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(archipelago_${name} PUBLIC archipelago_options ${ARG_PUBLIC}
                                            PRIVATE ${ARG_PRIVATE})
  archipelago_unity(archipelago_${name})
  if(ARG_COLD)
    archipelago_cold(archipelago_${name})
  endif()
  archipelago_precompiled_headers(archipelago_${name})
  if(ARG_COLD_SOURCES)
    add_library(archipelago_${name}_cold OBJECT ${ARG_COLD_SOURCES})
    target_link_libraries(archipelago_${name}_cold PRIVATE archipelago_options ${ARG_PUBLIC} ${ARG_PRIVATE})
    archipelago_unity(archipelago_${name}_cold)
    archipelago_cold(archipelago_${name}_cold)
    archipelago_precompiled_headers(archipelago_${name}_cold)
    target_sources(archipelago_${name} PRIVATE $<TARGET_OBJECTS:archipelago_${name}_cold>)
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT folder MATCHES "^testbenches/")
    install(TARGETS archipelago_${name} EXPORT archipelago-targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_property(GLOBAL APPEND PROPERTY ARCHIPELAGO_PACKAGED archipelago_${name})
  endif()
endfunction()

# archipelago_precompiled_headers(TARGET): precompiles the headers of the standard library, for a program, which is a test,
# GoogleTest's as well. Each source spends 0.2 to 0.4 s on them otherwise. Without unity builds a source reads what it includes
# itself, so that a missing include is found.
function(archipelago_precompiled_headers target)
  if(ARCHIPELAGO_UNITY)
    # Once the directory is read, and so the options of the target and its sources are known.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL archipelago_precompile ${target})")
  endif()
endfunction()

# archipelago_precompile(TARGET): gcc may optimise a source by the options of its precompiled headers. So each set of options
# has headers of its own, and a source with options of its own reads none.
function(archipelago_precompile target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(own ${source} COMPILE_OPTIONS)
    if(own)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "NOTFOUND|-Wno-")
  get_target_property(kind ${target} TYPE)
  string(MD5 provider "${kind} ${options}")
  string(SUBSTRING ${provider} 0 8 provider)
  string(PREPEND provider archipelago_headers_)
  # Lets ccache see what gcc reads.
  set(visible $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  if(NOT TARGET ${provider})
    archipelago_headers(${provider} ${kind} "${options};${visible}")
  endif()
  target_precompile_headers(${target} REUSE_FROM ${provider})
  target_compile_options(${target} PRIVATE ${visible})
endfunction()

# archipelago_headers(NAME KIND OPTIONS): a target of that type for the precompiled headers of others.
function(archipelago_headers name kind options)
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n" @ONLY)
  if(kind STREQUAL "EXECUTABLE")  # whose code is made for other addresses than a library's
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE GTest::gmock)
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <fstream> <random> <sstream>)
  else()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  endif()
  target_link_libraries(${name} PRIVATE archipelago_options)
  target_compile_options(${name} PRIVATE ${options})
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <cstdint> <cstring> <deque> <functional> <map> <memory>
    <optional> <set> <stdexcept> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
endfunction()

# archipelago_test(NAME [UNITY] [SYSTEMC] SOURCES ... LIBS ... LABELS ...): one GoogleTest binary, which is one ctest
# entry of its name. With SYSTEMC each TEST is an entry and a process of its own, of at most TIMEOUT seconds (600, ten times what most need), those
# that may take longest first: a process has one SystemC kernel.
function(archipelago_test name)
  if(NOT ARCHIPELAGO_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "UNITY;SYSTEMC" "TIMEOUT" "SOURCES;LIBS;LABELS;DEFS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE archipelago_options ${ARG_LIBS} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE
    ARCHIPELAGO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${ARG_DEFS})
  archipelago_cold(${name})
  archipelago_precompiled_headers(${name})
  if(unit IN_LIST ARG_LABELS)
    add_dependencies(archipelago_unit_tests ${name})
  endif()
  if(ARG_UNITY)
    archipelago_unity(${name} 20)
  endif()
  if(ARG_SYSTEMC)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/testbenches/support/systemc_main.cpp)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 600
      PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT})
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 1800)
  endif()
endfunction()

# archipelago_benchmark(NAME SOURCE LIBS...): a program that prints host times. No test runs it, so it is built when it is asked for, by
# its name or with all others by the target archipelago_benchmarks.
add_custom_target(archipelago_benchmarks)
function(archipelago_benchmark name source)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE archipelago_options ${ARGN})
  add_dependencies(archipelago_benchmarks ${name})
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
