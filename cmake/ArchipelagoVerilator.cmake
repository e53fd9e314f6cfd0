# SPDX-License-Identifier: Apache-2.0
# Verilog twins: finds Verilator and turns rtl-bridge/rtl/<block>/<block>.sv into C++.
find_package(verilator QUIET HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator)
find_package(ZLIB QUIET) # the FST writer's
if(verilator_FOUND AND ZLIB_FOUND)
  set(ARCHIPELAGO_HAVE_TWINS ON)
else()
  set(ARCHIPELAGO_HAVE_TWINS OFF)
  message(STATUS "Verilator or zlib not found: the Verilog twins are not built")
endif()

set(ARCHIPELAGO_VERILATOR_ARGS --no-timing -O3 --x-assign unique --x-initial unique)

# archipelago_twin(TARGET BLOCK): adds V<block> and V<block>_faults, the twin with the faults of
# rtl-bridge/mutations/<block>.yaml in it, to a library of generated code. Verilator runs when CMake
# does, for it alone knows which files it writes.
function(archipelago_twin target block)
  set(rtl ${PROJECT_SOURCE_DIR}/rtl-bridge/rtl/${block})
  set(list ${PROJECT_SOURCE_DIR}/rtl-bridge/mutations/${block}.yaml)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/faults/${block})
  file(GLOB sources CONFIGURE_DEPENDS ${rtl}/*.sv)
  set(generator ${PROJECT_SOURCE_DIR}/scripts/make-faults)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${list} ${generator})
  execute_process(
    COMMAND ${ARCHIPELAGO_PYTHON} -B ${generator} ${list} ${rtl} ${out}
            ${PROJECT_BINARY_DIR}/generated/rtl/${block}_faults.h
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "scripts/make-faults failed for ${block}")
  endif()
  # Left to the build, code of older Verilog would be there when what includes it is compiled.
  foreach(prefix V${block} V${block}_faults)
    set(dir ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/${prefix}.dir)
    foreach(source ${sources} ${list} ${generator})
      if(${source} IS_NEWER_THAN ${dir}/${prefix}.cmake)
        file(REMOVE ${dir}/verilator_args.txt)
      endif()
    endforeach()
  endforeach()
  verilate(${target} TRACE_FST PREFIX V${block} TOP_MODULE ${block}
    SOURCES ${rtl}/${block}.sv INCLUDE_DIRS ${rtl}
    VERILATOR_ARGS ${ARCHIPELAGO_VERILATOR_ARGS} -Wall OPT_FAST -O2 OPT_SLOW -O1)
  # Faults change widths; the original was linted above.
  verilate(${target} TRACE_FST PREFIX V${block}_faults TOP_MODULE ${block}
    SOURCES ${out}/${block}.sv INCLUDE_DIRS ${out}
    VERILATOR_ARGS ${ARCHIPELAGO_VERILATOR_ARGS} -Wno-fatal -Wno-lint OPT_FAST -O1 OPT_SLOW -O1)
endfunction()
