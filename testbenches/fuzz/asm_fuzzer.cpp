// SPDX-License-Identifier: Apache-2.0
// Assembler text. Accepted text is listed again and must come back as the same bytes.
#include "models/cu/isa/assemble.h"

#include <algorithm>

#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"asm_fuzzer", true, 20000, 10000, 0.3};

namespace {

std::string listing(const std::vector<uint8_t>& bytes) {
    const std::vector<uint32_t> words = words_of(bytes.data(), bytes.size());
    std::string text;
    for (size_t at = 0; at < words.size();) {
        const isa::Inst inst = isa::decode(&words[at], words.size() - at);
        text += isa::disassemble_exact(inst, 4 * at) + "\n";
        at += inst.dwords;
    }
    for (size_t i = words.size() * 4; i < bytes.size(); ++i)
        text += ".byte " + std::to_string(bytes[i]) + "\n";
    return text;
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const std::string text(data, data + size);
    const isa::Assembly assembly = isa::assemble(text);
    require_places_and_reasons(assembly.errors, text);
    for (const isa::AssemblyError& error : assembly.errors)
        require((error.known == nullptr) == error.unknown.empty(),
                "an unknown name comes with the known ones");
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    require(assembly.errors.size() <= lines + 1, "a line is refused once");
    require(assembly.bytes.size() <= isa::kMaxAssemblyBytes, "the code is limited");
    // Long fills say nothing new.
    if (assembly.bytes.size() <= 65536) {
        const isa::Assembly again = isa::assemble(listing(assembly.bytes));
        require(again.errors.empty() && again.bytes == assembly.bytes,
                "a listing gives the same bytes");
    }
    return assembly.errors.empty();
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const char* text :
         {"start: s_nop 0\n s_cbranch_scc0 end // over\n s_mov_b32 s0, 0x1234 ; literal\n"
          " s_branch start /* back */\nend: s_endpgm\n",
          ".set n, 4*(3+1)\ns_mov_b32 s0, n|1\nv_mov_b32 v[n], -1.5\n.long n, end-., 1.5\n"
          ".p2align 4\nend:\n.fill 3, 2, 7\n.byte 1,2\n",
          "s_waitcnt vmcnt(0) & lgkmcnt(1)\ns_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)\n"
          "s_getreg_b32 s0, hwreg(HW_REG_MODE, 3, 4)\nds_swizzle_b32 v0, v1 "
          "offset:swizzle(BITMASK_PERM, \"01pip\")\n",
          "v_mad_f32 v0, -|v1|, abs(v2), neg(1.0) clamp mul:2\nv_add_i32 v0, s[2:3], v1, 4\n"
          "exp mrt0 v0, off, v1, v2 done vm\nv_interp_p1_f32 v0, v1, attr3.y\n",
          "tbuffer_load_format_xy v[0:1], v2, s[4:7], 0 "
          "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT] idxen offset:8 glc slc\n"
          "image_sample v[0:3], v[4:7], s[8:15], s[16:19] dmask:0xf unorm da\n"})
        list.push_back(bytes_of(text));
    return list;
}

// Instructions as the disassembler writes them, some changed a little.
Bytes generate(Random& random) {
    isa::test::SampleMaker maker(random.word() | 1);
    std::string text;
    for (unsigned n = 1 + random.below(6); n > 0; --n) {
        const auto op = static_cast<isa::Op>(random.below(isa::kOpCount));
        const isa::test::Sample sample = maker.make(op, false);
        std::string line = isa::disassemble_exact(isa::decode(sample.words, sample.dwords), 0);
        if (random.one_in(12) && !line.empty()) {
            static const std::vector<std::string> kPieces = {
                "v",    "s",   "[",      "]",    ":",    ",", "|",        "-",   "vcc", "exec",
                "0x7f", "1.5", " clamp", " lds", "abs(", ")", " offset:", "off", "m0",  "lit("};
            const uint32_t at = random.below(static_cast<uint32_t>(line.size()));
            if (random.one_in(2))
                line.insert(at, random.pick(kPieces));
            else
                line.erase(at, 1 + random.below(3));
        }
        text += line + "\n";
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
