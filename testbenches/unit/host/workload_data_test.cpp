// SPDX-License-Identifier: Apache-2.0
// The bytes after every form of data.
#include <gmock/gmock.h>

#include <numeric>

#include "testbenches/host/random_data.h"
#include "workload_files.h"

namespace archipelago::host::test {
namespace {

using testing::ElementsAre;

class WorkloadData : public WorkloadFiles {
  protected:
    DataSource data(const std::string& form) const {
        const Workload w = good("memory: [{address: 0, " + form + "}]\n");
        return w.memory.empty() ? DataSource() : w.memory[0].data;
    }
    std::vector<uint8_t> bytes(const std::string& form) const {
        const DataSource source = data(form);
        std::vector<uint8_t> out = read_bytes(source);
        EXPECT_EQ(out.size(), source.size());
        return out;
    }
};

TEST_F(WorkloadData, FilesGiveTheirBytesFromTheOffset) {
    std::vector<uint8_t> all(80);
    std::iota(all.begin(), all.end(), uint8_t{0});
    EXPECT_EQ(bytes("file: in.bin"), all);
    EXPECT_THAT(bytes("file: in.bin, offset: 77"), ElementsAre(77, 78, 79));
    EXPECT_THAT(bytes("file: in.bin, offset: 8, size: 2"), ElementsAre(8, 9));
    EXPECT_EQ(bytes("file: " + path("in.bin")), all) << "absolute paths stay";
}

TEST_F(WorkloadData, WordsAreLittleEndian) {
    EXPECT_THAT(bytes("words: [0x04030201, -1]"), ElementsAre(1, 2, 3, 4, 255, 255, 255, 255));
}

TEST_F(WorkloadData, AFillRepeatsAByteOrAWord) {
    EXPECT_THAT(bytes("fill: 0xab, size: 3"), ElementsAre(0xab, 0xab, 0xab));
    EXPECT_THAT(bytes("fill: 0x100, size: 8"), ElementsAre(0, 1, 0, 0, 0, 1, 0, 0));
    EXPECT_THAT(bytes("zeros: 3"), ElementsAre(0, 0, 0));
    EXPECT_EQ(data("fill: 0xab, size: 3").uniform_byte(), 0xab);
    EXPECT_EQ(data("fill: 0xabababab, size: 4").uniform_byte(), 0xab);
    EXPECT_EQ(data("fill: 0x100, size: 8").uniform_byte(), std::nullopt);
    EXPECT_EQ(data("words: [0]").uniform_byte(), std::nullopt);
}

TEST_F(WorkloadData, RandomDataIsThatOfTheGenerator) {
    for (const std::string& type : element_type_names()) {
        EXPECT_EQ(bytes("random: {type: " + type + ", count: 100, seed: 7}"),
                  fill_random(type, 100, 7))
            << type;
    }
    EXPECT_EQ(bytes("random: {type: u32, count: 5}"), fill_random("u32", 5, 1));
}

TEST_F(WorkloadData, LongDataComesInWholePieces) {
    const uint64_t size = (uint64_t{5} << 20) + 12;
    put("long.bin", size);
    struct Case {
        const char* form;
        uint8_t (*at)(uint64_t offset);
    };
    for (const Case& c : {
             Case{"file: long.bin", [](uint64_t at) { return static_cast<uint8_t>(at); }},
             Case{"fill: 0x44332211, size: 5242892",
                  [](uint64_t at) { return static_cast<uint8_t>(0x11 * (at % 4 + 1)); }},
             Case{"zeros: 5242892", [](uint64_t) { return uint8_t{0}; }},
         }) {
        const DataSource source = data(c.form);
        uint64_t done = 0;
        size_t pieces = 0;
        for_each_piece(source, [&](const uint8_t* piece, size_t count) {
            EXPECT_TRUE(count % 8 == 0 || done + count == size);
            for (size_t i = 0; i < count; i += 1021) {
                ASSERT_EQ(piece[i], c.at(done + i)) << c.form << " at " << done + i;
            }
            done += count;
            ++pieces;
        });
        EXPECT_EQ(done, size);
        EXPECT_EQ(pieces, 6U);
    }
}

TEST_F(WorkloadData, AFileThatVanishesOrShrinksIsAnErrorWithItsPlace) {
    const DataSource source = data("file: in.bin, offset: 8");
    const auto message = [&]() -> std::string {
        try {
            read_bytes(source);
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "";
    };
    put("in.bin", 79);
    EXPECT_EQ(message(), "w.yaml:1:29: memory[0].file: " + path("in.bin") +
                             " has become shorter than 80 bytes");
    std::filesystem::remove(path("in.bin"));
    EXPECT_EQ(message(), "w.yaml:1:29: memory[0].file: cannot read " + path("in.bin"));
}

}  // namespace
}  // namespace archipelago::host::test
