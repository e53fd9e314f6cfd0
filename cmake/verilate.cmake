# SPDX-License-Identifier: Apache-2.0
# cmake -D VERILATOR=PROGRAM -D PREFIX=P -D FOLDER=DIR -D ARGUMENTS=LIST -P verilate.cmake
# Makes C++ of Verilog in DIR. DIR/P_fast.cpp includes all sources that Verilator wrote for what runs in every cycle,
# DIR/P_slow.cpp those for what runs once (construction, settling, declarations of a waveform): Verilator's headers cost
# the compiler more than most of those sources. DIR.d lists the Verilog that was read.
file(REMOVE_RECURSE ${FOLDER})
execute_process(
  COMMAND ${VERILATOR} --cc --trace-fst --prefix ${PREFIX} --Mdir ${FOLDER} --make cmake ${ARGUMENTS}
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(status)
  string(REPLACE ";" " " arguments "${ARGUMENTS}")
  if(text MATCHES "BLKLOOPINIT")
    string(APPEND text "Loops with more turns than --unroll-count says are not unrolled; foreign Verilog "
      "gives it under verilator: of its description.\n")
  endif()
  message(FATAL_ERROR "${VERILATOR} --prefix ${PREFIX} ${arguments}:\n${text}")
endif()
include(${FOLDER}/${PREFIX}.cmake)
foreach(part fast slow)
  string(TOUPPER ${part} kind)
  set(includes "// The ${part} sources of this folder.\n")
  foreach(source ${${PREFIX}_CLASSES_${kind}} ${${PREFIX}_SUPPORT_${kind}})
    string(APPEND includes "#include \"${source}\"\n")
  endforeach()
  file(WRITE ${FOLDER}/${PREFIX}_${part}.cpp "${includes}")
endforeach()
set(read "")
foreach(source ${${PREFIX}_DEPS})
  string(REPLACE " " "\\ " source "${source}")
  string(APPEND read " \\\n  ${source}")
endforeach()
file(WRITE ${FOLDER}.d "${FOLDER}/${PREFIX}_fast.cpp:${read}\n")
