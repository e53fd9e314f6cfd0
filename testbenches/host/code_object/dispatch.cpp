// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/dispatch.h"

#include <algorithm>
#include <map>

#include "testbenches/host/code_object/catalyst_dispatch.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

constexpr char kAxis[] = "xyz";

std::string place(const CodeObject& object, const Kernel& kernel) {
    return fmt::format("{}: kernel '{}'", object.name, kernel.name);
}

// "argument 2 'src' (float*)"; numbers count explicit arguments from 0.
std::string describe(const KernelArg& arg, size_t number) {
    std::string text = fmt::format("argument {}", number);
    if (!arg.name.empty())
        text += fmt::format(" '{}'", arg.name);
    if (!arg.type_name.empty())
        text += fmt::format(" ({})", arg.type_name);
    return text;
}

const char* kind_name(const ArgValue& value) {
    constexpr const char* kNames[] = {"a buffer", "a value", "local memory", "an image"};
    const auto* const descriptor = std::get_if<DescriptorArg>(&value);
    return descriptor != nullptr && descriptor->sampler ? "a sampler" : kNames[value.index()];
}

const char* number_name(ArgNumber number) {
    return number == ArgNumber::Real ? "a floating-point number" : "an integer";
}

uint32_t dimensions_of(const LaunchGeometry& g) {
    if (g.dimensions != 0)
        return g.dimensions;
    if (g.global_size[2] != 1)
        return 3;
    return g.global_size[1] != 1 ? 2 : 1;
}

// Every kind of hidden argument and its value in a launch, but for that of
// hidden_dynamic_lds_size, which the explicit arguments decide.
std::map<std::string, uint64_t> hidden_values(const LaunchGeometry& g, const HiddenAddresses& a) {
    std::map<std::string, uint64_t> values = {
        {"hidden_none", 0},
        {"hidden_grid_dims", dimensions_of(g)},
        {"hidden_printf_buffer", a.printf_buffer},
        {"hidden_hostcall_buffer", a.hostcall_buffer},
        {"hidden_default_queue", a.default_queue},
        {"hidden_completion_action", a.completion_action},
        {"hidden_multigrid_sync_arg", a.multigrid_sync},
        {"hidden_heap_v1", a.heap},
        {"hidden_queue_ptr", a.queue},
        {"hidden_dynamic_lds_size", 0},
        // Apertures mean nothing without flat addressing.
        {"hidden_private_base", 0},
        {"hidden_shared_base", 0},
    };
    for (size_t i = 0; i < 3; ++i) {
        values[fmt::format("hidden_global_offset_{}", kAxis[i])] = g.global_offset[i];
        // Full groups only; the remainder is the partial one.
        values[fmt::format("hidden_block_count_{}", kAxis[i])] = g.global_size[i] / g.local_size[i];
        values[fmt::format("hidden_group_size_{}", kAxis[i])] = g.local_size[i];
        values[fmt::format("hidden_remainder_{}", kAxis[i])] = g.global_size[i] % g.local_size[i];
    }
    return values;
}

// A kernel sees a global offset in its hidden arguments, of Catalyst in constant buffer 0.
void check_global_offset(const CodeObject& object, const Kernel& kernel, const LaunchGeometry& g) {
    for (size_t i = 0; i < 3 && !kernel.catalyst; ++i) {
        const std::string kind = fmt::format("hidden_global_offset_{}", kAxis[i]);
        const bool has = std::any_of(kernel.metadata.args.begin(), kernel.metadata.args.end(),
                                     [&](const KernelArg& arg) { return arg.value_kind == kind; });
        if (g.global_offset[i] != 0 && !has)
            refuse(
                place(object, kernel),
                "a global offset of {} in {}, which the kernel does not read (it has no argument "
                "{})",
                g.global_offset[i], kAxis[i], kind);
    }
}

void check_geometry(const CodeObject& object, const Kernel& kernel, const LaunchGeometry& g) {
    const std::string where = place(object, kernel);
    if (g.dimensions > 3)
        refuse(where, "{} dimensions; 1 to 3 exist", g.dimensions);
    uint64_t items = 1;
    for (size_t i = 0; i < 3; ++i) {
        if (g.global_size[i] == 0 || g.local_size[i] == 0)
            refuse(where, "{} size in {} is 0", g.global_size[i] == 0 ? "global" : "local",
                   kAxis[i]);
        items *= std::min<uint32_t>(g.local_size[i], 1u << 16);
    }
    const std::string size =
        fmt::format("{}x{}x{}", g.local_size[0], g.local_size[1], g.local_size[2]);
    const KernelMetadata& m = kernel.metadata;
    if (items > kMaxGroupItems)
        refuse(where, "local size {} has more than {} work-items", size, kMaxGroupItems);
    if (m.reqd_workgroup_size && *m.reqd_workgroup_size != g.local_size) {
        const auto& r = *m.reqd_workgroup_size;
        refuse(where, "local size {} is not the {}x{}x{} it was compiled for", size, r[0], r[1],
               r[2]);
    }
    if (items > m.max_flat_workgroup_size)
        refuse(where,
               "local size {} has {} work-items, it was compiled for at most {} "
               "(reqd_work_group_size changes that)",
               size, items, m.max_flat_workgroup_size);
    for (size_t i = dimensions_of(g); i < 3; ++i)
        if (g.global_size[i] != 1 || g.local_size[i] != 1)
            refuse(where, "size in {} is not 1 but there are {} dimensions", kAxis[i],
                   dimensions_of(g));
}

class KernargBuilder {
  public:
    KernargBuilder(const CodeObject& object, const Kernel& kernel)
        : where_(place(object, kernel)), kernel_(kernel) {
        segment_.bytes.assign(kernel.metadata.kernarg_segment_size, 0);
        segment_.group_segment_bytes = kernel.metadata.group_segment_fixed_size;
    }

    KernargSegment build(const std::vector<ArgValue>& args, const LaunchGeometry& geometry,
                         const HiddenAddresses& addresses) {
        const KernelMetadata& m = kernel_.metadata;
        std::map<std::string, uint64_t> hidden = hidden_values(geometry, addresses);
        std::vector<const KernelArg*> wanted;  // explicit ones
        for (const KernelArg& arg : m.args)
            if (hidden.count(arg.value_kind) == 0)
                wanted.push_back(&arg);
        for (size_t i = 0; i < wanted.size(); ++i) {
            if (i >= args.size())
                refuse(where_, "{} is missing: {} given, {} needed", describe(*wanted[i], i),
                       args.size(), wanted.size());
            put(*wanted[i], i, args[i]);
        }
        if (args.size() > wanted.size())
            refuse_argument(wanted.size(), where_,
                            "argument {} ({}) is one too many: the kernel has {}", wanted.size(),
                            kind_name(args[wanted.size()]), wanted.size());
        hidden["hidden_dynamic_lds_size"] =
            segment_.group_segment_bytes - m.group_segment_fixed_size;
        for (const KernelArg& arg : m.args)
            if (const auto value = hidden.find(arg.value_kind); value != hidden.end())
                put_hidden(arg, value->second);
        return std::move(segment_);
    }

    // Without metadata: each value at the next multiple of its size, or of the largest power of two
    // that divides it.
    KernargSegment build_by_alignment(const std::vector<ArgValue>& args) {
        uint64_t offset = 0;
        for (size_t i = 0; i < args.size(); ++i) {
            KernelArg arg;
            if (std::holds_alternative<BufferArg>(args[i]) ||
                std::holds_alternative<DescriptorArg>(args[i])) {
                arg.value_kind = "global_buffer";
                arg.size = 8;
            } else if (const auto* scalar = std::get_if<ScalarArg>(&args[i])) {
                arg.value_kind = "by_value";
                arg.size = static_cast<uint32_t>(scalar->bytes.size());
            } else {
                arg.value_kind = "dynamic_shared_pointer";
                arg.size = 4;
            }
            if (arg.size == 0)
                refuse_argument(i, where_, "argument {} is an empty value", i);
            offset = align_up(offset, arg.size & ~(arg.size - 1));
            if (offset + arg.size > segment_.bytes.size())
                refuse_argument(
                    i, where_,
                    "argument {} would end at byte {} of the kernarg segment, which has {} "
                    "(.amdhsa_kernarg_size)",
                    i, offset + arg.size, segment_.bytes.size());
            arg.offset = static_cast<uint32_t>(offset);
            put(arg, i, args[i]);
            offset += arg.size;
        }
        return std::move(segment_);
    }

  private:
    template <class Arg>
    const Arg& given(const KernelArg& arg, size_t number, const ArgValue& value) const {
        if (const Arg* right = std::get_if<Arg>(&value))
            return *right;
        refuse_argument(number, where_, "{} is {}, {} was given", describe(arg, number),
                        kind_name(Arg{}), kind_name(value));
    }

    void expect_size(const KernelArg& arg, size_t number, size_t given) const {
        if (given != arg.size)
            refuse_argument(number, where_, "{} has {} bytes, {} were given", describe(arg, number),
                            arg.size, given);
    }

    void put(const KernelArg& arg, size_t number, const ArgValue& value) {
        uint8_t* to = segment_.bytes.data() + arg.offset;
        if (arg.value_kind == "uav_buffer" || arg.value_kind == "constant_buffer") {
            // An offset of 0: the resource begins with the buffer (catalyst_dispatch.h).
            given<BufferArg>(arg, number, value);
        } else if (arg.value_kind == "global_buffer") {
            const auto& buffer = given<BufferArg>(arg, number, value);
            expect_size(arg, number, 8);
            store_le(to, buffer.address, 8);
        } else if (arg.value_kind == "by_value") {
            const auto& scalar = given<ScalarArg>(arg, number, value);
            expect_size(arg, number, scalar.bytes.size());
            if (arg.number != scalar.number && arg.number != ArgNumber::Unknown &&
                scalar.number != ArgNumber::Unknown)
                refuse_argument(number, where_, "{} is {}, {} was given", describe(arg, number),
                                number_name(arg.number), number_name(scalar.number));
            std::copy(scalar.bytes.begin(), scalar.bytes.end(), to);
        } else if (arg.value_kind == "image" || arg.value_kind == "sampler") {
            const DescriptorArg wanted{0, arg.value_kind == "sampler"};
            const auto* const descriptor = std::get_if<DescriptorArg>(&value);
            if (descriptor == nullptr || descriptor->sampler != wanted.sampler)
                refuse_argument(number, where_, "{} is {}, {} was given", describe(arg, number),
                                kind_name(wanted), kind_name(value));
            expect_size(arg, number, 8);
            store_le(to, descriptor->address, 8);
        } else if (arg.value_kind == "dynamic_shared_pointer") {
            const auto& local = given<LocalArg>(arg, number, value);
            expect_size(arg, number, 4);
            store_le(to, take_lds(arg, number, local.bytes), 4);
        } else {
            refuse_argument(number, where_, "{} is of kind '{}', which is not supported",
                            describe(arg, number), arg.value_kind);
        }
    }

    uint32_t take_lds(const KernelArg& arg, size_t number, uint32_t bytes) {
        // 16 is the largest alignment of an OpenCL element the LDS instructions care about.
        const uint64_t align = arg.pointee_align != 0 ? arg.pointee_align : 16;
        const uint64_t begin = align_up(segment_.group_segment_bytes, align);
        if (begin + bytes > kMaxGroupSegmentBytes)
            refuse_argument(
                number, where_,
                "{}: {} bytes of local memory after the {} in use exceed the {} of a work-group",
                describe(arg, number), bytes, begin, kMaxGroupSegmentBytes);
        segment_.group_segment_bytes = static_cast<uint32_t>(begin + bytes);
        return static_cast<uint32_t>(begin);
    }

    void put_hidden(const KernelArg& arg, uint64_t value) {
        if (arg.size > 8)
            refuse(where_, "hidden argument '{}' has {} bytes, at most 8 exist", arg.value_kind,
                   arg.size);
        if (arg.size < 8 && value >> (8 * arg.size) != 0)
            refuse(where_, "hidden argument '{}': {} does not fit in {} bytes", arg.value_kind,
                   value, arg.size);
        store_le(segment_.bytes.data() + arg.offset, value, arg.size);
    }

    std::string where_;
    const Kernel& kernel_;
    KernargSegment segment_;
};

}  // namespace

KernargSegment build_kernarg(const CodeObject& object, const Kernel& kernel,
                             const std::vector<ArgValue>& args, const LaunchGeometry& geometry,
                             const HiddenAddresses& hidden) {
    check_geometry(object, kernel, geometry);
    check_global_offset(object, kernel, geometry);
    KernargBuilder builder(object, kernel);
    return kernel.has_metadata ? builder.build(args, geometry, hidden)
                               : builder.build_by_alignment(args);
}

DispatchPlan plan_dispatch(const CodeObject& object, const Kernel& kernel,
                           const std::vector<ArgValue>& args, const LaunchGeometry& geometry,
                           const HiddenAddresses& hidden, uint32_t dynamic_stack_bytes) {
    const std::string where = place(object, kernel);
    const KernelDescriptor& d = kernel.descriptor;
    KernargSegment segment = build_kernarg(object, kernel, args, geometry, hidden);
    DispatchPlan plan;
    plan.kernel = kernel.name;
    plan.entry_offset = kernel.entry_offset;
    plan.descriptor_offset = kernel.descriptor_offset;
    plan.pgm_rsrc1 = d.pgm_rsrc1;
    plan.user_sgpr_count = d.user_sgpr_count();
    plan.user_sgprs = d.user_sgprs;
    for (const UserSgpr& sgpr : plan.user_sgprs)
        if (sgpr.kind == UserSgprKind::FlatScratchInit)
            refuse(where, "asks for flat_scratch_init, which GFX6 does not have");
    plan.kernarg = std::move(segment.bytes);
    plan.kernarg_align = std::max<uint32_t>(16, kernel.metadata.kernarg_segment_align);
    plan.group_segment_bytes = segment.group_segment_bytes;
    if (plan.group_segment_bytes > kMaxGroupSegmentBytes)
        refuse(where, "{} bytes of local memory exceed the {} of a work-group",
               plan.group_segment_bytes, kMaxGroupSegmentBytes);
    const auto granules = static_cast<uint32_t>(
        align_up(plan.group_segment_bytes, kLdsGranuleBytes) / kLdsGranuleBytes);
    plan.pgm_rsrc2 = d.pgm_rsrc2 | granules << 15;
    uint64_t scratch = d.private_segment_fixed_size;
    if (d.uses_dynamic_stack)
        scratch += dynamic_stack_bytes;
    const uint64_t per_wave = align_up(64 * scratch, kScratchGranuleBytes);
    if (per_wave > kMaxScratchBytesPerWave)
        refuse(where, "{} bytes of scratch per work-item exceed what a wave can have ({})", scratch,
               kMaxScratchBytesPerWave);
    plan.scratch_bytes_per_lane = static_cast<uint32_t>(scratch);
    plan.scratch_bytes_per_wave = static_cast<uint32_t>(per_wave);
    plan.dimensions = dimensions_of(geometry);
    plan.geometry = geometry;
    for (size_t i = 0; i < 3; ++i) {
        plan.partial_size[i] = geometry.global_size[i] % geometry.local_size[i];
        plan.group_count[i] =
            geometry.global_size[i] / geometry.local_size[i] + (plan.partial_size[i] != 0 ? 1 : 0);
    }
    if (kernel.catalyst)
        place_catalyst_buffers(plan, kernel, args);
    return plan;
}

std::array<uint8_t, kDispatchPacketBytes> make_dispatch_packet(const DispatchPlan& plan,
                                                               uint64_t image_base,
                                                               uint64_t kernarg_address,
                                                               uint64_t completion_signal) {
    // Packet type 2 (kernel dispatch), acquire and release at system scope (2).
    constexpr uint64_t kHeader = 2 | 2 << 9 | 2 << 11;
    std::array<uint8_t, kDispatchPacketBytes> packet{};
    const auto put = [&](unsigned offset, uint64_t value, unsigned bytes) {
        store_le(packet.data() + offset, value, bytes);
    };
    put(0, kHeader, 2);
    put(2, plan.dimensions, 2);
    for (unsigned i = 0; i < 3; ++i) {
        put(4 + 2 * i, plan.geometry.local_size[i], 2);
        put(12 + 4 * i, plan.geometry.global_size[i], 4);
    }
    put(24, plan.scratch_bytes_per_lane, 4);
    put(28, plan.group_segment_bytes, 4);
    put(32, image_base + plan.descriptor_offset, 8);
    put(40, kernarg_address, 8);
    put(56, completion_signal, 8);
    return packet;
}

namespace {

// The resource or address of `buffer`.
std::vector<uint32_t> words_of(const PlacedBuffer& buffer, const DispatchAddresses& addresses) {
    uint64_t address = buffer.offset;
    if (buffer.base != PlacedBuffer::Base::Memory)
        address += buffer.base == PlacedBuffer::Base::Kernarg ? addresses.kernarg : addresses.image;
    const auto low = static_cast<uint32_t>(address);
    const auto high = static_cast<uint32_t>(address >> 32);
    if (!buffer.resource)
        return {low, high};
    // SQ_BUF_RSRC_WORD3: DST_SEL X Y Z W [11:0], NUM_FORMAT [14:12] UINT, DATA_FORMAT [18:15] 32.
    constexpr uint32_t kFormat = 4u | 5u << 3 | 6u << 6 | 7u << 9 | 4u << 12 | 4u << 15;
    if (buffer.base == PlacedBuffer::Base::Memory && address == 0)
        return {0, 0, 0, 0};  // a null pointer: loads give 0, stores do nothing
    return {low, high & 0xffff, buffer.bytes, kFormat};
}

}  // namespace

std::vector<uint8_t> make_kernarg(const DispatchPlan& plan, const DispatchAddresses& addresses) {
    std::vector<uint8_t> bytes = plan.kernarg;
    for (const PlacedBuffer& buffer : plan.buffers) {
        uint32_t at = buffer.place;
        if (buffer.into_kernarg)
            for (const uint32_t word : words_of(buffer, addresses)) {
                store_le(&bytes[at], word, 4);
                at += 4;
            }
    }
    return bytes;
}

std::vector<uint32_t> make_user_sgprs(const DispatchPlan& plan,
                                      const DispatchAddresses& addresses) {
    std::vector<uint32_t> words(plan.user_sgpr_count, 0);
    for (const PlacedBuffer& buffer : plan.buffers)
        if (!buffer.into_kernarg) {
            const std::vector<uint32_t> values = words_of(buffer, addresses);
            std::copy(values.begin(), values.end(), words.begin() + buffer.place);
        }
    // By UserSgprKind; plan_dispatch refuses FlatScratchInit.
    const uint64_t values[] = {
        0, addresses.packet,           addresses.queue, addresses.kernarg, addresses.dispatch_id,
        0, plan.scratch_bytes_per_lane};
    for (const UserSgpr& sgpr : plan.user_sgprs) {
        if (sgpr.kind == UserSgprKind::PrivateSegmentBuffer) {
            const auto descriptor = make_scratch_descriptor(addresses.scratch);
            std::copy(descriptor.begin(), descriptor.end(), words.begin() + sgpr.first);
            continue;
        }
        for (unsigned i = 0; i < sgpr.count; ++i)
            words[sgpr.first + i] =
                static_cast<uint32_t>(values[static_cast<size_t>(sgpr.kind)] >> (32 * i));
    }
    return words;
}

std::array<uint32_t, 4> make_scratch_descriptor(uint64_t address) {
    // SQ_BUF_RSRC_WORD1: BASE_ADDRESS_HI [15:0], STRIDE 0, SWIZZLE_ENABLE [31].
    // SQ_BUF_RSRC_WORD3: NUM_FORMAT [14:12], DATA_FORMAT [18:15], ELEMENT_SIZE [20:19] (1: 4
    // bytes), INDEX_STRIDE [22:21] (3: 64), ADD_TID_ENABLE [23]. The format is the one LLVM gives
    // to its own untyped buffers.
    constexpr uint32_t kSwizzle = 1u << 31;
    constexpr uint32_t kNoLimit = 0xffffffff;
    constexpr uint32_t kFormat = 7u << 12 | 1u << 15;
    constexpr uint32_t kInterleave = 1u << 19 | 3u << 21 | 1u << 23;
    return {static_cast<uint32_t>(address),
            (static_cast<uint32_t>(address >> 32) & 0xffff) | kSwizzle, kNoLimit,
            kFormat | kInterleave};
}

}  // namespace archipelago::host
