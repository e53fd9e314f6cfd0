# SPDX-License-Identifier: Apache-2.0
# Run by ctest (CMakeLists.txt of this folder): installs BUILD, moves what was installed, builds the
# Verilog of EXAMPLE against it and runs WORKLOAD with it on the installed command. EXPECT is what
# the command must say of the traffic.
include(${CMAKE_CURRENT_LIST_DIR}/moved_package.cmake)
get_filename_component(name ${EXAMPLE} NAME)
run("configuring the example" ${CMAKE_COMMAND} -G Ninja -S ${EXAMPLE} -B ${WORK}/build
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX}
  -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}
  -D CMAKE_PREFIX_PATH=${prefix})
run("building the example" ${CMAKE_COMMAND} --build ${WORK}/build)

foreach(mode ${MODES})
  run("${name}, ${mode} mode" ${prefix}/${BINDIR}/archipelago run ${WORKLOAD} --mode ${mode}
    --check-protocol --verilog ${WORK}/build/${name}.so)
  message("${mode}:\n${out}")
  if(mode STREQUAL "cycle" AND NOT out MATCHES "${EXPECT}")
    message(FATAL_ERROR "the command does not say: ${EXPECT}")
  endif()
endforeach()
# The same again is the same: cycles, and what the pins of the Verilog saw.
run("${name} again" ${prefix}/${BINDIR}/archipelago run ${WORKLOAD}
  --verilog ${WORK}/build/${name}.so --fst ${WORK}/pins.fst)
string(REGEX MATCH "cycles +[0-9]+" first "${out}")
string(REGEX MATCH "Verilog +[^\n]*" traffic "${out}")
run("${name} once more" ${prefix}/${BINDIR}/archipelago run ${WORKLOAD}
  --verilog ${WORK}/build/${name}.so)
string(FIND "${out}" "${first}" at)
string(FIND "${out}" "${traffic}" also)
if(first STREQUAL "" OR at EQUAL -1 OR also EQUAL -1)
  message(FATAL_ERROR "two runs differ: ${first}, ${traffic}\n${out}")
endif()
file(SIZE ${WORK}/pins.fst bytes)
if(bytes LESS 1000)
  message(FATAL_ERROR "the waveform holds ${bytes} bytes")
endif()
