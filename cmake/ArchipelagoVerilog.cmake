# SPDX-License-Identifier: Apache-2.0
# archipelago_verilog(NAME DESCRIPTION.yaml): builds foreign Verilog into the shared library NAME,
# which `archipelago run W.yaml --verilog FILE` and adapters::load_verilog_module() take; one with
# verilog.block is for `--rtl BLOCK=FILE`. Descriptions are explained in rtl-bridge/adapters/README.md
# and rtl-bridge/README.md. OUTPUT_DIRECTORY says where the library
# goes (default: the folder of the build that corresponds to the caller's), OPTION how the C++ is
# optimised (default: -O2).
#
# Set by the file that includes this one: ARCHIPELAGO_VERILOG_WRAPPER, the generator, and
# ARCHIPELAGO_PIN_TABLE, the file with the pins of the blocks, and ARCHIPELAGO_TWIN_VERILOG, the folders
# with the Verilog of the blocks.
include(${CMAKE_CURRENT_LIST_DIR}/ArchipelagoVerilator.cmake)

function(archipelago_verilog name description)
  cmake_parse_arguments(ARG "" "OUTPUT_DIRECTORY;OPTION" "" ${ARGN})
  if(NOT ARG_OPTION)
    set(ARG_OPTION -O2)
  endif()
  if(NOT ARCHIPELAGO_VERILATOR)
    message(FATAL_ERROR "archipelago_verilog(${name}): Verilator not found (Debian: verilator)")
  endif()
  set(python)
  foreach(candidate ${ARCHIPELAGO_PYTHON} /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -c "import yaml" RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      set(python ${candidate})
      break()
    endif()
  endforeach()
  if(NOT python)
    message(FATAL_ERROR "archipelago_verilog(${name}): no Python 3 with PyYAML (Debian: python3-yaml)")
  endif()
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()

  get_filename_component(description ${description} ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/verilog/${name})
  set(wrapper ${out}/${name}.cpp ${out}/${name}.vlt ${out}/${name}.args)
  get_filename_component(folder ${ARCHIPELAGO_VERILOG_WRAPPER} DIRECTORY)
  list(TRANSFORM ARCHIPELAGO_TWIN_VERILOG PREPEND --twins= OUTPUT_VARIABLE twins)
  add_custom_command(OUTPUT ${wrapper}
    COMMAND ${python} -B ${ARCHIPELAGO_VERILOG_WRAPPER} ${description} --name ${name} --out ${out}
            --verilator ${ARCHIPELAGO_VERILATOR} --pins ${ARCHIPELAGO_PIN_TABLE} ${twins}
    DEPENDS ${description} ${ARCHIPELAGO_VERILOG_WRAPPER} ${folder}/verilog_design.py ${folder}/verilog_place.py
            ${folder}/verilog_uses.py ${folder}/verilator_options.py ${folder}/yaml_nodes.py ${ARCHIPELAGO_PIN_TABLE}
    DEPFILE ${out}/${name}.d
    COMMENT "Wrapping the Verilog of ${name}" VERBATIM)
  archipelago_verilate(V${name} ${out}/verilated
    ARGUMENTS ${out}/${name}.vlt -f ${out}/${name}.args
    DEPENDS ${wrapper})

  archipelago_verilator_runtime()
  add_library(${name} MODULE ${out}/${name}.cpp ${out}/verilated/V${name}_fast.cpp ${out}/verilated/V${name}_slow.cpp)
  # Headers only: nothing of the project is linked into it. Foreign code: no warnings.
  target_include_directories(${name} SYSTEM PRIVATE ${out}/verilated
    $<TARGET_PROPERTY:archipelago::options,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(${name} PRIVATE -w ${ARG_OPTION})
  # Several such libraries, and the project's own twins, each keep their Verilator.
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
  target_link_libraries(${name} PRIVATE archipelago_verilator_runtime)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT_DIRECTORY})
endfunction()
