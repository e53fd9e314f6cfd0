// SPDX-License-Identifier: Apache-2.0
// Where a byte address lives: which memory channel, and which bank, row and column inside it.
// Sources: AMD APP SDK OpenCL Optimization Guide 2.1.1 (channel selection of HD 77xx, 78xx, 79xx;
// 256-byte interleave) and the Evergreen chapter (bank bits directly above the channel bits).
#pragma once

#include <cstdint>

namespace archipelago::mc {

enum class ChannelMapKind : uint8_t {
    Bits,    // channel = address bits right above the interleave: Pitcairn 10:8, Cape Verde 9:8
    Tahiti,  // 12 channels as 4 quadrants of 3; a power of two of channels as Bits
};

struct ChannelMapSpec {
    ChannelMapKind kind = ChannelMapKind::Bits;
    unsigned channels = 1;            // a power of two up to 64; Tahiti: or 12
    unsigned interleave_bytes = 256;  // power of two, at least a line
};

// The channel of an address, and the address as the channel itself counts (dense, from 0).
//
// Tahiti: address bits 10:9 choose the quadrant; inside it channel 1 is taken when {row, bank} % 3
// is 1, else channel 0 or 2 by bit 8. The guide does not say which bits {row, bank} are. Taken
// here as all bits from 11 up: only then are the guide's two statistics exact (the same channel
// with probability 1/3 for addresses 2048 apart and 1/6 for 256 apart). Quadrants of a power of two
// of channels need no remainder: address bits choose among them, as on the other chips.
class ChannelMap {
  public:
    // Throws MachineStop(BadInput) when the fields do not fit together.
    explicit ChannelMap(const ChannelMapSpec& spec = {});

    // Bits for a power of two of channels.
    ChannelMapKind kind() const { return kind_; }
    unsigned channels() const { return channels_; }
    unsigned interleave_bytes() const { return 1u << shift_; }

    unsigned channel(uint64_t byte_address) const {
        const uint64_t block = byte_address >> shift_;
        if (kind_ == ChannelMapKind::Bits)
            return static_cast<unsigned>(block & mask_);
        const auto pipe = static_cast<unsigned>(block & 7);
        const unsigned in_quadrant = (block >> 3) % 3 == 1 ? 1 : 2 * (pipe & 1);
        return (pipe >> 1) * 3 + in_quadrant;
    }

    // Address inside the channel. Together with channel() it names the byte uniquely.
    uint64_t local_address(uint64_t byte_address) const {
        const uint64_t block = byte_address >> shift_;
        const uint64_t offset = byte_address & ((uint64_t{1} << shift_) - 1);
        if (kind_ == ChannelMapKind::Bits)
            return (block >> bits_) << shift_ | offset;
        // Of three consecutive values of {row, bank} a channel owns two blocks: channels 0 and 2
        // one each where the remainder is 0 and 2, channel 1 both where it is 1.
        const uint64_t row_bank = block >> 3;
        const uint64_t third = row_bank / 3;
        const uint64_t rest = row_bank - third * 3;
        const uint64_t second = rest == 1 ? block & 1 : rest >> 1;
        return (third * 2 + second) << shift_ | offset;
    }

    // The inverse of channel() and local_address().
    uint64_t global_address(unsigned channel, uint64_t local_address) const;

    // For users that route by a plain function: `self` is a ChannelMap.
    static unsigned route(const void* self, uint64_t byte_address) {
        return static_cast<const ChannelMap*>(self)->channel(byte_address);
    }

  private:
    ChannelMapKind kind_;
    unsigned channels_;
    unsigned shift_;  // log2 of the interleave
    unsigned bits_;   // Bits: log2 of the channel count
    uint64_t mask_;
};

struct DramGeometry {
    unsigned banks = 16;              // power of two up to 64
    unsigned bank_groups = 4;         // power of two, divides banks
    unsigned row_bytes = 2048;        // bytes one bank keeps open; power of two
    unsigned bank_block_bytes = 256;  // consecutive local bytes before the next bank; power of two
};

// From the lowest bit of the channel-local address: offset in the bank block, bank, the rest of
// the column, row. Neighbouring blocks lie in different banks, and different bank groups, so a
// stream opens its next row while the last one still delivers. Inferred: the documents place the
// bank bits above the channel bits (Evergreen 14:11) and say nothing about columns.
struct DramAddress {
    unsigned bank = 0;
    uint64_t row = 0;
    unsigned column = 0;  // bytes
};

class DramMap {
  public:
    // Throws MachineStop(BadInput) when the fields do not fit together.
    explicit DramMap(const DramGeometry& geometry = {});

    DramAddress decode(uint64_t local_address) const {
        DramAddress a;
        a.bank = static_cast<unsigned>(local_address >> block_shift_) & bank_mask_;
        const uint64_t above = local_address >> (block_shift_ + bank_shift_);
        a.column = static_cast<unsigned>((above & high_mask_) << block_shift_ |
                                         (local_address & ((1u << block_shift_) - 1)));
        a.row = above >> high_shift_;
        return a;
    }
    unsigned group_of(unsigned bank) const { return bank & group_mask_; }

  private:
    unsigned block_shift_, bank_shift_, high_shift_;
    unsigned bank_mask_, group_mask_;
    uint64_t high_mask_;
};

}  // namespace archipelago::mc
