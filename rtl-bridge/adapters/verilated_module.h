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

// A Verilog array behind a port; several side by side make one wider word, the first the lowest
// bytes.
struct VerilogArray {
    unsigned port;
    const char* scope;  // "TOP.top.ram"
    const char* name;
    unsigned word_bytes;
    uint64_t words;
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
        doors_.resize(ports_.size());
    }
    ~VerilatedModule() override {
        if (waveform_)
            waveform_->close();
        top_->final();
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
        const auto* scope = context_.scopeFind(array.scope);
        auto* var = scope != nullptr ? scope->varFind(array.name) : nullptr;
        if (var == nullptr)
            throw std::logic_error(name_ + ": no array " + array.scope + "." + array.name);
        Door& door = doors_[array.port];
        door.lanes.push_back({static_cast<uint8_t*>(var->datap()), door.word_bytes,
                              array.word_bytes, element_bytes(array.word_bytes)});
        door.word_bytes += array.word_bytes;
        door.words = array.words;
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
        uint64_t words = 0;
    };
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
        const Door& door = doors_[port];
        const uint64_t all = door.word_bytes * door.words;
        if (bytes > all || offset > all - bytes)
            return false;
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
        return true;
    }

    std::string name_;
    std::vector<VerilogPort> ports_;
    std::vector<Door> doors_;
    std::unique_ptr<Waveform> waveform_;
    uint64_t cycles_ = 0;
};

}  // namespace archipelago::adapters
