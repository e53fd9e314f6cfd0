// SPDX-License-Identifier: Apache-2.0
#include "models/mc/address_map.h"

#include <string>

#include "models/common/error.h"
#include "models/common/memory_message.h"

namespace archipelago::mc {
namespace {

[[noreturn]] void reject(const char* where, const std::string& reason) {
    throw MachineStop(StopKind::BadInput, where, reason);
}

bool power_of_two(uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

unsigned log2_of(uint64_t n) {
    return static_cast<unsigned>(__builtin_ctzll(n));
}

}  // namespace

ChannelMap::ChannelMap(const ChannelMapSpec& spec)
    : kind_(power_of_two(spec.channels) ? ChannelMapKind::Bits : spec.kind),
      channels_(spec.channels) {
    const char* where = "channel map";
    if (!power_of_two(spec.interleave_bytes) || spec.interleave_bytes < kLineBytes ||
        spec.interleave_bytes > (1u << 20))
        reject(where, "interleave_bytes " + std::to_string(spec.interleave_bytes) +
                          " is not a power of two between 64 and 1 MiB");
    if (kind_ == ChannelMapKind::Tahiti) {
        if (channels_ != 12)
            reject(where, "the tahiti mapping has 12 channels or a power of two, not " +
                              std::to_string(channels_));
    } else if (!power_of_two(channels_) || channels_ > 64) {
        reject(where,
               "channels " + std::to_string(channels_) + " is not a power of two between 1 and 64");
    }
    shift_ = log2_of(spec.interleave_bytes);
    bits_ = kind_ == ChannelMapKind::Bits ? log2_of(channels_) : 0;
    mask_ = channels_ - 1;
}

uint64_t ChannelMap::global_address(unsigned channel, uint64_t local_address) const {
    const uint64_t block = local_address >> shift_;
    const uint64_t offset = local_address & ((uint64_t{1} << shift_) - 1);
    if (kind_ == ChannelMapKind::Bits)
        return (block << bits_ | channel) << shift_ | offset;
    const uint64_t quadrant = channel / 3;
    const unsigned in_quadrant = channel % 3;
    const uint64_t second = block & 1;
    uint64_t row_bank = block / 2 * 3;
    uint64_t low;
    if (in_quadrant == 1) {
        row_bank += 1;
        low = second;
    } else {
        row_bank += second * 2;
        low = in_quadrant / 2;
    }
    return (row_bank << 3 | quadrant << 1 | low) << shift_ | offset;
}

DramMap::DramMap(const DramGeometry& g) {
    const char* where = "dram geometry";
    if (!power_of_two(g.banks) || g.banks > 64)
        reject(where,
               "banks " + std::to_string(g.banks) + " is not a power of two between 1 and 64");
    if (!power_of_two(g.bank_groups) || g.bank_groups > g.banks)
        reject(where, "bank_groups " + std::to_string(g.bank_groups) +
                          " is not a power of two up to the number of banks");
    if (!power_of_two(g.bank_block_bytes) || g.bank_block_bytes < kLineBytes)
        reject(where, "bank_block_bytes " + std::to_string(g.bank_block_bytes) +
                          " is not a power of two of at least 64");
    if (!power_of_two(g.row_bytes) || g.row_bytes < g.bank_block_bytes)
        reject(where, "row_bytes " + std::to_string(g.row_bytes) +
                          " is not a power of two of at least bank_block_bytes");
    block_shift_ = log2_of(g.bank_block_bytes);
    bank_shift_ = log2_of(g.banks);
    high_shift_ = log2_of(g.row_bytes / g.bank_block_bytes);
    bank_mask_ = g.banks - 1;
    group_mask_ = g.bank_groups - 1;
    high_mask_ = (uint64_t{1} << high_shift_) - 1;
}

}  // namespace archipelago::mc
