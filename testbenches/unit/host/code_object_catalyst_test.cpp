// SPDX-License-Identifier: Apache-2.0
// Binaries of Catalyst's compiler: what is read of them, and what a launch puts into user SGPRs and
// memory. testbenches/support/catalyst_binary.py makes the files; testbenches/system/bad_input has
// wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/code_object/elf_code.h"

namespace archipelago::host {
namespace {

using testing::ElementsAre;

const std::string kFolder = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/catalyst/";
constexpr uint64_t kImage = 0x12'3400'0000, kKernarg = 0x5'0000'1000, kBuffer = 0x6'7800'0000;
constexpr uint32_t kFormat = 0x24fac;  // 32 UINT, components in order

CodeObject load(const char* name) {
    return load_code_object_file(kFolder + name);
}

std::vector<uint8_t> bytes_of(const char* name) {
    std::ifstream file(kFolder + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The byte after the first occurrence of the dwords; the file must have them.
uint8_t* find_after(std::vector<uint8_t>& file, const std::vector<uint32_t>& dwords) {
    std::vector<uint8_t> bytes;
    for (const uint32_t dword : dwords)
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<uint8_t>(dword >> shift));
    const auto found = std::search(file.begin(), file.end(), bytes.begin(), bytes.end());
    EXPECT_NE(found, file.end());
    return &file[static_cast<size_t>(found - file.begin()) + bytes.size()];
}

struct Launch {
    DispatchPlan plan;
    std::vector<uint32_t> sgprs;
    std::vector<uint32_t> memory;  // of the kernarg segment
};

Launch launch(const CodeObject& object, const std::string& kernel,
              const std::vector<ArgValue>& args, const LaunchGeometry& geometry) {
    Launch l;
    l.plan = plan_dispatch(object, object.kernel(kernel), args, geometry);
    DispatchAddresses where;
    where.kernarg = kKernarg;
    where.image = kImage;
    l.sgprs = make_user_sgprs(l.plan, where);
    l.memory = load_words(make_kernarg(l.plan, where));
    return l;
}

std::vector<uint32_t> resource(uint64_t address, uint32_t bytes) {
    return {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32), bytes, kFormat};
}

std::vector<uint32_t> part(const std::vector<uint32_t>& words, size_t first, size_t count) {
    return {words.begin() + static_cast<std::ptrdiff_t>(first),
            words.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

TEST(Catalyst, KernelsHaveTheirArgumentsAndRegisters) {
    const CodeObject object = load("reduction.bin");
    const Kernel& k = object.kernel("");
    ASSERT_EQ(k.metadata.args.size(), 5u);
    EXPECT_EQ(k.metadata.args[1].name, "maxima");
    EXPECT_EQ(k.metadata.args[1].type_name, "float*");
    EXPECT_EQ(k.metadata.args[1].value_kind, "uav_buffer");
    EXPECT_EQ(k.metadata.args[1].buffer, 13u);
    EXPECT_EQ(k.metadata.args[4].value_kind, "dynamic_shared_pointer");
    EXPECT_EQ(k.metadata.args[4].offset, 64u);
    EXPECT_EQ(k.metadata.reqd_workgroup_size, (std::array<uint32_t, 3>{256, 1, 1}));
    // 12 VGPRs; 35 and VCC are 37, which is five times eight; float mode 0xc0, DX10_CLAMP.
    EXPECT_EQ(k.descriptor.pgm_rsrc1, 2u | 4u << 6 | 0xc0u << 12 | 1u << 21);
    EXPECT_EQ(k.descriptor.pgm_rsrc2, 12u << 1 | 1u << 7) << "12 user SGPRs, TGID_X_EN, no LDS yet";
}

// As in Multi2Sim's reader, in CLRX's writer and in public binaries of that compiler for Tahiti.
TEST(Catalyst, VectorRegistersComeBeforeScalarRegistersInTheNotes) {
    std::vector<uint8_t> file = bytes_of("reduction.bin");
    uint8_t* const vectors = find_after(file, {0x80001041});
    uint8_t* const scalars = find_after(file, {0x80001042});
    EXPECT_EQ(load_le(vectors, 4), 12u);
    EXPECT_EQ(load_le(scalars, 4), 35u);
    *vectors = 130;
    *scalars = 70;
    const CodeObject object = load_code_object(file, "k.bin");
    // Fields count 4 VGPRs and 8 SGPRs each, less one; 72 SGPRs with VCC.
    EXPECT_EQ(object.kernel("").descriptor.pgm_rsrc1 & 0x3ff, 32u | 8u << 6);
}

TEST(Catalyst, RangeAndArgumentsAreConstantBuffers) {
    const CodeObject object = load("saxpy.bin");
    LaunchGeometry g;
    g.global_size = {100, 1, 1};
    g.local_size = {64, 1, 1};
    g.global_offset = {7, 0, 0};
    ScalarArg two = scalar_arg(2.0f);
    two.number = ArgNumber::Real;
    const Launch l =
        launch(object, "saxpy", {BufferArg{kBuffer, 400}, BufferArg{kBuffer + 512}, two}, g);
    ASSERT_EQ(l.sgprs.size(), 16u);
    EXPECT_EQ(part(l.sgprs, 0, 4), resource(kKernarg, 192));
    EXPECT_EQ(part(l.sgprs, 4, 4), resource(kBuffer, 400));
    EXPECT_EQ(part(l.sgprs, 8, 4), resource(kBuffer + 512, 0xffffffff)) << "size not said";
    EXPECT_EQ(part(l.sgprs, 12, 4), resource(kKernarg + 192, 48));
    EXPECT_THAT(part(l.memory, 0, 11), ElementsAre(100, 1, 1, 1, 64, 1, 1, 0, 2, 1, 1));
    EXPECT_EQ(l.memory[24], 7u);
    EXPECT_EQ(l.memory[27], 7u);
    EXPECT_EQ(l.memory[36], 7u);
    EXPECT_THAT(part(l.memory, 48, 12), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0x40000000, 0, 0, 0));
}

TEST(Catalyst, ANullPointerIsAResourceOfZeros) {
    const CodeObject object = load("saxpy.bin");
    LaunchGeometry g;
    g.global_size = {64, 1, 1};
    g.local_size = {64, 1, 1};
    const Launch l =
        launch(object, "saxpy", {BufferArg{kBuffer, 400}, BufferArg{}, scalar_arg(2.0f)}, g);
    EXPECT_THAT(part(l.sgprs, 8, 4), ElementsAre(0, 0, 0, 0));
}

TEST(Catalyst, LocalArgumentsAreBehindTheKernelsOwn) {
    const CodeObject object = load("reduction.bin");
    LaunchGeometry g;
    g.global_size = {512, 1, 1};
    g.local_size = {256, 1, 1};
    const BufferArg b{kBuffer, 128};
    const Launch l = launch(object, "reduction", {b, b, b, b, LocalArg{1000}}, g);
    EXPECT_EQ(l.memory[48 + 16], 1024u);
    EXPECT_EQ(l.plan.group_segment_bytes, 2024u);
    EXPECT_EQ(l.plan.pgm_rsrc2 >> 15 & 0x1ff, 8u) << "granules of 256 bytes";
    // The table of UAVs: entry 12 is the first argument's.
    const uint64_t table = l.sgprs[2] | static_cast<uint64_t>(l.sgprs[3]) << 32;
    EXPECT_EQ(part(l.memory, (table - kKernarg) / 4 + 12 * 8, 4), resource(kBuffer, 128));
}

TEST(Catalyst, ProgramsConstantsAndConstantMemoryAreConstantBuffers) {
    const CodeObject object = load("constants.bin");
    EXPECT_THROW(object.kernel(""), CodeObjectError) << "there are two kernels";
    LaunchGeometry g;
    g.global_size = {6, 5, 1};
    g.local_size = {4, 4, 1};
    const Launch l =
        launch(object, "constants", {BufferArg{kBuffer, 128}, BufferArg{kBuffer + 128, 64}}, g);
    const uint64_t table = l.sgprs[0] | static_cast<uint64_t>(l.sgprs[1]) << 32;
    const size_t first = (table - kKernarg) / 4;
    EXPECT_EQ(part(l.memory, first, 4), resource(kKernarg, 192));
    EXPECT_EQ(part(l.memory, first + 4, 4), resource(kKernarg + 192, 32));
    EXPECT_EQ(part(l.memory, first + 8, 4), resource(kImage, 16)) << "in front of the code";
    EXPECT_EQ(part(l.memory, first + 12, 4), resource(kBuffer + 128, 64));
    EXPECT_THAT(load_words(object.image_at(0)), testing::Contains(4000u));
}

TEST(Catalyst, ListingsHaveASectionForEachKernel) {
    const std::vector<CodeSection> sections = read_elf_code(bytes_of("constants.bin"), "k.bin");
    ASSERT_EQ(sections.size(), 2u);
    EXPECT_EQ(sections[0].name, "constants");
    EXPECT_EQ(sections[1].name, "other");
    EXPECT_EQ(load_le(&sections[1].bytes[sections[1].bytes.size() - 4], 4), 0xbf810000u);
}

// Notes 2 and 11, images and samplers, stop a launch, not a listing.
TEST(Catalyst, ListingsHaveKernelsWithImagesAndSamplers) {
    for (const uint8_t type : {2, 11}) {
        std::vector<uint8_t> file = bytes_of("saxpy.bin");
        // The note of UAVs: name of 8 bytes, two entries of 16, type 16.
        find_after(file, {8, 32})[0] = type;
        EXPECT_THROW(load_code_object(file, "k.bin"), CodeObjectError);
        const std::vector<CodeSection> sections = read_elf_code(file, "k.bin");
        ASSERT_EQ(sections.size(), 1u);
        EXPECT_EQ(sections[0].name, "saxpy");
        EXPECT_EQ(sections[0].bytes, read_elf_code(bytes_of("saxpy.bin"), "k.bin")[0].bytes);
    }
}

}  // namespace
}  // namespace archipelago::host
