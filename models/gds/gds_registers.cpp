// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_registers.h"

#include <cstring>

#include "models/common/error.h"
#include "models/gcn/gds_atom.h"
#include "models/gds/gds_execute.h"

namespace archipelago::gds {
namespace {

// The words of the registers, as written.
template <class Word>
class WordsOf {
  public:
    template <class SomeContents>
    WordsOf(const RegisterMap& map, SomeContents& c)
        : start_(map.start), words_(c.registers.data()) {}
    Word& operator[](uint32_t offset) const {
        return words_[(offset - start_) / 4 % RegisterMap::kDwords];
    }
    uint32_t operator[](const regs::NamedField& field) const {
        return field((*this)[field.offset()]);
    }

  private:
    uint32_t start_;
    Word* words_;
};
using Words = WordsOf<uint32_t>;
using ConstWords = WordsOf<const uint32_t>;

bool in_memory(const Contents& c, uint32_t address) {
    return uint64_t{address & ~3u} + 4 <= c.memory.size();
}

// 0 after the memory's end.
uint32_t load(const Contents& c, uint32_t address) {
    uint32_t value = 0;
    if (in_memory(c, address))
        std::memcpy(&value, c.memory.data() + (address & ~3u), 4);
    return value;
}

void store(Contents& c, uint32_t address, uint32_t value) {
    const uint64_t place = address & ~3u;
    if (place + 4 > c.memory.size()) {
        c.noted.write_clamp = true;
        return;
    }
    std::memcpy(c.memory.data() + place, &value, 4);
}

// What SRC0 starts. DST goes on by AINC; READ0 and READ1 hold what an operation that returns found.
void run_atom(const RegisterMap& m, Contents& c, const GdsRequest* from) {
    const Words words(m, c);
    GdsAtom atom;
    atom.op = words[m.GDS_ATOM_OP.OP];
    atom.cntl = words[m.GDS_ATOM_CNTL];
    atom.base = words[m.GDS_ATOM_BASE];
    atom.size = words[m.GDS_ATOM_SIZE];
    atom.offset0 = words[m.GDS_ATOM_OFFSET0];
    atom.offset1 = words[m.GDS_ATOM_OFFSET1];
    atom.dst = words[m.GDS_ATOM_DST];
    atom.src0 = words[m.GDS_ATOM_SRC0];
    atom.src0_u = words[m.GDS_ATOM_SRC0_U];
    atom.src1 = words[m.GDS_ATOM_SRC1];
    atom.src1_u = words[m.GDS_ATOM_SRC1_U];
    GdsRequest request;
    if (!gds_atom_request(atom, request))
        throw MachineStop(StopKind::BadInput, "gds",
                          "GDS_ATOM_SRC0 starts GDS_ATOM_OP " + std::to_string(atom.op) +
                              ", which is not an operation of one lane on memory");
    if (from != nullptr)
        request.vmid = from->vmid;
    std::vector<GdsResponse> done;
    execute(m, c, request, done);
    const unsigned wanted = request.elements == 2 ? 3 : 1;
    const unsigned inside =
        static_cast<unsigned>(request.lanes[0]) | static_cast<unsigned>(request.lanes[1]) << 1;
    if ((inside & wanted) != wanted)
        (request.command == GdsCommand::Read ? c.noted.read_clamp : c.noted.write_clamp) = true;
    if (request.returns) {
        const auto& data = done.front().data;
        const bool wide = request.bytes == 8;
        words[m.GDS_ATOM_READ0] = data[0][0];
        words[m.GDS_ATOM_READ0_U] = wide ? data[1][0] : 0;
        words[m.GDS_ATOM_READ1] = data[wide ? 2 : 1][0];
        words[m.GDS_ATOM_READ1_U] = wide ? data[3][0] : 0;
    }
    words[m.GDS_ATOM_DST] += m.GDS_ATOM_CNTL.AINC(atom.cntl);
}

// Counter, type and flag as written; RELEASE_ALL lets every wave that waits go on.
void write_resource(const RegisterMap& m, Contents& c, uint32_t value,
                    std::vector<GdsResponse>& done) {
    const auto& bits = m.GDS_GWS_RESOURCE;
    Resource& r = c.resources[Words(m, c)[m.GDS_GWS_RESOURCE_CNTL.INDEX]];
    r.counter = bits.COUNTER(value);
    r.barrier = bits.TYPE(value) != 0;
    r.flag = bits.FLAG(value) != 0;
    if (bits.RELEASE_ALL(value) != 0)
        release_all(r, done);
}

uint32_t read_resource(const RegisterMap& m, const Contents& c) {
    const auto& bits = m.GDS_GWS_RESOURCE;
    const Resource& r = c.resources[ConstWords(m, c)[m.GDS_GWS_RESOURCE_CNTL.INDEX]];
    const bool head = !r.waiting.empty();
    return regs::word({{bits.COUNTER, r.counter},
                       {bits.TYPE, r.barrier},
                       {bits.FLAG, r.flag},
                       {bits.HEAD_VALID, head},
                       {bits.HEAD_QUEUE, head ? r.waiting.front().source : 0u},
                       {bits.HEAD_FLAG, head && r.flag}});
}

void next_resource(const RegisterMap& m, Contents& c) {
    const Words words(m, c);
    if ((words[m.GDS_ENHANCE] >> 16 & 1) == 0)
        return;
    uint32_t& cntl = words[m.GDS_GWS_RESOURCE_CNTL];
    const auto& index = m.GDS_GWS_RESOURCE_CNTL.INDEX;
    cntl = index.set(cntl, (index(cntl) + 1) % kResources);
}

// Read only. Nothing is ever corrected or lost, so the counts of errors stay 0.
bool is_read_only(const RegisterMap& m, uint32_t offset) {
    for (const uint32_t one :
         {+m.GDS_RD_DATA, +m.GDS_RD_BURST_DATA, +m.GDS_WRITE_COMPLETE, +m.GDS_ATOM_COMPLETE,
          +m.GDS_ATOM_READ0, +m.GDS_ATOM_READ0_U, +m.GDS_ATOM_READ1, +m.GDS_ATOM_READ1_U,
          +m.GDS_DEBUG_DATA, +m.GDS_SECDED_CNT, +m.GDS_GRBM_SECDED_CNT, +m.GDS_OA_DED})
        if (offset == one)
            return true;
    return false;
}

}  // namespace

bool touches_memory(const RegisterMap& m, uint32_t offset, bool write) {
    return write ? offset == m.GDS_WR_DATA || offset == m.GDS_WR_BURST_DATA ||
                       offset == m.GDS_ATOM_SRC0
                 : offset == m.GDS_RD_DATA || offset == m.GDS_RD_BURST_DATA;
}

bool write_register(const RegisterMap& m, Contents& c, uint32_t offset, uint32_t value,
                    std::vector<GdsResponse>& done) {
    if (!m.has(offset))
        return false;
    const Words words(m, c);
    if (offset == m.GDS_CNTL_STATUS) {
        c.noted = {};
        return true;
    }
    if (is_read_only(m, offset))
        return true;
    if (offset == m.GDS_GWS_RESOURCE) {
        write_resource(m, c, value, done);
        next_resource(m, c);
        return true;
    }
    words[offset] = value;
    if (offset == m.GDS_WR_DATA) {
        store(c, words[m.GDS_WR_ADDR], value);
    } else if (offset == m.GDS_WR_BURST_DATA) {
        store(c, words[m.GDS_WR_BURST_ADDR], value);
        words[m.GDS_WR_BURST_ADDR] += 4;
    } else if (offset == m.GDS_ATOM_SRC0) {
        run_atom(m, c, nullptr);
    }
    return true;
}

bool inspect_register(const RegisterMap& m, const Contents& c, uint32_t offset, uint32_t& value) {
    if (!m.has(offset))
        return false;
    const ConstWords words(m, c);
    value = words[offset];
    if (offset == m.GDS_CNTL_STATUS) {
        const auto& status = m.GDS_CNTL_STATUS;
        value = regs::word({{status.ORD_APP_BUSY, !c.out_of_turn.empty()},
                            {status.DS_BANK_CONFLICT, c.noted.bank_conflict},
                            {status.DS_ADDR_CONFLICT, c.noted.address_conflict},
                            {status.DS_WR_CLAMP, c.noted.write_clamp},
                            {status.DS_RD_CLAMP, c.noted.read_clamp}});
    } else if (offset == m.GDS_RD_DATA) {
        value = load(c, words[m.GDS_RD_ADDR]);
    } else if (offset == m.GDS_RD_BURST_DATA) {
        value = words[m.GDS_RD_BURST_COUNT] != 0 ? load(c, words[m.GDS_RD_BURST_ADDR]) : 0;
    } else if (offset == m.GDS_WRITE_COMPLETE || offset == m.GDS_ATOM_COMPLETE) {
        value = 1;
    } else if (offset == m.GDS_GWS_RESOURCE) {
        value = read_resource(m, c);
    }
    return true;
}

bool read_register(const RegisterMap& m, Contents& c, uint32_t offset, uint32_t& value) {
    if (!inspect_register(m, c, offset, value))
        return false;
    const Words words(m, c);
    const auto note_clamp = [&c](uint32_t address) {
        c.noted.read_clamp = c.noted.read_clamp || !in_memory(c, address);
    };
    if (offset == m.GDS_RD_DATA) {
        note_clamp(words[m.GDS_RD_ADDR]);
    } else if (offset == m.GDS_RD_BURST_DATA && words[m.GDS_RD_BURST_COUNT] != 0) {
        note_clamp(words[m.GDS_RD_BURST_ADDR]);
        words[m.GDS_RD_BURST_ADDR] += 4;
        --words[m.GDS_RD_BURST_COUNT];
    } else if (offset == m.GDS_GWS_RESOURCE) {
        next_resource(m, c);
    }
    return true;
}

GdsResponse register_atomic(const RegisterMap& m, Contents& c, const GdsRequest& request) {
    const Words words(m, c);
    const GdsAtom& a = request.atom;
    words[m.GDS_ATOM_OP] = a.op;
    words[m.GDS_ATOM_CNTL] = a.cntl;
    words[m.GDS_ATOM_BASE] = a.base;
    words[m.GDS_ATOM_SIZE] = a.size;
    words[m.GDS_ATOM_OFFSET0] = a.offset0;
    words[m.GDS_ATOM_OFFSET1] = a.offset1;
    words[m.GDS_ATOM_DST] = a.dst;
    words[m.GDS_ATOM_SRC0_U] = a.src0_u;
    words[m.GDS_ATOM_SRC1] = a.src1;
    words[m.GDS_ATOM_SRC1_U] = a.src1_u;
    words[m.GDS_ATOM_SRC0] = a.src0;
    run_atom(m, c, &request);
    GdsResponse response;
    response.source = request.source;
    response.tag = request.tag;
    response.data[0][0] = words[m.GDS_ATOM_READ0];
    response.data[1][0] = words[m.GDS_ATOM_READ0_U];
    response.data[2][0] = words[m.GDS_ATOM_READ1];
    response.data[3][0] = words[m.GDS_ATOM_READ1_U];
    return response;
}

}  // namespace archipelago::gds
