# SPDX-License-Identifier: Apache-2.0
# cmake -D VERILATOR=PROGRAM -D PREFIX=P -D FOLDER=DIR -D ARGUMENTS=LIST -P verilate.cmake
# Makes C++ of Verilog in DIR. DIR/P_all.cpp includes every source Verilator wrote: Verilator's
# headers cost the compiler more than most of those sources. DIR.d lists the Verilog that was read.
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
set(includes "// Every source of this folder.\n")
foreach(kind CLASSES_FAST SUPPORT_FAST CLASSES_SLOW SUPPORT_SLOW)
  foreach(source ${${PREFIX}_${kind}})
    string(APPEND includes "#include \"${source}\"\n")
  endforeach()
endforeach()
file(WRITE ${FOLDER}/${PREFIX}_all.cpp "${includes}")
set(read "")
foreach(source ${${PREFIX}_DEPS})
  string(REPLACE " " "\\ " source "${source}")
  string(APPEND read " \\\n  ${source}")
endforeach()
file(WRITE ${FOLDER}.d "${FOLDER}/${PREFIX}_all.cpp:${read}\n")
