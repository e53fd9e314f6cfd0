// SPDX-License-Identifier: Apache-2.0
// The instruction decoder's twin on every opcode number of every encoding, those without an
// instruction included, and on upper bits that are no encoding's.
#include <gtest/gtest.h>

#include <memory>

#include "models/cu/pipeline/cu_decode_core.h"
#include "rtl-bridge/compare/cu_words.h"
#include "rtl-bridge/compare/in_chip.h"
#include "rtl-bridge/verilated/twin.h"

namespace archipelago::rtl {
namespace {

constexpr unsigned kPatterns = 500;  // operands of each number

class CuDecodeSweep : public testing::Test {
  protected:
    void SetUp() override { reset_block(*twin_); }
    // One cycle after the words.
    void expect_same(const CuDecodePins::Words& words) {
        in_.in = words;
        in_.in_valid = in_.out_ready = 1;
        twin_->step(in_, out_);
        in_.in_valid = 0;
        twin_->step(in_, out_);
        CuDecodePins::Out model;
        model.in_ready = model.out_valid = 1;
        model.out = cu::decode_on_pins(words);
        if (!detail::equal<CuDecodePins>(model, out_))
            FAIL() << std::hex << words.first << " " << words.second << ": "
                   << difference_text(table_of<CuDecodePins>(), &model, &out_);
    }

    Random random_{11};
    CuWords words_{random_};
    std::unique_ptr<Twin<CuDecodePins>> twin_ = make_twin<CuDecodePins>({});
    CuDecodePins::In in_;
    CuDecodePins::Out out_;
};

TEST_F(CuDecodeSweep, EveryOpcodeNumberOfEveryEncodingIsReadAsTheModelReadsIt) {
    for (const CuEncoding& e : cu_encodings())
        for (unsigned number = 0; number < e.numbers; ++number) {
            unsigned legal = 0;
            for (unsigned i = 0; i < kPatterns; ++i) {
                ASSERT_NO_FATAL_FAILURE(expect_same(words_.of(e, number)));
                legal += out_.out.format == static_cast<unsigned>(e.format) ? 1 : 0;
            }
            EXPECT_EQ(legal > 0, e.has(number)) << e.name << " " << number;
        }
}

TEST_F(CuDecodeSweep, UpperBitsOfNoEncodingAreIllegal) {
    // Below 48 every number is of a scalar or vector ALU's encoding.
    unsigned none = 0;
    for (uint32_t upper = 48; upper < 64; ++upper) {
        unsigned without = 0;
        for (unsigned i = 0; i < kPatterns; ++i) {
            const CuDecodePins::Words words = {upper << 26 | random_.word() >> 6, random_.word(),
                                               0};
            ASSERT_NO_FATAL_FAILURE(expect_same(words));
            without += out_.out.format == static_cast<unsigned>(isa::Format::Illegal) ? 1 : 0;
        }
        none += without == kPatterns ? 1 : 0;
    }
    EXPECT_EQ(none, 7u);  // 110011, 110101, 110111, 111001, 111011, 111101, 111111
}

}  // namespace
}  // namespace archipelago::rtl
