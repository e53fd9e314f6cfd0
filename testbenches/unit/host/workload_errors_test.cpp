// SPDX-License-Identifier: Apache-2.0
// Every fault of a workload file is reported, at its place, in words that say what to write.
#include <gmock/gmock.h>

#include "workload_files.h"

namespace archipelago::host::test {
namespace {

using testing::HasSubstr;

class WorkloadErrors : public WorkloadFiles {
  protected:
    // The message about the only item of a list, without the place of the item.
    std::string of_item(const std::string& list, const std::string& item) const {
        const std::string head = "w.yaml:1:";
        std::string all = errors(list + ": [" + item + "]\n");
        EXPECT_EQ(all.rfind(head, 0), 0U) << all;
        const size_t path = all.find(list + "[0]");
        if (path == std::string::npos) {
            return all;
        }
        all = all.substr(path + list.size() + 3);
        if (all.rfind('.', 0) == 0) {
            all.erase(0, 1);
        }
        return all;
    }
    std::string memory(const std::string& keys) const {
        return of_item("memory", "{address: 0, " + keys + "}");
    }
    std::string expectation(const std::string& keys) const {
        return of_item("expect", "{" + keys + "}");
    }
    std::string step(const std::string& keys) const { return of_item("steps", "{" + keys + "}"); }
    std::string argument(const std::string& keys) const {
        const std::string all = errors("kernel: {code: kernel.cl, args: [{" + keys + "}]}\n");
        const size_t at = all.find("args[0]");
        return at == std::string::npos ? all : all.substr(at + 7);
    }
};

TEST_F(WorkloadErrors, AllComeAtOnceAndInOrder) {
    EXPECT_EQ(
        errors(R"(asics: tahiti
memory:
  - {address: 0x100000, file: absent.bin}
  - {address: 1 KiB, words: [1, two]}
kernel:
  code: absent.cl
  local_size: [64, 0]
steps:
  - {ring: gxf, words: [1]}
)"),
        R"(w.yaml:1:1: asics: unknown key, expected one of: asic, name, run, address_spaces, memory, code, kernel, waves, program, steps, expect, dump, interrupts (did you mean "asic"?)
w.yaml:3:31: memory[0].file: "DIR/absent.bin": no such file
w.yaml:4:15: memory[1].address: got text "1 KiB", expected an integer in 0..18446744073709551615
w.yaml:4:33: memory[1].words[1]: got text "two", expected an integer in -2147483648..4294967295
w.yaml:6:9: kernel.code: "DIR/absent.cl": no such file
w.yaml:7:20: kernel.local_size[1]: 0 is out of range, expected an integer in 1..4294967295
w.yaml:9:12: steps[0].ring: got text "gxf", expected one of: gfx, compute0, compute1, dma0, dma1, ctm, cp (did you mean "gfx"?)
)");
}

TEST_F(WorkloadErrors, FaultsOfTheTextAndOfItsMeaningComeTogether) {
    const std::string all = errors("memory: []\nmemory: []\nasic: 010\n");
    EXPECT_THAT(all, HasSubstr("w.yaml:2:1: memory: duplicate key"));
    EXPECT_THAT(all, HasSubstr("w.yaml:3:7: asic: got 010, expected text"));
    EXPECT_THAT(errors("memory: [\nfoo: {"), HasSubstr("YAML syntax"));
    EXPECT_EQ(errors("- a\n"), "w.yaml:1:1: got a list, expected a map\n");
    EXPECT_EQ(errors("memory:\n"), "w.yaml:1:1: memory: got nothing, expected a list\n");
    EXPECT_EQ(errors("asic: ''\n"),
              "w.yaml:1:7: asic: got empty text, expected the name of a chip\n");
}

TEST_F(WorkloadErrors, FilesMustBeThereAndLongEnough) {
    EXPECT_EQ(memory("file: sub"), "file: \"DIR/sub\": is a directory, expected a file\n");
    EXPECT_EQ(memory("file: empty.bin"), "file: \"DIR/empty.bin\": is empty\n");
    EXPECT_EQ(memory("file: /dev/null"), "file: \"/dev/null\": is not a regular file\n");
    EXPECT_EQ(memory("file: ''"), "file: got \"\", expected the name of a file\n");
    EXPECT_EQ(memory("file: \"in.bin\\0x\""),
              "file: got \"in.bin\\x00x\", expected the name of a file\n");
    EXPECT_EQ(memory("file: in.bin, offset: 80"),
              "offset: 80 is not inside \"DIR/in.bin\", which has 80 bytes\n");
    EXPECT_EQ(memory("file: in.bin, size: 81"),
              "size: 81 bytes from offset 0 end beyond \"DIR/in.bin\", which has 80 bytes\n");
    EXPECT_EQ(memory("file: in.bin, offset: 72, size: 9"),
              "size: 9 bytes from offset 72 end beyond \"DIR/in.bin\", which has 80 bytes\n");
    EXPECT_EQ(memory("file: in.bin, offset: 0xffffffffffffffff"),
              "offset: 18446744073709551615 is not inside \"DIR/in.bin\", which has 80 bytes\n");
    EXPECT_THAT(memory("file: " + std::string(5000, 'x')), HasSubstr("cannot be read"));
}

TEST_F(WorkloadErrors, DataHasExactlyOneForm) {
    EXPECT_EQ(
        of_item("memory", "{address: 0}"),
        ": none of the possible keys is present, expected exactly one of: file, words, packets, "
        "formula, fill, zeros, random, series, range, i8, u8, i16, u16, i32, u32, i64, u64, f16, "
        "f32, "
        "f64\n");
    EXPECT_THAT(memory("words: [1], file: in.bin"), HasSubstr("words: conflicts with \"file\""));
    EXPECT_EQ(memory("words: [1], size: 4"),
              "size: \"words\" has a size of its own, expected this with file or fill\n");
    EXPECT_EQ(memory("fill: 0, size: 4, offset: 4"),
              "offset: does not go with \"fill\", expected this with file\n");
    EXPECT_EQ(memory("words: []"),
              "words: got a list of 0, expected a list of 1 to 1073741824 items\n");
    EXPECT_EQ(memory("fill: 0"),
              "size: required key is missing, expected the number of bytes to fill\n");
    EXPECT_EQ(memory("fill: 0x101, size: 6"),
              "size: 6 bytes are no whole number of the 32-bit words that fill them\n");
    EXPECT_THAT(memory("fill: 0x100000000, size: 4"), HasSubstr("fill: 0x100000000 is out of"));
    EXPECT_THAT(memory("random: {type: f23, count: 1}"), HasSubstr("did you mean \"f32\"?"));
    EXPECT_THAT(memory("random: {count: 1}"), HasSubstr("random.type: required key is missing"));
    EXPECT_THAT(memory("random: {type: u8, count: 0}"), HasSubstr("random.count: 0 is out of"));
    EXPECT_THAT(memory("random: {type: u8, count: 1, sed: 1}"),
                HasSubstr("did you mean \"seed\"?"));
}

TEST_F(WorkloadErrors, SizesAndRangesAreBounded) {
    EXPECT_THAT(memory("size: 17 GiB"), HasSubstr("size: \"17 GiB\" is out of range"));
    EXPECT_THAT(memory("size: 0"), HasSubstr("size: \"0\" is out of range"));
    EXPECT_THAT(memory("zeros: 18446744073709551616"), HasSubstr("out of range"));
    EXPECT_THAT(memory("random: {type: u64, count: 1000000000}"),
                HasSubstr("1000000000 elements of 8 bytes are too many"));
    EXPECT_EQ(of_item("memory", "{address: 0xffffffffffffff00, size: 0x101}"),
              "address: 257 bytes from 0xffffffffffffff00 run over the end of the address space\n");
    EXPECT_THAT(of_item("memory", "{address: 0x10000000000000000, size: 1}"),
                HasSubstr("is out of range"));
}

TEST_F(WorkloadErrors, MoreMemoryThanTheLimitIsReportedOnceWhereItIsCrossed) {
    EXPECT_EQ(errors(R"(memory:
  - {address: 0, size: 10 GiB}
  - {address: 0x1001, size: 10 GiB}
  - {address: 0x400000000, size: 7 GiB}
  - {address: 0x800000000, size: 1}
)"),
              "w.yaml:4:5: memory[2]: with this the workload maps 17825800 KiB, expected at most "
              "16 GiB\n");
    // The same pages again cost nothing.
    std::string text = "memory:\n";
    for (int i = 0; i < 40; ++i) {
        text += "  - {address: 0x1000, size: 12 GiB}\n";
    }
    good(text);
    EXPECT_THAT(errors("memory: [{address: 0, size: 9 GiB}]\nkernel: {code: kernel.cl, args: "
                       "[{buffer: {zeros: 8 GiB}}]}\n"),
                HasSubstr("kernel.args[0].buffer: with this the workload maps 17 GiB"));
}

TEST_F(WorkloadErrors, KernelsAreChecked) {
    EXPECT_THAT(errors("kernel: {}\n"), HasSubstr("kernel.code: required key is missing"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, global_size: [1, 1, 1, 1]}\n"),
                HasSubstr("kernel.global_size: got a list of 4, expected a list of 1 to 3 items"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, global_size: [0, 0, 5]}\n"),
                HasSubstr("kernel.global_size[0]: 0 is out of range"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, global_offset: [-1]}\n"),
                HasSubstr("kernel.global_offset[0]: -1 is out of range"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, global_size: [0xffffffff, 0xffffffff, 2]}\n"),
                HasSubstr("too many work-items, expected at most 1099511627776"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, local_size: 64}\n"),
                HasSubstr("kernel.local_size: got 64, expected a list of 1 to 3 items"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, repeat: 0}\n"),
                HasSubstr("kernel.repeat: 0 is out of range"));
    EXPECT_THAT(errors("kernel: {code: kernel.cl, sync: l2}\n"), HasSubstr("kernel.sync: "));
}

TEST_F(WorkloadErrors, DataOfATypeIsChecked) {
    EXPECT_EQ(memory("u8: [1, 256]"),
              "u8[1]: 256 is out of range, expected an integer in 0..255\n");
    EXPECT_THAT(memory("f32: []"), HasSubstr("f32: got a list of 0"));
    EXPECT_THAT(memory("f32: 1"), HasSubstr("f32: got 1, expected a list"));
    EXPECT_THAT(memory("range: {count: 3}"), HasSubstr("range.type: required key is missing"));
    EXPECT_THAT(memory("range: {type: f23, count: 3}"), HasSubstr("did you mean \"f32\"?"));
    EXPECT_THAT(memory("range: {type: u8, count: 3, first: 256}"),
                HasSubstr("range.first: 256 is"));
    EXPECT_THAT(memory("range: {type: u8}"), HasSubstr("range.count: required key is missing"));
}

TEST_F(WorkloadErrors, ArgumentsAreChecked) {
    EXPECT_EQ(argument("f32: x"), ".f32: got text \"x\", expected a number\n");
    EXPECT_THAT(argument("f32: 1e39"), HasSubstr("that fits 32-bit floating point"));
    EXPECT_EQ(argument("i8: 128"), ".i8: 128 is out of range, expected an integer in -128..127\n");
    EXPECT_THAT(argument("u32: -1"), HasSubstr(".u32: -1 is out of range"));
    EXPECT_THAT(argument("f63: 1"), HasSubstr("did you mean \"f64\"?"));
    EXPECT_THAT(argument("f32: 1, i32: 2"), HasSubstr(".f32: conflicts with \"i32\""));
    EXPECT_THAT(argument("f32: 1, dump: x"),
                HasSubstr(".dump: does not go with \"f32\", expected this with a buffer"));
    EXPECT_THAT(argument("f16: 70000"), HasSubstr("expected a number that fits 16-bit floating"));
    EXPECT_THAT(argument("u32: {step: 2}"), HasSubstr(".u32.first: required key is missing"));
    EXPECT_THAT(argument("value: [{i32: 1, u8: 2}]"), HasSubstr(".value[0].i32: conflicts with"));
    EXPECT_THAT(argument("value: [{i32: [1, 2, 3, 4, 5], vector: true}]"),
                HasSubstr(".value[0].i32: 5 components, expected 1, 2, 3, 4, 8 or 16"));
    EXPECT_THAT(argument("value: [{}]"), HasSubstr(".value[0]: none of the possible keys"));
    EXPECT_THAT(argument("value: 5"), HasSubstr(".value: got 5, expected a map"));
    EXPECT_THAT(argument("local: 0"), HasSubstr(".local: \"0\" is out of range"));
    EXPECT_THAT(argument("local: 5 GiB"), HasSubstr("is out of range"));
    EXPECT_EQ(argument("buffer: {zeros: 64}, expect: {zeros: 65}"),
              ".expect: 65 bytes are expected in a buffer of 64\n");
    EXPECT_THAT(argument("buffer: 7, expect: {words: [1]}"),
                HasSubstr(".buffer: got 7, expected a map, or the name of a buffer"));
    EXPECT_THAT(
        argument("buffer: null, expect: {words: [1]}"),
        HasSubstr(".expect: does not go with \"buffer: null\", expected this with a buffer"));
    EXPECT_THAT(argument("f32: [1, 2, 3, 4, 5]"),
                HasSubstr(".f32: 5 components, expected 1, 2, 3, 4, 8 or 16"));
    EXPECT_THAT(argument("u8: [1, 256]"), HasSubstr(".u8[1]: 256 is out of range"));
    EXPECT_EQ(argument("buffer: {zeros: 6}, expect: {fill: 0, type: f32}"),
              ".expect.type: 6 bytes are no whole number of f32\n");
}

TEST_F(WorkloadErrors, KernelsOfStepsAreChecked) {
    const auto steps = [&](const std::string& items) {
        return errors(
            "steps:\n- kernel: {code: kernel.cl, args: [{buffer: {name: x, zeros: 8}}]}\n" + items);
    };
    EXPECT_THAT(errors("steps: [{kernel: {name: a}}]\n"),
                HasSubstr("steps[0].kernel.code: required key is missing"));
    EXPECT_THAT(
        steps("- kernel: {args: [{buffer: {buffer: y}}]}\n"),
        HasSubstr("steps[1].kernel.args[0].buffer.buffer: got text \"y\", expected one of: x"));
    EXPECT_THAT(steps("- kernel: {args: [{buffer: {name: x, zeros: 8}}]}\n"),
                HasSubstr("buffer.name: there is a buffer \"x\" already (w.yaml:2:"));
    EXPECT_THAT(steps("- kernel: {args: [{buffer: {buffer: x, zeros: 8}}]}\n"),
                HasSubstr("zeros: unknown key"));
    EXPECT_THAT(steps("- kernel: {args: [{buffer: {buffer: x}, expect: {words: [1, 2, 3]}}]}\n"),
                HasSubstr("12 bytes are expected in a buffer of 8"));
    EXPECT_THAT(steps("- expect: {buffer: z, words: [1]}\n"),
                HasSubstr("steps[1].expect.buffer: got text \"z\", expected one of: x"));
    EXPECT_THAT(steps("- {repeat: 2}\n"), HasSubstr("steps[1].steps: required key is missing"));
    EXPECT_THAT(steps("- {repeat: 65536, steps: [{wait: gfx}, {wait: gfx}]}\n"),
                HasSubstr("repeat: 65536 times 2 steps are too many, expected at most 65536"));
    EXPECT_THAT(errors("steps: [{expect: {buffer: x, words: [1]}}]\n"),
                HasSubstr("no kernel before this has one with name: NAME"));
}

TEST_F(WorkloadErrors, StepsAreChecked) {
    EXPECT_THAT(step("wait: gxf"), HasSubstr("did you mean \"gfx\"?"));
    EXPECT_THAT(step("wait: [gfx]"), HasSubstr("wait: got a list, expected one of: gfx"));
    EXPECT_THAT(step("ring: gfx"), HasSubstr("expected exactly one of: words, file, packets, ib"));
    EXPECT_THAT(step("rings: gfx, words: [1]"), HasSubstr("did you mean \"ring\"?"));
    EXPECT_THAT(step("ring: gfx, words: [1], packets: [NOP]"), HasSubstr("conflicts with"));
    EXPECT_EQ(step("ring: gfx, ib: {address: 2, dwords: 1}"),
              "ib.address: 0x2 is not a multiple of 4\n");
    EXPECT_THAT(
        step("ring: gfx, ib: {address: 0, dwords: 0x100000}"),
        HasSubstr("ib.dwords: 0x100000 is out of range, expected an integer in 1..1048575"));
    EXPECT_THAT(step("ring: gfx, ib: {address: 0, dwords: 1, vmid: 16}"),
                HasSubstr("ib.vmid: 16 is out of range, expected an integer in 0..15"));
    EXPECT_THAT(step("ring: gfx, ib: {address: 0xfffffffffffffffc, dwords: 2}"),
                HasSubstr("run over the end of the address space"));
    EXPECT_EQ(step("ring: gfx, file: odd.bin"), "file: 6 bytes are no whole number of dwords\n");
    EXPECT_EQ(step("ring: gfx, file: in.bin, size: 6"),
              "size: 6 bytes are no whole number of dwords\n");
    EXPECT_THAT(step("ring: gfx, packets: [[a]]"), HasSubstr("packets[0]: got a list"));
    EXPECT_EQ(step("ring: gfx, packets: [NOP, NOOP]"),
              "packets[1]: line 1, column 1 of the text: unknown packet \"NOOP\" (did you mean "
              "\"NOP\"?)\n");
    EXPECT_EQ(step("ring: compute1, packets: [\"NOP\\nSET_SH_REG COMPUTE_PGM_L = 1\"]"),
              "packets[0]: line 2, column 12 of the text: unknown register \"COMPUTE_PGM_L\" (did "
              "you mean \"COMPUTE_PGM_LO\"?)\n");
    EXPECT_EQ(step("ring: gfx, packets: [.byte 1]"),
              "packets[0]: 1 bytes are no whole number of dwords\n");
    EXPECT_EQ(step("ring: gfx, packets: [{repeat: 3, text: NOP, values: {a: {}}}]"),
              "packets[0].values: the text has no \"$a\"\n");
    EXPECT_EQ(step("ring: gfx, packets: [{repeat: 3, text: NOP $b}]"),
              "packets[0].text: \"values\" has no \"b\"\n");
    EXPECT_THAT(step("ring: gfx, packets: [{repeat: 3, text: NOOP}]"),
                HasSubstr("packets[0]: line 1, column 1 of the text: unknown packet \"NOOP\""));
    EXPECT_THAT(step("ring: gfx, packets: [{repeat: 0, text: NOP}]"), HasSubstr("repeat: 0 is"));
    EXPECT_EQ(memory("packets: [NOPE]"),
              "packets[0]: line 1, column 1 of the text: unknown packet \"NOPE\" (did you mean "
              "\"NOP\"?)\n");
    EXPECT_THAT(step("ring: gfx, fill: 0, size: 4"), HasSubstr("fill: unknown key"));
    EXPECT_THAT(step("wait: gfx, ring: gfx"), HasSubstr("conflicts with"));
}

TEST_F(WorkloadErrors, ExpectationsAreChecked) {
    EXPECT_THAT(expectation("adress: 0, words: [1]"), HasSubstr("did you mean \"address\"?"));
    EXPECT_THAT(expectation("address: 0, size: 4"), HasSubstr("none of the possible keys"));
    EXPECT_THAT(expectation("register: A"), HasSubstr("value: required key is missing"));
    EXPECT_EQ(expectation("register: A, value: 2, mask: 1"),
              "value: 0x2 has bits outside the mask 0x1 and can never match\n");
    EXPECT_THAT(expectation("register: '', value: 0"), HasSubstr("expected a register's name"));
    EXPECT_THAT(expectation("interrupt: eop, count: -1"), HasSubstr("count: -1 is out of range"));
    EXPECT_THAT(expectation("interrupt: eop, value: 1"), HasSubstr("value: unknown key"));
    EXPECT_THAT(expectation("address: 0, words: [1], type: f64"),
                HasSubstr("type: 4 bytes are no whole number of f64"));
    EXPECT_THAT(expectation("address: 0, words: [1], type: float"),
                HasSubstr("type: got text \"float\", expected one of: i8"));
    EXPECT_THAT(expectation("address: 0, words: [1], type: f32, rel: .nan"),
                HasSubstr("rel: .nan is out of range"));
    EXPECT_THAT(expectation("address: 0, words: [1], type: f32, abs: -1"),
                HasSubstr("abs: -1 is out of range"));
    EXPECT_THAT(expectation("address: 0, words: [1], rel: 1e-6"),
                HasSubstr("rel: a tolerance needs the type of the elements"));
}

TEST_F(WorkloadErrors, DumpsOverwriteNothingThatIsReadOrDumped) {
    const auto dump = [&](const std::string& file) {
        return of_item("dump", "{address: 0, size: 4, file: " + file + "}");
    };
    EXPECT_EQ(dump("no/out.bin"), "file: \"DIR/no/out.bin\": no such directory\n");
    EXPECT_EQ(dump("sub"), "file: \"DIR/sub\": is a directory, expected a file to write\n");
    EXPECT_EQ(dump("sub/"), "file: got \"sub/\", expected the name of a file to write\n");
    EXPECT_THAT(of_item("dump", "{address: 0, size: 0, file: a}"), HasSubstr("out of range"));
    EXPECT_THAT(errors("memory: [{address: 0, file: in.bin}]\ndump: [{address: 0, size: 4, file: "
                       "sub/../in.bin}]\n"),
                HasSubstr("which this workload reads"));
    EXPECT_EQ(errors("dump:\n- {address: 0, size: 4, file: a}\n- {address: 4, size: 4, file: "
                     "./a}\n"),
              "w.yaml:3:31: dump[1].file: writes the same file as w.yaml:2:31: dump[0].file\n");
}

}  // namespace
}  // namespace archipelago::host::test
