// SPDX-License-Identifier: Apache-2.0
// main() of GoogleTest binaries that use SystemC. Every TEST runs in a process of its own, so each
// has a fresh simulation context.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return RUN_ALL_TESTS();
}
