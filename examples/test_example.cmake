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
file(WRITE ${WORK}/empty.yaml "asic: verde\n")
file(WRITE ${WORK}/sweep.yaml "workload: empty.yaml\n")
run("archipelago sweep" ${CMAKE_COMMAND} -E chdir ${WORK} ${prefix}/${BINDIR}/archipelago sweep sweep.yaml)
run("archipelago report" ${CMAKE_COMMAND} -E chdir ${WORK} ${prefix}/${BINDIR}/archipelago report sweep.sqlite)
set(package ${prefix}/lib/python3/dist-packages)
run("import archipelago" ${CMAKE_COMMAND} -E env --unset=ARCHIPELAGO_COMMAND PATH=/nowhere PYTHONPATH=${package}
  /usr/bin/python3 -B -c "import archipelago, archipelago.command\nprint(archipelago.__file__, archipelago.command.find())")
if(NOT out MATCHES "${package}/archipelago/__init__.py ${prefix}/${BINDIR}/archipelago")
  message(FATAL_ERROR "the installed package is not used:\n${out}")
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
endforeach()
if(NOT work_cycle STREQUAL work_functional OR work_cycle STREQUAL "")
  message(FATAL_ERROR "the modes differ: ${work_cycle}; ${work_functional}")
endif()
