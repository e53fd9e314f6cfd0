# SPDX-License-Identifier: Apache-2.0
# cmake -D LIST=FILE -D OUT=HEADER -P source_stamp.cmake: a digest of the files that LIST names, one a
# line, as a C++ constant.
file(STRINGS ${LIST} sources)
set(digests "")
foreach(source ${sources})
  file(SHA256 ${source} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 stamp "${digests}")
file(WRITE ${OUT} "// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace archipelago::rtl {

constexpr const char* kSourceStamp = \"${stamp}\";

}  // namespace archipelago::rtl
")
