// SPDX-License-Identifier: Apache-2.0
// Random legal microcode with packets for it: every instruction and form, reads of all streams,
// writes of all kinds, calls, loops, buffers. A packet's handler reads no more than the packet has
// and leaves by waitin.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/generation.h"

namespace archipelago::afuc::test {

// Where programs read and write: apart from each other, each of 1 KiB.
constexpr uint32_t kReadFrom = 0x0030'0000, kWriteTo = 0x0031'0000, kBuffers = 0x0032'0000;
constexpr uint32_t kRandomBytes = 1024;

class RandomProgram {
  public:
    RandomProgram(const Generation& generation, uint64_t seed) : g_(generation), random_(seed) {
        make();
    }
    std::string text;               // of the image
    std::vector<uint32_t> packets;  // for the ring
    std::vector<uint32_t> buffer;   // packets of a buffer that a packet of the ring calls

  private:
    static constexpr unsigned kHandlers = 5, kFirstOpcode = 0x20;
    static constexpr unsigned kCallOpcode = 0x3F;  // handler: arms IB1 and goes there

    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    bool one_in(uint32_t n) { return below(n) == 0; }
    std::string any() { return reg(2 + below(16)); }  // a plain register
    static std::string reg(uint32_t n) {
        constexpr char kDigits[] = "0123456789abcdef";
        return std::string("$") + kDigits[n / 16] + kDigits[n % 16];
    }
    static std::string number(uint32_t n) {
        constexpr char kDigits[] = "0123456789abcdef";
        std::string s;
        do {
            s.insert(s.begin(), kDigits[n % 16]);
            n /= 16;
        } while (n != 0);
        return "0x" + s;
    }
    void line(const std::string& s) { text += "    " + s + "\n"; }
    void label(const std::string& s) { text += s + ":\n"; }
    std::string fresh() { return "q" + std::to_string(labels_++); }
    bool seven() const { return g_.encoding == Encoding::A7; }

    void make();
    void boot();
    void handler(unsigned n);
    void read_packet(unsigned words);
    void step();
    void alu();
    void immediate();
    void memory_write();
    void memory_read();
    void register_write();
    void register_read();
    void control();
    void branch();
    void wait();
    void load_or_store();
    void secure_mode();
    void preemption();
    void packet(std::vector<uint32_t>& to);

    const Generation& g_;
    std::mt19937_64 random_;
    unsigned labels_ = 0;
    std::vector<unsigned> words_of_;  // that a handler reads at least
};

inline void RandomProgram::boot() {
    line("[" + std::string(seven() ? "01730001" : "016ee001") + "]");
    line("[#table]");
    for (const char* l :
         {"mov $02, 0x830", "cwrite $02, [$00 + @REG_READ_ADDR]", "mov $03, 0x2",
          "cwrite $03, [$00 + @REG_READ_DWORDS]", "mov $04, $regdata", "mov $05, $regdata",
          "mov $06, #table", "shl $06, $06, 0x2", "add $04, $04, $06", "addhi $05, $05, $00",
          "cwrite $04, [$00 + @MEM_READ_ADDR]", "cwrite $05, [$00 + @MEM_READ_ADDR+0x1]",
          "mov $07, 0x80", "cwrite $07, [$00 + @MEM_READ_DWORDS]",
          "cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]", "mov $rem, 0x80",
          "(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE]", "mov $02, #IN_PREEMPT",
          "swrite $02, [$00 + %PREEMPT_INSTR]"})
        line(l);
    if (one_in(2)) {  // half of what is written is trusted
        line("mov $addr, 0xf800");
        line("mov $02, " + number(kWriteTo >> 16) + " << 16");
        line("or $data, $02, " + number(kRandomBytes / 2));
        line("mov $data, $00");
        line("mov $data, " + number(kRandomBytes / 2));
    }
    line("waitin");
    line("mov $01, $data");
}

inline void RandomProgram::alu() {
    static const char* const kOps[] = {"add",  "addhi", "sub", "subhi", "and", "or",  "xor", "shl",
                                       "ushr", "ishr",  "rot", "mul8",  "min", "max", "cmp"};
    if (one_in(8))
        return line("not " + any() + ", " + any());
    if (one_in(8))
        return line("msb " + any() + ", " + any());
    line(std::string(kOps[below(15)]) + " " + any() + ", " + any() + ", " + any());
}

inline void RandomProgram::immediate() {
    static const char* const kOps[] = {"add", "addhi", "sub", "subhi", "and", "or",
                                       "xor", "mul8",  "min", "max",   "cmp"};
    if (one_in(3))
        return line("mov " + any() + ", " + number(below(0x10000)) + " << " +
                    std::to_string(below(17)));
    if (one_in(4))
        return line((one_in(2) ? "setbit " : "clrbit ") + any() + ", " + any() + ", b" +
                    std::to_string(below(32)));
    if (seven() && one_in(3)) {
        const uint32_t low = below(32), high = low + below(32 - low);
        return line((one_in(2) ? "ubfx " : "bfi ") + any() + ", " + any() + ", b" +
                    std::to_string(low) + ", b" + std::to_string(high));
    }
    line(std::string(kOps[below(11)]) + " " + any() + ", " + any() + ", " + number(below(0x10000)));
}

// Some dwords through NRT.
inline void RandomProgram::memory_write() {
    line("mov $addr, 0xa0 << 24");
    line("mov $02, " + number(kWriteTo >> 16) + " << 16");
    line("or $data, $02, " + number(4 * below(kRandomBytes / 4 - 16)));
    line("mov $data, $00");
    line("mov $addr, 0xa204 << 16");
    for (unsigned i = 1 + below(5); i != 0; --i)
        line("mov $data, " + any());
}

inline void RandomProgram::memory_read() {
    const uint32_t words = 1 + below(24);
    const bool own = one_in(3);
    line("mov $02, " + number((own ? kWriteTo : kReadFrom) >> 16) + " << 16");
    line("or $02, $02, " + number(4 * below(kRandomBytes / 4 - 32)));
    line("cwrite $02, [$00 + @MEM_READ_ADDR]");
    line("cwrite $00, [$00 + @MEM_READ_ADDR+0x1]");
    line("mov $03, " + number(words));
    line("cwrite $03, [$00 + @MEM_READ_DWORDS]");
    for (uint32_t left = words; left != 0;) {
        if (left >= 2 && one_in(3)) {
            line("add " + any() + ", $memdata, $memdata");
            left -= 2;
        } else {
            line("mov " + any() + ", $memdata");
            --left;
        }
    }
}

inline void RandomProgram::register_write() {
    if (one_in(3)) {
        line("mov $02, " + number(0x9000 + below(64)));
        line("cwrite $02, [$00 + @REG_WRITE_ADDR]");
        line("cwrite " + any() + ", [$00 + @REG_WRITE]");
        return line("cwrite " + any() + ", [$00 + @REG_WRITE]");
    }
    line(std::string("mov ") + (one_in(2) ? "$addr" : "$usraddr") + ", " +
         number(0x9000 + below(64)));
    for (unsigned i = 1 + below(6); i != 0; --i)
        line("mov $data, " + any());
}

inline void RandomProgram::register_read() {
    const uint32_t count = 1 + below(6);
    line("mov $02, " + number(0x9000 + below(64)));
    line("cwrite $02, [$00 + @REG_READ_ADDR]");
    line("mov $02, " + number(count));
    line("cwrite $02, [$00 + @REG_READ_DWORDS]");
    for (uint32_t i = 0; i < count; ++i)
        line("mov " + any() + ", $regdata");
}

inline void RandomProgram::control() {
    if (one_in(2))
        line("cwrite " + any() + ", [$00 + " + number(0x110 + below(32)) + "]");
    else
        line("cread " + any() + ", [$00 + " + number(0x110 + below(32)) + "]");
}

inline void RandomProgram::branch() {
    const std::string over = fresh();
    const bool equal = one_in(2);
    line(std::string(equal ? "breq " : "brne ") + any() + ", " +
         (one_in(2) ? "b" + std::to_string(below(32)) : number(below(32))) + ", #" + over);
    alu();
    for (unsigned i = below(3); i != 0; --i)
        alu();
    label(over);
    if (one_in(4)) {
        line("call #sub");
        immediate();
    }
}

// All that is queued has been done.
inline void RandomProgram::wait() {
    const std::string again = fresh();
    line("cwrite $00, [$00 + @WFI_PEND_INCR]");
    line(std::string("mov $addr, ") + (seven() ? "0x87" : "0x80") + " << 24");
    line("mov $addr, 0x81 << 24");
    label(again);
    line("cread $02, [$00 + @WFI_PEND_CTR]");
    line("brne $02, 0x0, #" + again);
    line("nop");
}

inline void RandomProgram::load_or_store() {
    line("cwrite $00, [$00 + @LOAD_STORE_HI]");
    const bool store = one_in(2);
    line("mov $02, " + number((store || one_in(2) ? kWriteTo : kReadFrom) >> 16) + " << 16");
    const std::string place = "[$02 + " + number(4 * below(kRandomBytes / 4)) + "]";
    line(store ? "store " + any() + ", " + place : "load " + any() + ", " + place);
}

// On and off, done and refused.
inline void RandomProgram::secure_mode() {
    const std::string done = fresh();
    line("mov $02, " + number(below(4)));
    line("setsecure $02, #" + done);
    alu();
    alu();
    label(done);
}

// At the next waitin.
inline void RandomProgram::preemption() {
    line("mov $02, 0x1");
    line("cwrite $02, [$00 + @PREEMPT_ENABLE]");
    line("cwrite $02, [$00 + @PREEMPT_TRIGGER]");
}

inline void RandomProgram::step() {
    switch (below(13)) {
        case 0:
        case 1:
        case 2:
            return alu();
        case 3:
        case 4:
            return immediate();
        case 5:
            return memory_write();
        case 6:
            return memory_read();
        case 7:
            return register_write();
        case 8:
            return register_read();
        case 12:
            return one_in(2) ? secure_mode() : preemption();
        case 9:
            return one_in(4) ? wait() : control();
        case 10:
            return branch();
        default:
            return load_or_store();
    }
}

// So many words of the packet, in one form or another.
inline void RandomProgram::read_packet(unsigned words) {
    while (words != 0) {
        switch (words >= 3 ? below(4) : 0) {
            case 1:
                line("(xmov1)mov " + any() + ", $data");
                words -= 2;
                break;
            case 2:
                line("mov $addr, " + number(0x9000 + below(64)));
                line("(xmov2)mov $data, $data");
                words -= 3;
                break;
            case 3:
                line("sub " + any() + ", $data, $data");
                words -= 2;
                break;
            default:
                line("mov " + any() + ", $data");
                --words;
        }
    }
}

inline void RandomProgram::handler(unsigned n) {
    label("UNKN" + std::to_string(kFirstOpcode + n));
    words_of_.push_back(below(6));
    read_packet(words_of_[n]);
    for (unsigned i = 2 + below(10); i != 0; --i)
        step();
    if (one_in(3)) {
        line("mov $usraddr, " + number(0x9000 + below(64)));
        line("(rep)(xmov1)mov $data, $data");
    } else {
        line("(rep)mov " + any() + ", $data");
    }
    line("waitin");
    line("mov $01, $data");
}

inline void RandomProgram::packet(std::vector<uint32_t>& to) {
    const unsigned n = below(kHandlers);
    const uint32_t words = words_of_[n] + below(8);
    to.push_back(make_type7_header(kFirstOpcode + n, words));
    for (uint32_t i = 0; i < words; ++i)
        to.push_back(static_cast<uint32_t>(random_()));
}

inline void RandomProgram::make() {
    boot();
    label("sub");
    alu();
    line("ret");
    alu();
    for (unsigned n = 0; n < kHandlers; ++n)
        handler(n);
    label("IN_PREEMPT");
    line("cwrite $00, [$00 + @PREEMPT_TRIGGER]");
    for (unsigned i = 1 + below(4); i != 0; --i)
        step();
    line("cwrite $00, [$00 + @PREEMPT_TRIGGER]");
    line("iret");
    alu();
    const std::string level = g_.names == Names::A6xx || seven() ? "@IB_LEVEL" : "";
    label("CP_INDIRECT_BUFFER");
    for (const char* l :
         {"mov $02, $data", "mov $03, $data", "mov $04, $data", "cwrite $02, [$00 + @IB1_BASE]",
          "cwrite $03, [$00 + @IB1_BASE+0x1]", "cwrite $04, [$00 + @IB1_DWORDS]", "mov $02, 0x1",
          "cwrite $02, [$00 + @IB_LEVEL]", "waitin", "mov $01, $data"})
        line(l);
    label("IN_IB_END");
    for (const char* l : {"cwrite $00, [$00 + @IB_LEVEL]", "waitin", "mov $01, $data"})
        line(l);
    text += ".align 32\ntable:\n    .jumptbl\n";
    for (unsigned i = 2 + below(6); i != 0; --i)
        packet(buffer);
    for (unsigned i = 2 + below(6); i != 0; --i)
        packet(packets);
    packets.insert(packets.end(), {make_type7_header(kCallOpcode, 3), kBuffers, 0,
                                   static_cast<uint32_t>(buffer.size())});
    for (unsigned i = 1 + below(4); i != 0; --i)
        packet(packets);
}

}  // namespace archipelago::afuc::test
