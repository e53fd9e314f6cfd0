# SPDX-License-Identifier: Apache-2.0
# Run by ctest (CMakeLists.txt of this folder): installs BUILD, moves what was installed, builds
# EXAMPLE against it and runs it in both modes.
include(${CMAKE_CURRENT_LIST_DIR}/moved_package.cmake)

# The command finds the chips that were moved with it.
run("archipelago list" ${prefix}/${BINDIR}/archipelago list)
string(FIND "${out}" "${prefix}/${DATADIR}/archipelago/configs/asics" at)
if(at EQUAL -1)
  message(FATAL_ERROR "the installed command does not use the installed chips:\n${out}")
endif()

# And the Python package, from which Python finds the command.
file(WRITE ${WORK}/zeros.yaml "asic: verde\nmemory: [{address: 0x100000, fill: 0, size: 4096}]\nexpect: [{address: 0x100000, words: [0]}]\n")
file(WRITE ${WORK}/sweep.yaml "workload: zeros.yaml\n")
run("archipelago sweep" ${CMAKE_COMMAND} -E chdir ${WORK} ${prefix}/${BINDIR}/archipelago sweep sweep.yaml)
run("archipelago report" ${CMAKE_COMMAND} -E chdir ${WORK} ${prefix}/${BINDIR}/archipelago report sweep.sqlite)
set(package ${prefix}/lib/python3/dist-packages)
run("import archipelago" ${CMAKE_COMMAND} -E env --unset=ARCHIPELAGO_COMMAND PATH=/nowhere PYTHONPATH=${package}
  /usr/bin/python3 -B -c "import archipelago, archipelago.command\nprint(archipelago.__file__, archipelago.command.find())")
if(NOT out MATCHES "${package}/archipelago/__init__.py ${prefix}/${BINDIR}/archipelago")
  message(FATAL_ERROR "the installed package is not used:\n${out}")
endif()

# By the folder of its version alone, as Python finds it under /usr/local.
file(GLOB sites ${prefix}/lib/python3.*/dist-packages)
run("import archipelago by its .pth file" ${CMAKE_COMMAND} -E env --unset=PYTHONPATH PATH=/nowhere
  /usr/bin/python3 -B -c "import site\nsite.addsitedir('${sites}')\nimport archipelago\nprint(archipelago.__file__)")
if(NOT out MATCHES "^${package}/archipelago/__init__.py")
  message(FATAL_ERROR "${sites} does not lead to the installed package:\n${out}")
endif()
if(NOT EXISTS ${package}/archipelago/py.typed)
  message(FATAL_ERROR "the installed package does not say that it has type hints")
endif()

set(options -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX}
  -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS}
  -D CMAKE_PREFIX_PATH=${prefix})
run("configuring the example" ${CMAKE_COMMAND} -G Ninja -S ${EXAMPLE} -B ${WORK}/build ${options})
run("building the example" ${CMAKE_COMMAND} --build ${WORK}/build)
get_filename_component(name ${EXAMPLE} NAME)

# A chip only the installed package knows: the example must look there.
set(asics ${prefix}/${DATADIR}/archipelago/configs/asics)
configure_file(${asics}/tahiti.yaml ${asics}/packaged.yaml COPYONLY)

foreach(mode cycle functional)
  run("${name} ${mode}" ${WORK}/build/${name} ${mode} packaged)
  message("${mode}:\n${out}")
  string(FIND "${out}" "4096 of 4096 results right" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${name} ${mode} does not say that its results are right")
  endif()
  string(REGEX MATCH "[0-9]+ waves, [0-9]+ instructions" work_${mode} "${out}")

  # Its files say what those of the command say of the same work.
  run("${name} with files" ${WORK}/build/${name} ${mode} tahiti fixed ${WORK}/platform_${mode})
  set(timeline)
  if(mode STREQUAL "cycle")
    set(timeline --trace ${WORK}/command_${mode}.perfetto-trace)
  endif()
  run("same_work.yaml" ${prefix}/${BINDIR}/archipelago run ${EXAMPLE}/same_work.yaml --mode ${mode}
    --stats ${WORK}/command_${mode}.json ${timeline})
  run("comparing files of ${mode} mode" ${CMAKE_COMMAND} -E env PYTHONPATH=${package} /usr/bin/python3 -B
    ${CMAKE_CURRENT_LIST_DIR}/files_test.py ${WORK}/platform_${mode} ${WORK}/command_${mode})
endforeach()

# A memory of four phases: the same work, each response with its END_RESP, in cycles of its own.
run("${name} with four phases" ${WORK}/build/${name} cycle packaged four_phases)
message("four phases:\n${out}")
if(NOT out MATCHES "${work_cycle}\n4096 of 4096 results right"
   OR NOT out MATCHES "([0-9]+) row hits, ([0-9]+) misses, ([0-9]+) END_RESP")
  message(FATAL_ERROR "${name} does not work with a memory of four phases")
endif()
math(EXPR served "${CMAKE_MATCH_1} + ${CMAKE_MATCH_2}")
if(served LESS 256 OR NOT served EQUAL CMAKE_MATCH_3)
  message(FATAL_ERROR "${served} requests served, ${CMAKE_MATCH_3} times END_RESP")
endif()
# It hangs where the chip ends transactions early; the report names what is open and why.
execute_process(COMMAND ${WORK}/build/${name} cycle packaged early ${WORK}/hung
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
message("early ends:\n${out}")
if(NOT status EQUAL 3 OR NOT out MATCHES
   "memory socket: [0-9]+ open transactions, by their last phase: END_REQ of a read of 64 bytes at 0x"
   OR NOT out MATCHES "MemoryPhases::Four")
  message(FATAL_ERROR "status ${status}, expected 3 and the open transactions")
endif()
file(READ ${WORK}/hung.json hung)
string(JSON stopped GET "${hung}" stopped)
string(JSON socket GET "${hung}" hang units "memory socket")
if(NOT stopped STREQUAL "no interrupt" OR NOT socket MATCHES "open transactions")
  message(FATAL_ERROR "the statistics do not say why it hangs: ${stopped}; ${socket}")
endif()

if(NOT work_cycle STREQUAL work_functional OR work_cycle STREQUAL "")
  message(FATAL_ERROR "the modes differ: ${work_cycle}; ${work_functional}")
endif()
