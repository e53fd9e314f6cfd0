// SPDX-License-Identifier: Apache-2.0
// What generated wrappers of Verilog share; included by generated code only, which names the
// Verilated classes: `Top`, `Context` (VerilatedContext), `Waveform` (VerilatedFstC).
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "rtl-bridge/adapters/verilog_module.h"
#include "rtl-bridge/verilated/final_blocks.h"

namespace archipelago::adapters {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "pins are taken to lie in memory as on a little-endian machine");

// ---- bits of a pin, lowest first; pins are integers or arrays of 32-bit words -------------------
template <class Pin>
const uint8_t* bytes_of(const Pin& pin) {
    return reinterpret_cast<const uint8_t*>(&pin);
}
template <class Pin>
uint64_t get_bits(const Pin& pin, unsigned at, unsigned width) {
    const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    if constexpr (std::is_integral_v<Pin>) {
        return static_cast<uint64_t>(pin) >> at & mask;
    } else {
        uint64_t value = 0;
        for (unsigned done = 0; done < width;) {
            const unsigned bit = at + done;
            const unsigned n = std::min(32 - bit % 32, width - done);
            value |= (static_cast<uint64_t>(pin[bit / 32]) >> bit % 32 & ((uint64_t{1} << n) - 1))
                     << done;
            done += n;
        }
        return value & mask;
    }
}
template <class Pin>
void put_bits(Pin& pin, unsigned at, unsigned width, uint64_t value) {
    const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    value &= mask;
    if constexpr (std::is_integral_v<Pin>) {
        pin = static_cast<Pin>((static_cast<uint64_t>(pin) & ~(mask << at)) | value << at);
    } else {
        for (unsigned done = 0; done < width;) {
            const unsigned bit = at + done;
            const unsigned n = std::min(32 - bit % 32, width - done);
            const auto part = static_cast<uint32_t>((uint64_t{1} << n) - 1);
            pin[bit / 32] = (pin[bit / 32] & ~(part << bit % 32)) |
                            (static_cast<uint32_t>(value >> done) & part) << bit % 32;
            done += n;
        }
    }
}
// Data of `bits`, from or to bytes.
template <class Pin>
void get_data(const Pin& pin, unsigned at, unsigned bits, DataLanes& to) {
    if (at % 8 == 0 && bits % 8 == 0) {
        std::memcpy(to.data(), bytes_of(pin) + at / 8, bits / 8);
        return;
    }
    for (unsigned done = 0; done < bits; done += 8)
        to[done / 8] = static_cast<uint8_t>(get_bits(pin, at + done, std::min(8u, bits - done)));
}
template <class Pin>
void put_data(Pin& pin, unsigned at, unsigned bits, const DataLanes& from) {
    if (at % 8 == 0 && bits % 8 == 0) {
        std::memcpy(const_cast<uint8_t*>(bytes_of(pin)) + at / 8, from.data(), bits / 8);
        return;
    }
    for (unsigned done = 0; done < bits; done += 8)
        put_bits(pin, at + done, std::min(8u, bits - done), from[done / 8]);
}
// A field of a word: `bits` of the pin from its bit `at` on are those of the word from `low` on.
template <class Pin>
void get_field(const Pin& pin, unsigned at, unsigned bits, DataLanes& to, unsigned low) {
    for (unsigned done = 0; done < bits;) {
        const unsigned n = std::min(8 - (low + done) % 8, bits - done);
        put_bits(to[(low + done) / 8], (low + done) % 8, n, get_bits(pin, at + done, n));
        done += n;
    }
}
template <class Pin>
void put_field(Pin& pin, unsigned at, unsigned bits, const DataLanes& from, unsigned low) {
    for (unsigned done = 0; done < bits;) {
        const unsigned n = std::min(8 - (low + done) % 8, bits - done);
        put_bits(pin, at + done, n, get_bits(from[(low + done) / 8], (low + done) % 8, n));
        done += n;
    }
}
template <class Pin>
void get_strobes(const Pin& pin, unsigned at, unsigned lanes, StrobeLanes& to) {
    to.bits[0] = get_bits(pin, at, std::min(lanes, 64u));
    to.bits[1] = lanes > 64 ? get_bits(pin, at + 64, lanes - 64) : 0;
}
template <class Pin>
void put_strobes(Pin& pin, unsigned at, unsigned lanes, const StrobeLanes& from) {
    put_bits(pin, at, std::min(lanes, 64u), from.bits[0]);
    if (lanes > 64)
        put_bits(pin, at + 64, lanes - 64, from.bits[1]);
}

// A Verilog array after a part of a port's range; several of the same part side by side make one
// wider word, the first the lowest bytes.
struct VerilogArray {
    unsigned port;
    unsigned part;      // of VerilogPort::back_doors
    const char* scope;  // "TOP.top.ram"
    const char* name;
    unsigned word_bytes;
};

template <class Top, class Context, class Waveform>
class VerilatedModule : public VerilogModule {
  public:
    VerilatedModule(std::string name, std::vector<VerilogPort> ports, uint64_t seed)
        : name_(std::move(name)), ports_(std::move(ports)) {
        context_.randReset(2);  // registers start with random contents
        context_.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
        context_.traceEverOn(true);
        top_ = std::make_unique<Top>(&context_, "TOP");
        for (const VerilogPort& p : ports_)
            doors_.emplace_back(p.back_doors.size());
    }
    ~VerilatedModule() override {
        if (waveform_)
            waveform_->close();
        rtl::run_final_blocks(*top_);
    }
    const std::string& name() const override { return name_; }
    const std::vector<VerilogPort>& ports() const override { return ports_; }
    uint64_t cycles() const override { return cycles_; }

    void settle() override {
        clock(false);
        top_->eval();
        if (waveform_)
            waveform_->dump(2 * cycles_);
    }
    void edge() override {
        clock(true);
        top_->eval();
        if (waveform_)
            waveform_->dump(2 * cycles_ + 1);
        ++cycles_;
    }

    // A port of another kind than requested has no such pins: the description states the kind.
    void drive(unsigned, const AxiInitiatorPins&) override { no_pins(); }
    void sample(unsigned, AxiTargetPins&) override { no_pins(); }
    void drive(unsigned, const AxiTargetPins&) override { no_pins(); }
    void sample(unsigned, AxiInitiatorPins&) override { no_pins(); }
    void drive(unsigned, const ReadyValidPins&) override { no_pins(); }
    bool ready(unsigned) override { return no_pins(); }
    void sample(unsigned, ReadyValidPins&) override { no_pins(); }
    void drive_ready(unsigned, bool) override { no_pins(); }

    bool peek(unsigned port, uint64_t offset, uint8_t* to, size_t bytes) override {
        return copy(port, offset, bytes, [&](uint8_t* at, size_t n) {
            std::memcpy(to, at, n);
            to += n;
        });
    }
    bool poke(unsigned port, uint64_t offset, const uint8_t* from, size_t bytes) override {
        return copy(port, offset, bytes, [&](uint8_t* at, size_t n) {
            std::memcpy(at, from, n);
            from += n;
        });
    }

    void open_waveform(const std::string& file) override {
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        if (!folder.empty() && !std::filesystem::is_directory(folder))
            throw std::runtime_error(file + ": no such folder for the waveform");
        waveform_ = std::make_unique<Waveform>();
        top_->trace(waveform_.get(), 99);
        waveform_->open(file.c_str());
        if (!waveform_->isOpen())
            throw std::runtime_error(file + ": cannot write the waveform");
    }

  protected:
    virtual void clock(bool high) = 0;
    // Verilator keeps arrays as one element after the other, each in the least of 1, 2, 4, 8 or a
    // multiple of 4 bytes.
    void add_array(const VerilogArray& array) {
        Door& door = doors_[array.port][array.part];
        door.lanes.push_back({find(array.scope, array.name), door.word_bytes, array.word_bytes,
                              element_bytes(array.word_bytes)});
        door.word_bytes += array.word_bytes;
    }
    // A signal of `bits`, at most 64.
    uint64_t signal(const char* scope, const char* name, unsigned bits) {
        uint64_t value = 0;
        std::memcpy(&value, find(scope, name), element_bytes((bits + 7) / 8));
        return value;
    }

    Context context_;
    std::unique_ptr<Top> top_;

  private:
    struct Lane {
        uint8_t* bytes;
        unsigned first, count;  // of the bytes of a word
        unsigned element_bytes;
    };
    struct Door {
        std::vector<Lane> lanes;
        unsigned word_bytes = 0;
    };
    uint8_t* find(const char* scope_name, const char* name) {
        const auto* scope = context_.scopeFind(scope_name);
        auto* var = scope != nullptr ? scope->varFind(name) : nullptr;
        if (var == nullptr)
            throw std::logic_error(name_ + ": Verilator has no " + scope_name + "." + name);
        return static_cast<uint8_t*>(var->datap());
    }
    static unsigned element_bytes(unsigned word_bytes) {
        for (unsigned n = 1; n <= 8; n *= 2)
            if (word_bytes <= n)
                return n;
        return (word_bytes + 3) / 4 * 4;
    }
    [[noreturn]] bool no_pins() const {
        throw std::logic_error(name_ + ": asked for pins of another kind");
    }
    template <class Move>
    bool copy(unsigned port, uint64_t offset, size_t bytes, const Move& move) {
        for (uint64_t at = offset; at < offset + bytes;) {
            const size_t part = part_of(port, at);
            if (part == doors_[port].size())
                return false;
            at = end_of(port, part);
        }
        while (bytes > 0) {
            const size_t part = part_of(port, offset);
            const size_t n = std::min<uint64_t>(bytes, end_of(port, part) - offset);
            copy_in(doors_[port][part], offset - ports_[port].back_doors[part].first, n, move);
            offset += n;
            bytes -= n;
        }
        return true;
    }
    // Of VerilogPort::back_doors, the one that holds `offset`; their number when none does.
    size_t part_of(unsigned port, uint64_t offset) const {
        const auto& parts = ports_[port].back_doors;
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const BackDoorRange& r) {
            return offset >= r.first && offset - r.first < r.size;
        });
        return static_cast<size_t>(found - parts.begin());
    }
    uint64_t end_of(unsigned port, size_t part) const {
        const BackDoorRange& r = ports_[port].back_doors[part];
        return r.first + r.size;
    }
    template <class Move>
    static void copy_in(const Door& door, uint64_t offset, size_t bytes, const Move& move) {
        while (bytes > 0) {
            const uint64_t word = offset / door.word_bytes;
            const auto in_word = static_cast<unsigned>(offset % door.word_bytes);
            for (const Lane& lane : door.lanes) {
                if (in_word < lane.first || in_word >= lane.first + lane.count)
                    continue;
                const size_t n = std::min<size_t>(bytes, lane.first + lane.count - in_word);
                move(lane.bytes + word * lane.element_bytes + (in_word - lane.first), n);
                offset += n;
                bytes -= n;
                break;
            }
        }
    }

    std::string name_;
    std::vector<VerilogPort> ports_;
    std::vector<std::vector<Door>> doors_;  // by port, as its back_doors
    std::unique_ptr<Waveform> waveform_;
    uint64_t cycles_ = 0;
};

}  // namespace archipelago::adapters
