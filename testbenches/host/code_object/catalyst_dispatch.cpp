// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/catalyst_dispatch.h"

#include <algorithm>
#include <map>

namespace archipelago::host {
namespace {

// Constant buffer 0, by dword.
constexpr uint32_t kRangeDwords = 48;
constexpr uint32_t kGlobalSize = 0, kDimensions = 3, kLocalSize = 4, kGroups = 8;
constexpr uint32_t kGlobalOffset = 24, kFlatOffset = 27;
constexpr uint32_t kGlobalOffset32 = 36,
                   kGlobalOffset64 = 37;  // by the size of pointers, once more

constexpr uint32_t kConstantEntryBytes = 16;  // of the table of constant buffers
constexpr uint32_t kUavEntryBytes = 32;
constexpr uint32_t kNoLimit = 0xffffffff;

std::vector<uint8_t> range_buffer(const DispatchPlan& plan, bool wide) {
    std::vector<uint8_t> bytes(4 * kRangeDwords, 0);
    const LaunchGeometry& g = plan.geometry;
    const auto put = [&](uint32_t dword, uint64_t value) { store_le(&bytes[4 * dword], value, 4); };
    for (uint32_t i = 0; i < 3; ++i) {
        put(kGlobalSize + i, g.global_size[i]);
        put(kLocalSize + i, g.local_size[i]);
        put(kGroups + i, plan.group_count[i]);
        put(kGlobalOffset + i, g.global_offset[i]);
        put((wide ? kGlobalOffset64 : kGlobalOffset32) + i, g.global_offset[i]);
    }
    put(kDimensions, plan.dimensions);
    put(kFlatOffset, g.global_offset[0] * (plan.dimensions > 1 ? g.global_offset[1] : 1) *
                         (plan.dimensions > 2 ? g.global_offset[2] : 1));
    return bytes;
}

class Placer {
  public:
    Placer(DispatchPlan& plan, const Kernel& kernel) : plan_(plan), kernel_(kernel) {}

    void place(const std::vector<ArgValue>& args) {
        const CatalystKernel& c = *kernel_.catalyst;
        std::vector<uint8_t> segment = range_buffer(plan_, c.wide);
        constants_[0] = in_kernarg(0, segment.size());
        constants_[1] = in_kernarg(segment.size(), plan_.kernarg.size());
        segment.insert(segment.end(), plan_.kernarg.begin(), plan_.kernarg.end());
        if (c.constants_bytes != 0) {
            const PlacedBuffer program = program_constants(c);
            constants_[2] = program;
            if (c.constants_uav)
                uavs_[*c.constants_uav] = program;
        }
        name_arguments(args);
        const uint64_t constant_table = table(segment, constants_, kConstantEntryBytes);
        const uint64_t uav_table = table(segment, uavs_, kUavEntryBytes);
        plan_.kernarg = std::move(segment);
        for (const CatalystUserData& data : c.user_data)
            user_data(data, constant_table, uav_table);
    }

  private:
    using Buffers = std::map<uint32_t, PlacedBuffer>;

    static PlacedBuffer in_kernarg(uint64_t offset, uint64_t bytes) {
        PlacedBuffer buffer;
        buffer.base = PlacedBuffer::Base::Kernarg;
        buffer.offset = offset;
        buffer.bytes = static_cast<uint32_t>(bytes);
        return buffer;
    }

    static PlacedBuffer program_constants(const CatalystKernel& c) {
        PlacedBuffer buffer;
        buffer.base = PlacedBuffer::Base::Image;
        buffer.offset = c.constants_offset;
        buffer.bytes = c.constants_bytes;
        return buffer;
    }

    // An argument's resource begins with its buffer, so that the offset among the arguments is 0.
    void name_arguments(const std::vector<ArgValue>& args) {
        for (size_t i = 0; i < args.size(); ++i) {
            const KernelArg& arg = kernel_.metadata.args[i];
            const auto* given = std::get_if<BufferArg>(&args[i]);
            if (given == nullptr)
                continue;
            PlacedBuffer buffer;
            buffer.offset = given->address;
            buffer.bytes = given->bytes == 0
                               ? kNoLimit
                               : static_cast<uint32_t>(std::min<uint64_t>(given->bytes, kNoLimit));
            (arg.value_kind == "uav_buffer" ? uavs_ : constants_)[arg.buffer] = buffer;
        }
    }

    // Appends a table with an entry for each number up to the last; its offset.
    uint64_t table(std::vector<uint8_t>& segment, const Buffers& buffers, uint32_t entry_bytes) {
        segment.resize((segment.size() + kUavEntryBytes - 1) / kUavEntryBytes * kUavEntryBytes);
        const uint64_t begin = segment.size();
        for (const auto& [number, buffer] : buffers) {
            PlacedBuffer entry = buffer;
            entry.into_kernarg = true;
            entry.place = static_cast<uint32_t>(begin + uint64_t{number} * entry_bytes);
            plan_.buffers.push_back(entry);
            segment.resize(entry.place + entry_bytes);
        }
        return begin;
    }

    void user_data(const CatalystUserData& data, uint64_t constant_table, uint64_t uav_table) {
        PlacedBuffer placed;
        switch (data.what) {
            case CatalystClass::ImmConstBuffer:
                placed = constants_.at(data.slot);
                break;
            case CatalystClass::ImmUav:
                placed = uavs_.at(data.slot);
                break;
            case CatalystClass::PtrConstBufferTable:
                placed = in_kernarg(constant_table, 0);
                placed.resource = false;
                break;
            case CatalystClass::PtrUavTable:
                placed = in_kernarg(uav_table, 0);
                placed.resource = false;
                break;
        }
        placed.place = data.first;
        plan_.buffers.push_back(placed);
    }

    DispatchPlan& plan_;
    const Kernel& kernel_;
    Buffers constants_, uavs_;
};

}  // namespace

void place_catalyst_buffers(DispatchPlan& plan, const Kernel& kernel,
                            const std::vector<ArgValue>& args) {
    Placer(plan, kernel).place(args);
}

}  // namespace archipelago::host
