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

# archipelago_twin(TARGET BLOCK HEADERS): adds V<block> and V<block>_faults, the twin with the faults
# of rtl-bridge/mutations/<block>.yaml in it, to a library of generated code, and writes the faults'
# names to HEADERS/<block>_faults.h. Verilator runs when CMake does, for it alone knows which files it
# writes. What is generated for the block's Verilog to include stands in generated/rtl/<block>.
function(archipelago_twin target block headers)
  set(rtl ${PROJECT_SOURCE_DIR}/rtl-bridge/rtl/${block})
  set(list ${PROJECT_SOURCE_DIR}/rtl-bridge/mutations/${block}.yaml)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/faults/${block})
  file(GLOB sources CONFIGURE_DEPENDS ${rtl}/*.sv)
  set(included ${PROJECT_BINARY_DIR}/generated/rtl/${block})
  file(GLOB included_files CONFIGURE_DEPENDS ${included}/*.svh)
  set(generator ${PROJECT_SOURCE_DIR}/scripts/make-faults)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${list} ${generator})
  execute_process(
    COMMAND ${ARCHIPELAGO_PYTHON} -B ${generator} ${list} ${rtl} ${out}
            ${headers}/${block}_faults.h
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "scripts/make-faults failed for ${block}")
  endif()
  # Left to the build, code of older Verilog would be there when what includes it is compiled.
  foreach(prefix V${block} V${block}_faults)
    set(dir ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/${prefix}.dir)
    foreach(source ${sources} ${included_files} ${list} ${generator})
      if(${source} IS_NEWER_THAN ${dir}/${prefix}.cmake)
        file(REMOVE ${dir}/verilator_args.txt)
      endif()
    endforeach()
  endforeach()
  verilate(${target} TRACE_FST PREFIX V${block} TOP_MODULE ${block}
    SOURCES ${rtl}/${block}.sv INCLUDE_DIRS ${rtl} ${included}
    VERILATOR_ARGS ${ARCHIPELAGO_VERILATOR_ARGS} -Wall OPT_FAST -O2 OPT_SLOW -O1)
  # Faults change widths; the original was linted above.
  verilate(${target} TRACE_FST PREFIX V${block}_faults TOP_MODULE ${block}
    SOURCES ${out}/${block}.sv INCLUDE_DIRS ${out} ${included}
    VERILATOR_ARGS ${ARCHIPELAGO_VERILATOR_ARGS} -Wno-fatal -Wno-lint OPT_FAST -O1 OPT_SLOW -O1)
endfunction()

# archipelago_twin_lists(BLOCKS HEADERS): writes what C++ must know of all twins to the folder HEADERS.
# twins.inc: ARCHIPELAGO_TWIN(<block>, <Block>Pins) for each, to be included with that macro defined;
# verilated_twins.h: their pins, Verilated classes and faults.
function(archipelago_twin_lists blocks headers)
  set(note "// SPDX-License-Identifier: Apache-2.0\n// Generated from rtl-bridge/CMakeLists.txt.\n")
  set(list "${note}")
  set(includes "${note}#pragma once\n")
  foreach(block ${blocks})
    set(pins "")
    string(REPLACE "_" ";" words ${block})
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND pins ${first}${rest})
    endforeach()
    string(APPEND list "ARCHIPELAGO_TWIN(${block}, ${pins}Pins)\n")
    string(APPEND includes "#include \"V${block}.h\"\n#include \"V${block}_faults.h\"\n"
      "#include \"rtl-bridge/pins/${block}_pins.h\"\n#include \"rtl/${block}_faults.h\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${headers}/twins.inc CONTENT "${list}#undef ARCHIPELAGO_TWIN\n" @ONLY)
  file(CONFIGURE OUTPUT ${headers}/verilated_twins.h CONTENT "${includes}" @ONLY)
endfunction()
