// SPDX-License-Identifier: Apache-2.0
// Kernarg segments, dispatch packets, user SGPRs and the limits of a launch.
#include <gmock/gmock.h>

#include <functional>

#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/unit/host/code_object_elf_builder.h"

namespace archipelago::host::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

json argument(const char* kind, uint32_t offset, uint32_t size, const char* name = "",
              const char* type = "") {
    json out = {{".value_kind", kind}, {".offset", offset}, {".size", size}};
    if (*name)
        out[".name"] = name;
    if (*type)
        out[".type_name"] = type;
    return out;
}

struct Fixture {
    explicit Fixture(const ElfBuilder& builder)
        : object(load_code_object(builder.build(), "t.hsaco")) {}
    CodeObject object;
    const Kernel& kernel() const { return object.kernels.front(); }
    std::vector<uint8_t> kernarg(const std::vector<ArgValue>& args,
                                 const LaunchGeometry& geometry = {},
                                 const HiddenAddresses& hidden = {}) const {
        return build_kernarg(object, kernel(), args, geometry, hidden).bytes;
    }
    DispatchPlan plan(const std::vector<ArgValue>& args,
                      const LaunchGeometry& geometry = {}) const {
        return plan_dispatch(object, kernel(), args, geometry);
    }
};

Fixture with_args(uint32_t kernarg_bytes, const json& args) {
    ElfBuilder b;
    b.kernarg_bytes = kernarg_bytes;
    b.kernel()[".kernarg_segment_size"] = kernarg_bytes;
    b.kernel()[".args"] = args;
    return Fixture(b);
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "no error";
}

uint64_t at(const std::vector<uint8_t>& bytes, unsigned offset, unsigned size) {
    return load_le(bytes.data() + offset, size);
}

LaunchGeometry range(std::array<uint32_t, 3> global, std::array<uint32_t, 3> local) {
    LaunchGeometry g;
    g.global_size = global;
    g.local_size = local;
    return g;
}

TEST(Kernarg, PutsExplicitArgumentsAtTheirOffsets) {
    const Fixture f = with_args(40, {argument("global_buffer", 0, 8), argument("by_value", 8, 1),
                                     argument("by_value", 10, 2), argument("by_value", 16, 8),
                                     argument("by_value", 24, 16)});
    const std::vector<uint8_t> bytes = f.kernarg(
        {BufferArg{0x1122334455667788}, scalar_arg(int8_t{-2}), scalar_arg(uint16_t{0xabcd}),
         scalar_arg(1.0), ScalarArg{std::vector<uint8_t>(16, 7)}});
    ASSERT_EQ(bytes.size(), 40u);
    EXPECT_EQ(at(bytes, 0, 8), 0x1122334455667788u);
    EXPECT_EQ(at(bytes, 8, 2), 0xfeu);
    EXPECT_EQ(at(bytes, 10, 2), 0xabcdu);
    EXPECT_EQ(at(bytes, 12, 4), 0u);
    EXPECT_EQ(at(bytes, 16, 8), 0x3ff0000000000000u);
    EXPECT_EQ(at(bytes, 24, 8), 0x0707070707070707u);
    EXPECT_EQ(at(bytes, 32, 8), 0x0707070707070707u);
}

TEST(Kernarg, FillsTheHiddenArgumentsOfCodeObjectVersion4) {
    const Fixture f = with_args(
        80, {argument("global_buffer", 0, 8), argument("hidden_global_offset_x", 8, 8),
             argument("hidden_global_offset_y", 16, 8), argument("hidden_global_offset_z", 24, 8),
             argument("hidden_printf_buffer", 32, 8), argument("hidden_hostcall_buffer", 40, 8),
             argument("hidden_default_queue", 48, 8), argument("hidden_completion_action", 56, 8),
             argument("hidden_multigrid_sync_arg", 64, 8), argument("hidden_none", 72, 8)});
    LaunchGeometry g = range({8, 4, 2}, {8, 4, 2});
    g.global_offset = {0x100000001, 2, 3};
    HiddenAddresses hidden;
    hidden.hostcall_buffer = 0x50;
    hidden.default_queue = 0x60;
    hidden.completion_action = 0x70;
    hidden.multigrid_sync = 0x80;
    const std::vector<uint8_t> bytes = f.kernarg({BufferArg{~uint64_t{0}}}, g, hidden);
    const uint64_t expected[] = {~uint64_t{0}, 0x100000001, 2, 3, 0, 0x50, 0x60, 0x70, 0x80, 0};
    for (unsigned i = 0; i < 10; ++i)
        EXPECT_EQ(at(bytes, 8 * i, 8), expected[i]) << "argument " << i;
}

TEST(Kernarg, FillsTheHiddenArgumentsOfCodeObjectVersion5) {
    json args = json::array();
    const char* axes[] = {"x", "y", "z"};
    for (unsigned i = 0; i < 3; ++i)
        args.push_back(argument((std::string("hidden_block_count_") + axes[i]).c_str(), 4 * i, 4));
    for (unsigned i = 0; i < 3; ++i)
        args.push_back(
            argument((std::string("hidden_group_size_") + axes[i]).c_str(), 12 + 2 * i, 2));
    for (unsigned i = 0; i < 3; ++i)
        args.push_back(
            argument((std::string("hidden_remainder_") + axes[i]).c_str(), 18 + 2 * i, 2));
    args.push_back(argument("hidden_grid_dims", 24, 2));
    args.push_back(argument("hidden_heap_v1", 32, 8));
    args.push_back(argument("hidden_private_base", 40, 4));
    args.push_back(argument("hidden_shared_base", 44, 4));
    args.push_back(argument("hidden_queue_ptr", 48, 8));
    const Fixture f = with_args(56, args);
    HiddenAddresses hidden;
    hidden.heap = 0x1111;
    hidden.queue = 0x2222;
    const std::vector<uint8_t> bytes = f.kernarg({}, range({100, 7, 4}, {16, 3, 2}), hidden);
    EXPECT_EQ(at(bytes, 0, 4), 6u) << "full groups in x";
    EXPECT_EQ(at(bytes, 4, 4), 2u);
    EXPECT_EQ(at(bytes, 8, 4), 2u);
    EXPECT_EQ(at(bytes, 12, 2), 16u);
    EXPECT_EQ(at(bytes, 14, 2), 3u);
    EXPECT_EQ(at(bytes, 16, 2), 2u);
    EXPECT_EQ(at(bytes, 18, 2), 4u) << "100 = 6 * 16 + 4";
    EXPECT_EQ(at(bytes, 20, 2), 1u);
    EXPECT_EQ(at(bytes, 22, 2), 0u) << "no partial group in z";
    EXPECT_EQ(at(bytes, 24, 2), 3u);
    EXPECT_EQ(at(bytes, 32, 8), 0x1111u);
    EXPECT_EQ(at(bytes, 40, 8), 0u);
    EXPECT_EQ(at(bytes, 48, 8), 0x2222u);
}

TEST(Kernarg, PlacesLocalPointersBehindTheFixedLocalMemory) {
    ElfBuilder b;
    b.group_bytes = 100;
    b.kernarg_bytes = 12;
    b.kernel()[".kernarg_segment_size"] = 12;
    b.kernel()[".group_segment_fixed_size"] = 100;
    json first = argument("dynamic_shared_pointer", 0, 4);
    first[".pointee_align"] = 8;
    json second = argument("dynamic_shared_pointer", 4, 4);
    second[".pointee_align"] = 4;
    b.kernel()[".args"] = {first, second, argument("hidden_dynamic_lds_size", 8, 4)};
    const Fixture f(b);
    const KernargSegment s = build_kernarg(f.object, f.kernel(), {LocalArg{10}, LocalArg{256}}, {});
    EXPECT_EQ(at(s.bytes, 0, 4), 104u) << "100 rounded up to 8";
    EXPECT_EQ(at(s.bytes, 4, 4), 116u) << "114 rounded up to 4";
    EXPECT_EQ(s.group_segment_bytes, 372u);
    EXPECT_EQ(at(s.bytes, 8, 4), 272u) << "dynamic part";
    const DispatchPlan plan = f.plan({LocalArg{10}, LocalArg{256}});
    EXPECT_EQ(plan.group_segment_bytes, 372u);
    EXPECT_EQ(plan.pgm_rsrc2 >> 15 & 0x1ff, 2u) << "granules of 256 bytes";
    EXPECT_THAT(error_of([&] {
                    f.plan({LocalArg{10}, LocalArg{32768}});
                }),
                HasSubstr("argument 1: 32768 bytes of local memory after the 116 in use exceed"));
    EXPECT_EQ(f.plan({LocalArg{0}, LocalArg{32768 - 104}}).pgm_rsrc2 >> 15, 128u)
        << "exactly all of it";
}

TEST(Kernarg, NamesTheArgumentThatIsWrong) {
    const Fixture f = with_args(16, {argument("global_buffer", 0, 8, "dst", "float*"),
                                     argument("by_value", 8, 4, "scale", "float")});
    EXPECT_THAT(error_of([&] { f.kernarg({BufferArg{1}}); }),
                HasSubstr("t.hsaco: kernel 'k': argument 1 'scale' (float) is missing: 1 given, 2 "
                          "needed"));
    EXPECT_THAT(error_of([&] {
                    f.kernarg({BufferArg{1}, scalar_arg(1.0f), BufferArg{3}});
                }),
                HasSubstr("argument 2 (a buffer) is one too many: the kernel has 2"));
    EXPECT_THAT(error_of([&] {
                    f.kernarg({BufferArg{1}, scalar_arg(1.0)});
                }),
                HasSubstr("argument 1 'scale' (float) has 4 bytes, 8 were given"));
    EXPECT_THAT(error_of([&] {
                    f.kernarg({scalar_arg(1.0), scalar_arg(1.0f)});
                }),
                HasSubstr("argument 0 'dst' (float*) is a buffer, a value was given"));
    EXPECT_THAT(error_of([&] {
                    f.kernarg({BufferArg{1}, LocalArg{4}});
                }),
                HasSubstr("argument 1 'scale' (float) is a value, local memory was given"));
    const Fixture image = with_args(16, json::array({argument("image", 0, 8, "img", "image2d_t")}));
    EXPECT_THAT(error_of([&] { image.kernarg({BufferArg{1}}); }),
                HasSubstr("argument 0 'img' (image2d_t) is an image, a buffer was given"));
    EXPECT_THAT(error_of([&] {
                    image.kernarg({DescriptorArg{64, true}});
                }),
                HasSubstr("argument 0 'img' (image2d_t) is an image, a sampler was given"));
    const Fixture pipe = with_args(16, json::array({argument("pipe", 0, 8, "p")}));
    EXPECT_THAT(error_of([&] { pipe.kernarg({BufferArg{1}}); }),
                HasSubstr("argument 0 'p' is of kind 'pipe', which is not supported"));
    const Fixture odd = with_args(16, json::array({argument("hologram", 0, 8, "h")}));
    EXPECT_THAT(error_of([&] { odd.kernarg({BufferArg{1}}); }), HasSubstr("of kind 'hologram'"));
    const Fixture narrow = with_args(16, json::array({argument("hidden_global_offset_x", 0, 4)}));
    LaunchGeometry far;
    far.global_offset[0] = uint64_t{1} << 32;
    EXPECT_THAT(
        error_of([&] { narrow.kernarg({}, far); }),
        HasSubstr("hidden argument 'hidden_global_offset_x': 4294967296 does not fit in 4"));
    const Fixture wide = with_args(16, json::array({argument("hidden_none", 0, 16)}));
    EXPECT_THAT(error_of([&] { wide.kernarg({}); }), HasSubstr("has 16 bytes, at most 8"));
}

TEST(Kernarg, WithoutMetadataFollowsNaturalAlignment) {
    ElfBuilder b;
    b.with_metadata = false;
    const Fixture f(b);
    const std::vector<uint8_t> bytes =
        f.kernarg({scalar_arg(uint8_t{9}), scalar_arg(uint32_t{5}), BufferArg{0xabc}});
    EXPECT_EQ(at(bytes, 0, 4), 9u);
    EXPECT_EQ(at(bytes, 4, 4), 5u);
    EXPECT_EQ(at(bytes, 8, 8), 0xabcu);
    EXPECT_THAT(error_of([&] {
                    f.kernarg({BufferArg{1}, BufferArg{2}, BufferArg{3}, scalar_arg(1.0f)});
                }),
                HasSubstr("argument 3 would end at byte 28 of the kernarg segment, which has 24"));
}

TEST(Dispatch, RefusesLaunchesTheHardwareOrTheKernelCannotTake) {
    ElfBuilder b;
    const Fixture f(b);
    const std::vector<ArgValue> args = {BufferArg{}, scalar_arg(1.0f)};
    const auto error = [&](const LaunchGeometry& g) { return error_of([&] { f.plan(args, g); }); };
    EXPECT_THAT(error(range({0, 1, 1}, {1, 1, 1})), HasSubstr("global size in x is 0"));
    EXPECT_THAT(error(range({1, 1, 1}, {1, 0, 1})), HasSubstr("local size in y is 0"));
    EXPECT_THAT(error(range({4096, 1, 1}, {2048, 1, 1})), HasSubstr("more than 1024 work-items"));
    EXPECT_THAT(error(range({4096, 1, 1}, {0xffffffff, 0xffffffff, 0xffffffff})),
                HasSubstr("more than 1024 work-items"));
    EXPECT_THAT(error(range({4096, 1, 1}, {512, 1, 1})), HasSubstr("for at most 256"));
    LaunchGeometry flat = range({64, 2, 1}, {64, 1, 1});
    flat.dimensions = 1;
    EXPECT_THAT(error(flat), HasSubstr("size in y is not 1 but there are 1 dimensions"));
    flat.dimensions = 4;
    EXPECT_THAT(error(flat), HasSubstr("4 dimensions; 1 to 3 exist"));
    b.kernel()[".reqd_workgroup_size"] = {16, 16, 1};
    const Fixture fixed(b);
    EXPECT_THAT(error_of([&] {
                    fixed.plan(args, range({64, 1, 1}, {64, 1, 1}));
                }),
                HasSubstr("local size 64x1x1 is not the 16x16x1 it was compiled for"));
    b = {};
    b.properties |= 1u << 5;
    b.rsrc2 = 8 << 1;
    const Fixture flat_scratch(b);
    EXPECT_THAT(error_of([&] { flat_scratch.plan(args); }), HasSubstr("flat_scratch_init"));
}

TEST(Dispatch, CountsGroupsAndPartialGroups) {
    const Fixture f{ElfBuilder()};
    const DispatchPlan plan =
        f.plan({BufferArg{}, scalar_arg(1.0f)}, range({100, 6, 1}, {16, 4, 1}));
    EXPECT_THAT(plan.group_count, ElementsAre(7, 2, 1));
    EXPECT_THAT(plan.partial_size, ElementsAre(4, 2, 0));
    EXPECT_EQ(plan.dimensions, 2u);
    EXPECT_EQ(plan.entry_offset, ElfBuilder::kText);
    EXPECT_EQ(plan.pgm_rsrc2, 0x8cu) << "no local memory, LDS_SIZE 0";
}

TEST(Dispatch, RoundsScratchToTheUnitOfTheRegister) {
    ElfBuilder b;
    b.private_bytes = 20;
    b.kernel()[".private_segment_fixed_size"] = 20;
    b.rsrc2 |= 1;
    const std::vector<ArgValue> args = {BufferArg{}, scalar_arg(1.0f)};
    const DispatchPlan plan = Fixture(b).plan(args);
    EXPECT_EQ(plan.scratch_bytes_per_lane, 20u);
    EXPECT_EQ(plan.scratch_bytes_per_wave, 2048u) << "64 * 20 = 1280, in units of 1024";
    b.properties |= 1u << 11;
    EXPECT_EQ(Fixture(b).plan(args).scratch_bytes_per_lane, 20u + kDynamicStackBytes);
    b.private_bytes = 1u << 20;
    b.kernel()[".private_segment_fixed_size"] = 1u << 20;
    EXPECT_THAT(error_of([&] { Fixture(b).plan(args); }),
                HasSubstr("bytes of scratch per work-item"));
}

TEST(Dispatch, PacketHasEveryFieldInItsPlace) {
    ElfBuilder b;
    b.private_bytes = 16;
    b.group_bytes = 300;
    b.kernel()[".private_segment_fixed_size"] = 16;
    b.kernel()[".group_segment_fixed_size"] = 300;
    const Fixture f(b);
    const DispatchPlan plan =
        f.plan({BufferArg{}, scalar_arg(1.0f)}, range({0x12345678, 0x200, 3}, {0x20, 4, 2}));
    const auto packet = make_dispatch_packet(plan, 0x7700000000, 0x1122334455667788, 0x99);
    const uint8_t expected[64] = {
        0x02, 0x14, 3,    0,                          // kernel dispatch, system scopes; 3-D
        0x20, 0,    4,    0,    2,    0,    0,    0,  // work-group sizes
        0x78, 0x56, 0x34, 0x12, 0,    2,    0,    0,    3, 0, 0, 0,  // grid sizes
        16,   0,    0,    0,                                         // private segment
        0x2c, 1,    0,    0,                                         // group segment
        0,    0x0c, 0,    0,    0x77, 0,    0,    0,                 // kernel object: base + 0xc00
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,              // kernarg address
        0,    0,    0,    0,    0,    0,    0,    0,                 // reserved
        0x99, 0,    0,    0,    0,    0,    0,    0};                // completion signal
    EXPECT_THAT(packet, ElementsAreArray(expected));
}

TEST(Dispatch, UserSgprsFollowTheOrderOfTheAbi) {
    ElfBuilder b;
    b.properties = 0x5f;          // all but flat_scratch_init
    b.rsrc2 = 14 << 1 | 1u << 7;  // 13 used, one spare
    b.private_bytes = 64;
    b.kernel()[".private_segment_fixed_size"] = 64;
    const DispatchPlan plan = Fixture(b).plan({BufferArg{}, scalar_arg(1.0f)});
    DispatchAddresses where;
    where.scratch = 0xab12345678;
    where.packet = 0x100000002;
    where.queue = 0x300000004;
    where.kernarg = 0x500000006;
    where.dispatch_id = 0x700000008;
    // SWIZZLE_ENABLE; no range limit; 64-lane interleave of dwords with the lane number added.
    EXPECT_THAT(
        make_user_sgprs(plan, where),
        ElementsAre(0x12345678, 0x800000ab, 0xffffffff, 0x00e8f000, 2, 1, 4, 3, 6, 5, 8, 7, 64, 0));
}

}  // namespace
}  // namespace archipelago::host::test
