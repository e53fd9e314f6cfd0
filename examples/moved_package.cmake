# SPDX-License-Identifier: Apache-2.0
# Included by the tests of the examples: installs BUILD and moves what was installed. ${prefix} is
# where it lies then; nothing of the place it was installed to is left.

# run(WHAT COMMAND...): ${out} is what the command said; when it fails, the test does.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# Neither the source tree nor a folder of the tester's may stand in for the installed files.
unset(ENV{ARCHIPELAGO_CONFIGS})
unset(ENV{DESTDIR})
file(REMOVE_RECURSE ${WORK})
run("installation" ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG}
  --prefix ${WORK}/installed)
set(prefix ${WORK}/moved)
file(RENAME ${WORK}/installed ${prefix})
