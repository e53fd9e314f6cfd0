// SPDX-License-Identifier: Apache-2.0
// Writes small GFX6 code objects field by field, so that tests can make any of them wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host::test {

struct BuilderSymbol {
    std::string name;
    uint64_t address = 0;
    uint64_t size = 0;
    uint8_t type = 1;     // STT_OBJECT
    uint8_t binding = 1;  // STB_GLOBAL
    uint16_t section = 1;
};

struct BuilderRelocation {
    uint64_t address = 0;
    uint32_t type = 0;
    uint32_t symbol = 0;  // index into symbols, from 1
    int64_t addend = 0;
};

// Layout, file offset = address: headers, notes and descriptors in [0, 0x1000) read-only, code at
// 0x1000 executable, data at 0x2000 writable.
struct ElfBuilder {
    static constexpr uint64_t kDescriptor = 0xc00;
    static constexpr uint64_t kText = 0x1000;
    static constexpr uint64_t kTextBytes = 0x100;
    static constexpr uint64_t kData = 0x2000;
    static constexpr uint64_t kDataBytes = 0x100;

    uint8_t os_abi = 64;
    uint8_t abi_version = 2;
    uint16_t type = 3;  // ET_DYN
    uint16_t machine = 224;
    uint32_t flags = 0x20;
    uint64_t text_memory_bytes = kTextBytes;
    uint32_t rela_bytes_per_entry = 24;
    std::vector<BuilderSymbol> symbols{{"k.kd", kDescriptor, 64}, {"k", kText, 4, 2}};
    std::vector<BuilderRelocation> relocations;
    nlohmann::json metadata = default_metadata();
    bool with_metadata = true;
    std::vector<uint8_t> raw_metadata;  // instead of `metadata` when not empty

    // kernel descriptor
    uint32_t group_bytes = 0;
    uint32_t private_bytes = 0;
    uint32_t kernarg_bytes = 24;
    int64_t entry = static_cast<int64_t>(kText - kDescriptor);
    uint32_t rsrc3 = 0;
    uint32_t rsrc1 = 0x00ac0040;
    uint32_t rsrc2 = 0x0000008c;  // USER_SGPR 6, TGID_X_EN
    uint16_t properties = 0x9;    // private segment buffer, kernarg segment

    static nlohmann::json default_metadata() {
        using nlohmann::json;
        return json{
            {"amdhsa.version", {1, 1}},
            {"amdhsa.target", "amdgcn-amd-amdhsa--gfx600"},
            {"amdhsa.kernels",
             json::array({json{
                 {".name", "k"},
                 {".symbol", "k.kd"},
                 {".language", "OpenCL C"},
                 {".language_version", {1, 2}},
                 {".kernarg_segment_size", 24},
                 {".kernarg_segment_align", 8},
                 {".group_segment_fixed_size", 0},
                 {".private_segment_fixed_size", 0},
                 {".wavefront_size", 64},
                 {".sgpr_count", 12},
                 {".vgpr_count", 4},
                 {".max_flat_workgroup_size", 256},
                 {".args", json::array({json{{".name", "out"},
                                             {".type_name", "float*"},
                                             {".value_kind", "global_buffer"},
                                             {".address_space", "global"},
                                             {".offset", 0},
                                             {".size", 8}},
                                        json{{".name", "a"},
                                             {".type_name", "float"},
                                             {".value_kind", "by_value"},
                                             {".offset", 8},
                                             {".size", 4}},
                                        json{{".value_kind", "hidden_global_offset_x"},
                                             {".offset", 16},
                                             {".size", 8}}})},
             }})},
        };
    }

    nlohmann::json& kernel() { return metadata["amdhsa.kernels"][0]; }

    std::vector<uint8_t> build() const {
        constexpr uint64_t kNote = 0x200;
        constexpr uint64_t kSymbols = 0x800;
        constexpr uint64_t kStrings = 0xa00;
        constexpr uint64_t kRela = 0xb00;
        constexpr uint64_t kDynamic = kData + 0x80;
        constexpr uint64_t kSections = 0x2200;
        std::vector<uint8_t> out(kSections + 4 * 64, 0);
        const auto put = [&](uint64_t at, uint64_t value, unsigned bytes) {
            store_le(out.data() + at, value, bytes);
        };
        const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, os_abi, abi_version};
        std::copy(std::begin(ident), std::end(ident), out.begin());
        put(16, type, 2);
        put(18, machine, 2);
        put(20, 1, 4);
        put(32, 64, 8);
        put(40, kSections, 8);
        put(48, flags, 4);
        put(52, 64, 2);
        put(54, 56, 2);
        put(56, 5, 2);
        put(58, 64, 2);
        put(60, 4, 2);
        put(62, 3, 2);

        std::vector<uint8_t> note;
        if (with_metadata)
            note = raw_metadata.empty() ? nlohmann::json::to_msgpack(metadata) : raw_metadata;
        put(kNote, 7, 4);
        put(kNote + 4, note.size(), 4);
        put(kNote + 8, 32, 4);
        const std::string owner = "AMDGPU";
        std::copy(owner.begin(), owner.end(), out.begin() + kNote + 12);
        std::copy(note.begin(), note.end(), out.begin() + kNote + 20);
        const uint64_t note_bytes = with_metadata ? 20 + (note.size() + 3) / 4 * 4 : 0;

        const auto segment = [&](unsigned index, uint32_t kind, uint32_t access, uint64_t at,
                                 uint64_t file_bytes, uint64_t memory_bytes) {
            const uint64_t header = 64 + 56 * index;
            put(header, kind, 4);
            put(header + 4, access, 4);
            put(header + 8, at, 8);
            put(header + 16, at, 8);
            put(header + 24, at, 8);
            put(header + 32, file_bytes, 8);
            put(header + 40, memory_bytes, 8);
            put(header + 48, 4, 8);
        };
        segment(0, 1, 4, 0, 0x1000, 0x1000);
        segment(1, 1, 5, kText, kTextBytes, text_memory_bytes);
        segment(2, 1, 6, kData, kDataBytes, kDataBytes);
        segment(3, 2, 6, kDynamic, 0x80, 0x80);
        segment(4, 4, 4, kNote, note_bytes, note_bytes);

        std::string strings(1, '\0');
        uint64_t at = kSymbols + 24;
        for (const BuilderSymbol& symbol : symbols) {
            put(at, strings.size(), 4);
            put(at + 4, static_cast<uint64_t>(symbol.binding << 4 | symbol.type), 1);
            put(at + 6, symbol.section, 2);
            put(at + 8, symbol.address, 8);
            put(at + 16, symbol.size, 8);
            strings += symbol.name + '\0';
            at += 24;
        }
        const uint64_t symbol_bytes = at - kSymbols;
        std::copy(strings.begin(), strings.end(), out.begin() + kStrings);

        at = kRela;
        for (const BuilderRelocation& relocation : relocations) {
            put(at, relocation.address, 8);
            put(at + 8, uint64_t{relocation.symbol} << 32 | relocation.type, 8);
            put(at + 16, static_cast<uint64_t>(relocation.addend), 8);
            at += 24;
        }
        const uint64_t dynamic[] = {6,  kSymbols,
                                    11, 24,
                                    5,  kStrings,
                                    10, strings.size(),
                                    7,  kRela,
                                    8,  at - kRela,
                                    9,  rela_bytes_per_entry,
                                    0,  0};
        for (unsigned i = 0; i < 16; ++i)
            put(kDynamic + 8 * i, dynamic[i], 8);

        put(kDescriptor, group_bytes, 4);
        put(kDescriptor + 4, private_bytes, 4);
        put(kDescriptor + 8, kernarg_bytes, 4);
        put(kDescriptor + 16, static_cast<uint64_t>(entry), 8);
        put(kDescriptor + 44, rsrc3, 4);
        put(kDescriptor + 48, rsrc1, 4);
        put(kDescriptor + 52, rsrc2, 4);
        put(kDescriptor + 56, properties, 2);
        put(kText, 0xbf810000, 4);  // s_endpgm

        const auto section = [&](unsigned index, uint32_t kind, uint64_t where, uint64_t bytes,
                                 uint32_t link, uint64_t entry_bytes) {
            const uint64_t header = kSections + 64 * index;
            put(header + 4, kind, 4);
            put(header + 24, where, 8);
            put(header + 32, bytes, 8);
            put(header + 40, link, 4);
            put(header + 56, entry_bytes, 8);
        };
        section(1, 11, kSymbols, symbol_bytes, 2, 24);
        section(2, 3, kStrings, strings.size(), 0, 0);
        section(3, 3, kStrings, strings.size(), 0, 0);
        return out;
    }
};

}  // namespace archipelago::host::test
