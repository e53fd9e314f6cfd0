# SPDX-License-Identifier: Apache-2.0
# Verilog into C++ while the project is built. CMake itself runs no Verilator, so that a build
# without Verilog pays nothing for it.
set(ARCHIPELAGO_VERILATE ${CMAKE_CURRENT_LIST_DIR}/verilate.cmake)

find_program(ARCHIPELAGO_VERILATOR verilator_bin verilator HINTS $ENV{VERILATOR_ROOT}/bin)
mark_as_advanced(ARCHIPELAGO_VERILATOR)

# archipelago_verilate(PREFIX FOLDER ARGUMENTS ... DEPENDS ... ): a rule for FOLDER/PREFIX_fast.cpp and FOLDER/PREFIX_slow.cpp,
# all that Verilator makes of the sources among its ARGUMENTS, and FOLDER/PREFIX.h. The slow one, a third of the text, runs
# once for each instance: it is not optimised.
function(archipelago_verilate prefix folder)
  cmake_parse_arguments(ARG "" "" "ARGUMENTS;DEPENDS" ${ARGN})
  set(slow ${folder}/${prefix}_slow.cpp)
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS -O0)
  add_custom_command(OUTPUT ${folder}/${prefix}_fast.cpp ${slow} BYPRODUCTS ${folder}/${prefix}.h
    COMMAND ${CMAKE_COMMAND} -D VERILATOR=${ARCHIPELAGO_VERILATOR} -D PREFIX=${prefix}
            -D FOLDER=${folder} "-DARGUMENTS=--no-timing;-O3;--x-assign;unique;--x-initial;unique;${ARG_ARGUMENTS}"
            -P ${ARCHIPELAGO_VERILATE}
    DEPENDS ${ARG_DEPENDS} ${ARCHIPELAGO_VERILATE} DEPFILE ${folder}.d
    COMMENT "Verilating ${prefix}" VERBATIM)
endfunction()

# archipelago_verilator_runtime(): the library archipelago_verilator_runtime, what all generated code
# stands on and has to be compiled with.
function(archipelago_verilator_runtime)
  if(TARGET archipelago_verilator_runtime)
    return()
  endif()
  find_package(ZLIB REQUIRED) # the FST writer's
  execute_process(COMMAND ${ARCHIPELAGO_VERILATOR} --getenv VERILATOR_ROOT
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(stops ${CMAKE_CURRENT_BINARY_DIR}/verilog_stops.cpp)
  file(CONFIGURE OUTPUT ${stops} CONTENT
    "#include \"verilated.h\"\n#include \"rtl-bridge/verilated/verilog_stops.h\"\n")
  add_library(archipelago_verilator_runtime STATIC EXCLUDE_FROM_ALL ${root}/include/verilated.cpp
    ${root}/include/verilated_fst_c.cpp ${root}/include/verilated_threads.cpp ${stops})
  target_include_directories(archipelago_verilator_runtime SYSTEM
    PUBLIC ${root}/include ${root}/include/vltstd
    PRIVATE $<TARGET_PROPERTY:archipelago::options,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(archipelago_verilator_runtime PRIVATE
    VL_USER_FINISH VL_USER_STOP VL_USER_FATAL)
  target_compile_definitions(archipelago_verilator_runtime PUBLIC
    VM_COVERAGE=0 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
  target_compile_features(archipelago_verilator_runtime PUBLIC cxx_std_17)
  target_compile_options(archipelago_verilator_runtime PRIVATE -w)
  # Clang calls libatomic for is_lock_free() where GCC answers at compile time.
  target_link_libraries(archipelago_verilator_runtime PUBLIC ZLIB::ZLIB -pthread -latomic)
  set_target_properties(archipelago_verilator_runtime PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
