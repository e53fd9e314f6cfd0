// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_writer.h"

#include <fmt/core.h>

#include <emmintrin.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/common/invariant.h"
#include "models/common/text.h"
#include "models/cu/isa/effects.h"

namespace archipelago::host {
namespace {

using cu::MemoryAccess;

constexpr size_t kBufferBytes = size_t{1} << 18;  // stays in a core's cache until it is written
constexpr size_t kLaneBytes = 16 + 1 + 9 * HexText::kDwords + 4;  // the longest text of a lane

constexpr const char* kSpaces[] = {"scalar", "global", "image", "lds", "gds"};
constexpr const char* kKinds[] = {"load", "store", "atomic"};

}  // namespace

std::pair<uint64_t, uint64_t> parse_pc_range(const std::string& text) {
    const auto address = [&](std::string_view part) {
        uint64_t value = 0;
        const bool prefixed = part.substr(0, 2) == "0x";
        part.remove_prefix(prefixed ? 2 : 0);
        const auto [end, error] =
            std::from_chars(part.data(), part.data() + part.size(), value, 16);
        if (!prefixed || error != std::errc{} || end != part.data() + part.size())
            throw std::invalid_argument("program counters \"" + text +
                                        "\": expected 0xLOW-0xHIGH, or one address");
        return value;
    };
    const size_t dash = text.find('-');
    const uint64_t low = address(std::string_view(text).substr(0, dash));
    const uint64_t high =
        dash == std::string::npos ? low : address(std::string_view(text).substr(dash + 1));
    if (high < low)
        throw std::invalid_argument("program counters \"" + text + "\": end before they begin");
    return {low, high};
}

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
               return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
           });
}

// ---- text ---------------------------------------------------------------------------------------

void HexText::decimal(uint64_t value) {
    if (value < 10)
        return put(static_cast<char>('0' + value));
    const auto [end, error] = std::to_chars(&text_[used_], &text_[used_] + 20, value);
    used_ = static_cast<size_t>(end - text_.data());
}

namespace {

// The digits of four values, as HexText::digits_of() has those of one.
void put_digits(__m128i values, uint64_t* to) {
    // Bytes: of each value the highest first.
    values = _mm_shufflehi_epi16(_mm_shufflelo_epi16(values, 0xb1), 0xb1);
    values = _mm_or_si128(_mm_slli_epi16(values, 8), _mm_srli_epi16(values, 8));
    const __m128i nibble = _mm_set1_epi8(0x0f);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(values, 4), nibble);
    const __m128i low = _mm_and_si128(values, nibble);
    const auto characters = [](__m128i nibbles) {
        const __m128i letters = _mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9));
        return _mm_add_epi8(_mm_add_epi8(nibbles, _mm_set1_epi8('0')),
                            _mm_and_si128(letters, _mm_set1_epi8('a' - '0' - 10)));
    };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), characters(_mm_unpacklo_epi8(high, low)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2), characters(_mm_unpackhi_epi8(high, low)));
}

__m128i load(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// The low words of four addresses.
__m128i low_words(const uint64_t* addresses) {
    const __m128 first = _mm_castsi128_ps(load(addresses));
    const __m128 second = _mm_castsi128_ps(load(addresses + 2));
    return _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
}

}  // namespace

void HexText::convert(const cu::Retired& r, uint64_t mask, uint32_t row, unsigned dwords) {
    invariant(dwords <= kDwords, "retire trace", "an access has more dwords than any instruction");
    for (unsigned k = 0; k < dwords; ++k) {
        const auto& values = r.values[row + k];
        if (mask == 1)
            digits_[k][0] = digits_of(values[0]);
        else
            for (unsigned lane = 0; lane < isa::kLanes; lane += 4)
                put_digits(load(&values[lane]), &digits_[k][lane]);
    }
}

// Only the low words: most high words are that of the address before.
void HexText::convert_addresses(const cu::Retired& r, uint64_t mask, uint32_t row) {
    const auto& addresses = r.addresses[row];
    if (mask == 1)
        low_[0] = digits_of(static_cast<uint32_t>(addresses[0]));
    else
        for (unsigned lane = 0; lane < isa::kLanes; lane += 4)
            put_digits(low_words(&addresses[lane]), &low_[lane]);
}

// Addresses of memory have 48 bits; what lies beyond has all digits.
inline char* HexText::long_address(char* to, uint64_t at, unsigned lane) {
    if (at >> 32 != high_) {
        high_ = static_cast<uint32_t>(at >> 32);
        high_digits_ = digits_of(high_);
    }
    const unsigned skipped = at >> 48 == 0 ? 4 : 0;
    const uint64_t high = high_digits_ >> (8 * skipped);
    std::memcpy(to, &high, 8);
    std::memcpy(to + 8 - skipped, &low_[lane], 8);
    return to + 16 - skipped;
}

// LDS and GDS have 64 KiB.
template <class Use>
void HexText::with_address(const cu::Retired& r, const MemoryAccess& a, Use use) {
    convert_addresses(r, a.lanes, a.address_row);
    const auto& addresses = r.addresses[a.address_row];
    if (a.space != MemoryAccess::Space::Lds && a.space != MemoryAccess::Space::Gds)
        return use(
            [&](char* to, unsigned lane) { return long_address(to, addresses[lane], lane); });
    use([&](char* to, unsigned lane) {
        if (addresses[lane] >> 16 != 0)
            return long_address(to, addresses[lane], lane);
        const uint64_t digits = low_[lane] >> 32;
        std::memcpy(to, &digits, 8);  // what is too much is overwritten
        return to + 4;
    });
}

// Nearly all are of one dword.
template <class Use>
void HexText::with_value(unsigned dwords, Use use) {
    if (dwords == 1)
        return use([this](char* to, unsigned lane) {
            std::memcpy(to, &digits_[0][lane], 8);
            return to + 8;
        });
    use([this, dwords](char* to, unsigned lane) {
        for (unsigned k = 0; k < dwords; ++k, to += 8) {
            if (k != 0)
                *to++ = '.';
            std::memcpy(to, &digits_[k][lane], 8);
        }
        return to;
    });
}

void HexText::lanes(const cu::Retired& r, uint64_t mask, uint32_t row, unsigned dwords,
                    std::string_view between) {
    convert(r, mask, row, dwords);
    with_value(dwords, [&](auto value) { list(mask, between, value); });
}

void HexText::addresses(const cu::Retired& r, const MemoryAccess& a, std::string_view between) {
    with_address(r, a, [&](auto address) { list(a.lanes, between, address); });
}

void HexText::places(const cu::Retired& r, const MemoryAccess& a) {
    convert(r, a.lanes, a.row, a.dwords);
    with_address(r, a, [&](auto address) {
        with_value(a.dwords, [&](auto value) {
            list(a.lanes, ",", [&](char* to, unsigned lane) {
                to = address(to, lane);
                *to++ = ':';
                return value(to, lane);
            });
        });
    });
}

// ---- writer -------------------------------------------------------------------------------------

RetireWriter::RetireWriter(Format format, RetireFilter filter, Output output)
    : format_(format), filter_(std::move(filter)), output_(std::move(output)) {}

void RetireWriter::header(const std::string& asic, const std::string& mode) {
    const std::string version = std::to_string(kRetireSchema);
    output_(format_ == Format::Json
                ? R"({"archipelago_retire":)" + version + R"(,"asic":")" + asic + R"(","mode":")" +
                      mode + "\"}\n"
                : "# archipelago-retire " + version + " asic=" + asic + " mode=" + mode + "\n");
}

std::string RetireWriter::kernel_of(uint64_t pc) {
    const std::string name = names_ ? names_(pc) : std::string();
    return name.empty() ? hex(pc) : name;
}

bool RetireWriter::starts(const cu::RetiredWave& wave, isa::WaveState&) {
    const WaveLaunch& launch = wave.launch;
    if (!matches(filter_.units, wave.unit) || !matches(filter_.waves, wave.name))
        return false;
    const auto [dispatch, begins] = dispatches_.try_emplace({launch.dispatch, launch.stage}, false);
    if (begins) {
        const std::string kernel = kernel_of(launch.pc);
        dispatch->second =
            matches(filter_.kernels, kernel) || matches(filter_.kernels, hex(launch.pc));
        if (dispatch->second)
            begin_dispatch(wave, kernel);
    }
    if (dispatch->second && !wave.accesses)
        begin_wave_without_accesses(wave);
    return dispatch->second;
}

// "cs1" of "cs1.g7.w0"
static std::string dispatch_of(const cu::RetiredWave& wave) {
    return wave.name.substr(0, wave.name.find('.'));
}

void RetireWriter::begin_dispatch(const cu::RetiredWave& wave, const std::string& kernel) {
    const std::string dispatch = dispatch_of(wave);
    put_line(format_ == Format::Json
                 ? nlohmann::json{{"dispatch", dispatch},
                                  {"kernel", kernel},
                                  {"pc", hex(wave.launch.pc)}}
                       .dump()
                 : "# " + dispatch + " kernel=" + kernel + " pc=" + hex(wave.launch.pc));
}

void RetireWriter::begin_wave_without_accesses(const cu::RetiredWave& wave) {
    put_line(format_ == Format::Json ? nlohmann::ordered_json{{"dispatch", dispatch_of(wave)},
                                                              {"wave", wave.name},
                                                              {"unit", wave.unit},
                                                              {"accesses", "none"}}
                                           .dump()
                                     : "# " + wave.name + " unit=" + wave.unit + " accesses=none");
}

void RetireWriter::put_line(const std::string& line) {
    out_.reserve(line.size() + 1);
    out_.put(line);
    out_.put('\n');
}

const RetireWriter::Instruction& RetireWriter::instruction(const cu::Retired& r) {
    const isa::Inst& inst = r.decoded->inst;
    Instruction& known = instructions_[r.pc];
    if (!known.head.empty() && known.words[0] == inst.words[0] && known.words[1] == inst.words[1])
        return known;
    known.words[0] = inst.words[0];
    known.words[1] = inst.words[1];
    known.head = fmt::format("{:012x}", r.pc);
    const std::string words = fmt::format("{:08x}", inst.words[0]) +
                              (inst.dwords == 2 ? fmt::format(":{:08x}", inst.words[1]) : "");
    const std::string text = isa::disassemble(inst, r.pc);
    if (format_ == Format::Json) {
        known.head = R"(","pc":")" + known.head + R"(","words":")" + words + R"(","text":)" +
                     nlohmann::json(text).dump();
    } else {
        known.head = " " + known.head + " " + words;
        known.tail = " | " + text + " | @";
    }
    return known;
}

const std::string& RetireWriter::scalar_name(unsigned code) {
    if (scalar_names_.empty())
        for (unsigned i = 0; i < 128; ++i)
            scalar_names_.push_back(isa::scalar_register_name(i));
    return scalar_names_[code];
}

void RetireWriter::retired(const cu::RetiredWave& wave, const cu::Retired& r) {
    if (!filter_.takes_pc(r.pc))
        return;
    ++records_;
    if (format_ == Format::Json)
        json(wave, r);
    else
        text(wave, r);
    if (out_.view().size() >= kBufferBytes)
        flush();
}

void RetireWriter::text(const cu::RetiredWave& wave, const cu::Retired& r) {
    const Instruction& about = instruction(r);
    out_.reserve(512 + wave.unit.size() + about.head.size() + about.tail.size() +
                 32 * r.scalars.size() +
                 (r.vectors.size() + r.accesses.size()) * (64 + isa::kLanes * kLaneBytes));
    out_.put(wave.name);
    out_.put(about.head);
    out_.put(" exec=");
    out_.hex64(r.exec);
    out_.put(" vcc=");
    out_.hex64(r.vcc);
    out_.put(r.scc ? " scc=1 m0=" : " scc=0 m0=");
    out_.hex32(r.m0);
    if (!r.finished)
        out_.put(" unfinished");
    for (const cu::ScalarWrite& w : r.scalars) {
        out_.put(' ');
        out_.put(scalar_name(w.code));
        out_.put('=');
        out_.hex32(w.value);
    }
    for (const cu::VectorWrite& w : r.vectors) {
        out_.put(" v");
        out_.decimal(w.vgpr);
        out_.put('[');
        out_.hex64(w.lanes);
        out_.put("]=");
        out_.lanes(r, w.lanes, w.row, 1, ",");
    }
    for (const MemoryAccess& a : r.accesses) {
        out_.put(' ');
        out_.put(kSpaces[static_cast<unsigned>(a.space)]);
        out_.put('.');
        out_.put(kKinds[static_cast<unsigned>(a.kind)]);
        out_.put('.');
        out_.decimal(a.bytes);
        out_.put('[');
        out_.hex64(a.lanes);
        out_.put("]=");
        out_.places(r, a);
    }
    out_.put(about.tail);
    out_.decimal(r.cycle);
    out_.put(' ');
    out_.put(wave.unit);
    out_.put(" simd");
    out_.decimal(wave.launch.simd);
    out_.put(" slot");
    out_.decimal(wave.launch.slot);
    out_.put('\n');
}

void RetireWriter::json(const cu::RetiredWave& wave, const cu::Retired& r) {
    const Instruction& about = instruction(r);
    out_.reserve(1024 + wave.unit.size() + about.head.size() + 32 * r.scalars.size() +
                 (r.vectors.size() + r.accesses.size()) * (128 + isa::kLanes * (kLaneBytes + 8)));
    out_.put(R"({"wave":")");
    out_.put(wave.name);
    out_.put(about.head);
    out_.put(R"(,"exec":")");
    out_.hex64(r.exec);
    out_.put(R"(","vcc":")");
    out_.hex64(r.vcc);
    out_.put(r.scc ? R"(","scc":1,"m0":")" : R"(","scc":0,"m0":")");
    out_.hex32(r.m0);
    out_.put('"');
    if (!r.finished)
        out_.put(R"(,"unfinished":true)");
    if (!r.scalars.empty() || !r.vectors.empty())
        json_writes(r);
    if (!r.accesses.empty())
        json_accesses(r);
    out_.put(R"(,"at":{"cycle":)");
    out_.decimal(r.cycle);
    out_.put(R"(,"unit":")");
    out_.put(wave.unit);
    out_.put(R"(","simd":)");
    out_.decimal(wave.launch.simd);
    out_.put(R"(,"slot":)");
    out_.decimal(wave.launch.slot);
    out_.put("}}\n");
}

void RetireWriter::json_writes(const cu::Retired& r) {
    const char* separator = R"(,"writes":{")";
    for (const cu::ScalarWrite& w : r.scalars) {
        out_.put(separator);
        out_.put(scalar_name(w.code));
        out_.put(R"(":")");
        out_.hex32(w.value);
        out_.put('"');
        separator = ",\"";
    }
    for (const cu::VectorWrite& w : r.vectors) {
        out_.put(separator);
        out_.put('v');
        out_.decimal(w.vgpr);
        out_.put(R"(":{"lanes":")");
        out_.hex64(w.lanes);
        out_.put(R"(","values":[")");
        out_.lanes(r, w.lanes, w.row, 1, R"(",")");
        out_.put(R"("]})");
        separator = ",\"";
    }
    out_.put('}');
}

void RetireWriter::json_accesses(const cu::Retired& r) {
    const char* separator = R"(,"accesses":[{"space":")";
    for (const MemoryAccess& a : r.accesses) {
        out_.put(separator);
        out_.put(kSpaces[static_cast<unsigned>(a.space)]);
        out_.put(R"(","kind":")");
        out_.put(kKinds[static_cast<unsigned>(a.kind)]);
        out_.put(R"(","bytes":)");
        out_.decimal(a.bytes);
        out_.put(R"(,"lanes":")");
        out_.hex64(a.lanes);
        out_.put(R"(","addresses":[")");
        out_.addresses(r, a, R"(",")");
        out_.put(R"("],"values":[")");
        out_.lanes(r, a.lanes, a.row, a.dwords, R"(",")");
        out_.put(R"("]})");
        separator = R"(,{"space":")";
    }
    out_.put(']');
}

void RetireWriter::flush() {
    output_(out_.view());
    out_.clear();
}

// ---- file ---------------------------------------------------------------------------------------

namespace {

RetireWriter::Format format_of(const std::string& path) {
    std::string ending = path.substr(std::min(path.rfind('.'), path.size()));
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool json = ending == ".jsonl" || ending == ".json";
    return json ? RetireWriter::Format::Json : RetireWriter::Format::Text;
}

}  // namespace

RetireFile::RetireFile(const std::string& path, RetireFilter filter)
    : file_(std::make_unique<OutputFile>(path, "the retire trace")),
      writer_(format_of(path), std::move(filter),
              [this](std::string_view text) { file_->write(text); }) {}

RetireFile::~RetireFile() {
    try {
        if (!complete_)
            complete();
    } catch (const std::exception& error) {
        fmt::print(stderr, "archipelago: {}\n", error.what());
    }
}

void RetireFile::complete() {
    complete_ = true;
    writer_.flush();
    file_->complete();
}

}  // namespace archipelago::host
