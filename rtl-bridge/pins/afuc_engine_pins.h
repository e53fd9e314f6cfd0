// SPDX-License-Identifier: Apache-2.0
// Pins of Adreno's micro engine: instructions are written into it, words of its three streams in,
// writes of all kinds out, a beat of an instruction a cycle.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct AfucEnginePins {
    static constexpr const char* kName = "afuc_engine";
    static constexpr Elastic kElastic{"", "", "", "",
                                      "a beat takes words and gives others by counts that hold in "
                                      "its cycle alone, not by ready and valid"};
    static constexpr unsigned kWords = 5;         // of a stream at most, in a beat
    static constexpr unsigned kWrites = 4;        // of the port at most, in a beat
    static constexpr unsigned kLine = 8;          // instructions written at once
    static constexpr unsigned kAddressBits = 16;  // of instructions
    static constexpr unsigned kMaxInstructions = 1u << kAddressBits;

    // What it waits for.
    enum Wait : uint8_t {
        kNothing,
        kNotRunning,
        kRoom,         // behind it, for what a beat may write
        kInstruction,  // to be written
        kData,
        kMemory,
        kRegisters,
        kLoad,
        kLive,
        kSecure  // others to answer setsecure
    };
    // Why it has stopped.
    enum Fault : uint8_t { kNone, kOpcode, kMicrocode, kIllegalInstruction, kUnimplemented };
    // Where a word that is written goes.
    enum Kind : uint8_t { kInternal, kPacket, kPipe, kQueue };
    // Of register_index, as of $addr: every word is that register's. a5xx alone.
    static constexpr uint32_t kStays = 1u << 18;

    struct Start {
        uint32_t words = 0;  // of the section
        uint64_t base = 0;   // of it, bytes
        uint8_t role = 0;    // 0: neither, 1: BV, 2: LPAC, whose base registers have it
    };
    struct In {
        uint8_t rst = 0;
        uint8_t generation = 0;  // afuc::kGenerations; static
        uint8_t to_queue = 0;    // $data, when it is written, leads to the MEQ; static
        uint8_t reads_nrt = 0;   // MEM_READ stays as it is when $memdata is read; static
        uint8_t start_valid = 0;
        Start start;
        uint8_t line_valid = 0;
        uint32_t line_address = 0;  // multiple of kLine
        std::array<uint32_t, kLine> line_words{};
        uint8_t table_valid = 0;  // an entry of the packet table
        uint8_t table_entry = 0;
        uint32_t table_value = 0;
        uint8_t room = 0;  // for all that a beat writes
        // Words there, and the first of them.
        uint8_t data_count = 0, memory_count = 0, register_count = 0;
        std::array<uint32_t, kWords> data_words{}, memory_words{}, register_words{};
        uint8_t load_valid = 0;  // what was asked for
        uint32_t load_word = 0;
        uint8_t live_valid = 0;
        uint32_t live_word = 0;
        uint8_t secure_valid = 0;  // an answer: secure mode has been set as asked for, or not
        uint8_t secure_done = 0;
        uint8_t preempt = 0;  // it is to go to its routine for preemption
        uint8_t wfi_done = 0, query_done = 0, cache_done = 0;  // counters of pending work go down
    };
    struct Out {
        uint8_t beat = 0;       // an instruction is executed, of (rep) once
        uint8_t packet = 0;     // behind this beat a packet's handler begins
        uint8_t preempted = 0;  // no beat: it goes to its routine for preemption
        uint8_t wait = 0;       // Wait
        uint8_t fault = 0;      // Fault, for good
        uint32_t pc = 0;        // of the instruction at hand
        uint32_t header = 0;    // of the packet at work
        // Words of the streams that the beat takes.
        uint8_t data_taken = 0, memory_taken = 0, register_taken = 0;
        uint8_t data_header = 0;      // the word of data taken, or waited for, is a packet's header
        uint32_t register_index = 0;  // of the GPU register that is waited for, and kStays
        uint8_t load_valid = 0;       // asks for a dword
        uint64_t load_address = 0;
        uint8_t live_valid = 0;  // asks for a control register that others change, too
        uint16_t live_index = 0;
        uint8_t secure_valid = 0;  // asks for secure mode, on or off
        uint8_t secure_on = 0;
        uint8_t write_count = 0;  // words that leave by the port
        std::array<uint8_t, kWrites> write_kind{};
        std::array<uint32_t, kWrites> write_index{}, write_value{};
        uint8_t direct_valid = 0;  // REG_WRITE
        uint32_t direct_index = 0, direct_value = 0;
        uint8_t store_valid = 0;
        uint64_t store_address = 0;
        uint32_t store_value = 0;
        uint8_t arm_valid = 0;  // a buffer for a level of $data
        uint8_t arm_level = 0;
        uint64_t arm_base = 0;
        uint32_t arm_dwords = 0;
        uint8_t boot_valid = 0;  // another engine begins
        uint8_t boot_bv = 0;     // BV, else LPAC
        uint64_t boot_base = 0;
        uint8_t control_valid = 0;  // a control register is written
        uint16_t control_index = 0;
        uint32_t control_value = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, generation, generation, 3,
                        "0 a5xx, 1 a6xx, 2 a660, 3 a7xx, 4 a750; still");
        ARCHIPELAGO_PIN(cfg, to_queue, to_queue, 1,
                        "$data, when it is written, leads to the MEQ; still");
        ARCHIPELAGO_PIN(cfg, reads_nrt, reads_nrt, 1,
                        "MEM_READ keeps its value when $memdata is read; still");
        ARCHIPELAGO_PIN(start, valid, start_valid, 1, "a section begins, behind this beat");
        ARCHIPELAGO_PIN(start, words, start.words, 17, "instructions of the section");
        ARCHIPELAGO_PIN(start, base, start.base, 64, "byte address of the section");
        ARCHIPELAGO_PIN(start, role, start.role, 2,
                        "1: BV, 2: LPAC, whose base registers hold it; 0: neither");
        ARCHIPELAGO_PIN(line, valid, line_valid, 1,
                        "eight instructions are written, behind this beat");
        ARCHIPELAGO_PIN(line, address, line_address, kAddressBits,
                        "number of the first, a multiple of 8");
        ARCHIPELAGO_PIN(line, words, line_words, 32, "the instructions");
        ARCHIPELAGO_PIN(table, valid, table_valid, 1,
                        "an entry of the packet table is written, behind this beat");
        ARCHIPELAGO_PIN(table, entry, table_entry, 7, "opcode of the packet");
        ARCHIPELAGO_PIN(table, value, table_value, 32,
                        "what the table holds: address of the handler and flags");
        ARCHIPELAGO_PIN(out, room, room, 1, "behind the engine is room for all that a beat writes");
        ARCHIPELAGO_PIN(data, count, data_count, 3, "words there of $data");
        ARCHIPELAGO_PIN(data, words, data_words, 32, "the first of them, the oldest lowest");
        ARCHIPELAGO_PIN(memory, count, memory_count, 3, "words there of $memdata");
        ARCHIPELAGO_PIN(memory, words, memory_words, 32, "the first of them, the oldest lowest");
        ARCHIPELAGO_PIN(register, count, register_count, 3, "words there of $regdata");
        ARCHIPELAGO_PIN(register, words, register_words, 32,
                        "the first of them, the oldest lowest");
        ARCHIPELAGO_PIN(loaded, valid, load_valid, 1, "the dword that load_ asked for is here");
        ARCHIPELAGO_PIN(loaded, word, load_word, 32, "the dword");
        ARCHIPELAGO_PIN(seen, valid, live_valid, 1,
                        "the control register that live_ asked for is here");
        ARCHIPELAGO_PIN(seen, word, live_word, 32, "its value");
        ARCHIPELAGO_PIN(switched, valid, secure_valid, 1,
                        "what mode_ asked for is done or refused");
        ARCHIPELAGO_PIN(switched, done, secure_done, 1, "it is done");
        ARCHIPELAGO_PIN(preempt, request, preempt, 1,
                        "the engine is to go to its routine for preemption at the next waitin");
        ARCHIPELAGO_PIN(pending, wfi, wfi_done, 1,
                        "a wait for idle has ended: its counter goes down");
        ARCHIPELAGO_PIN(pending, query, query_done, 1, "a query has ended: its counter goes down");
        ARCHIPELAGO_PIN(pending, cache, cache_done, 1,
                        "a cache action has ended: its counter goes down");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(state, beat, beat, 1,
                        "an instruction is executed in this cycle, of (rep) once");
        ARCHIPELAGO_PIN(state, packet, packet, 1, "behind this beat a packet's handler begins");
        ARCHIPELAGO_PIN(state, preempted, preempted, 1,
                        "a waitin is preempted in this cycle, in which no instruction is executed");
        ARCHIPELAGO_PIN(state, wait, wait, 4,
                        "AfucEnginePins::Wait: what it waits for, 0: nothing");
        ARCHIPELAGO_PIN(state, fault, fault, 3,
                        "AfucEnginePins::Fault: why it has stopped, until start or rst");
        ARCHIPELAGO_PIN(state, pc, pc, 32, "number of the instruction at hand");
        ARCHIPELAGO_PIN(state, header, header, 32, "header of the packet at work");
        ARCHIPELAGO_PIN(take, data, data_taken, 3, "words of $data that the beat takes");
        ARCHIPELAGO_PIN(take, memory, memory_taken, 3, "words of $memdata that the beat takes");
        ARCHIPELAGO_PIN(take, registers, register_taken, 3,
                        "words of $regdata that the beat takes");
        ARCHIPELAGO_PIN(take, header, data_header, 1,
                        "the word of $data taken, or waited for, is a packet's header");
        ARCHIPELAGO_PIN(take, index, register_index, 19,
                        "index of the GPU register whose value is waited for; bit 18: all words "
                        "are of that register");
        ARCHIPELAGO_PIN(load, valid, load_valid, 1,
                        "asks for a dword of memory, which comes as loaded_");
        ARCHIPELAGO_PIN(load, address, load_address, 64, "its byte address");
        ARCHIPELAGO_PIN(live, valid, live_valid, 1,
                        "asks for a control register that others change, too; it comes as seen_");
        ARCHIPELAGO_PIN(live, index, live_index, 12, "its number");
        ARCHIPELAGO_PIN(mode, valid, secure_valid, 1,
                        "setsecure asks for secure mode on or off; the answer comes as switched_");
        ARCHIPELAGO_PIN(mode, secure, secure_on, 1, "on");
        ARCHIPELAGO_PIN(write, count, write_count, 3, "words that leave by the port in this beat");
        ARCHIPELAGO_PIN(write, kind, write_kind, 2, "AfucEnginePins::Kind: where each goes");
        ARCHIPELAGO_PIN(write, index, write_index, 18, "register index of each");
        ARCHIPELAGO_PIN(write, value, write_value, 32, "the words");
        ARCHIPELAGO_PIN(direct, valid, direct_valid, 1,
                        "REG_WRITE: a register is written past the pipe");
        ARCHIPELAGO_PIN(direct, index, direct_index, 18, "its index");
        ARCHIPELAGO_PIN(direct, value, direct_value, 32, "its value");
        ARCHIPELAGO_PIN(store, valid, store_valid, 1, "a dword is written to memory");
        ARCHIPELAGO_PIN(store, address, store_address, 64, "its byte address");
        ARCHIPELAGO_PIN(store, value, store_value, 32, "the dword");
        ARCHIPELAGO_PIN(arm, valid, arm_valid, 1, "a level of $data gets a buffer");
        ARCHIPELAGO_PIN(arm, level, arm_level, 3, "the level");
        ARCHIPELAGO_PIN(arm, base, arm_base, 64, "byte address of the buffer");
        ARCHIPELAGO_PIN(arm, dwords, arm_dwords, 32, "its length");
        ARCHIPELAGO_PIN(boot, valid, boot_valid, 1, "another engine begins");
        ARCHIPELAGO_PIN(boot, bv, boot_bv, 1, "BV, else LPAC");
        ARCHIPELAGO_PIN(boot, base, boot_base, 64, "byte address of its section");
        ARCHIPELAGO_PIN(control, valid, control_valid, 1, "a control register is written");
        ARCHIPELAGO_PIN(control, index, control_index, 12, "its number");
        ARCHIPELAGO_PIN(control, value, control_value, 32, "its value");
    }
};

}  // namespace archipelago::rtl
