// SPDX-License-Identifier: Apache-2.0
// Workload files. Names of files are looked up among the shipped workloads; nothing is written.
#include <optional>

#include "models/cp/packets/si/si_packets.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/workload.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"workload_fuzzer", true, 12000, 6000, 0.3};

namespace {
constexpr const char* kFolder = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads";
constexpr uint64_t kReadAll = 100'000;  // bytes
}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    config::Diagnostics diagnostics;
    static const cp::Pm4Language kPackets = cp::si_pm4();
    const auto chip = [](const std::optional<std::string>&) {
        return host::WorkloadChip{
            {{"gfx", &kPackets}, {"compute0", &kPackets}, {"compute1", &kPackets}, {"dma0"}},
            &kPackets,
            {},
            true,
            true};
    };
    const std::optional<host::Workload> workload = host::parse_workload_text(
        std::string(data, data + size), "w.yaml", kFolder, chip, diagnostics);
    require(workload.has_value() != diagnostics.has_errors(), "a workload, or reasons");
    for (const config::Diagnostic& d : diagnostics.all()) {
        const std::string line = config::format(d);
        require(line.rfind("w.yaml", 0) == 0, "a diagnostic names the file");
        require(line.find('\n') == std::string::npos, "a diagnostic is one line");
    }
    if (!workload)
        return false;
    const auto read = [](const host::DataSource& source) {
        require(source.size() != 0, "data is not empty");
        if (source.size() < kReadAll)
            require(host::read_bytes(source).size() == source.size(), "data has its size");
    };
    for (const host::MemorySpec& memory : workload->memory) {
        require(memory.data.size() - 1 <= ~uint64_t{0} - memory.address, "ranges do not wrap");
        read(memory.data);
    }
    for (const host::BufferSpec& buffer : workload->buffers)
        read(buffer.data);
    for (const host::KernelSpec* kernel : workload->kernels())
        for (const host::Arg& arg : kernel->args)
            if (const auto* use = std::get_if<host::BufferUse>(&arg.value)) {
                require(use->buffer < workload->buffers.size(), "a buffer in use is there");
                const uint64_t bytes = workload->buffers[use->buffer].data.size();
                require(!use->expect || use->expect->expected.size() <= bytes,
                        "an expectation is not longer than its buffer");
            }
    for (const host::WaveSpec& wave : workload->waves)
        require(!wave.code.empty() && wave.code.back() == 0xbf810000 && wave.lds_bytes <= 32768,
                "a wave ends, and its LDS is what a group can have");
    uint64_t last = 0;
    for (const host::AddressRange& range : host::named_ranges(*workload)) {
        require(range.first <= range.last && (last == 0 || range.first > last + 1),
                "named ranges are sorted and apart");
        last = range.last;
    }
    return true;
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const char* folder : {kFolder, ARCHIPELAGO_SOURCE_DIR "/examples/one_wave"})
        for (const std::string& path : files_of(folder, ".yaml"))
            list.push_back(bytes_of(read_text(path)));
    for (const char* text :
         {"memory:\n  - {address: 0x100000, words: [1, 0x2, -3]}\n  - {address: 4096, fill: 0x1ff, "
          "size: 64 KiB}\n",
          "steps:\n  - memory: {address: 0, size: 4}\n  - {ring: gfx, words: [0xC0001000]}\n  - "
          "{ring: compute1, packets: [NOP]}\n  - {ring: dma0, ib: {address: 64, dwords: 9, vmid: "
          "3}}\n  "
          "- {wait: dma0}\n",
          "waves:\n  - {lds: 1 KiB, float_mode: 0xf0, dump: wave.txt,\n"
          "     code: \"v_mov_b32 v0, s1\", set: {\"v[2:3]\": [1.5, -2e-3], m0: 4, exec: 1, scc: "
          "1},\n"
          "     expect: {\"s[2:3]\": 0x100000000, vcc: 0, v0: [1, 0x2]}}\n",
          "expect:\n  - {register: R, value: 1, mask: 3}\n  - {interrupt: eop, count: 0}\n"})
        list.push_back(bytes_of(text));
    return list;
}

Bytes generate(Random& r) {
    const auto number = [&]() -> std::string {
        const uint32_t n = r.one_in(4) ? r.word() : 4 * r.below(4096);
        char text[24];
        std::snprintf(text, sizeof text, r.one_in(2) ? "%u" : "0x%x", n);
        return r.one_in(40) ? "-" + std::string(text) : text;
    };
    const auto words = [&] {
        std::string text = "[" + number();
        for (unsigned i = r.below(5); i > 0; --i)
            text += ", " + number();
        return text + "]";
    };
    static const std::vector<std::string> kTypes = {"i8",  "u8",  "i16", "u16", "i32",
                                                    "u32", "i64", "u64", "f32", "f64"};
    static const std::vector<std::string> kRings = {"gfx", "compute0", "compute1", "dma0"};
    const auto contents = [&]() -> std::string {
        switch (r.below(5)) {
            case 0:
                return "words: " + words();
            case 1:
                return "fill: " + number() + ", size: " + std::to_string(4 + 4 * r.below(99));
            case 2:
                return "zeros: " + std::to_string(1 + r.below(999)) + (r.one_in(4) ? " KiB" : "");
            case 3:
                return "file: saxpy.cl, offset: " + std::to_string(r.below(40)) +
                       ", size: " + std::to_string(1 + r.below(40));
            default:
                return "random: {type: " + r.pick(kTypes) +
                       ", count: " + std::to_string(1 + r.below(99)) + ", seed: " + number() + "}";
        }
    };
    const auto memory = [&] { return "{address: " + number() + ", " + contents() + "}"; };
    const auto expectation = [&]() -> std::string {
        switch (r.below(3)) {
            case 0:
                return "{address: " + number() + ", words: " + words() + "}";
            case 1:
                return "{register: SCRATCH_REG" + std::to_string(r.below(8)) +
                       ", value: " + number() + "}";
            default:
                return "{interrupt: eop, count: " + std::to_string(r.below(9)) + "}";
        }
    };
    std::string text = r.one_in(2) ? "asic: pitcairn\n" : "";
    if (r.one_in(2)) {
        text += "memory:\n";
        for (unsigned i = 1 + r.below(3); i > 0; --i)
            text += "  - " + memory() + "\n";
    }
    if (r.one_in(4)) {
        text += "address_spaces:\n";
        for (unsigned i = 1 + r.below(3); i > 0; --i)
            text += "  - {vmid: " + std::to_string(r.below(17)) +
                    ", address: " + std::to_string(4096 * r.below(9)) +
                    ", size: " + std::to_string(4 * r.below(5)) + " KiB, memory: " + number() +
                    "}\n";
    }
    unsigned names = 0;  // of buffers so far
    const auto kernel = [&] {
        std::string args;
        for (unsigned i = 1 + r.below(3); i > 0; --i) {
            args += args.empty() ? "" : ", ";
            if (names != 0 && r.one_in(4))
                args += "{buffer: b" + std::to_string(r.below(names)) + "}";
            else if (r.one_in(2))
                args += "{buffer: {name: b" + std::to_string(names++) + ", " + contents() + "}}";
            else
                args += "{" + r.pick(kTypes) + ": " +
                        (r.one_in(3) ? "{first: 1}" : std::to_string(r.below(140))) + "}";
        }
        return "{code: saxpy.cl, global_size: [" + std::to_string(1 + r.below(999)) + "], args: [" +
               args + "]}";
    };
    if (r.one_in(3))
        text += "kernel: " + kernel() + "\n";
    text += "steps:\n";
    for (unsigned i = 1 + r.below(4); i > 0; --i)
        switch (r.below(6)) {
            case 4:
                text += "  - kernel: " + kernel() + "\n";
                break;
            case 5:
                text += "  - {repeat: " + std::to_string(1 + r.below(9)) +
                        ", steps: [{kernel: " + kernel() + "}]}\n";
                break;
            case 0:
                text += "  - memory: " + memory() + "\n";
                break;
            case 1:
                text += "  - {ring: " + r.pick(kRings) + ", words: " + words() + "}\n";
                break;
            case 2:
                text += "  - {ring: " + r.pick(kRings) + ", ib: {address: " + number() +
                        ", dwords: " + std::to_string(1 + r.below(99)) + "}}\n";
                break;
            default:
                text += "  - expect: " + expectation() + "\n";
                break;
        }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
