// SPDX-License-Identifier: Apache-2.0
// Names of field values, in LLVM's spelling; private to models/cu/isa.
// Sources: LLVM AMDGPU operand syntax for GFX6; SI sid.h (buffer formats).
#pragma once

#include <string>

namespace archipelago::isa {

// BUF_DATA_FORMAT_*, BUF_NUM_FORMAT_*
inline constexpr const char* kDataFormatNames[16] = {
    "INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
    "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
    "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
inline constexpr const char* kNumberFormatNames[8] = {"UNORM", "SNORM", "USCALED",   "SSCALED",
                                                      "UINT",  "SINT",  "SNORM_OGL", "FLOAT"};

// By number; null where there is no name.
inline constexpr const char* kMessageNames[16] = {
    nullptr, "MSG_INTERRUPT", "MSG_GS", "MSG_GS_DONE", nullptr, nullptr, nullptr, nullptr,
    nullptr, nullptr,         nullptr,  nullptr,       nullptr, nullptr, nullptr, "MSG_SYSMSG"};
// Operations of MSG_GS and MSG_GS_DONE from 0, of MSG_SYSMSG from 1.
inline constexpr const char* kStreamOperationNames[4] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                                         "GS_OP_EMIT_CUT"};
inline constexpr const char* kSystemOperationNames[4] = {
    "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK",
    "SYSMSG_OP_TTRACE_PC"};

inline constexpr const char* kHardwareRegisterNames[8] = {
    nullptr,        "HW_REG_MODE",      "HW_REG_STATUS",    "HW_REG_TRAPSTS",
    "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC", "HW_REG_IB_STS"};

// Targets of EXP: 0..7 colour, 8 depth, 9 null, 12..15 position, 32..63 parameters; others are
// reserved.
constexpr bool valid_export_target(unsigned target) {
    return target <= 9 || (target >= 12 && target <= 15) || (target >= 32 && target <= 63);
}

inline std::string export_target_name(unsigned target) {
    if (target <= 7) {
        return "mrt" + std::to_string(target);
    }
    if (target == 8) {
        return "mrtz";
    }
    if (target == 9) {
        return "null";
    }
    if (target >= 12 && target <= 15) {
        return "pos" + std::to_string(target - 12);
    }
    if (target >= 32 && target <= 63) {
        return "param" + std::to_string(target - 32);
    }
    return "invalid_target_" + std::to_string(target);
}

}  // namespace archipelago::isa
