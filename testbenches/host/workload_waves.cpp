// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload_waves.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>

#include "models/config/suggest.h"
#include "models/cu/isa/assemble.h"
#include "testbenches/host/code_object/dispatch.h"

namespace archipelago::host {
namespace {

using config::Reader;
using config::Value;

constexpr uint32_t kEndProgram = 0xbf810000;  // s_endpgm
constexpr unsigned kScalars = 104;            // s0 ...
constexpr unsigned kVectors = 256;            // v0 ...
constexpr size_t kMaxCodeBytes = size_t{1} << 20;

using File = WaveRegister::File;

// What a key names: one register, or a pair.
struct Named {
    File file = File::Scalar;
    unsigned number = 0;
    bool pair = false;
};

std::optional<unsigned> number_of(std::string_view text) {
    unsigned n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional<unsigned>(n)
                                                                    : std::nullopt;
}

// "s4", "v[2:3]", "exec", "exec_lo", "vcc", "m0", "scc": what a dump calls them, too.
std::optional<Named> register_of(std::string_view key) {
    static constexpr std::pair<std::string_view, Named> kSpecial[] = {
        {"exec", {File::Exec, 0, true}},     {"exec_lo", {File::Exec, 0, false}},
        {"exec_hi", {File::Exec, 1, false}}, {"vcc", {File::Vcc, 0, true}},
        {"vcc_lo", {File::Vcc, 0, false}},   {"vcc_hi", {File::Vcc, 1, false}},
        {"m0", {File::M0, 0, false}},        {"scc", {File::Scc, 0, false}}};
    for (const auto& [name, named] : kSpecial)
        if (key == name)
            return named;
    if (key.size() < 2 || (key[0] != 's' && key[0] != 'v'))
        return std::nullopt;
    Named named{key[0] == 's' ? File::Scalar : File::Vector, 0, key[1] == '['};
    std::string_view numbers = key.substr(1);
    std::optional<unsigned> first, last;
    if (named.pair) {
        const size_t colon = numbers.find(':');
        if (colon == std::string_view::npos || numbers.back() != ']')
            return std::nullopt;
        first = number_of(numbers.substr(1, colon - 1));
        last = number_of(numbers.substr(colon + 1, numbers.size() - colon - 2));
        if (!first || !last || *last != *first + 1)
            return std::nullopt;
    } else {
        first = last = number_of(numbers);
    }
    if (!first || *last >= (named.file == File::Scalar ? kScalars : kVectors))
        return std::nullopt;
    named.number = *first;
    return named;
}

// Text with a point or an exponent, as YAML writes real numbers.
bool is_real(const Value& value) {
    const std::string& text = value.node().text();
    return text.find("0x") == std::string::npos && text.find_first_of(".eEnN") != std::string::npos;
}

template <class Real, class Bits>
std::optional<uint64_t> real_bits(const Value& value) {
    const std::optional<Real> real = value.as<Real>();
    if (!real)
        return std::nullopt;
    Bits bits;
    std::memcpy(&bits, &*real, sizeof bits);
    return bits;
}

// An integer is the bits themselves, a real number those of a float, in a pair of a double.
std::optional<uint64_t> bits_of(const Value& value, bool pair) {
    if (value.kind() == config::Node::Kind::Scalar && is_real(value))
        return pair ? real_bits<double, uint64_t>(value) : real_bits<float, uint32_t>(value);
    const bool negative =
        value.kind() == config::Node::Kind::Scalar && value.node().text().substr(0, 1) == "-";
    if (pair && negative) {
        const auto n = value.as<int64_t>();
        return n ? std::optional<uint64_t>(static_cast<uint64_t>(*n)) : std::nullopt;
    }
    if (pair)
        return value.as<uint64_t>();
    const auto n = value.as<int64_t>(config::range<int64_t>(-2147483648LL, 4294967295LL));
    return n ? std::optional<uint64_t>(static_cast<uint32_t>(*n)) : std::nullopt;
}

// Adds the register, or both of a pair.
void add_register(const Value& value, const std::string& key, const Named& named,
                  std::vector<WaveRegister>& to) {
    std::vector<uint64_t> lanes;
    const bool list = value.kind() == config::Node::Kind::Sequence;
    if (list && named.file != File::Vector) {
        value.error("got a list, expected one value: only vector registers have lanes");
        return;
    }
    const std::vector<Value> items =
        list ? value.items(config::count(1, 64)) : std::vector<Value>{value};
    for (const Value& item : items) {
        const std::optional<uint64_t> bits = bits_of(item, named.pair);
        if (!bits)
            return;
        lanes.push_back(*bits);
    }
    if (named.file == File::Scc && lanes[0] > 1)
        return value.error("got " + std::to_string(lanes[0]) + ", expected 0 or 1");
    for (unsigned half = 0; half < (named.pair ? 2u : 1u); ++half) {
        WaveRegister r;
        r.source = {value.node().origin(), value.path()};
        r.name = key;
        r.file = named.file;
        r.number = named.number + half;
        r.every_lane = !list;
        for (const uint64_t lane : lanes)
            r.values.push_back(static_cast<uint32_t>(lane >> (32 * half)));
        to.push_back(std::move(r));
    }
}

std::vector<WaveRegister> registers(Reader r) {
    std::vector<WaveRegister> out;
    std::set<std::pair<File, unsigned>> seen;
    for (const std::string& key : r.keys()) {
        const std::optional<Value> value = r.find(key);
        if (!value)
            continue;
        const std::optional<Named> named = register_of(key);
        if (!named) {
            value->error(
                "no register of a wave, expected s0 to s103, v0 to v255, a pair like "
                "s[2:3], exec, vcc, m0 or scc");
            continue;
        }
        const size_t before = out.size();
        add_register(*value, key, *named, out);
        for (size_t i = before; i < out.size(); ++i)
            if (!seen.insert({out[i].file, out[i].number}).second)
                value->error("names a register that another key has named");
    }
    r.finish();
    return out;
}

// Words of the instructions; s_endpgm is put after them.
std::vector<uint32_t> code(Reader& r) {
    std::vector<uint32_t> words;
    const std::optional<Value> value = r.need("code", "instructions as text");
    const std::optional<std::string> text = value ? value->as<std::string>() : std::nullopt;
    if (!text)
        return words;
    const isa::Assembly assembly = isa::assemble(*text);
    for (const isa::AssemblyError& e : assembly.errors)
        value->error("line " + std::to_string(e.line) + ", column " + std::to_string(e.column) +
                     ": " + e.message +
                     (e.known ? config::did_you_mean(e.unknown, *e.known) : std::string()));
    if (assembly.bytes.size() % 4 != 0 || assembly.bytes.size() > kMaxCodeBytes) {
        value->error("got " + std::to_string(assembly.bytes.size()) +
                     " bytes of code, expected a multiple of 4, at most 1 MiB");
        return words;
    }
    words.resize(assembly.bytes.size() / 4);
    if (!words.empty())  // memcpy takes no null pointer, not even for no bytes
        std::memcpy(words.data(), assembly.bytes.data(), assembly.bytes.size());
    words.push_back(kEndProgram);
    return words;
}

}  // namespace

std::optional<WaveSpec> read_wave(Reader r, WorkloadParts& parts) {
    WaveSpec out;
    out.source = {r.node().origin(), r.path()};
    out.code = code(r);
    if (r.has("set"))
        out.set = registers(r.map("set"));
    if (r.has("expect"))
        out.expect = registers(r.map("expect"));
    out.lds_bytes = static_cast<uint32_t>(r.optional_quantity(
        "lds", config::Unit::Byte, 0, config::range<uint64_t>(0, kMaxGroupSegmentBytes), {},
        config::BareNumber::Allowed));
    out.float_mode = r.optional<uint8_t>("float_mode", out.float_mode);
    if (const std::optional<Value> file = r.find("dump"))
        out.dump = parts.dump_file(*file);
    r.finish();
    return r.ok() ? std::optional<WaveSpec>(std::move(out)) : std::nullopt;
}

}  // namespace archipelago::host
