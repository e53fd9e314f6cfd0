// SPDX-License-Identifier: Apache-2.0
// Packets that reach registers, and polls. Document "Async DMA": evergreen/ni/si 21 to 23; cik 16,
// 19. SRBM packets name a register by its dword, polls by its byte offset.
#include "testbenches/unit/dma/bench.h"
#include "testbenches/unit/dma/scene.h"

namespace archipelago::dma::test {
namespace {

// Shows whether the engine came this far.
void mark(Scene& s, unsigned n, bool reached = true) {
    const uint64_t to = s.place(0x8000 + 4 * n);
    if (s.cik())
        s.packet({f(7, 0, 2), low(to), high(to), 1, n});
    else
        s.packet({f(31, 28, 2) | 1, low(to), 0, n});
    if (reached)
        s.expect(to, n);
}

// ---- SRBM_WRITE --------------------------------------------------------------------------------

Words srbm_write_of(const Scene& s, uint32_t offset, unsigned enable, uint32_t data) {
    if (s.cik())
        return {f(31, 28, enable) | f(15, 8, 0) | f(7, 0, 14), f(15, 0, offset / 4), data};
    return {f(31, 28, 9) | f(27, 26, 0) | f(19, 0, 0), f(19, 16, enable) | f(15, 0, offset / 4),
            data};
}

void srbm_write(Scene& s) {
    for (unsigned enable = 0; enable < 16; ++enable) {
        const uint32_t offset = enable == 7 ? 0x3FFFC : 0x5400 + 4 * enable;
        const uint32_t data = 0xA1B2C3D4 + enable;
        s.registers[offset] = 0x11223344;
        s.packet(srbm_write_of(s, offset, enable, data));
        uint32_t mask = 0;
        for (unsigned byte = 0; byte < 4; ++byte)
            mask |= (enable >> byte & 1) != 0 ? 0xFFu << 8 * byte : 0;
        s.registers_after[offset] = (0x11223344 & ~mask) | (data & mask);
    }
}

// DATA_SWAP of the engine's own CNTL holds from the next packet on; no bytes change nothing.
void srbm_write_own(Scene& s) {
    constexpr uint32_t kTrap = 1, kDataSwap = 1 << 3;
    const uint32_t cntl = 0xD000 + (s.cik() ? 0x10 : 0x2C);
    unsigned n = 0;
    for (const bool swap : {true, false, true}) {
        s.packet(srbm_write_of(s, cntl, 15 >> n, kTrap | (swap ? kDataSwap : 0)));
        s.packet(srbm_write_of(s, cntl, 0, kTrap | (swap ? 0 : kDataSwap)));
        const uint64_t to = s.place(0x400 + 4 * n++);
        if (s.cik())
            s.packet({f(7, 0, 2), low(to), high(to), 1, 0x01020304});
        else
            s.packet({f(31, 28, 2) | 1, low(to), 0, 0x01020304});
        s.expect(to, swap ? 0x04030201 : 0x01020304);
    }
}

// ---- SRBM_READ ---------------------------------------------------------------------------------

constexpr uint32_t kPolled = 0x5480;

Words srbm_read(bool poll, uint32_t retries, uint32_t mask, uint32_t value) {
    return {f(31, 28, 9) | f(27, 27, 1) | f(26, 26, poll) | f(19, 0, 0),
            f(31, 20, retries) | f(15, 0, kPolled / 4), mask, value};
}

// Without POLL it reads once; with it, it goes on after as many retries.
void srbm_reads(Scene& s) {
    s.registers[kPolled] = s.registers_after[kPolled] = 0x12345678;
    s.packet(srbm_read(false, 5, 0xFFFFFFFF, 0));
    mark(s, 1);
    s.packet(srbm_read(true, 7, 0xFF00FF, 0x340078));
    mark(s, 2);
    s.packet(srbm_read(true, 7, 0xFF, 0x79));
    mark(s, 3);
    s.packet(srbm_read(true, 0, 0xFF, 0x79));
    mark(s, 4);
}
void srbm_read_waits(Scene& s) {
    s.registers[kPolled] = s.registers_after[kPolled] = 0x12345678;
    s.packet(srbm_read(true, 0xFFF, 0xFF, 0x79));
    mark(s, 1, false);
    s.waits = "ring dma0 dword 0: SRBM_READ register 0x5480 & 0xff == 0x79 (last 0x12345678)";
}
// As in the document: a dword, whose use it does not tell, in front of the mask.
void srbm_read_document(Scene& s) {
    s.registers[kPolled] = s.registers_after[kPolled] = 0x12345678;
    Words words = srbm_read(true, 0xFFF, 0xFF, 0x78);
    words.insert(words.begin() + 2, 0xDEADBEEF);
    s.packet(words);
    mark(s, 1);
}

// ---- POLL_REG_MEM ------------------------------------------------------------------------------

struct Poll {
    bool memory;
    unsigned function;
    uint64_t address;
    uint32_t mask, reference, retries, interval;
    bool request = false;  // CIK: op 01b
};
Words poll(const Scene& s, const Poll& p) {
    if (s.cik())
        return {f(31, 31, p.memory) | f(30, 28, p.function) | f(27, 26, p.request) | f(15, 8, 0) |
                    f(7, 0, 8),
                f(31, 2, low(p.address) >> 2),
                high(p.address),
                p.reference,
                p.mask,
                f(27, 16, p.retries) | f(15, 0, p.interval)};
    return {f(31, 28, 14) | f(27, 27, p.memory) | f(19, 0, 0),
            f(31, 2, low(p.address) >> 2),
            f(27, 16, p.retries) | f(7, 0, high(p.address)),
            p.mask,
            p.reference,
            f(30, 28, p.function) | f(16, 0, p.interval)};
}

// Every function below, at and above its reference: those that hold go on at once, others after
// their retries.
void polls(Scene& s) {
    constexpr uint32_t kOffset = 0x3F00C, kValue = 0x8000FF10;
    const uint64_t at = s.place(0x104, true);
    s.put(at, kValue);
    s.registers[kOffset] = s.registers_after[kOffset] = kValue;
    unsigned n = 0;
    for (unsigned function = 0; function < 7; ++function)
        for (const uint32_t reference : {0x8000000Fu, 0x80000010u, 0x80000011u}) {
            s.packet(poll(s, {true, function, at, 0xF00000FF, reference, n % 3, 5}));
            s.packet(poll(s, {false, function, kOffset, 0xF00000FF, reference, 1, 0}));
            mark(s, n++);
        }
    // An interval of the widest field is waited out.
    s.packet(poll(s, {true, 3, at, 0xFFFFFFFF, 0, 1, s.cik() ? 0xFFFFu : 0x1FFFFu}));
    mark(s, n);
}

// Those that never hold, without end: 0xFFF retries. One scene for each function but ALWAYS.
template <unsigned kFunction, bool kMemory>
void poll_waits(Scene& s) {
    const char* const signs[] = {"", "<", "<=", "==", "!=", ">=", ">"};
    // Of 5 & 0xF; unsigned.
    const uint32_t references[] = {0, 5, 4, 6, 5, 6, 0x80000000};
    const uint64_t at = kMemory ? s.place(0x104) : 0x5480;
    s.put(s.place(0x104), 0x15);
    s.registers[0x5480] = s.registers_after[0x5480] = 0x15;
    s.packet(poll(s, {kMemory, kFunction, at, 0xF, references[kFunction], 0xFFF, 100}));
    mark(s, 1, false);
    s.waits = std::string("ring dma0 dword 0: POLL_REG_MEM ") +
              (kMemory ? "memory 0x100104" : "register 0x5480") + " & 0xf " + signs[kFunction] +
              " " + hex(references[kFunction]) + " (last 0x15)";
}

// One that holds waits not at all.
void poll_holds(Scene& s) {
    s.put(s.place(0x104), 0x15);
    const uint32_t references[] = {9, 6, 5, 5, 4, 5, 4};
    for (unsigned function = 0; function < 7; ++function)
        s.packet(poll(s, {true, function, s.place(0x104), 0xF, references[function], 0xFFF, 1}));
    mark(s, 1);
}

// CIK, op 01b: the reference goes to the register at the second byte offset first; drivers request
// a flush so, and the first register tells that it is done.
void poll_requests(Scene& s) {
    s.registers[0x5408] = s.registers_after[0x5408] = 6;
    s.packet(poll(s, {false, 3, uint64_t{0x5404} << 32 | 0x5408, 2, 2, 0xFFF, 10, true}));
    s.registers_after[0x5404] = 2;
    mark(s, 1);
}

// As in the document: the second dword is what the polled register itself gets first.
void poll_requests_document(Scene& s) {
    s.registers[0x5404] = s.registers_after[0x5404] = 9;
    s.registers[0x5408] = 6;
    s.packet(poll(s, {false, 3, uint64_t{0x5404} << 32 | 0x5408, 4, 4, 0xFFF, 10, true}));
    s.registers_after[0x5408] = 0x5404;
    mark(s, 1);
}

}  // namespace

std::vector<Row> register_rows() {
    const std::vector<const char*> polling = {"si", "cik"};
    return {
        {"SRBM_WRITE", "with byte enables", {"eg", "ni", "si", "cik"}, srbm_write},
        {"SRBM_WRITE", "of its own engine", {"eg", "ni", "si", "cik"}, srbm_write_own},
        {"SRBM_READ", "once and polling", {"eg", "ni"}, srbm_reads},
        {"SRBM_READ", "polling without end", {"eg", "ni"}, srbm_read_waits},
        {"SRBM_READ", "as in the document", {"eg", "ni"}, srbm_read_document, true},
        {"POLL_REG_MEM", "all functions", polling, polls},
        {"POLL_REG_MEM", "that holds", polling, poll_holds},
        {"POLL_REG_MEM", "LESS, memory", polling, poll_waits<1, true>},
        {"POLL_REG_MEM", "LEQUAL, register", polling, poll_waits<2, false>},
        {"POLL_REG_MEM", "EQUAL, memory", polling, poll_waits<3, true>},
        {"POLL_REG_MEM", "NOTEQUAL, register", polling, poll_waits<4, false>},
        {"POLL_REG_MEM", "GEQUAL, memory", polling, poll_waits<5, true>},
        {"POLL_REG_MEM", "GREATER, register", polling, poll_waits<6, false>},
        {"POLL_REG_MEM", "with a request", kCik, poll_requests},
        {"POLL_REG_MEM", "as in the document", kCik, poll_requests_document, true},
    };
}

}  // namespace archipelago::dma::test
