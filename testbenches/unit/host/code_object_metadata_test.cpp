// SPDX-License-Identifier: Apache-2.0
// Metadata: the MessagePack reader's strictness and what each defect is called.
#include <gmock/gmock.h>

#include "testbenches/host/code_object/code_object_error.h"
#include "testbenches/host/code_object/metadata.h"
#include "testbenches/host/code_object/msgpack.h"
#include "testbenches/host/random_data.h"
#include "testbenches/unit/host/code_object_elf_builder.h"

namespace archipelago::host::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string error_of(const json& metadata) {
    try {
        read_metadata(json::to_msgpack(metadata), "t.hsaco", 0x214);
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "no error";
}

std::string msgpack_error(const std::vector<uint8_t>& bytes) {
    try {
        read_msgpack(bytes, "note", 0x100);
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "no error";
}

json kernel_with(const std::string& key, const json& value) {
    ElfBuilder b;
    b.kernel()[key] = value;
    return b.metadata;
}

TEST(Msgpack, ReadsWhatAnotherWriterWrites) {
    const json value = {{"small", 5},
                        {"byte", 200},
                        {"half", 40000},
                        {"word", 4000000000u},
                        {"long", uint64_t{1} << 60},
                        {"minus", -5},
                        {"minus_long", -(int64_t{1} << 40)},
                        {"minus_half", -30000},
                        {"true", true},
                        {"none", nullptr},
                        {"real", 0.1},
                        {"text", std::string(300, 'x')},
                        {"list", json::array({1, json::array({2, 3}), json::object()})}};
    EXPECT_EQ(read_msgpack(json::to_msgpack(value), "note"), value);
    const json long_list(std::vector<int>(70000, 1));
    EXPECT_EQ(read_msgpack(json::to_msgpack(long_list), "note"), long_list);
}

TEST(Msgpack, NamesTheByteOfEachDefect) {
    EXPECT_THAT(msgpack_error({}), HasSubstr("note: msgpack at 0x100: cut off where a value"));
    EXPECT_THAT(msgpack_error({0x01, 0x02}),
                HasSubstr("msgpack at 0x101: 1 bytes after the value"));
    EXPECT_THAT(msgpack_error({0xcd, 0x01}), HasSubstr("cut off inside a number"));
    EXPECT_THAT(msgpack_error({0xa5, 'a'}), HasSubstr("a string of 5 bytes, 1 are left"));
    EXPECT_THAT(msgpack_error({0xdd, 0xff, 0xff, 0xff, 0xff}), HasSubstr("array of 4294967295"));
    EXPECT_THAT(msgpack_error({0xdf, 0xff, 0xff, 0xff, 0xff}), HasSubstr("map of 4294967295"));
    EXPECT_THAT(msgpack_error({0x81, 0x01, 0x01}), HasSubstr("0x101: a map key that is not a"));
    EXPECT_THAT(msgpack_error({0x82, 0xa1, 'a', 1, 0xa1, 'a', 2}), HasSubstr("'a' appears twice"));
    EXPECT_THAT(msgpack_error({0xc4, 0x00}), HasSubstr("type byte 0xc4"));
    EXPECT_THAT(msgpack_error(std::vector<uint8_t>(1000000, 0x91)), HasSubstr("nested deeper"));
}

TEST(Msgpack, RandomBytesNeverCrash) {
    for (uint64_t seed = 0; seed < 5000; ++seed)
        msgpack_error(fill_random("u8", seed % 200, seed));
}

TEST(Metadata, NamesThePathOfEachDefect) {
    json m = ElfBuilder::default_metadata();
    m["amdhsa.version"] = {2, 0};
    EXPECT_THAT(error_of(m), HasSubstr("metadata amdhsa.version: 2.0 is not supported"));
    m["amdhsa.version"] = {1};
    EXPECT_THAT(error_of(m), HasSubstr("amdhsa.version: has 1 items, expected 2"));
    m.erase("amdhsa.version");
    EXPECT_THAT(error_of(m), HasSubstr("t.hsaco: metadata amdhsa.version: is missing"));
    m = ElfBuilder::default_metadata();
    m["amdhsa.kernels"] = 3;
    EXPECT_THAT(error_of(m), HasSubstr("amdhsa.kernels: is not an array"));
    m["amdhsa.kernels"] = {3};
    EXPECT_THAT(error_of(m), HasSubstr("metadata amdhsa.kernels[0]: is not a map"));
    EXPECT_THAT(error_of(kernel_with(".name", 1)),
                HasSubstr("amdhsa.kernels[0].name: is not a str"));
    EXPECT_THAT(error_of(kernel_with(".vgpr_count", -1)),
                HasSubstr(".vgpr_count: -1 is not in 0.."));
    EXPECT_THAT(error_of(kernel_with(".vgpr_count", uint64_t{1} << 32)),
                HasSubstr(".vgpr_count: 4294967296 is not in"));
    EXPECT_THAT(error_of(kernel_with(".vgpr_count", 1.5)), HasSubstr(".vgpr_count: is not an int"));
    EXPECT_THAT(error_of(kernel_with(".wavefront_size", 32)), HasSubstr("32 is not 64"));
    EXPECT_THAT(error_of(kernel_with(".kernarg_segment_align", 12)),
                HasSubstr("12 is not a power"));
    EXPECT_THAT(error_of(kernel_with(".kernarg_segment_size", 1 << 21)), HasSubstr("exceeds"));
    EXPECT_THAT(error_of(kernel_with(".kernarg_segment_size", 20)),
                HasSubstr("[0].args[2]: ends at 24, beyond .kernarg_segment_size 20"));
    EXPECT_THAT(error_of(kernel_with(".reqd_workgroup_size", {1, 2})), HasSubstr("has 2 items"));
    EXPECT_THAT(error_of(kernel_with(".uses_dynamic_stack", 1)), HasSubstr("is not a boolean"));
    ElfBuilder b;
    b.kernel()[".args"][1][".offset"] = 4;
    EXPECT_THAT(error_of(b.metadata), HasSubstr("args[1].offset: 4 is inside the argument before"));
    b = {};
    b.kernel()[".args"][1][".size"] = 0;
    EXPECT_THAT(error_of(b.metadata), HasSubstr(".args[1].size: is 0"));
    b = {};
    b.kernel()[".args"][1].erase(".value_kind");
    EXPECT_THAT(error_of(b.metadata), HasSubstr(".args[1].value_kind: is missing"));
    b = {};
    b.metadata["amdhsa.kernels"].push_back(b.kernel());
    EXPECT_THAT(error_of(b.metadata), HasSubstr("'k.kd' is described twice"));
}

TEST(Metadata, KeepsAnUnknownValueKindByName) {
    ElfBuilder b;
    b.kernel()[".args"][1][".value_kind"] = "hologram";
    const Metadata m = read_metadata(json::to_msgpack(b.metadata), "t", 0);
    EXPECT_EQ(m.kernels[0].args[1].value_kind, "hologram");
}

}  // namespace
}  // namespace archipelago::host::test
