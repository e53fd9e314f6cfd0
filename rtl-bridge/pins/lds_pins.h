// SPDX-License-Identifier: Apache-2.0
// Pins of a compute unit's local data share; documented in rtl-bridge/rtl/lds.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct LdsPins {
    static constexpr const char* kName = "lds";
    static constexpr Elastic kElastic{"row op", "out"};
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kBanks = 32;
    static constexpr unsigned kRows = 512;       // dwords of a bank
    static constexpr unsigned kBaseGranule = 8;  // bytes

    template <class T>
    using PerLane = std::array<T, kLanes>;
    using Row = std::array<uint32_t, kBanks>;  // one dword of each bank
    // A DS instruction of a wave.
    struct Operation {
        uint8_t code = 0;  // opcode number
        uint16_t offset = 0;
        uint32_t m0 = 0;
        uint16_t base = 0;  // of the group's part, in kBaseGranule
        uint32_t size = 0;  // bytes of it
        uint64_t exec = 0;
        PerLane<uint32_t> address{};
        PerLane<uint64_t> first{}, second{};
    };
    struct RowAccess {
        uint8_t write = 0;
        uint16_t number = 0;
        Row data{};
    };
    struct In {
        uint8_t rst = 0;
        uint8_t row_valid = 0;
        RowAccess row;
        uint8_t op_valid = 0;
        Operation op;
        uint8_t out_ready = 0;
    };
    struct Out {
        uint8_t row_ready = 0;
        Row row_out{};
        uint8_t op_ready = 0;
        uint8_t out_valid = 0, out_illegal = 0, out_passes = 0;
        PerLane<uint32_t> out_data0{}, out_data1{}, out_data2{}, out_data3{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(row, valid, row_valid, 1,
                        "a row of all banks is read or written by the back door");
        ARCHIPELAGO_PIN(row, write, row.write, 1, "written, else read");
        ARCHIPELAGO_PIN(row, number, row.number, 9, "dword of each bank");
        ARCHIPELAGO_PIN(row, data, row.data, 32, "what is written");
        ARCHIPELAGO_PIN(op, valid, op_valid, 1, "a DS instruction of a wave is there");
        ARCHIPELAGO_PIN(op, code, op.code, 8, "its opcode number");
        ARCHIPELAGO_PIN(op, offset, op.offset, 16, "offset1 in the upper half where there are two");
        ARCHIPELAGO_PIN(op, m0, op.m0, 32, "M0");
        ARCHIPELAGO_PIN(op, base, op.base, 13, "where the group's part begins, in 8 bytes");
        ARCHIPELAGO_PIN(op, size, op.size, 17, "bytes of the group's part");
        ARCHIPELAGO_PIN(op, exec, op.exec, 64, "EXEC");
        ARCHIPELAGO_PIN(op, address, op.address, 32, "byte address of lane n");
        ARCHIPELAGO_PIN(op, first, op.first, 64, "first data operand of lane n");
        ARCHIPELAGO_PIN(op, second, op.second, 64, "second data operand of lane n");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the result is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(row, ready, row_ready, 1, "the row is taken, between two instructions");
        ARCHIPELAGO_PIN(row, out, row_out, 32, "what is read, in the cycle it is taken; else 0");
        ARCHIPELAGO_PIN(op, ready, op_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a result, in the order of the instructions");
        ARCHIPELAGO_PIN(out, illegal, out_illegal, 1, "no such instruction: nothing is done");
        ARCHIPELAGO_PIN(out, passes, out_passes, 8,
                        "passes of the banks the instruction is charged with");
        ARCHIPELAGO_PIN(out, data0, out_data0, 32, "first dword returned to lane n");
        ARCHIPELAGO_PIN(out, data1, out_data1, 32, "second dword");
        ARCHIPELAGO_PIN(out, data2, out_data2, 32, "third dword");
        ARCHIPELAGO_PIN(out, data3, out_data3, 32, "fourth dword");
    }
};

}  // namespace archipelago::rtl
