# SPDX-License-Identifier: Apache-2.0
# archipelago_verilog(NAME DESCRIPTION.yaml): builds somebody's Verilog into the shared library NAME,
# which `archipelago run W.yaml --verilog FILE` and adapters::load_verilog_module() take. The
# description is explained in rtl-bridge/adapters/README.md. OUTPUT_DIRECTORY says where the library
# goes (default: the folder of the build that corresponds to the caller's).
#
# Set by the file that includes this one: ARCHIPELAGO_VERILOG_WRAPPER, the generator.
function(archipelago_verilog name description)
  cmake_parse_arguments(ARG "" "OUTPUT_DIRECTORY" "" ${ARGN})
  find_package(verilator QUIET HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator)
  if(NOT verilator_FOUND)
    message(FATAL_ERROR "archipelago_verilog(${name}): Verilator not found (Debian: verilator)")
  endif()
  find_package(ZLIB REQUIRED) # the FST writer's
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
  get_filename_component(folder ${ARCHIPELAGO_VERILOG_WRAPPER} DIRECTORY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${description} ${ARCHIPELAGO_VERILOG_WRAPPER} ${folder}/verilog_design.py)
  execute_process(
    COMMAND ${python} -B ${ARCHIPELAGO_VERILOG_WRAPPER} ${description} --name ${name} --out ${out}
            --verilator ${VERILATOR_BIN}
    RESULT_VARIABLE status ERROR_VARIABLE text)
  if(status)
    message(FATAL_ERROR "archipelago_verilog(${name}):\n${text}")
  endif()
  include(${out}/${name}.cmake)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_verilog_sources})

  add_library(${name} MODULE ${out}/${name}.cpp)
  # Left to the build, code of older Verilog would be there when what includes it is compiled.
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/V${name}.dir)
  foreach(source ${_verilog_sources} ${out}/${name}.vlt)
    if(${source} IS_NEWER_THAN ${dir}/V${name}.cmake)
      file(REMOVE ${dir}/verilator_args.txt)
    endif()
  endforeach()
  # Byte strobes of wide buses are loops that Verilator must unroll.
  verilate(${name} TRACE_FST PREFIX V${name} TOP_MODULE ${_verilog_top}
    SOURCES ${out}/${name}.vlt ${_verilog_sources}
    VERILATOR_ARGS --no-timing -O3 --x-assign unique --x-initial unique -Wno-fatal -Wno-lint
                   -Wno-style --unroll-count 1024 --unroll-stmts 300000 ${_verilog_options}
    OPT_FAST -O2 OPT_SLOW -O1)
  target_compile_features(${name} PRIVATE cxx_std_17)
  # Headers only: nothing of the project is linked into it. The code is not ours: no warnings.
  target_include_directories(${name} SYSTEM PRIVATE
    $<TARGET_PROPERTY:archipelago::options,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(${name} PRIVATE -w)
  # Several such libraries, and the project's own twins, each keep their Verilator.
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
  target_link_libraries(${name} PRIVATE ZLIB::ZLIB)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT_DIRECTORY})
endfunction()
