// SPDX-License-Identifier: Apache-2.0
// Loading: what a well-formed object gives and what each defect is called.
#include <gmock/gmock.h>

#include <functional>

#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/random_data.h"
#include "testbenches/unit/host/code_object_elf_builder.h"

namespace archipelago::host::test {
namespace {

using ::testing::HasSubstr;

CodeObject load(const ElfBuilder& builder) {
    return load_code_object(builder.build(), "t.hsaco");
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "no error";
}

std::string load_error(const ElfBuilder& builder) {
    return error_of([&] { load(builder); });
}

std::string load_error(const std::vector<uint8_t>& bytes) {
    return error_of([&] { load_code_object(bytes, "t.hsaco"); });
}

TEST(CodeObjectLoad, GivesKernelDescriptorAndMetadata) {
    const CodeObject object = load({});
    ASSERT_EQ(object.kernels.size(), 1u);
    const Kernel& k = object.kernel("k");
    EXPECT_EQ(k.entry_offset, ElfBuilder::kText);
    EXPECT_EQ(k.descriptor_offset, ElfBuilder::kDescriptor);
    EXPECT_EQ(k.descriptor.pgm_rsrc1, 0x00ac0040u);
    EXPECT_EQ(k.descriptor.user_sgpr_count(), 6u);
    ASSERT_EQ(k.descriptor.user_sgprs.size(), 2u);
    EXPECT_EQ(k.descriptor.user_sgprs[0].kind, UserSgprKind::PrivateSegmentBuffer);
    EXPECT_EQ(k.descriptor.user_sgprs[1].kind, UserSgprKind::KernargSegmentPtr);
    EXPECT_EQ(k.descriptor.user_sgprs[1].first, 4);
    EXPECT_TRUE(k.has_metadata);
    ASSERT_EQ(k.metadata.args.size(), 3u);
    EXPECT_EQ(k.metadata.args[1].name, "a");
    EXPECT_EQ(k.metadata.args[1].value_kind, "by_value");
    EXPECT_EQ(k.metadata.args[2].value_kind, "hidden_global_offset_x");
    EXPECT_EQ(k.metadata.language_version, (std::array<uint32_t, 2>{1, 2}));
    EXPECT_EQ(object.metadata_version, (std::array<uint32_t, 2>{1, 1}));
    EXPECT_EQ(object.image.bytes.size(), 0x2100u);
    EXPECT_EQ(load_le(object.image_at(0).data() + k.entry_offset, 4), 0xbf810000u);
}

TEST(CodeObjectLoad, TakesAnObjectWithoutMetadata) {
    ElfBuilder builder;
    builder.with_metadata = false;
    const CodeObject object = load(builder);
    EXPECT_FALSE(object.kernel("k").has_metadata);
    EXPECT_EQ(object.kernel("k").metadata.kernarg_segment_size, 24u);
}

TEST(CodeObjectLoad, TakesAllGfx6MachinesAndNoOther) {
    for (const uint32_t machine : {0x20u, 0x21u, 0x3au}) {
        ElfBuilder builder;
        builder.flags = machine;
        EXPECT_EQ(load(builder).image.machine, machine);
    }
    ElfBuilder gfx900;
    gfx900.flags = 0x2c;
    EXPECT_THAT(load_error(gfx900),
                HasSubstr("t.hsaco: ELF header at 0x30: made for machine 0x2c"));
}

TEST(CodeObjectLoad, NamesTheDefectOfTheElfHeader) {
    ElfBuilder b;
    b.machine = 62;
    EXPECT_THAT(load_error(b), HasSubstr("machine 62 is not AMDGPU (224)"));
    b = {};
    b.os_abi = 0;
    EXPECT_THAT(load_error(b), HasSubstr("OS/ABI 0 is not amdhsa (64)"));
    b = {};
    b.abi_version = 0;
    EXPECT_THAT(load_error(b), HasSubstr("code object version 2 is not supported"));
    b = {};
    b.abi_version = 4;
    EXPECT_THAT(load_error(b), HasSubstr("ABI version 4 (code object version 6)"));
    b = {};
    b.type = 1;
    EXPECT_THAT(load_error(b), HasSubstr("a relocatable object; link it first"));
    b = {};
    b.type = 2;
    EXPECT_THAT(load_error(b), HasSubstr("type 2 is not a shared object"));
    EXPECT_THAT(load_error(std::vector<uint8_t>{}), HasSubstr("the file has 0 bytes"));
    EXPECT_THAT(load_error(std::vector<uint8_t>(64, 'x')), HasSubstr("not an ELF file"));
    std::vector<uint8_t> bytes = ElfBuilder().build();
    bytes[4] = 1;
    EXPECT_THAT(load_error(bytes), HasSubstr("not a 64-bit ELF file"));
    bytes[4] = 2;
    bytes[5] = 2;
    EXPECT_THAT(load_error(bytes), HasSubstr("not little-endian"));
}

TEST(CodeObjectLoad, RefusesSegmentsThatAreTooLargeOverlapOrLieOutsideTheFile) {
    ElfBuilder b;
    b.text_memory_bytes = 0x1001;
    EXPECT_THAT(load_error(b), HasSubstr("overlaps another segment"));
    b.text_memory_bytes = kMaxImageBytes + 1;
    EXPECT_THAT(load_error(b), HasSubstr("segments span"));
    b.text_memory_bytes = 0x10;
    EXPECT_THAT(load_error(b), HasSubstr("file size 0x100 exceeds memory size 0x10"));
    std::vector<uint8_t> bytes = ElfBuilder().build();
    store_le(bytes.data() + 64 + 56 + 8, 0x100000, 8);  // p_offset of the second segment
    EXPECT_THAT(load_error(bytes), HasSubstr("program header 1 (PT_LOAD): bytes 0x100000"));
    store_le(bytes.data() + 64 + 56 + 8, 0xffffffffffffff80, 8);
    EXPECT_THAT(load_error(bytes), HasSubstr("are outside the file"));
}

TEST(CodeObjectLoad, NamesTheDefectOfAKernelDescriptor) {
    ElfBuilder b;
    b.symbols[0].size = 32;
    EXPECT_THAT(load_error(b), HasSubstr("kernel descriptor 'k.kd' at 0xc00: size 32 is not 64"));
    b = {};
    b.symbols[0].type = 2;
    EXPECT_THAT(load_error(b), HasSubstr("symbol type 2 is not OBJECT"));
    b = {};
    b.symbols[0].address = 0x5000;
    EXPECT_THAT(load_error(b), HasSubstr("is in no loaded segment"));
    b = {};
    b.entry = -0x100;
    EXPECT_THAT(load_error(b), HasSubstr("entry point, -256 bytes from it, is in no executable"));
    b = {};
    b.entry += 4;
    EXPECT_THAT(load_error(b), HasSubstr("entry point 0x1004 is not a multiple of 256"));
    b = {};
    b.rsrc3 = 1;
    EXPECT_THAT(load_error(b), HasSubstr("COMPUTE_PGM_RSRC3 is 0x1; GFX6 has none"));
    b = {};
    b.properties |= 1u << 10;
    EXPECT_THAT(load_error(b), HasSubstr("waves of 32 lanes"));
    b = {};
    b.properties |= 1u << 15;
    EXPECT_THAT(load_error(b), HasSubstr("reserved bits set"));
    b = {};
    b.rsrc2 = 4 << 1;
    EXPECT_THAT(load_error(b), HasSubstr("need 6 user SGPRs, COMPUTE_PGM_RSRC2.USER_SGPR is 4"));
    b = {};
    b.rsrc2 = 17 << 1;
    EXPECT_THAT(load_error(b), HasSubstr("USER_SGPR 17 exceeds 16"));
    b = {};
    b.kernarg_bytes = 0xf48d0000;
    EXPECT_THAT(load_error(b), HasSubstr("kernarg size 4102881280 exceeds 1048576"));
    b = {};
    b.rsrc2 |= 1 << 15;
    EXPECT_THAT(load_error(b), HasSubstr("sets LDS_SIZE"));
    b = {};
    b.rsrc1 |= 1 << 20;
    EXPECT_THAT(load_error(b), HasSubstr("reserved for the dispatcher"));
    b = {};
    b.symbols.erase(b.symbols.begin());
    EXPECT_THAT(load_error(b), HasSubstr("no kernel descriptor"));
    b = {};
    b.symbols.push_back(b.symbols[0]);
    EXPECT_THAT(load_error(b), HasSubstr("'k.kd' is defined twice"));
}

TEST(CodeObjectLoad, RefusesMetadataThatContradictsTheDescriptor) {
    ElfBuilder b;
    b.group_bytes = 512;
    EXPECT_THAT(load_error(b), HasSubstr("kernel 'k': group segment size is 512 in the descriptor "
                                         "and 0 in the metadata"));
    b = {};
    b.private_bytes = 16;
    EXPECT_THAT(load_error(b), HasSubstr("private segment size is 16"));
    b = {};
    b.kernarg_bytes = 16;
    EXPECT_THAT(load_error(b), HasSubstr("kernarg segment size is 16"));
    b = {};
    b.kernel()[".symbol"] = "other.kd";
    EXPECT_THAT(load_error(b), HasSubstr("names the descriptor 'other.kd'"));
}

TEST(CodeObjectLoad, AsksWhichKernelAndListsThem) {
    ElfBuilder b;
    b.symbols.push_back({"another.kd", ElfBuilder::kDescriptor, 64});
    const CodeObject object = load(b);
    EXPECT_EQ(object.kernel("another").name, "another");
    EXPECT_THAT(error_of([&] { object.kernel("z"); }),
                HasSubstr("t.hsaco: no kernel 'z'; it has another, k"));
    EXPECT_THAT(error_of([&] { object.kernel(""); }), HasSubstr("which kernel? it has another, k"));
    EXPECT_EQ(load({}).kernel("").name, "k");
}

uint64_t relocated(BuilderRelocation relocation, uint64_t base, unsigned bytes) {
    ElfBuilder b;
    b.symbols.push_back({"target", ElfBuilder::kText + 0x40, 4});
    b.relocations.push_back(relocation);
    return load_le(load(b).image_at(base).data() + relocation.address, bytes);
}

TEST(CodeObjectRelocation, ComputesEachTypeAsTheAbiSays) {
    constexpr uint64_t kBase = 0x1234500000;
    constexpr uint64_t kPlace = ElfBuilder::kData;
    constexpr uint64_t kTarget = kBase + 0x1040;
    EXPECT_EQ(relocated({kPlace, 0, 3, 8}, kBase, 8), 0u) << "NONE leaves the place alone";
    EXPECT_EQ(relocated({kPlace, 1, 3, 8}, kBase, 8), (kTarget + 8) & 0xffffffff) << "ABS32_LO";
    EXPECT_EQ(relocated({kPlace, 2, 3, 8}, kBase, 8), (kTarget + 8) >> 32) << "ABS32_HI";
    EXPECT_EQ(relocated({kPlace, 3, 3, 8}, kBase, 8), kTarget + 8) << "ABS64";
    EXPECT_EQ(relocated({kPlace, 4, 3, 8}, kBase, 4), 0x1048u - 0x2000u) << "REL32";
    EXPECT_EQ(relocated({kPlace, 5, 3, 8}, kBase, 8), uint64_t{0x1048} - 0x2000) << "REL64";
    EXPECT_EQ(relocated({kPlace, 6, 3, 8}, 0x7000000, 8), 0x7001048u) << "ABS32";
    EXPECT_EQ(relocated({kPlace, 10, 3, 8}, kBase, 4), 0x1048u - 0x2000u) << "REL32_LO";
    EXPECT_EQ(relocated({kPlace, 11, 3, 8}, kBase, 4), 0xffffffffu) << "REL32_HI";
    EXPECT_EQ(relocated({kPlace, 13, 0, 0x1800}, kBase, 8), kBase + 0x1800) << "RELATIVE64";
}

TEST(CodeObjectRelocation, NamesWhatCannotBeApplied) {
    ElfBuilder b;
    b.relocations = {{ElfBuilder::kData, 7, 0, 0}};
    EXPECT_THAT(load_error(b), HasSubstr("relocation 0: type 7 at address 0x2000 is unknown"));
    b.relocations = {{0x5000, 3, 0, 0}};
    EXPECT_THAT(load_error(b), HasSubstr("relocation 0: addresses 0x5000+0x8 are in no loaded"));
    b.relocations = {{ElfBuilder::kData, 3, 5, 0}, {ElfBuilder::kData, 3, 400, 0}};
    EXPECT_THAT(load_error(b), HasSubstr("is undefined"));
    b = {};
    b.symbols.push_back({"missing", 0, 0, 0, 1, 0});
    b.relocations = {{ElfBuilder::kData, 3, 3, 0}};
    EXPECT_THAT(load_error(b), HasSubstr("symbol 'missing' is undefined"));
    b.symbols.back().binding = 2;
    EXPECT_EQ(load_le(load(b).image_at(0x10000).data() + ElfBuilder::kData, 8), 0u)
        << "an undefined weak symbol is 0 wherever the image is";
    b.rela_bytes_per_entry = 16;
    EXPECT_THAT(load_error(b), HasSubstr("entry sizes 16"));
    b = {};
    b.relocations = {{ElfBuilder::kData, 6, 1, 0}};
    const CodeObject object = load(b);
    EXPECT_THAT(error_of([&] { object.image_at(uint64_t{1} << 40); }),
                HasSubstr("does not fit in 32 bits"));
    EXPECT_THAT(error_of([&] { object.image_at(0x100); }), HasSubstr("not a multiple of 0x1000"));
    EXPECT_THAT(error_of([&] { object.image_at(0xfffffffffffff000); }), HasSubstr("no room"));
}

// Loads bytes that may be anything; the only ways out are success and CodeObjectError.
bool survives(const std::vector<uint8_t>& bytes) {
    try {
        const CodeObject object = load_code_object(bytes, "f");
        object.image_at(0x100000);
        return true;
    } catch (const CodeObjectError&) {
        return false;
    }
}

TEST(CodeObjectCorruption, TruncatedAtEvery64BytesItIsRefused) {
    const std::vector<uint8_t> whole = ElfBuilder().build();
    ASSERT_TRUE(survives(whole));
    for (size_t size = 0; size < whole.size(); size += 64)
        EXPECT_FALSE(survives({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}))
            << size;
}

TEST(CodeObjectCorruption, EachByteSetToEachExtremeNeverCrashes) {
    ElfBuilder b;
    b.relocations = {{ElfBuilder::kData, 3, 1, 0}, {ElfBuilder::kData + 8, 13, 0, 8}};
    const std::vector<uint8_t> whole = b.build();
    unsigned refused = 0;
    for (size_t i = 0; i < whole.size(); ++i)
        for (const uint8_t change : {0x01, 0x80, 0xff, 0x7e}) {
            std::vector<uint8_t> bytes = whole;
            bytes[i] ^= change;
            refused += survives(bytes) ? 0 : 1;
        }
    EXPECT_GT(refused, 500u) << "headers, metadata and tables are covered";
}

TEST(CodeObjectCorruption, RandomDamageNeverCrashes) {
    ElfBuilder b;
    b.relocations = {{ElfBuilder::kData, 3, 1, 0}};
    const std::vector<uint8_t> whole = b.build();
    RandomData random(7);
    for (int round = 0; round < 10000; ++round) {
        std::vector<uint8_t> bytes = whole;
        for (uint64_t n = random.next() % 8 + 1; n > 0; --n) {
            const uint64_t r = random.next();
            // Most damage where the structure is: headers, tables, descriptor, section headers.
            const size_t at = r & 1 ? r / 2 % 0xd00 : r / 2 % bytes.size();
            bytes[at] = static_cast<uint8_t>(random.next() >> 32);
        }
        survives(bytes);
    }
    for (int round = 0; round < 2000; ++round)
        survives(fill_random("u8", static_cast<uint64_t>(round), 1000 + round));
}

}  // namespace
}  // namespace archipelago::host::test
