// SPDX-License-Identifier: Apache-2.0
// Memory after a compute unit, a line at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

#include "models/common/atomic_op.h"
#include "models/common/memory_message.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

class CuImage {
  public:
    struct Bytes {
        std::array<uint8_t, kLineBytes> data{};
    };
    // Bytes that are not known are 0, or with a seed numbers made from it and their address.
    explicit CuImage(uint64_t seed = 0) : seed_(seed) {}

    const Bytes* find(uint64_t line) const {
        const auto found = lines_.find(line);
        return found != lines_.end() ? &found->second : nullptr;
    }
    Bytes& at(uint64_t line) {
        const auto [place, added] = lines_.try_emplace(line);
        if (added && seed_ != 0)
            for (unsigned i = 0; i < kLineBytes / 4; ++i) {
                const uint32_t value = unknown(line * kLineBytes + 4 * i);
                std::memcpy(&place->second.data[size_t{4} * i], &value, 4);
            }
        return place->second;
    }
    uint32_t word(uint64_t address) const {
        const Bytes* bytes = find(address / kLineBytes);
        if (bytes == nullptr)
            return seed_ != 0 ? unknown(address & ~uint64_t{3}) : 0;
        uint32_t value = 0;
        std::memcpy(&value, &bytes->data[address % kLineBytes & ~uint64_t{3}], 4);
        return value;
    }
    void set(uint64_t line, uint64_t mask, const uint8_t* data) {
        Bytes& bytes = at(line);
        for (uint64_t m = mask; m != 0; m &= m - 1) {
            const auto i = static_cast<size_t>(__builtin_ctzll(m));
            bytes.data[i] = data[i];
        }
    }
    // What a request makes of its line; returns it as it was.
    CuPins::Line execute(const CuPins::Request& r) {
        Bytes& bytes = at(r.line);
        CuPins::Line old;
        std::memcpy(old.data(), bytes.data.data(), sizeof old);
        if (r.command == static_cast<uint8_t>(MemCommand::Write))
            set(r.line, r.mask, reinterpret_cast<const uint8_t*>(r.data.data()));
        else if (r.command != static_cast<uint8_t>(MemCommand::Read))
            modify(r, bytes);
        return old;
    }
    const std::map<uint64_t, Bytes>& lines() const { return lines_; }

  private:
    static void modify(const CuPins::Request& r, Bytes& bytes) {
        const auto op = static_cast<AtomicOp>(r.atomic);
        const auto* operands = reinterpret_cast<const uint8_t*>(r.data.data());
        for (size_t at = 0; at < kLineBytes; at += r.bytes) {
            if ((r.mask >> at & 1) == 0)
                continue;
            uint64_t old = 0, operand = 0;
            std::memcpy(&old, &bytes.data[at], r.bytes);
            std::memcpy(&operand, operands + at, r.bytes);
            const uint64_t result = r.bytes == 8 ? atomic64(op, old, operand, r.compare)
                                                 : atomic32(op, static_cast<uint32_t>(old),
                                                            static_cast<uint32_t>(operand),
                                                            static_cast<uint32_t>(r.compare));
            std::memcpy(&bytes.data[at], &result, r.bytes);
        }
    }
    // Small integers, numbers near 1, any bits.
    uint32_t unknown(uint64_t address) const {
        Random random(seed_ ^ address * 0x9e3779b97f4a7c15u);
        const uint32_t value = random.word();
        switch (random.below(4)) {
            case 0:
                return value & 0xff;
            case 1:
                return (value & 0x807fffff) | (0x78 + (value >> 24 & 15)) << 23;
            default:
                return value;
        }
    }

    uint64_t seed_;
    std::map<uint64_t, Bytes> lines_;  // by address / 64
};

}  // namespace archipelago::rtl
