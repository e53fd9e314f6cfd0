// SPDX-License-Identifier: Apache-2.0
// Retire traces, text and JSON lines: one, or two to compare with a line `...` between them. What
// is accepted says the same written again as text; what the writer writes is accepted.
#include <array>
#include <memory>
#include <utility>

#include "models/cu/pipeline/decoded.h"
#include "models/gcn/wave_name.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/retire/retire_diff.h"
#include "testbenches/host/retire/retire_writer.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"retire_fuzzer", true, 12000, 3000, 0.4};

namespace {

using Format = host::RetireWriter::Format;

constexpr const char* kEnd = "\n...\n";
constexpr const char* kHeader = "# archipelago-retire 1 asic=a mode=cycle\n";
constexpr const char* kPlace = " | @0 se0.sh0.cu0 simd0 slot0\n";

bool printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; });
}

// "NAME:LINE: reason".
void require_place_and_reason(const std::string& message, const std::string& name,
                              const std::string& text) {
    require(message.rfind(name + ":", 0) == 0, "an error names its file");
    require(printable(message), "an error is one line that can be printed");
    if (text.empty())
        return;
    const size_t line = std::strtoull(message.c_str() + name.size() + 1, nullptr, 10);
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    require(line >= 1 && line <= lines, "an error names a line of the trace");
}

// Null: it was refused.
std::unique_ptr<host::RetireTrace> read(const std::string& name, const std::string& text) {
    try {
        return std::make_unique<host::RetireTrace>(name, text);
    } catch (const host::RetireError& e) {
        require_place_and_reason(e.what(), name, text);
        return nullptr;
    }
}

void require_records(const host::RetireTrace& trace) {
    std::string again = kHeader;
    for (size_t i = 0; i < trace.lines().size(); ++i) {
        const host::RetireRecord record = trace.record(i);
        const std::vector<host::RetireField> fields = host::fields(record.content);
        require(record.wave == trace.wave_name(trace.lines()[i].wave), "a record is of its wave");
        require(trace.find_wave(record.wave) == trace.lines()[i].wave, "a wave has a number");
        require(fields.size() >= 4 && fields[0].name == "wave" && fields[0].value == record.wave &&
                    fields[1].name == "pc" && fields[2].name == "words" &&
                    fields.back().name == "text",
                "a record begins with wave, program counter and words, and ends with its text");
        again += record.content + kPlace;
    }
    require(!host::first_difference(trace, trace, {2, false}), "a trace is equal to itself");
    const std::unique_ptr<host::RetireTrace> text = read("again", again);
    require(text != nullptr && text->lines().size() == trace.lines().size(),
            "records are accepted again as text");
    require(!host::first_difference(trace, *text, {2, false}) &&
                !host::first_difference(*text, trace, {2, false}),
            "records say the same as text");
}

void compare(const host::RetireTrace& a, const host::RetireTrace& b) {
    const auto there = host::first_difference(a, b, {2, false});
    const auto back = host::first_difference(b, a, {2, false});
    require(there.has_value() == back.has_value(), "traces differ both ways");
    if (there)
        require(there->text.rfind("a:", 0) == 0 && there->text.back() == '\n',
                "a difference names its place");
}

// ---- traces that the writer writes --------------------------------------------------------------

using Records = std::vector<std::pair<cu::RetiredWave, cu::Retired>>;

uint64_t random_lanes(Random& r) {
    switch (r.below(4)) {
        case 0:
            return 1;
        case 1:
            return ~uint64_t{0};
        default:
            return uint64_t{1} << r.below(64) | uint64_t{1} << r.below(64) | r.below(8);
    }
}

uint32_t add_row(cu::Retired& record, Random& r) {
    for (uint32_t& value : record.values.add())
        value = r.one_in(2) ? r.word() : r.below(16);
    return static_cast<uint32_t>(record.values.size() - 1);
}

void add_access(cu::Retired& record, Random& r) {
    static const std::vector<uint8_t> kBytes = {1, 2, 4, 8, 12, 16};
    cu::MemoryAccess access;
    access.space = static_cast<cu::MemoryAccess::Space>(r.below(5));
    access.kind = static_cast<cu::MemoryAccess::Kind>(r.below(3));
    const bool scalar = access.space == cu::MemoryAccess::Space::Scalar;
    access.bytes = scalar ? static_cast<uint8_t>(4u << r.below(5)) : r.pick(kBytes);
    access.dwords = static_cast<uint8_t>((access.bytes + 3) / 4);
    access.lanes = scalar ? 1 : random_lanes(r);
    const uint32_t page = r.word();
    for (uint64_t& address : record.addresses.add())
        address = r.one_in(20) ? uint64_t{r.word()} << 32 | r.word() : uint64_t{page} << 8;
    access.address_row = static_cast<uint32_t>(record.addresses.size() - 1);
    access.row = add_row(record, r);
    for (unsigned k = 1; k < access.dwords; ++k)
        add_row(record, r);
    record.accesses.push_back(access);
}

cu::Retired random_record(Random& r, const std::vector<cu::Decoded>& decoded) {
    cu::Retired record;
    record.decoded = &r.pick(decoded);
    record.pc = uint64_t{r.below(64)} * 4 + 0x318800;
    record.cycle = r.word();
    record.finished = !r.one_in(10);
    record.exec = random_lanes(r);
    record.vcc = random_lanes(r);
    record.m0 = r.word();
    record.scc = r.one_in(2);
    // Ascending, each once.
    for (uint32_t code = r.below(60); code < 104; code += 1 + r.below(60))
        record.scalars.push_back({static_cast<uint16_t>(code), r.word()});
    for (uint32_t vgpr = r.below(500); vgpr < 256; vgpr += 1 + r.below(200))
        record.vectors.push_back(
            {static_cast<uint16_t>(vgpr), random_lanes(r), add_row(record, r)});
    if (r.one_in(2))
        add_access(record, r);
    return record;
}

Records random_records(Random& r) {
    // Moves, a load and one whose text has a literal.
    static const std::vector<cu::Decoded> decoded = [] {
        constexpr std::array<std::array<uint32_t, 2>, 4> kWords = {
            {{0x7e020208, 0}, {0xbe8003ff, 0x1234}, {0xe0301000, 0x80020201}, {0xbf8c0f70, 0}}};
        std::vector<cu::Decoded> list;
        for (const auto& words : kWords)
            list.push_back(cu::make_decoded(words.data(), words.size()));
        return list;
    }();
    Records records;
    for (unsigned n = r.below(6); n > 0; --n) {
        cu::RetiredWave wave;
        wave.launch.dispatch = 1 + r.below(2);
        wave.launch.group = r.below(2);
        wave.launch.stage = r.one_in(4) ? ShaderStage::Vs : ShaderStage::Cs;
        wave.name = wave_name(wave.launch);
        wave.unit = "se0.sh0.cu" + std::to_string(r.below(8));
        records.emplace_back(wave, random_record(r, decoded));
    }
    return records;
}

std::string written(const Records& records, Format format) {
    std::string text;
    host::RetireWriter writer(format, {}, [&](std::string_view piece) { text += piece; });
    writer.header("tahiti", "cycle");
    isa::WaveState registers;
    for (const auto& [wave, record] : records) {
        writer.starts(wave, registers);
        writer.retired(wave, record);
    }
    writer.flush();
    return text;
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const std::string text(data, data + size);
    const size_t end = std::min(text.find(kEnd), text.size());
    const std::unique_ptr<host::RetireTrace> a = read("a", text.substr(0, end));
    if (a == nullptr)
        return false;
    require_records(*a);
    if (end == text.size())
        return true;
    const std::unique_ptr<host::RetireTrace> b = read("b", text.substr(end + 5));
    if (b == nullptr)
        return false;
    require_records(*b);
    compare(*a, *b);
    return true;
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (
        const char* text :
        {"# archipelago-retire 1 asic=tahiti mode=cycle\n# cs1 kernel=saxpy pc=0xe000318800\n"
         "cs1.g0.w0 00e000318800 c0840700:00001234 exec=ffffffffffffffff vcc=0000000000000000 "
         "scc=0 m0=00000000 s4=00000001 ttmp2=00000000 scalar.load.8[0000000000000001]="
         "000000000200:00000001.00000002 | s_load_dwordx2 s[8:9], s[6:7], 0x0 | @12 se0.sh0.cu0 "
         "simd0 slot0\r\n"
         "vs3.w7 00e000318804 7e020208 exec=0000000000000003 vcc=0000000000000000 scc=1 "
         "m0=ffffffff unfinished v1[0000000000000003]=00000000,0000002a "
         "lds.store.4[0000000000000002]=0010:0000002a | v_mov_b32_e32 v1, s8 | @15 se0.sh0.cu1 "
         "simd2 slot9\n",
         "# archipelago-retire 1 from elsewhere\ncs1.g0.w0 0 1 | s_nop 0",
         R"({"archipelago_retire": 1, "asic": "tahiti", "mode": "cycle"})"
         "\n"
         R"({"dispatch": "cs1", "kernel": "saxpy", "pc": "0xe000318800"})"
         "\n"
         R"({"wave":"cs1.g0.w0","pc":"00e000318800","words":"7e020208","text":"v_mov_b32_e32 v1, s8",)"
         R"("exec":"0000000000000003","vcc":"0000000000000000","scc":0,"m0":"00000000",)"
         R"("writes":{"s4":"00000001","v1":{"lanes":"0000000000000003","values":["00000000","0000002a"]}},)"
         R"("accesses":[{"space":"global","kind":"load","bytes":8,"lanes":"0000000000000001",)"
         R"("addresses":["000000000200"],"values":["00000001.00000002"]}],)"
         R"("at":{"cycle":2732,"unit":"se0.sh0.cu0","simd":0,"slot":0}})"
         "\n"
         R"({"wave":"ps2.w0","pc":"0","words":"bf810000","text":"s_endpgm","exec":"0","vcc":"0",)"
         R"("scc":1,"m0":"0","unfinished":true,"at":{}})"
         "\n"})
        list.push_back(bytes_of(text));
    Random random(11);
    for (unsigned n = 0; n < 4; ++n) {
        const Records records = random_records(random);
        list.push_back(bytes_of(written(records, Format::Text) + kEnd +
                                written(random_records(random), Format::Json)));
    }
    return list;
}

Bytes generate(Random& r) {
    const Records records = random_records(r);
    const std::string a = written(records, Format::Text);
    std::string b = written(records, Format::Json);
    const auto text = read("a", a);
    const auto json = read("b", b);
    require(text != nullptr && json != nullptr && text->lines().size() == records.size(),
            "what is written is accepted");
    require(!host::first_difference(*text, *json, {2, false}), "both formats say the same");
    static const std::vector<std::string> kPieces = {"0", "f",   ".",       ",",       ":",    "[",
                                                     "]", "{",   "}",       "|",       "@",    "\"",
                                                     " ", "\\n", "\\u0001", "\\u00e4", "false"};
    for (unsigned n = r.below(3); n > 0; --n)
        b.replace(r.below(static_cast<uint32_t>(b.size())), r.below(2), r.pick(kPieces));
    return bytes_of(a + kEnd + b);
}

}  // namespace archipelago::fuzz
