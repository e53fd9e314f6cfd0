# SPDX-License-Identifier: Apache-2.0
# Run by ctest (CMakeLists.txt of this folder): installs BUILD, moves what was installed, builds the
# C program of EXAMPLE against it and runs it in both modes and on both chips.
include(${CMAKE_CURRENT_LIST_DIR}/moved_package.cmake)

run("configuring the example" ${CMAKE_COMMAND} -G Ninja -S ${EXAMPLE} -B ${WORK}/build
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_C_COMPILER=${CC} -D CMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}
  "-DCMAKE_C_FLAGS=${FLAGS}" -D CMAKE_PREFIX_PATH=${prefix})
run("building the example" ${CMAKE_COMMAND} --build ${WORK}/build)

# A chip only the installed package knows: the library must look there.
set(asics ${prefix}/${DATADIR}/archipelago/configs/asics)
configure_file(${asics}/r520.yaml ${asics}/packaged.yaml COPYONLY)

foreach(mode cycle functional)
  foreach(chip r580 packaged)
    set(stats ${WORK}/${mode}-${chip}.json)
    run("ctm ${mode} ${chip}" ${CMAKE_COMMAND} -E env ARCHIPELAGO_CTM_MODE=${mode} ARCHIPELAGO_CTM_CHIP=${chip}
      ARCHIPELAGO_CTM_STATS=${stats} ${WORK}/build/ctm)
    message("${mode} ${chip}: ${out}")
    if(NOT out STREQUAL "4096 of 4096 results right\n")
      message(FATAL_ERROR "ctm ${mode} ${chip} does not say that its results are right, and nothing else")
    endif()
    file(READ ${stats} json)
    string(JSON got_mode GET "${json}" mode)
    string(JSON instructions GET "${json}" wave_instructions)
    if(NOT got_mode STREQUAL mode OR instructions EQUAL 0)
      message(FATAL_ERROR "statistics of ctm ${mode} ${chip}: ${got_mode}, ${instructions} instructions")
    endif()
  endforeach()
endforeach()
