// SPDX-License-Identifier: Apache-2.0
// Every packet of every generation, in both modes: memory, registers and interrupts are those that
// the rows say, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "testbenches/unit/dma/bench.h"
#include "testbenches/unit/dma/scene.h"

namespace archipelago::dma::test {
namespace {

const std::vector<Row>& rows() {
    static const std::vector<Row> all = [] {
        std::vector<Row> list;
        for (const auto& some : {linear_rows(), tiled_rows(), control_rows(), register_rows()})
            list.insert(list.end(), some.begin(), some.end());
        return list;
    }();
    return all;
}

Spec spec_for(const Generation& generation, bool document) {
    Spec spec = spec_of(generation);
    if (!document)
        return spec;
    std::vector<std::string> names;
    for (const PacketInfo& packet : generation.document)
        names.emplace_back(packet.name);
    std::string unknown;
    spec.packets = document_forms(generation, names, unknown);
    return spec;
}

struct Case {
    const Generation* generation;
    const Row* row;
    BenchMode mode;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.generation->name << " " << *c.row;
}
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const Row& row : rows())
        for (const char* name : row.generations)
            for (const BenchMode mode : {BenchMode::Cycle, BenchMode::Functional})
                list.push_back({find_generation(name), &row, mode});
    return list;
}
std::string name_of(const testing::TestParamInfo<Case>& info) {
    std::string name = std::string(info.param.generation->name) + "_" + info.param.row->packet +
                       "_" + info.param.row->shows +
                       (info.param.mode == BenchMode::Cycle ? "_cycle" : "_functional");
    std::string identifier;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            identifier += c;
        else if (c == ' ' || c == '_')
            identifier += '_';
    return identifier;
}

class EveryPacket : public testing::TestWithParam<Case> {};

TEST_P(EveryPacket, DoesWhatTheDocumentSays) {
    const Generation& generation = *GetParam().generation;
    Scene s(generation);
    s.document = GetParam().row->document;
    GetParam().row->make(s);
    Bench b(spec_for(generation, GetParam().row->document), GetParam().mode);
    ASSERT_EQ(run_scene(s, b), "");
    for (const auto& [offset, value] : s.registers_after)
        EXPECT_EQ(b.registers[offset], value) << "register " << hex(offset);
    EXPECT_EQ(b.interrupts, s.interrupts);
    if (s.waits.empty()) {
        EXPECT_TRUE(b.idle()) << b.waiting_for();
        EXPECT_EQ(b.get(b.registers_of().rb_rptr), 4 * s.words.size()) << "read pointer";
        EXPECT_EQ(b.get(b.registers_of().status) & 1, 1u) << "idle";
    } else {
        EXPECT_EQ(b.waiting_for().substr(0, s.waits.size()), s.waits);
        EXPECT_EQ(b.get(b.registers_of().status) & 1, 0u) << "idle";
    }
}

INSTANTIATE_TEST_SUITE_P(Dma, EveryPacket, testing::ValuesIn(cases()), name_of);

// ---- the table of rows -------------------------------------------------------------------------

class EveryRow : public testing::TestWithParam<const Generation*> {};

// The fields of packets in `words` that are not 0, as PACKET.FIELD; and the packets.
void note_fields(const PacketTable& table, const Words& words, std::set<std::string>& seen) {
    for (size_t i = 0; i < words.size();) {
        const PacketInfo* info = table.find(words[i]);
        if (info == nullptr || info->fixed > words.size() - i)
            return;  // left out, or swapped
        seen.insert(info->name);
        const size_t size = info->dwords_of(&words[i]);
        for (const PacketField& field : info->fields)
            if (field.in(&words[i]) != 0)
                seen.insert(std::string(info->name) + "." + field.name);
        i += size;
    }
}

// A packet, or a field of one, that no row uses is a packet that nothing here shows.
TEST_P(EveryRow, UsesEveryFieldOfEveryPacket) {
    const Generation& generation = *GetParam();
    for (const bool document : {false, true}) {
        const Spec spec = spec_for(generation, document);
        std::set<std::string> seen, rows_of;
        for (const Row& row : rows())
            for (const char* name : row.generations)
                if (find_generation(name) == &generation && row.document == document) {
                    Scene s(generation);
                    s.document = document;
                    row.make(s);
                    note_fields(*spec.packets, s.words, seen);
                    for (const Words& buffer : s.buffers)
                        note_fields(*spec.packets, buffer, seen);
                    rows_of.insert(row.packet);
                }
        // What a reserved field says, a packet that writes both of its surfaces.
        const std::set<std::string> zeros = {"WRITE_TILED.DETILE", "COPY_TILED_BROADCAST.DETILE",
                                             "COPY_FRAME_TO_FIELD.DETILE",
                                             "COPY_TILE_UNITS_BROADCAST.DETILE"};
        const auto expect = [&](const PacketInfo& packet) {
            EXPECT_EQ(rows_of.count(packet.name), 1u) << packet.name << " has no row";
            EXPECT_EQ(seen.count(packet.name), 1u) << packet.name;
            if (document)
                return;
            for (const PacketField& field : packet.fields) {
                const std::string name = std::string(packet.name) + "." + field.name;
                EXPECT_EQ(seen.count(name), zeros.count(name) != 0 ? 0u : 1u) << name;
            }
        };
        if (document)
            std::for_each(generation.document.begin(), generation.document.end(), expect);
        else
            std::for_each(generation.packets.begin(), generation.packets.end(), expect);
    }
}

INSTANTIATE_TEST_SUITE_P(Dma, EveryRow, testing::ValuesIn(generations()),
                         [](const auto& info) { return std::string(info.param->name); });

// The packets that the document lists, so that one that the model lacks is missed too.
TEST(DmaPackets, AreThoseOfTheDocument) {
    const auto packets = [](const char* name) { return find_generation(name)->packets.size(); };
    EXPECT_EQ(packets("r600"), 9u);
    EXPECT_EQ(packets("r700"), 10u);
    EXPECT_EQ(packets("eg"), 18u);
    EXPECT_EQ(packets("ni"), 22u);
    EXPECT_EQ(packets("si"), 22u);
    EXPECT_EQ(packets("cik"), 24u);
}

}  // namespace
}  // namespace archipelago::dma::test
