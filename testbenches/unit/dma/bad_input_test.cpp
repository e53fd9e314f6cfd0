// SPDX-License-Identifier: Apache-2.0
// What no packet may ask for: each is refused by name, in both modes, and memory is left as the
// packets before it made it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "testbenches/unit/dma/bench.h"
#include "testbenches/unit/dma/tiled_reference.h"

namespace archipelago::dma::test {
namespace {

// ---- headers -----------------------------------------------------------------------------------

class EveryHeader : public testing::TestWithParam<const Generation*> {};

// [31:28] and [27:20] of what the document has, 23 and 22 being flags of WRITE, COPY, SEMAPHORE.
bool documented(const std::string& generation, uint32_t command, uint32_t sub) {
    const bool old = generation == "r600" || generation == "r700";
    const bool northern = generation == "ni" || generation == "si";
    switch (command) {
        case 2:
        case 3:
            if (old || sub == 0 || sub == 0b00001000)
                return true;
            if (command == 2)
                return northern && sub == 0b01000010;
            return std::set<uint32_t>{0x40, 0x44, 0x48, 0x4B, 0x4C, 0x4F}.count(sub) != 0 ||
                   (northern && std::set<uint32_t>{0x41, 0x49, 0x4D}.count(sub) != 0);
        case 9:  // [27:26]: 00 writes, 1x reads
            return !old && (sub >> 6 == 0 || (sub >> 7 == 1 && generation != "si"));
        case 13:
            return generation != "r600" && (sub & 8) == 0;
        case 14:
            return generation == "si";
        default:
            return (command >= 4 && command <= 7) || command == 15;
    }
}

TEST_P(EveryHeader, IsAPacketOnlyIfTheDocumentHasIt) {
    const Generation& generation = *GetParam();
    if (generation.sdma) {
        const std::map<uint32_t, std::set<uint32_t>> subs = {{0, {0}},    {1, {0, 1, 3, 4, 5, 6}},
                                                             {2, {0, 1}}, {4, {0}},
                                                             {5, {0}},    {6, {0}},
                                                             {7, {0}},    {8, {0}},
                                                             {9, {0}},    {11, {0}},
                                                             {12, {0}},   {13, {0, 1, 2}},
                                                             {14, {0}}};
        for (uint32_t op = 0; op < 256; ++op)
            for (uint32_t sub = 0; sub < 256; ++sub) {
                const auto found = subs.find(op);
                EXPECT_EQ(generation.packets.find(f(15, 8, sub) | f(7, 0, op)) != nullptr,
                          found != subs.end() && found->second.count(sub) != 0)
                    << "op " << op << ", sub-op " << sub;
            }
        return;
    }
    for (uint32_t command = 0; command < 16; ++command)
        for (uint32_t sub = 0; sub < 256; ++sub)
            EXPECT_EQ(generation.packets.find(f(31, 28, command) | f(27, 20, sub)) != nullptr,
                      documented(generation.name, command, sub))
                << "command " << command << ", sub-command " << sub;
}

INSTANTIATE_TEST_SUITE_P(Dma, EveryHeader, testing::ValuesIn(generations()),
                         [](const auto& info) { return std::string(info.param->name); });

// ---- packets -----------------------------------------------------------------------------------

struct Bad {
    const char* name;
    const char* generation;
    Words words;
    const char* message;  // empty: nothing happens, and the packet after it is executed
    Words buffer = {};    // at kBuffer
    std::vector<std::pair<uint32_t, uint32_t>> engine = {};
    const char* instead = nullptr;  // of the functional engine: an address, where the timed one
                                    // knows a line
};
std::ostream& operator<<(std::ostream& out, const Bad& bad) {
    return out << bad.name;
}

constexpr uint32_t kBuffer = 0x180000, kNowhere = 0x40000000;
constexpr uint32_t kMarked = 0x1F0000;  // written by packets in front of and after the bad one

// A tiled surface of 128 x 100 elements of 4 bytes at 0x300000: dwords 3 to 7.
Words surface_si(uint32_t x, uint32_t y, uint32_t swap = 0) {
    return {f(30, 27, 2) | f(26, 24, 2), f(29, 16, 99) | f(10, 0, 15), f(21, 0, 16 * 13 - 1),
            f(13, 0, x), f(31, 30, swap) | f(13, 0, y)};
}
Words join(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}
Words copy_tiled_si(uint32_t sub, uint32_t count, const Words& surface) {
    return join(join({f(31, 28, 3) | f(27, 20, sub) | f(19, 0, count), 0x3000}, surface),
                {0x100000, 0});
}
// T2T of two such surfaces.
Words tiled_to_tiled_si(uint32_t x, uint32_t dx, uint32_t dy) {
    return {f(31, 28, 3) | f(27, 20, 0x4D),
            0x3000,
            f(29, 16, 99) | 15,
            207,
            0x4000,
            f(29, 16, 99) | 15,
            207,
            f(30, 27, 2) | f(26, 24, 2),
            f(29, 16, x),
            0,
            0,
            f(29, 16, dy) | f(13, 0, dx),
            1};
}
Words structured_cik(uint32_t stride, uint32_t count) {
    return {0x301, 0x100000, 0, 0, count, stride, 0x110000, 0};
}
Words tiled_cik(uint32_t sub, uint32_t mode, uint32_t height, uint32_t linear_pitch,
                uint32_t swap = 0) {
    return {f(15, 8, sub) | 1, 0x300000, 0, f(29, 16, height) | 15, 207, mode, 0,
            f(17, 16, swap),   0x100000, 0, linear_pitch,           32};
}
constexpr uint32_t kMode1d = f(6, 3, 2) | 2;

std::vector<Bad> bad_packets() {
    return {
        // Reserved.
        {"command 8",
         "r600",
         {0x80000000},
         "bad input: ring dma0 dword 4: no packet of generation r600 has header 0x80000000"},
        {"fill of R6xx",
         "r600",
         {0xD0000001, 0x100000, 0, 0},
         "bad input: ring dma0 dword 4: no packet of generation r600 has header 0xd0000001"},
        {"window of Evergreen", "eg", Words(9, 0x34100000),
         "bad input: ring dma0 dword 4: no packet of generation eg has header 0x34100000"},
        {"sub-opcode",
         "cik",
         {0x0701},
         "bad input: ring dma0 dword 5: no packet of generation cik has header 0x701"},
        {"extra information",
         "cik",
         {0x00010001},
         "bad input: ring dma0 dword 5: no packet of generation cik has header 0x10001"},
        {"function 7",
         "si",
         {f(31, 28, 14), 0x1000, 0, 0, 0, f(30, 28, 7)},
         "bad input: ring dma0 dword 4: packet POLL_REG_MEM: reserved FUNCTION 7"},
        {"poll op 2",
         "cik",
         {f(27, 26, 2) | 8, 0, 0, 0, 0, 0},
         "bad input: ring dma0 dword 5: packet POLL_REG_MEM: reserved OP 2"},
        {"request of memory",
         "cik",
         {f(31, 31, 1) | f(27, 26, 1) | 8, 0, 0, 0, 0, 0},
         "bad input: ring dma0 dword 5: packet POLL_REG_MEM: OP WRITE_WAIT_WRITE of memory"},
        {"fill size 1",
         "cik",
         {f(31, 30, 1) | 11, 0x100000, 0, 0, 4},
         "bad input: ring dma0 dword 5: packet CONSTANT_FILL: reserved FILL_SIZE 1"},
        {"fill with 8IN64",
         "cik",
         {f(31, 30, 2) | f(17, 16, 3) | 11, 0x100000, 0, 0, 8},
         "bad input: ring dma0 dword 5: packet CONSTANT_FILL: reserved swap code 3"},
        {"element size", "si", copy_tiled_si(8, 4, {f(30, 27, 2) | f(26, 24, 5), 15, 15, 0, 0}),
         "bad input: ring dma0 dword 4: packet COPY_TILED: reserved element size 5"},
        {"window of elements of 256 bits",
         "cik",
         {f(31, 29, 5) | 0x401, 0x100000, 0, 0, 0, 0, 0x110000, 0, 0, 0, 0, f(29, 16, 1) | 1, 1},
         "bad input: ring dma0 dword 5: packet COPY_LINEAR_SUB_WINDOW: reserved SIZE 5"},
        {"detile to two",
         "eg",
         {f(31, 28, 3) | f(27, 20, 0x4B) | 4, 0x3000, 0x4000, f(31, 31, 1) | f(30, 27, 2), 15, 15,
          0, 0, 0x100000, 0},
         "bad input: ring dma0 dword 4: packet COPY_TILED_BROADCAST: DETILE is 1, but both "
         "surfaces are written"},
        {"surface of no mode",
         "r600",
         {f(31, 28, 3) | f(23, 23, 1) | 4, 0x3000, f(30, 27, 8) | 15, f(31, 12, 255), 0, 0x100000,
          0},
         "bad input: ring dma0 dword 4: packet COPY_TILED: tiled surface: surface "
         "(2D_TILED_XTHICK, 8 bits, 1 samples, 128 x 128 x 8192): no such array mode on R6xx and "
         "R7xx"},
        // Counts.
        {"odd count",
         "r600",
         {0x30000003, 0x110000, 0x100000, 0},
         "bad input: ring dma0 dword 4: packet COPY_LINEAR: COUNT 3 is odd"},
        {"half an entry",
         "ni",
         {0x24200003, 0x100000, 0, 0, 0, 0, 0, 0, 0},
         "bad input: ring dma0 dword 4: packet WRITE_PTE: COUNT 3 is odd: an entry has two dwords"},
        {"half an element", "si", copy_tiled_si(8, 3, {f(30, 27, 2) | f(26, 24, 4), 15, 255, 0, 0}),
         "bad input: ring dma0 dword 4: packet COPY_TILED: COUNT 3 is no whole number of elements"},
        {"write beyond the ring",
         "r700",
         {0x2000FFFF, 0x100000, 0, 1, 2},
         "bad input: ring dma0 dword 4: packet WRITE_LINEAR is cut off: it has 65538 dwords, more "
         "than the ring ever holds"},
        {"tiled write beyond the ring",
         "cik",
         {0x102, 0x300000, 0, f(29, 16, 99) | 15, 207, kMode1d, 0, 0, 0xFFFFF, 5},
         "bad input: ring dma0 dword 5: packet WRITE_TILED is cut off: it has 1048584 dwords, "
         "more than the ring ever holds"},
        {"write beyond the buffer",
         "ni",
         {0x40000000, kBuffer, f(31, 12, 5)},
         "bad input: ring dma0, IB 0x180000 dword 1: packet WRITE_LINEAR is cut off: it has 5 "
         "dwords, 4 are left before the end of the indirect buffer",
         {0xF0000000, 0x20000002, 0x100000, 0, 1, 2}},
        {"half a packet in a buffer",
         "si",
         {0x40000000, kBuffer, f(31, 12, 2)},
         "bad input: ring dma0, IB 0x180000 dword 0: packet FENCE is cut off: it has 4 dwords, 2 "
         "are left before the end of the indirect buffer",
         {0x60000000, 0x100000, 0, 1}},
        {"left out beyond the buffer",
         "cik",
         {4, kBuffer, 0, 6},
         "bad input: ring dma0, IB 0x180000 dword 0: packet COND_EXEC: leaves out 3 dwords, 2 are "
         "left before the end of the indirect buffer",
         {9, kBuffer + 32, 0, 3, 0, 0, 0, 0, 0}},
        {"structures without dwords", "cik", structured_cik(0, 1),
         "bad input: ring dma0 dword 5: packet COPY_STRUCTURED: STRIDE is 0"},
        {"too many structures", "cik", structured_cik(2, 0x20000001),
         "bad input: ring dma0 dword 5: packet COPY_STRUCTURED: moves more than 2^30 dwords"},
        // Alignment.
        {"entry in the middle",
         "si",
         {0x24200002, 0x100004, 0, 0, 0, 0, 0, 0, 0},
         "bad input: ring dma0 dword 4: packet WRITE_PTE: DST 0x100004 is not qword aligned"},
        {"fill of dwords in the middle",
         "cik",
         {f(31, 30, 2) | 11, 0x100002, 0, 0, 4},
         "bad input: ring dma0 dword 5: packet CONSTANT_FILL: a fill of dwords whose address or "
         "COUNT is no multiple of 4"},
        {"broadcast in the middle",
         "cik",
         {0x08000001, 4, 0, 0x100000, 0, 0x110000, 0, 0x120010, 0},
         "bad input: ring dma0 dword 5: packet COPY_LINEAR_BROADCAST: DST1 and DST2 differ in "
         "their low five bits"},
        {"swap in the middle",
         "eg",
         {0x30000002, 0x110004, 0x100000, 0x300, 0},
         "bad input: ring dma0 dword 4: packet COPY_LINEAR: byte swap needs addresses and sizes in "
         "multiples of 8"},
        {"swap across rows", "si",
         copy_tiled_si(8, 2, {f(30, 27, 2), f(29, 16, 99) | 15, 207, f(13, 0, 4), f(31, 30, 3)}),
         "bad input: ring dma0 dword 4: packet COPY_TILED: byte swap needs addresses and sizes in "
         "multiples of 8"},
        {"tiles in the middle", "si", copy_tiled_si(0x4C, 1, surface_si(12, 8)),
         "bad input: ring dma0 dword 4: packet COPY_TILE_UNITS: X and Y are 12, 8, not those of a "
         "tile"},
        {"tile windows in the middle", "si", tiled_to_tiled_si(4, 8, 8),
         "bad input: ring dma0 dword 4: packet COPY_TILED_TO_TILED: places and sizes are not those "
         "of tiles"},
        {"request of no register",
         "cik",
         {f(27, 26, 1) | 8, 0x5400, 0x5406, 0, 0, 0},
         "bad input: ring dma0 dword 5: packet POLL_REG_MEM: register 0x5406 is no dword's"},
        // Outside of a surface.
        {"place beyond the pitch", "si", copy_tiled_si(8, 4, surface_si(128, 0)),
         "bad input: ring dma0 dword 4: packet COPY_TILED: begins at 128, 0, outside a surface of "
         "128 x 100"},
        {"place beyond the height", "si", copy_tiled_si(8, 4, surface_si(0, 100)),
         "bad input: ring dma0 dword 4: packet COPY_TILED: begins at 0, 100, outside a surface of "
         "128 x 100"},
        {"height beyond the slice", "cik", tiled_cik(1, kMode1d, 200, 127),
         "bad input: ring dma0 dword 5: packet COPY_TILED: height 200, but the slice has 104 rows"},
        {"swap across padded rows", "cik", tiled_cik(1, kMode1d, 100, 200, 3),
         "bad input: ring dma0 dword 5: packet COPY_TILED: byte swap needs addresses and sizes in "
         "multiples of 8"},
        {"half a row of tiles", "si",
         copy_tiled_si(8, 4, {f(30, 27, 2) | f(26, 24, 2), 15, 100, 0, 0}),
         "bad input: ring dma0 dword 4: packet COPY_TILED: a slice of 101 tiles with rows of 16"},
        {"window beyond the surface", "si",
         join(join({f(31, 28, 3) | f(27, 20, 0x49), 0x3000}, surface_si(120, 0)),
              {0x100000, f(31, 13, 512), 0x10000, f(29, 16, 1) | 9, 1}),
         "bad input: ring dma0 dword 4: packet COPY_TILED_PARTIAL: a window of 9 x 1 at 120, 0 "
         "goes beyond the surface of 128 x 104"},
        {"tile window beyond the surface", "si", tiled_to_tiled_si(0, 8, 112),
         "bad input: ring dma0 dword 4: packet COPY_TILED_TO_TILED: a window of 8 x 112 at 0, 0 "
         "goes beyond the surface of 128 x 104"},
        {"window beyond the pitch",
         "cik",
         {0x401, 0x100000, 0, 5, f(29, 16, 9), 0, 0x110000, 0, 0, f(29, 16, 9), 0, f(29, 16, 1) | 6,
          1},
         "bad input: ring dma0 dword 5: packet COPY_LINEAR_SUB_WINDOW: RECT_X goes beyond the "
         "pitch"},
        {"rows that overlap",
         "ni",
         {0x34100000, 0x100000, f(31, 13, 64), 0, 0x110000, f(31, 13, 31), 0,
          f(29, 16, 2) | f(13, 0, 32), 1},
         "bad input: ring dma0 dword 4: packet COPY_LINEAR_PARTIAL: rows of the target overlap"},
        {"slices that overlap",
         "cik",
         {0x401, 0x100000, 0, 0, f(29, 16, 9), 99, 0x110000, 0, 0, f(29, 16, 9), 18,
          f(29, 16, 2) | 10, 2},
         "bad input: ring dma0 dword 5: packet COPY_LINEAR_SUB_WINDOW: rows of the target overlap"},
        // Buffers.
        {"buffer in a buffer",
         "eg",
         {0x40000000, kBuffer, f(31, 12, 3)},
         "bad input: ring dma0, IB 0x180000 dword 0: packet INDIRECT_BUFFER: inside an indirect "
         "buffer",
         {0x40000000, kBuffer, f(31, 12, 3)}},
        {"empty buffer",
         "r600",
         {0x40000000, kBuffer, 0},
         "bad input: ring dma0 dword 4: packet INDIRECT_BUFFER: IB_SIZE is 0"},
        {"buffers disabled",
         "cik",
         {4, kBuffer, 0, 4},
         "bad input: ring dma0 dword 5: an indirect buffer, but IB_ENABLE is 0",
         {0, 0, 0, 0},
         {{0x228, 0}}},
        {"register of a process",
         "si",
         {0x40300000, kBuffer, f(31, 12, 3)},
         "bad input: ring dma0, IB 0x180000 dword 0: packet SRBM_WRITE: reaches register 0x5480 "
         "from a buffer of VMID 3",
         {0x90000000, 0xF0000 | 0x5480 / 4, 7}},
        {"poll of a process",
         "cik",
         {f(19, 16, 3) | 4, kBuffer, 0, 6},
         "bad input: ring dma0, IB 0x180000 dword 0: packet POLL_REG_MEM: reaches register 0x5480 "
         "from a buffer of VMID 3",
         {8, 0x5480, 0, 0, 0, 0}},
        {"own register",
         "eg",
         {0x90000000, 0xF0000 | 0xD00C / 4, 7},
         "bad input: ring dma0 dword 4: packet SRBM_WRITE: writes register 0xd00c of its own "
         "engine, which moves its ring"},
        // Memory.
        {"source nowhere",
         "r700",
         {0x30000010, 0x110000, kNowhere, 0, 0},
         "access fault: ring dma0 dword 4: packet COPY_LINEAR: read of unmapped address "
         "0x40000000"},
        {"target nowhere",
         "r600",
         {0x30000010, kNowhere, 0x100000, 0},
         "access fault: ring dma0 dword 4: packet COPY_LINEAR: write to unmapped address "
         "0x40000000"},
        {"target ends",
         "cik",
         {1, 256, 0, 0x100000, 0, kMemoryBytes - 64, 0},
         "access fault: ring dma0 dword 5: packet COPY_LINEAR: write to unmapped address "
         "0x800000"},
        {"fence nowhere",
         "ni",
         {0x60000000, kNowhere + 4, 0, 1},
         "access fault: ring dma0 dword 4: packet FENCE: ADDRESS: write to unmapped address "
         "0x40000000",
         {},
         {},
         "access fault: ring dma0 dword 4: packet FENCE: ADDRESS: write to unmapped address "
         "0x40000004"},
        {"semaphore nowhere",
         "si",
         {0x50400000, kNowhere, 0},
         "access fault: ring dma0 dword 4: packet SEMAPHORE: ADDRESS: read of unmapped address "
         "0x40000000"},
        {"poll nowhere",
         "si",
         {0xE8000000, kNowhere + 4, 0, 0, 0, 0},
         "access fault: ring dma0 dword 4: packet POLL_REG_MEM: ADDRESS: read of unmapped address "
         "0x40000004"},
        {"condition nowhere",
         "cik",
         {9, kNowhere, 0, 0},
         "access fault: ring dma0 dword 5: packet COND_EXEC: BOOL_ADDRESS: read of unmapped "
         "address 0x40000000"},
        {"buffer nowhere",
         "cik",
         {4, kNowhere, 0, 4},
         "access fault: ring dma0, IB 0x40000000 dword 0: fetch from unmapped address 0x40000000"},
        // Nothing to do.
        {"write of nothing", "r600", {0x20000000, kNowhere, 0}, ""},
        {"copy of nothing", "eg", {0x30000000, kNowhere, kNowhere, 0, 0}, ""},
        {"byte copy of nothing", "si", {0x34000000, kNowhere, kNowhere, 0, 0}, ""},
        {"broadcast of nothing", "ni", {0x34400000, kNowhere, kNowhere, kNowhere, 0, 0, 0}, ""},
        {"fill of nothing", "r700", {0xD0000000, kNowhere, 0, 0}, ""},
        {"entries of nothing", "ni", {0x24200000, kNowhere, 0, 0, 0, 0, 0, 0, 0}, ""},
        {"window of nothing",
         "ni",
         {0x34100000, kNowhere, 0, 0, kNowhere, 0, 0, f(29, 16, 5), 1},
         ""},
        {"tiled copy of nothing", "si", copy_tiled_si(8, 0, surface_si(0, 0)), ""},
        {"tiles of nothing", "si", copy_tiled_si(0x4C, 0, surface_si(0, 0)), ""},
        {"tile window of nothing", "si", tiled_to_tiled_si(0, 0, 8), ""},
        {"copy of nothing on CIK", "cik", {1, 0, 0, kNowhere, 0, kNowhere, 0}, ""},
        {"write of nothing on CIK", "cik", {2, kNowhere, 0, 0}, ""},
        {"fill of nothing on CIK", "cik", {11, kNowhere, 0, 0, 0}, ""},
        {"entries of nothing on CIK", "cik", {12, kNowhere, 0, 0, 0, 0, 0, 0, 0, 0}, ""},
        {"nothing left out", "cik", {9, kBuffer, 0, 0}, "", {0}},
    };
}

class BadPacket : public testing::TestWithParam<std::tuple<Bad, BenchMode>> {};

TEST_P(BadPacket, IsRefusedByName) {
    const Bad& bad = std::get<0>(GetParam());
    const BenchMode mode = std::get<1>(GetParam());
    const Generation& generation = *find_generation(bad.generation);
    Bench b(spec_of(generation), mode);
    for (const auto& [offset, value] : bad.engine)
        b.set(offset, value);
    for (size_t i = 0; i < bad.buffer.size(); ++i) {
        // In the address space of any VMID.
        for (const unsigned vmid : {0, 3})
            b.image.write(physical(kBuffer + 4 * i, vmid), &bad.buffer[i], 4);
    }
    const auto marks = [&](uint32_t n) {
        const uint32_t to = kMarked + 4 * n;
        return generation.sdma ? Words{2, to, 0, 1, 77} : Words{0x20000001, to, 0, 77};
    };
    std::vector<uint8_t> before(kMemoryBytes), after(kMemoryBytes);
    const Words words = join(join(marks(0), bad.words), marks(1));
    b.image.read(0, before.data(), before.size());
    std::memcpy(&before[kRing], words.data(), 4 * words.size());
    const std::string want =
        bad.instead != nullptr && mode == BenchMode::Functional ? bad.instead : bad.message;
    EXPECT_EQ(b.run_to_stop(words, 20'000), want);
    b.image.read(0, after.data(), after.size());
    const auto mark = [&](uint32_t n) {
        uint32_t value = 0;
        b.image.read(kMarked + 4 * n, &value, 4);
        return value;
    };
    // A copy is refused when memory answers; what follows it may have been quicker.
    if (mode == BenchMode::Functional || want.find("COPY_LINEAR: write") == std::string::npos) {
        EXPECT_EQ(mark(1), want.empty() ? 77u : 0u);
    }
    if (want.empty()) {
        EXPECT_EQ(mark(0), 77u);
    }
    // What was mapped of a target that ends may be written.
    std::fill_n(&after[kMarked], 8, 0);
    const size_t end = bad.name == std::string("target ends") ? kMemoryBytes - 64 : kMemoryBytes;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(end),
                           after.begin()));
}

INSTANTIATE_TEST_SUITE_P(
    Dma, BadPacket,
    testing::Combine(testing::ValuesIn(bad_packets()),
                     testing::Values(BenchMode::Cycle, BenchMode::Functional)),
    [](const auto& info) {
        std::string name = std::get<0>(info.param).name;
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
        return name + (std::get<1>(info.param) == BenchMode::Cycle ? "_cycle" : "_functional");
    });

// ---- beyond the write pointer ------------------------------------------------------------------

class Cut : public testing::TestWithParam<BenchMode> {
  protected:
    uint32_t word(uint64_t address) const {
        uint32_t value = 0;
        b_.image.read(address, &value, 4);
        return value;
    }
    // The words up to each place first, which wait for the rest.
    void run_in_two(const Words& words, size_t first_cut, const std::function<void()>& check) {
        for (size_t cut = first_cut; cut < words.size(); ++cut) {
            SCOPED_TRACE(cut);
            const auto at = words.begin() + static_cast<std::ptrdiff_t>(cut);
            EXPECT_EQ(b_.run_to_stop(Words(words.begin(), at), 5'000), "");
            EXPECT_FALSE(b_.idle());
            EXPECT_NE(b_.waiting_for().find("dwords beyond the write pointer"), std::string::npos)
                << b_.waiting_for();
            EXPECT_EQ(b_.run_to_stop(Words(at, words.end())), "");
            EXPECT_TRUE(b_.idle()) << b_.waiting_for();
            check();
        }
    }
    Bench b_{spec_of(*find_generation("cik")), GetParam()};
};

TEST_P(Cut, PacketsGoOnBehindTheWritePointer) {
    const Words write = {2, 0x100000, 0, 2, 5, 6};
    run_in_two(write, 1, [&] {
        EXPECT_EQ(word(0x100000), 5u);
        EXPECT_EQ(word(0x100004), 6u);
        const uint32_t zero[2] = {};
        b_.image.write(0x100000, zero, sizeof zero);
    });
}

TEST_P(Cut, WhatIsLeftOutGoesOnBehindTheWritePointer) {
    const uint32_t zero = 0;
    b_.image.write(kBuffer, &zero, 4);
    b_.image.write(0x100000, &zero, 4);
    const Words left_out = {2, 0x100000, 0, 1, 5};
    run_in_two(join({9, kBuffer, 0, 5}, left_out), 4, [&] { EXPECT_EQ(word(0x100000), 0u); });
    b_.run(left_out);
    EXPECT_EQ(word(0x100000), 5u);
}

INSTANTIATE_TEST_SUITE_P(Dma, Cut, testing::Values(BenchMode::Cycle, BenchMode::Functional),
                         [](const auto& info) {
                             return info.param == BenchMode::Cycle ? "cycle" : "functional";
                         });

// ---- registers ---------------------------------------------------------------------------------

class Rewritten : public testing::TestWithParam<BenchMode> {};

// The ring moves while a poll without end keeps dwords of it unread.
TEST_P(Rewritten, RingIsRefused) {
    Bench b(spec_of(*find_generation("si")), GetParam());
    const Words poll = {0xE0000000, 0x5480, f(27, 16, 0xFFF), 0xFFFFFFFF, 1, f(30, 28, 3) | 10};
    ASSERT_EQ(b.run_to_stop(join(poll, {0xF0000000, 0xF0000000}), 5'000), "");
    EXPECT_FALSE(b.idle());
    std::string stop;
    try {
        b.set(b.registers_of().rb_base, 0x2000);
        b.registers[0x5480] = 1;
        b.go_on(5'000);
    } catch (const MachineStop& s) {
        stop = s.what();
    }
    EXPECT_EQ(stop,
              "ring dma0: ring buffer registers rewritten while dwords 6 to 8 are not "
              "executed");
}

// One that is read to its end may move.
TEST_P(Rewritten, RingMayMoveWhenItIsRead) {
    Bench b(spec_of(*find_generation("si")), GetParam());
    ASSERT_EQ(b.run_to_stop({0xF0000000, 0xF0000000}), "");
    b.set(b.registers_of().rb_base, 0x2000);
    const uint32_t words[] = {0x20000001, 0x100000, 0, 5};
    b.image.write(0x200000 + 8, words, sizeof words);
    b.set(b.registers_of().rb_wptr, 4 * 6);
    b.go_on();
    uint32_t got = 0;
    b.image.read(0x100000, &got, 4);
    EXPECT_EQ(got, 5u);
}

// A ring larger than pointers reach does no harm.
TEST_P(Rewritten, RingOfAnySize) {
    for (unsigned log2 = 0; log2 < 64; ++log2) {
        Bench b(spec_of(*find_generation("si")), GetParam());
        b.set(b.registers_of().rb_cntl, log2 << 1 | 1);
        EXPECT_EQ(b.run_to_stop({0xF0000000}, 2'000), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Dma, Rewritten, testing::Values(BenchMode::Cycle, BenchMode::Functional),
                         [](const auto& info) {
                             return info.param == BenchMode::Cycle ? "cycle" : "functional";
                         });

}  // namespace
}  // namespace archipelago::dma::test
