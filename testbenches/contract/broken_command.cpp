// SPDX-License-Identifier: Apache-2.0
// What takes the place of RegisterFile::end_of_pipe() in a command of the test's own (--wrap of the
// linker): a block that pushes into a full channel at the first fence.
#include <cstdint>

#include "models/common/channel.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that --wrap gives
extern "C" void __wrap__ZN11archipelago2cp12RegisterFile11end_of_pipeEjbmbh(void*, unsigned, bool,
                                                                            uint64_t, bool,
                                                                            uint8_t) {
    archipelago::Channel<int> out({1, 1}, "doctored.out");
    out.push(41, 1);
    out.push(42, 2);
}
