// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "workload_files.h"

namespace archipelago::host::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WorkloadParse : public WorkloadFiles {};

template <class T>
T number(const Arg& arg, ElementType type) {
    const auto& scalar = std::get<ScalarSpec>(arg.value);
    EXPECT_EQ(scalar.type, type);
    EXPECT_EQ(scalar.bytes.size(), sizeof(T));
    T value{};
    std::memcpy(&value, scalar.bytes.data(), sizeof value);
    return value;
}

// Every key of the format, once at least.
constexpr char kEveryKey[] = R"(
asic: tahiti
memory:
  - {address: 0x100000, file: in.bin}
  - {address: 0x101000, file: in.bin, offset: 16, size: 0x20}
  - {address: 0x102000, words: [1, 0xffffffff, -2]}
  - {address: 0x200000, fill: 0, size: 64 KiB}
kernel:
  code: kernel.cl
  name: saxpy
  global_size: [4096, 2, 1]
  local_size: [64, 1, 1]
  args:
    - buffer: {file: in.bin}
      expect: {file: in.bin, type: f32, rel: 1e-6, abs: 1e-7}
      dump: y.out.bin
    - buffer: {zeros: 4 KiB}
    - f32: 2.0
    - local: 256
  repeat: 3
  sync: first_level
steps:
  - memory: {address: 0x300000, size: 4096, fill: 0}
  - {ring: gfx, words: [0xC0001000, 0]}
  - {ring: compute1, file: in.bin, offset: 4, size: 8}
  - {ring: compute0, packets: [NOP, "SET_CONFIG_REG SCRATCH_REG0 = 7"]}
  - {ring: gfx, ib: {address: 0x208000, dwords: 256, vmid: 1}}
  - {wait: gfx}
  - expect: {address: 0x300000, file: sub/deep.bin}
expect:
  - {address: 0x102000, words: [1, 2, 3]}
  - {register: SCRATCH_REG0, value: 0xdeadbeef, mask: 0xffffffff}
  - {interrupt: eop, count: 2}
dump: [{address: 0x200000, size: 4096, file: out.bin}]
)";

TEST_F(WorkloadParse, AsicAndEveryKeyOfMemoryAreRead) {
    const Workload w = good(kEveryKey);
    EXPECT_EQ(w.path, "w.yaml");
    EXPECT_EQ(w.directory, directory_);
    EXPECT_EQ(w.asic, "tahiti");

    ASSERT_EQ(w.memory.size(), 4U);
    EXPECT_EQ(w.memory[0].address, 0x100000U);
    EXPECT_EQ(std::get<FileData>(w.memory[0].data.data).path, path("in.bin"));
    EXPECT_EQ(w.memory[0].data.size(), 80U);
    EXPECT_EQ(std::get<FileData>(w.memory[1].data.data).offset, 16U);
    EXPECT_EQ(w.memory[1].data.size(), 32U);
    EXPECT_THAT(std::get<WordData>(w.memory[2].data.data).words,
                ElementsAre(1, 0xffffffff, 0xfffffffe));
    EXPECT_EQ(w.memory[3].data.size(), 65536U);
    EXPECT_EQ(w.memory[3].data.uniform_byte(), 0);
    EXPECT_EQ(w.memory[2].source.to_string(), "w.yaml:6:5: memory[2]");
    EXPECT_EQ(w.memory[0].data.source.to_string(), "w.yaml:4:31: memory[0].file");
}

TEST_F(WorkloadParse, EveryKeyOfAKernelIsRead) {
    const Workload w = good(kEveryKey);
    ASSERT_TRUE(w.kernel);
    EXPECT_EQ(w.kernel->code, path("kernel.cl"));
    EXPECT_EQ(w.kernel->code_source.to_string(), "w.yaml:9:9: kernel.code");
    EXPECT_EQ(w.kernel->name, "saxpy");
    EXPECT_THAT(w.kernel->global_size, ElementsAre(4096, 2, 1));
    EXPECT_EQ(w.kernel->dimensions, 3U);
    ASSERT_TRUE(w.kernel->local_size);
    EXPECT_THAT(*w.kernel->local_size, ElementsAre(64, 1, 1));
    EXPECT_EQ(w.kernel->repeat, 3U);
    EXPECT_EQ(w.kernel->sync, KernelSync::FirstLevel);
    ASSERT_EQ(w.kernel->args.size(), 4U);
    const auto& y = std::get<BufferUse>(w.kernel->args[0].value);
    EXPECT_EQ(w.buffers[y.buffer].data.size(), 80U);
    ASSERT_TRUE(y.expect);
    EXPECT_EQ(y.expect->compare.type, ElementType::F32);
    EXPECT_EQ(y.expect->compare.rel, 1e-6);
    EXPECT_EQ(y.expect->compare.abs, 1e-7);
    ASSERT_TRUE(y.dump);
    EXPECT_EQ(y.dump->path, path("y.out.bin"));
    const auto& zeros = std::get<BufferUse>(w.kernel->args[1].value);
    EXPECT_EQ(w.buffers[zeros.buffer].data.size(), 4096U);
    EXPECT_FALSE(zeros.expect);
    EXPECT_FALSE(zeros.dump);
    EXPECT_EQ(number<float>(w.kernel->args[2], ElementType::F32), 2.0F);
    EXPECT_EQ(std::get<LocalSpec>(w.kernel->args[3].value).bytes, 256U);
}

TEST_F(WorkloadParse, EveryKeyOfStepsIsRead) {
    const Workload w = good(kEveryKey);
    ASSERT_EQ(w.steps.size(), 7U);
    EXPECT_EQ(std::get<MemorySpec>(w.steps[0].what).address, 0x300000U);
    const auto& words = std::get<RingStep>(w.steps[1].what);
    EXPECT_EQ(words.ring, 0U);
    EXPECT_EQ(std::get<DataSource>(words.what).size(), 8U);
    const auto& from_file = std::get<RingStep>(w.steps[2].what);
    EXPECT_EQ(from_file.ring, 2U);
    EXPECT_THAT(read_bytes(std::get<DataSource>(from_file.what)),
                ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
    const auto& packets = std::get<RingStep>(w.steps[3].what);
    EXPECT_EQ(packets.ring, 1U);
    const auto& text = std::get<DataSource>(packets.what);
    EXPECT_THAT(std::get<WordData>(text.data).words,
                ElementsAre(0xC0001000, 0, 0xC0016800, 0x140, 7));
    EXPECT_EQ(text.source.to_string(), "w.yaml:26:31: steps[3].packets");
    const auto& ib = std::get<IndirectBuffer>(std::get<RingStep>(w.steps[4].what).what);
    EXPECT_EQ(ib.address, 0x208000U);
    EXPECT_EQ(ib.dwords, 256U);
    EXPECT_EQ(ib.vmid, 1U);
    EXPECT_EQ(std::get<WaitStep>(w.steps[5].what).ring, 0U);
    const auto& step_expect =
        std::get<MemoryExpectation>(std::get<Expectation>(w.steps[6].what).what);
    EXPECT_EQ(step_expect.expected.size(), 16U);
    EXPECT_EQ(step_expect.compare.type, std::nullopt);
}

TEST_F(WorkloadParse, EveryKeyOfExpectationsAndDumpsIsRead) {
    const Workload w = good(kEveryKey);
    ASSERT_EQ(w.expect.size(), 3U);
    EXPECT_EQ(std::get<MemoryExpectation>(w.expect[0].what).address, 0x102000U);
    const auto& reg = std::get<RegisterExpectation>(w.expect[1].what);
    EXPECT_EQ(reg.name, "SCRATCH_REG0");
    EXPECT_EQ(reg.value, 0xdeadbeefU);
    EXPECT_EQ(reg.mask, 0xffffffffU);
    const auto& interrupt = std::get<InterruptExpectation>(w.expect[2].what);
    EXPECT_EQ(interrupt.name, "eop");
    EXPECT_EQ(interrupt.count, 2U);
    ASSERT_EQ(w.dump.size(), 1U);
    EXPECT_EQ(w.dump[0].address, 0x200000U);
    EXPECT_EQ(w.dump[0].size, 4096U);
    EXPECT_EQ(w.dump[0].file.path, path("out.bin"));
}

TEST_F(WorkloadParse, EveryKeyIsOptional) {
    for (const char* text : {"", "# nothing\n", "{}", "asic: tahiti\n", "steps: []\n"}) {
        const Workload w = good(text);
        EXPECT_TRUE(w.memory.empty() && w.steps.empty() && w.expect.empty() && w.dump.empty());
        EXPECT_FALSE(w.kernel);
    }
    const Workload w = good("kernel: {code: kernel.cl}\n");
    EXPECT_EQ(w.kernel->name, "");
    EXPECT_THAT(w.kernel->global_size, ElementsAre(1, 1, 1));
    EXPECT_FALSE(w.kernel->local_size);
    EXPECT_EQ(w.kernel->repeat, 1U);
    EXPECT_EQ(w.kernel->sync, KernelSync::All);
}

TEST_F(WorkloadParse, ShortSizesAreFilledWithOnes) {
    const Workload w = good("kernel: {code: kernel.cl, global_size: [100], local_size: [8, 2]}\n");
    EXPECT_THAT(w.kernel->global_size, ElementsAre(100, 1, 1));
    EXPECT_EQ(w.kernel->dimensions, 1U);
    EXPECT_THAT(*w.kernel->local_size, ElementsAre(8, 2, 1));
}

TEST_F(WorkloadParse, ScalarArgumentsOfEveryTypeReachTheirEnds) {
    const Workload w = good(R"(
kernel:
  code: kernel.cl
  args:
    - i8: -128
    - u8: 0xff
    - i16: -32768
    - u16: 65535
    - i32: -2147483648
    - u32: 0xffffffff
    - i64: -9223372036854775808
    - u64: 18446744073709551615
    - f32: 0.1
    - f64: 0.1
    - f32: .nan
    - f64: -.inf
    - f32: 3
)");
    const std::vector<Arg>& a = w.kernel->args;
    EXPECT_EQ(number<int8_t>(a[0], ElementType::I8), -128);
    EXPECT_EQ(number<uint8_t>(a[1], ElementType::U8), 255);
    EXPECT_EQ(number<int16_t>(a[2], ElementType::I16), -32768);
    EXPECT_EQ(number<uint16_t>(a[3], ElementType::U16), 65535);
    EXPECT_EQ(number<int32_t>(a[4], ElementType::I32), INT32_MIN);
    EXPECT_EQ(number<uint32_t>(a[5], ElementType::U32), UINT32_MAX);
    EXPECT_EQ(number<int64_t>(a[6], ElementType::I64), INT64_MIN);
    EXPECT_EQ(number<uint64_t>(a[7], ElementType::U64), UINT64_MAX);
    EXPECT_EQ(number<float>(a[8], ElementType::F32), 0.1F);
    EXPECT_EQ(number<double>(a[9], ElementType::F64), 0.1);
    EXPECT_TRUE(std::isnan(number<float>(a[10], ElementType::F32)));
    EXPECT_EQ(number<double>(a[11], ElementType::F64), -INFINITY);
    EXPECT_EQ(number<float>(a[12], ElementType::F32), 3.0F);
}

TEST_F(WorkloadParse, ArgumentsMayBeVectors) {
    const Workload w = good(R"(
kernel:
  code: kernel.cl
  args:
    - f32: [1.5, -2]
    - u8: [1, 2, 3]
    - f32: [7]
    - buffer: null
)");
    const std::vector<Arg>& a = w.kernel->args;
    EXPECT_THAT(std::get<ScalarSpec>(a[0].value).bytes,
                ElementsAre(0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0));
    EXPECT_THAT(std::get<ScalarSpec>(a[1].value).bytes, ElementsAre(1, 2, 3, 0))
        << "three components have the room of four";
    EXPECT_EQ(number<float>(a[2], ElementType::F32), 7.0F);
    EXPECT_TRUE(std::holds_alternative<NullBuffer>(a[3].value));
}

TEST_F(WorkloadParse, DataMayBeNumbersOfAType) {
    const Workload w = good(R"(
memory:
  - {address: 0x1000, f32: [1, -0.5]}
  - {address: 0x2000, i16: [-2, 0x7fff]}
  - {address: 0x3000, range: {type: u8, count: 4, first: 254}}
  - {address: 0x4000, range: {type: f16, count: 3, first: 1, step: -0.5}}
  - {address: 0x5000, range: {type: i64, count: 2, step: -1}}
  - {address: 0x6000, f16: [65504, .inf, 1e-7, .nan]}
expect:
  - {address: 0x1000, f32: [1, -0.5], rel: 0.1}
)");
    const auto bytes = [&](size_t i) { return read_bytes(w.memory[i].data); };
    EXPECT_THAT(bytes(0), ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf));
    EXPECT_THAT(bytes(1), ElementsAre(0xfe, 0xff, 0xff, 0x7f));
    EXPECT_THAT(bytes(2), ElementsAre(254, 255, 0, 1));
    EXPECT_THAT(bytes(3), ElementsAre(0, 0x3c, 0, 0x38, 0, 0));
    EXPECT_EQ(bytes(4), (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255,
                                              255, 255}));
    EXPECT_THAT(bytes(5), ElementsAre(0xff, 0x7b, 0, 0x7c, 2, 0, 0, 0x7e));
    EXPECT_EQ(std::get<MemoryExpectation>(w.expect[0].what).compare.type, ElementType::F32)
        << "that of the data";
}

TEST_F(WorkloadParse, AStructureHasTheLayoutOfC) {
    const Workload w = good(
        "kernel: {code: kernel.cl, args: [value: [{u8: 1}, {u32: [2, 3]}, {u8: 4}, {u16: 5}, {u8: "
        "6}]]}\n");
    EXPECT_THAT(
        read_bytes(std::get<ValueSpec>(w.kernel->args[0].value).data),
        testing::ElementsAreArray({1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6, 0, 0, 0}));
}

TEST_F(WorkloadParse, AVectorOfAStructureStandsAtAMultipleOfItsSize) {
    const Workload w = good(
        "kernel: {code: kernel.cl, args: [value: [{u8: 1}, {u16: [2, 3, 4], vector: true}, {u8: 5}"
        "]]}\n");
    EXPECT_THAT(read_bytes(std::get<ValueSpec>(w.kernel->args[0].value).data),
                testing::ElementsAreArray(
                    {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(WorkloadParse, LaterKernelsHaveTheCodeAndTheBuffersOfEarlierOnes) {
    const Workload w = good(R"(
kernel: {code: kernel.cl, args: [{buffer: {name: x, zeros: 64}}]}
steps:
  - kernel: {name: a, args: [{buffer: {buffer: x}, expect: {fill: 1}}, {buffer: {zeros: 8}}]}
  - expect: {buffer: x, words: [1]}
  - kernel: {code: in.bin, args: [{buffer: x}]}
  - kernel: {args: []}
expect: [{buffer: x, fill: 2}]
dump: [{buffer: x, file: x.out}]
)");
    ASSERT_EQ(w.kernels().size(), 4U);
    EXPECT_EQ(w.kernels()[1]->code, path("kernel.cl"));
    EXPECT_EQ(w.kernels()[2]->code, path("in.bin"));
    EXPECT_EQ(w.kernels()[3]->code, path("in.bin"));
    ASSERT_EQ(w.buffers.size(), 2U);
    EXPECT_EQ(w.buffers[0].name, "x");
    const auto& use = std::get<BufferUse>(w.kernels()[1]->args[0].value);
    EXPECT_EQ(use.buffer, 0U);
    EXPECT_EQ(use.expect->expected.size(), 64U) << "a fill covers the buffer";
    EXPECT_EQ(std::get<BufferUse>(w.kernels()[2]->args[0].value).buffer, 0U);
    EXPECT_EQ(std::get<BufferContents>(w.expect[0].what).expected.size(), 64U);
    EXPECT_EQ(w.dump[0].size, 64U);
}

TEST_F(WorkloadParse, AKernelOfTheWorkloadWithCodeAloneIsNoDispatchWhereStepsHaveKernels) {
    for (const char* top : {"kernel: {code: kernel.cl}", "code: kernel.cl"}) {
        const Workload w = good(std::string(top) + "\nsteps: [{kernel: {name: a}}]\n");
        EXPECT_FALSE(w.kernel);
        ASSERT_EQ(w.kernels().size(), 1U);
        EXPECT_EQ(w.kernels()[0]->code, path("kernel.cl"));
    }
}

TEST_F(WorkloadParse, RepeatedStepsAreWrittenOut) {
    const Workload w = good(R"(
code: kernel.cl
steps:
  - repeat: 3
    steps:
      - kernel: {args: [{buffer: {name: x, zeros: 64}}, {u32: {first: 5}}]}
      - repeat: 2
        steps:
          - kernel: {args: [{buffer: x}, {i8: {first: 100, step: 30}}, {f32: {first: 1, step: -0.5}}]}
  - wait: gfx
)");
    ASSERT_EQ(w.steps.size(), 10U);
    ASSERT_EQ(w.buffers.size(), 1U);
    std::vector<uint32_t> levels;
    std::vector<int> bytes;
    std::vector<float> halves;
    for (const KernelSpec* kernel : w.kernels()) {
        EXPECT_EQ(std::get<BufferUse>(kernel->args[0].value).buffer, 0U);
        if (kernel->args.size() == 2) {
            levels.push_back(number<uint32_t>(kernel->args[1], ElementType::U32));
        } else {
            bytes.push_back(number<int8_t>(kernel->args[1], ElementType::I8));
            halves.push_back(number<float>(kernel->args[2], ElementType::F32));
        }
    }
    EXPECT_THAT(levels, ElementsAre(5, 6, 7));
    EXPECT_THAT(bytes, ElementsAre(100, -126, -96, -66, -36, -6)) << "modulo 2^8";
    EXPECT_THAT(halves, ElementsAre(1, 0.5F, 0, -0.5F, -1, -1.5F));
}

TEST_F(WorkloadParse, RingsHaveTheNamesOfTheChip) {
    const std::vector<WorkloadChip::Ring> rings = test_chip(std::nullopt).rings;
    for (size_t i = 0; i < rings.size(); ++i) {
        const Workload w = good("steps: [{wait: " + rings[i].name + "}]\n");
        EXPECT_EQ(std::get<WaitStep>(w.steps[0].what).ring, i);
    }
}

TEST_F(WorkloadParse, TheChipIsTheOneTheWorkloadNames) {
    config::Diagnostics diag;
    std::optional<std::string> asked = "not asked";
    const auto chip = [&](const std::optional<std::string>& asic) {
        asked = asic;
        return WorkloadChip{{{"copy"}}, nullptr};
    };
    EXPECT_TRUE(parse_workload_text("asic: toy\nsteps: [{wait: copy}]\n", "w.yaml", directory_,
                                    chip, diag));
    EXPECT_EQ(asked, "toy");
    EXPECT_TRUE(parse_workload_text("", "w.yaml", directory_, chip, diag));
    EXPECT_EQ(asked, std::nullopt);
}

TEST_F(WorkloadParse, AKernelNeedsAChipWithComputeUnits) {
    config::Diagnostics diag;
    const auto chip = [](const std::optional<std::string>&) {
        return WorkloadChip{{{"copy"}}, nullptr};
    };
    EXPECT_FALSE(parse_workload_text("asic: toy\nkernel: {code: kernel.cl}\n", "w.yaml", directory_,
                                     chip, diag));
    ASSERT_EQ(diag.all().size(), 1U);
    EXPECT_EQ(format(diag.all()[0]),
              "w.yaml:2:9: kernel: kernels need GCN compute units, this chip has none");
}

TEST_F(WorkloadParse, ARingWithoutALanguageTakesNoPacketsAsText) {
    EXPECT_EQ(
        errors("steps: [{ring: dma0, packets: [NOP]}]\n"),
        "w.yaml:1:31: steps[0].packets: this has no packets as text, expected words or file\n");
}

TEST_F(WorkloadParse, PacketsAreThoseOfTheirRing) {
    const Workload w = good(
        "memory:\n- {address: 0x1000, packets: [TRAP], ring: dma1}\n- {address: 0x2000, packets: "
        "[NOP]}\nsteps: [{ring: dma1, packets: [\"FENCE ADDRESS = 0x40, DATA = 7\", NOP]}]\n");
    EXPECT_THAT(std::get<WordData>(w.memory[0].data.data).words, ElementsAre(0x70000000));
    EXPECT_THAT(std::get<WordData>(w.memory[1].data.data).words, ElementsAre(0xC0001000, 0));
    EXPECT_THAT(
        std::get<WordData>(std::get<DataSource>(std::get<RingStep>(w.steps[0].what).what).data)
            .words,
        ElementsAre(0x60000000, 0x40, 0, 7, 0xF0000000));
    EXPECT_THAT(errors("memory: [{address: 0x1000, packets: [TRAPS], ring: dma1}]\n"),
                HasSubstr("unknown packet \"TRAPS\" (did you mean \"TRAP\"?)"));
    EXPECT_THAT(errors("memory: [{address: 0x1000, packets: [NOP], ring: gxf}]\n"),
                HasSubstr("did you mean \"gfx\"?"));
    EXPECT_THAT(errors("memory: [{address: 0x1000, words: [1], ring: gfx}]\n"),
                HasSubstr("memory[0].ring: unknown key"));
}

TEST_F(WorkloadParse, RepeatedPacketsAndSeriesCountOn) {
    const Workload w = good(
        "memory:\n- {address: 0x1000, series: {count: 3, first: 7, step: 0xffffffff}}\n"
        "steps: [{ring: gfx, packets: [NOP, {repeat: 2, text: SET_CONFIG_REG SCRATCH_REG0 = $n, "
        "values: {n: {first: 5, step: 2}}}, NOP]}]\n");
    EXPECT_THAT(std::get<WordData>(w.memory[0].data.data).words, ElementsAre(7, 6, 5));
    EXPECT_THAT(
        std::get<WordData>(std::get<DataSource>(std::get<RingStep>(w.steps[0].what).what).data)
            .words,
        ElementsAre(0xC0001000, 0, 0xC0016800, 0x140, 5, 0xC0016800, 0x140, 7, 0xC0001000, 0));
}

TEST_F(WorkloadParse, BlockAndFlowMapsReadTheSame) {
    const Workload w = good(
        "steps:\n- ring: gfx\n  ib: {address: 0x208000, dwords: 256}\n- ring: gfx\n  ib:\n    "
        "address: 2129920\n    dwords: 0x100\n");
    ASSERT_EQ(w.steps.size(), 2U);
    for (const Step& step : w.steps) {
        const auto& ib = std::get<IndirectBuffer>(std::get<RingStep>(step.what).what);
        EXPECT_EQ(ib.address, 0x208000U);
        EXPECT_EQ(ib.dwords, 256U);
        EXPECT_EQ(ib.vmid, 0U);
    }
}

TEST_F(WorkloadParse, MemoryWithASizeAloneIsZeros) {
    const Workload w = good("memory: [{address: 0, size: 4096}]\n");
    EXPECT_EQ(w.memory[0].data.size(), 4096U);
    EXPECT_EQ(w.memory[0].data.uniform_byte(), 0);
}

TEST_F(WorkloadParse, AFillExpectedOfABufferCoversItByDefault) {
    const Workload w =
        good("kernel: {code: kernel.cl, args: [{buffer: {zeros: 64}, expect: {fill: 0xff}}]}\n");
    const auto& buffer = std::get<BufferUse>(w.kernel->args[0].value);
    EXPECT_EQ(buffer.expect->expected.size(), 64U);
    EXPECT_EQ(buffer.expect->expected.uniform_byte(), 0xff);
}

TEST_F(WorkloadParse, NamedRangesAreSortedAndMerged) {
    const Workload w = good(R"(
memory:
  - {address: 0x3000, size: 0x1000}
  - {address: 0xfffffffffffff000, size: 0x1000}
  - {address: 0x1000, words: [1, 2]}
steps:
  - memory: {address: 0x2000, size: 0x1000}
  - {ring: gfx, ib: {address: 0x100, dwords: 4}}
  - expect: {address: 0x1008, words: [1]}
expect: [{address: 0x10, words: [1]}, {interrupt: eop}]
dump: [{address: 0x3800, size: 0x900, file: d.bin}]
)");
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const AddressRange& r : named_ranges(w)) {
        ranges.emplace_back(r.first, r.last);
    }
    EXPECT_THAT(ranges, ElementsAre(std::pair(0x10, 0x13), std::pair(0x100, 0x10f),
                                    std::pair(0x1000, 0x100b), std::pair(0x2000, 0x40ff),
                                    std::pair(0xfffffffffffff000, ~uint64_t{0})));
}

TEST_F(WorkloadParse, AddressSpacesAreReadAndTheirMemoryIsNamed) {
    EXPECT_EQ(good("memory: [{address: 0, size: 1}]\n").spaces(), nullptr);
    const Workload w = good(R"(
address_spaces:
  - {vmid: 3, address: 0x400000, size: 8 KiB, memory: 0x900000}
  - {vmid: 15, address: 0x400000, size: 4096, memory: 0x900000}
  - {vmid: 3, address: 0xfffffffffffff000, size: 4 KiB, memory: 0}
)");
    ASSERT_NE(w.spaces(), nullptr);
    EXPECT_EQ(w.spaces()->translate(3, 0x401010), 0x901010U);
    EXPECT_EQ(w.spaces()->translate(3, ~uint64_t{0}), 0xfffU);
    EXPECT_EQ(w.spaces()->translate(15, 0x400fff), 0x900fffU);
    EXPECT_EQ(w.spaces()->translate(15, 0x401000), std::nullopt);
    EXPECT_EQ(w.spaces()->translate(4, 0x401000), 0x401000U);
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const AddressRange& r : named_ranges(w))
        ranges.emplace_back(r.first, r.last);
    EXPECT_THAT(ranges, ElementsAre(std::pair(0x0, 0xfff), std::pair(0x900000, 0x901fff)));
}

TEST_F(WorkloadParse, AFileIsReadBesideItself) {
    std::ofstream(path("w.yaml")) << "memory: [{address: 0, file: sub/deep.bin}]\n";
    config::Diagnostics diag;
    const std::optional<Workload> w = load_workload(path("w.yaml"), test_chip, diag);
    ASSERT_TRUE(w) << diag.format();
    EXPECT_EQ(w->path, path("w.yaml"));
    EXPECT_EQ(std::get<FileData>(w->memory[0].data.data).path, path("sub/deep.bin"));
    EXPECT_FALSE(load_workload(path("absent.yaml"), test_chip, diag));
    EXPECT_THAT(diag.format(), testing::HasSubstr("absent.yaml"));
}

TEST_F(WorkloadParse, TheWorkloadsOfTheProjectAreWithoutFault) {
    size_t count = 0;
    const std::string folder = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".yaml") {
            continue;
        }
        ++count;
        config::Diagnostics diag;
        EXPECT_TRUE(load_workload(entry.path().string(), test_chip, diag)) << diag.format();
    }
    EXPECT_GT(count, 20U);
}

}  // namespace
}  // namespace archipelago::host::test
