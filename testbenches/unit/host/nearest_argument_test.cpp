// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/nearest_argument.h"

#include <gtest/gtest.h>

namespace archipelago::host::nearest_argument_test {
namespace {

const std::vector<BufferPlace> kBuffers = {{0, "", 0x40000, 0x1000}, {2, "y", 0x100000, 4096}};

TEST(NearestArgument, IsTheOneWithTheLeastDistance) {
    EXPECT_EQ(nearest_argument(0x101000, kBuffers),
              "0x101000 is 0 bytes after argument 2 `y` (0x100000, 4096 bytes)");
    EXPECT_EQ(nearest_argument(0xffffc, kBuffers),
              "0xffffc is 4 bytes before argument 2 `y` (0x100000, 4096 bytes)");
    EXPECT_EQ(nearest_argument(0x41010, kBuffers),
              "0x41010 is 16 bytes after argument 0 (0x40000, 4096 bytes)");
    EXPECT_EQ(nearest_argument(0, kBuffers),
              "0x0 is 262144 bytes before argument 0 (0x40000, 4096 bytes)");
    EXPECT_EQ(nearest_argument(~uint64_t{0}, kBuffers),
              "0xffffffffffffffff is 18446744073708498943 bytes after argument 2 `y` "
              "(0x100000, 4096 bytes)");
}

TEST(NearestArgument, SaysInsideOfABufferThatIsNotMapped) {
    EXPECT_EQ(nearest_argument(0x100004, kBuffers),
              "0x100004 is inside argument 2 `y` (0x100000, 4096 bytes)");
}

TEST(NearestArgument, IsNoneOfAKernelWithoutBuffers) {
    EXPECT_EQ(nearest_argument(0x1000, {}), "");
}

}  // namespace
}  // namespace archipelago::host::nearest_argument_test
