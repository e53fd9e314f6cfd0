// SPDX-License-Identifier: Apache-2.0
// A RetireSink that writes a trace: a line per instruction, as text or JSON. README.md has the
// schema.
#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/files.h"
#include "models/cu/retire/retire_sink.h"
#include "testbenches/host/retire/retire_filter.h"

namespace archipelago::host {

constexpr unsigned kRetireSchema = 1;  // version of the trace's format

// Text under construction, without a check or an allocation for every piece.
class HexText {
  public:
    static constexpr unsigned kDwords = 16;  // most of a lane: of s_load_dwordx16
    // Room for so many more characters.
    void reserve(size_t bytes) {
        if (text_.size() - used_ < bytes)
            text_.resize(2 * text_.size() + bytes);
    }
    void put(char c) { text_[used_++] = c; }
    void put(std::string_view s) {
        s.copy(&text_[used_], s.size());
        used_ += s.size();
    }
    void hex32(uint32_t value) {
        const uint64_t digits = digits_of(value);
        std::memcpy(&text_[used_], &digits, sizeof digits);
        used_ += sizeof digits;
    }
    void hex64(uint64_t value) {
        hex32(static_cast<uint32_t>(value >> 32));
        hex32(static_cast<uint32_t>(value));
    }
    void decimal(uint64_t value);
    // The values of the lanes of a mask, of as many dwords as there are rows, `between` them.
    void lanes(const cu::Retired& r, uint64_t mask, uint32_t row, unsigned dwords,
               std::string_view between);
    // The addresses of an access likewise.
    void addresses(const cu::Retired& r, const cu::MemoryAccess& access, std::string_view between);
    // Addresses and values of an access.
    void places(const cu::Retired& r, const cu::MemoryAccess& access);
    std::string_view view() const { return {text_.data(), used_}; }
    void clear() { used_ = 0; }

  private:
    // The eight digits of a value as they lie in memory: nibbles are spread to bytes, the highest
    // first, and turned to characters all together.
    static constexpr uint64_t digits_of(uint32_t value) {
        uint64_t x = value >> 16 | uint64_t{value & 0xffff} << 32;
        x = (x >> 8 & 0x000000ff000000ff) | (x & 0x000000ff000000ff) << 16;
        x = (x >> 4 & 0x000f000f000f000f) | (x & 0x000f000f000f000f) << 8;
        const uint64_t letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
        return x + 0x3030303030303030 + (letters << 5) + (letters << 2) + (letters << 1) + letters;
    }
    // Fills digits_ for the lanes of a mask, or low_.
    void convert(const cu::Retired& r, uint64_t mask, uint32_t row, unsigned dwords);
    void convert_addresses(const cu::Retired& r, uint64_t mask, uint32_t row);
    // What `write(to, lane)` writes for each lane of a mask, up to four characters between them:
    // stores of a fixed size, of which the next one overwrites what is too much.
    template <class Write>
    void list(uint64_t mask, std::string_view between, Write write) {
        char separator[4] = {};
        between.copy(separator, sizeof separator);
        char* const begin = &text_[used_];
        char* to = begin;
        const auto one = [&](unsigned lane) {
            to = write(to, lane);
            std::memcpy(to, separator, sizeof separator);
            to += between.size();
        };
        if (mask == ~uint64_t{0})
            for (unsigned lane = 0; lane < isa::kLanes; ++lane)
                one(lane);
        else
            for (uint64_t m = mask; m != 0; m &= m - 1)
                one(static_cast<unsigned>(__builtin_ctzll(m)));
        if (mask != 0)
            used_ += static_cast<size_t>(to - begin) - between.size();
    }
    // Calls `use` with a function that writes the address of a lane, and one that writes its value.
    // Both write there and return the end.
    template <class Use>
    void with_address(const cu::Retired& r, const cu::MemoryAccess& access, Use use);
    template <class Use>
    void with_value(unsigned dwords, Use use);
    char* long_address(char* to, uint64_t at, unsigned lane);

    std::vector<char> text_;
    size_t used_ = 0;
    alignas(64) std::array<std::array<uint64_t, isa::kLanes>, kDwords> digits_{};
    alignas(64) std::array<uint64_t, isa::kLanes> low_{};  // digits of addresses
    uint32_t high_ = 0;  // high word of the last address, and its digits
    uint64_t high_digits_ = digits_of(0);
};

class RetireWriter : public cu::RetireSink {
  public:
    enum class Format : uint8_t { Text, Json };
    // Where finished text goes.
    using Output = std::function<void(std::string_view)>;
    RetireWriter(Format format, RetireFilter filter, Output output);

    // In front of the first record.
    void header(const std::string& asic, const std::string& mode);
    // Name of the kernel at the address of its first instruction, or nothing; asked once for a
    // dispatch.
    using KernelNames = std::function<std::string(uint64_t pc)>;
    void name_kernels(KernelNames names) { names_ = std::move(names); }

    bool starts(const cu::RetiredWave& wave, isa::WaveState& registers) override;
    void retired(const cu::RetiredWave& wave, const cu::Retired& r) override;
    void flush();
    // Instructions written so far.
    uint64_t records() const { return records_; }

  private:
    // What is the same whenever the instruction at an address is executed.
    struct Instruction {
        uint32_t words[2] = {};
        std::string head;  // pc and words
        std::string tail;  // disassembly
    };
    const Instruction& instruction(const cu::Retired& r);
    std::string kernel_of(uint64_t pc);
    void begin_dispatch(const cu::RetiredWave& wave, const std::string& kernel);
    void begin_wave_without_accesses(const cu::RetiredWave& wave);
    void put_line(const std::string& line);
    void text(const cu::RetiredWave& wave, const cu::Retired& r);
    void json(const cu::RetiredWave& wave, const cu::Retired& r);
    void json_writes(const cu::Retired& r);
    void json_accesses(const cu::Retired& r);
    const std::string& scalar_name(unsigned code);

    Format format_;
    RetireFilter filter_;
    Output output_;
    KernelNames names_;
    HexText out_;
    std::unordered_map<uint64_t, Instruction> instructions_;
    std::vector<std::string> scalar_names_;
    uint64_t records_ = 0;
    std::map<std::pair<uint32_t, ShaderStage>, bool> dispatches_;  // whether it is wanted
};

// A trace in a file, JSON when its name ends in ".jsonl" or ".json", regardless of the case.
class RetireFile {
  public:
    // Throws std::runtime_error when it cannot be opened.
    RetireFile(const std::string& path, RetireFilter filter);
    // Completes the file, if nobody has; says on standard error when that fails.
    ~RetireFile();
    RetireFile(const RetireFile&) = delete;
    RetireFile& operator=(const RetireFile&) = delete;
    RetireWriter& writer() { return writer_; }
    // Gives the file its name; nothing is written after that. Throws std::runtime_error when
    // anything could not be written.
    void complete();

  private:
    std::unique_ptr<OutputFile> file_;
    RetireWriter writer_;
    bool complete_ = false;
};

}  // namespace archipelago::host
