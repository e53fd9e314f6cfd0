// SPDX-License-Identifier: Apache-2.0
#include "models/common/context_registers.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"

#include <gtest/gtest.h>

namespace archipelago::context_registers_test {
namespace {

RegRequest write(uint32_t offset, uint32_t value, uint8_t context) {
    RegRequest request;
    request.offset = offset;
    request.value = value;
    request.write = true;
    request.context = context;
    return request;
}

TEST(ContextRegisters, EachContextHasItsOwnValues) {
    ContextRegisters regs(0x28A00, 0x28B00, regs::si::GFX_COPY_STATE);
    EXPECT_TRUE(regs.write(write(0x28A00, 1, 1)));
    EXPECT_TRUE(regs.write(write(0x28AFC, 2, 7)));
    EXPECT_FALSE(regs.write(write(0x289FC, 3, 1)));
    EXPECT_FALSE(regs.write(write(0x28B00, 3, 1)));
    EXPECT_EQ(regs.get(0x28A00, 1), 1u);
    EXPECT_EQ(regs.get(0x28A00, 2), 0u);
    EXPECT_EQ(regs.get(0x28AFC, 7), 2u);
    EXPECT_EQ(regs.get(0x28AFC, 1), 0u);
}

TEST(ContextRegisters, GfxCopyStateCopiesAllRegistersFromItsSourceToTheContextOfTheWrite) {
    ContextRegisters regs(0x28A00, 0x28B00, regs::si::GFX_COPY_STATE);
    regs.write(write(0x28A00, 11, 3));
    regs.write(write(0x28AFC, 12, 3));
    regs.write(write(0x28A10, 13, 4));
    EXPECT_TRUE(regs.write(write(regs::si::GFX_COPY_STATE, 3, 4)));
    EXPECT_EQ(regs.get(0x28A00, 4), 11u);
    EXPECT_EQ(regs.get(0x28AFC, 4), 12u);
    EXPECT_EQ(regs.get(0x28A10, 4), 0u);
    regs.write(write(0x28A00, 99, 4));
    EXPECT_EQ(regs.get(0x28A00, 3), 11u) << "the source stays";
}

TEST(ContextRegisters, AFamilyMayHaveFourContexts) {
    ContextRegisters regs({0x28A00, 0x28B00, {0x28A04}, 4}, regs::si::GFX_COPY_STATE);
    EXPECT_TRUE(regs.write(write(0x28A00, 1, 3)));
    EXPECT_EQ(regs.get(0x28A00, 3), 1u);
    EXPECT_TRUE(regs.write(write(regs::si::GFX_COPY_STATE, 7, 2)));  // of context 3: two bits
    EXPECT_EQ(regs.get(0x28A00, 2), 1u);
    EXPECT_EQ(regs.get(0x28A00, 0), 0u);
}

TEST(ContextRegisters, AWindowHasRegistersThatExistOnce) {
    const ContextWindow window{0x28A00, 0x28B00, {0x28A04}, 8};
    EXPECT_TRUE(window.of_context(0x28A00));
    EXPECT_FALSE(window.of_context(0x28A04));
    EXPECT_FALSE(window.of_context(0x289FC));
    EXPECT_FALSE(window.of_context(0x28B00));
}

TEST(ContextRegisters, RegistersThatStartOrDescribeADrawAreNoContextRegisters) {
    EXPECT_TRUE(regs::si::is_context_register(0x28000));
    EXPECT_TRUE(regs::si::is_context_register(0x287EC));
    EXPECT_TRUE(regs::si::is_context_register(0x28FFC));
    for (const uint32_t offset :
         {0x27FFCu, 0x29000u, 0xB000u, 0x287CCu, 0x287D0u, 0x287E4u, 0x287E8u, 0x287F0u, 0x287F4u,
          0x287F8u, 0x28A74u, 0x28A78u, 0x28A7Cu, 0x28A88u, 0x28A90u})
        EXPECT_FALSE(regs::si::is_context_register(offset)) << std::hex << offset;
}

}  // namespace
}  // namespace archipelago::context_registers_test
