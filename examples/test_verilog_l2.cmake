# SPDX-License-Identifier: Apache-2.0
# Run by ctest (CMakeLists.txt of this folder): installs BUILD, moves what was installed, builds the L2 of EXAMPLE against it and
# compares it, runs it in a sweep, and has its mistake found.
include(${CMAKE_CURRENT_LIST_DIR}/moved_package.cmake)
set(command ${prefix}/${BINDIR}/archipelago)
# The module of the tests is what archipelago_twins is, with mutants that stay unselected.
file(COPY ${TWINS} DESTINATION ${prefix}/${LIBDIR}/archipelago)
# A copy: `rtl build` and `sweep` write beside their files.
file(MAKE_DIRECTORY ${WORK}/examples)
file(COPY ${EXAMPLE} DESTINATION ${WORK}/examples)
file(CREATE_LINK ${SOURCE}/testbenches ${WORK}/testbenches SYMBOLIC)
set(here ${WORK}/examples/verilog_l2)
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
set(ENV{CXX} ${CXX})

run("rtl build" ${CMAKE_COMMAND} -E chdir ${here} ${command} rtl build own_l2.yaml -O1)
run("configuring the example" ${CMAKE_COMMAND} -G Ninja -S ${here} -B ${WORK}/build -D OPTION=-O0
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX}
  -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}
  -D CMAKE_PREFIX_PATH=${prefix})
run("building the example" ${CMAKE_COMMAND} --build ${WORK}/build --target broken_l2)

run("cosim" ${command} cosim tc_l2_bank --rtl tc_l2_bank=${here}/own_l2.yaml --cycles 50000)
if(NOT out MATCHES "compared +[1-9][0-9][0-9][0-9][0-9]+ transactions" OR NOT out MATCHES "differences +none")
  message(FATAL_ERROR "cosim does not say what it compared:\n${out}")
endif()
execute_process(COMMAND ${command} cosim tc_l2_bank --rtl tc_l2_bank=${WORK}/build/broken_l2.so --cycles 50000
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE error)
if(NOT status EQUAL 1 OR NOT error MATCHES "port (answer, transaction [0-9]+|down)")
  message(FATAL_ERROR "the mistake is not found (${status}):\n${error}")
endif()

run("sweep" ${CMAKE_COMMAND} -E chdir ${here} ${command} sweep sweep.yaml)
run("report" ${CMAKE_COMMAND} -E chdir ${here} ${command} report sweep.sqlite --text)
message("${out}")
foreach(point "16 ways" "16 ways, 50 cycles more" "8 ways, 50 cycles more")
  if(NOT out MATCHES "${point}")
    message(FATAL_ERROR "the sweep has no result of: ${point}\n${out}")
  endif()
endforeach()
