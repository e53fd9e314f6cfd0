// SPDX-License-Identifier: Apache-2.0
// The typed words (registers/si_<block>.h) against the table.
//
// System headers first: their macros must not clash with register, field or enumerator names.
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#include "registers/si_registers.h"

namespace archipelago::regs {
namespace {

struct Accessor {
    std::string_view word;
    std::string_view field;
    uint32_t read_ones;      // accessor of a word of all ones
    uint32_t write_ones;     // all ones written into a word of zeros
    uint32_t write_zeros;    // zero written into a word of all ones
    uint32_t write_pattern;  // 0x5A5A5A5A written into a word of zeros
};

constexpr uint32_t kOnes = 0xFFFFFFFFu;
constexpr uint32_t kPattern = 0x5A5A5A5Au;

#define ARCHIPELAGO_ACCESSOR(WORD, FIELD, NAME) \
    {#WORD,                                     \
     NAME,                                      \
     si::typed::WORD{kOnes}.FIELD(),            \
     si::typed::WORD{}.set_##FIELD(kOnes).raw,  \
     si::typed::WORD{kOnes}.set_##FIELD(0).raw, \
     si::typed::WORD{}.set_##FIELD(kPattern).raw},
constexpr Accessor kAccessors[] = {
#include "registers/si_accessor_list.inc"
};
#undef ARCHIPELAGO_ACCESSOR

const RegisterInfo* find_word(std::string_view name) {
    const RegisterInfo* info = si::find_by_name(name);
    return info != nullptr ? info : si::database().find_layout(name);
}

TEST(SiAccessors, EveryAccessorReadsAndWritesTheBitsOfItsField) {
    for (const Accessor& accessor : kAccessors) {
        const RegisterInfo* info = find_word(accessor.word);
        ASSERT_NE(info, nullptr) << accessor.word;
        const FieldInfo* field = info->field(accessor.field);
        ASSERT_NE(field, nullptr) << accessor.word << "." << accessor.field;
        EXPECT_EQ(accessor.read_ones, field->mask() >> field->lsb) << accessor.word;
        EXPECT_EQ(accessor.write_ones, field->mask()) << accessor.word << "." << accessor.field;
        EXPECT_EQ(accessor.write_zeros, ~field->mask()) << accessor.word << "." << accessor.field;
        EXPECT_EQ(accessor.write_pattern, field->set(0, kPattern)) << accessor.word;
    }
}

TEST(SiAccessors, EveryFieldOfTheTableHasAnAccessor) {
    size_t fields = 0;
    for (const RegisterInfo& info : si::database().registers) {
        fields += info.fields.size();
    }
    for (const RegisterInfo& info : si::database().layouts) {
        fields += info.fields.size();
    }
    EXPECT_GT(fields, 9000u);
    EXPECT_EQ(std::size(kAccessors), fields);
}

TEST(SiAccessors, EveryFieldOfTheTableRoundTripsAndLeavesTheOtherBits) {
    const auto check = [](const RegisterInfo& info) {
        uint32_t covered = 0;
        for (const FieldInfo& field : info.fields) {
            EXPECT_EQ(covered & field.mask(), 0u) << info.name << "." << field.name;
            covered |= field.mask();
            const uint32_t largest = field.mask() >> field.lsb;
            for (const uint32_t word : {0u, kOnes, kPattern}) {
                for (const uint32_t value : {0u, 1u, largest, largest / 2}) {
                    const uint32_t changed = field.set(word, value);
                    EXPECT_EQ(field.get(changed), value) << info.name << "." << field.name;
                    EXPECT_EQ(changed & ~field.mask(), word & ~field.mask())
                        << info.name << "." << field.name;
                }
            }
            if (field.values != nullptr) {
                for (const EnumValueInfo& entry : field.values->values) {
                    EXPECT_LE(entry.value, largest) << info.name << "." << entry.name;
                }
            }
        }
    };
    for (const RegisterInfo& info : si::database().registers) {
        check(info);
    }
    for (const RegisterInfo& info : si::database().layouts) {
        check(info);
    }
}

TEST(SiAccessors, WordsChainSettersAndKnowTheirOffset) {
    constexpr auto initiator =
        si::typed::COMPUTE_DISPATCH_INITIATOR{}.set_COMPUTE_SHADER_EN(1).set_FORCE_START_AT_000(1);
    static_assert(initiator.raw == 5, "two bits of COMPUTE_DISPATCH_INITIATOR");
    static_assert(si::typed::COMPUTE_DISPATCH_INITIATOR::kOffset == si::COMPUTE_DISPATCH_INITIATOR,
                  "offset of the typed word");
    si::typed::COMPUTE_PGM_RSRC2 rsrc2{0x00000013};
    EXPECT_EQ(rsrc2.SCRATCH_EN(), 1u);
    EXPECT_EQ(rsrc2.USER_SGPR(), 9u);
    rsrc2.set_LDS_SIZE(0x1FF + 0x200);
    EXPECT_EQ(rsrc2.LDS_SIZE(), 0x1FFu) << "a value wider than the field is cut";
    EXPECT_EQ(rsrc2.USER_SGPR(), 9u);
}

TEST(SiAccessors, AFieldNamedLikeItsRegisterIsCalledValue) {
    EXPECT_EQ(si::typed::SCRATCH_REG0{0xDEADBEEF}.VALUE(), 0xDEADBEEFu);
}

}  // namespace
}  // namespace archipelago::regs
