// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_registers.h"

#include <cstring>

#include "models/common/error.h"
#include "models/gcn/gds_atom.h"
#include "models/gds/gds_execute.h"
#include "registers/si_gds.h"
#include "registers/si_names.h"

namespace archipelago::gds {
namespace {

namespace si = regs::si;
namespace typed = regs::si::typed;

uint32_t& raw(Contents& c, uint32_t offset) {
    return c.registers[(offset - kFirstRegister) / 4];
}

uint32_t raw(const Contents& c, uint32_t offset) {
    return c.registers[(offset - kFirstRegister) / 4];
}

bool in_memory(const Contents& c, uint32_t address) {
    return uint64_t{address & ~3u} + 4 <= c.memory.size();
}

// 0 behind the memory's end.
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
void run_atom(Contents& c, const GdsRequest* from) {
    GdsAtom atom;
    atom.op = typed::GDS_ATOM_OP{raw(c, si::GDS_ATOM_OP)}.OP();
    atom.cntl = raw(c, si::GDS_ATOM_CNTL);
    atom.base = raw(c, si::GDS_ATOM_BASE);
    atom.size = raw(c, si::GDS_ATOM_SIZE);
    atom.offset0 = raw(c, si::GDS_ATOM_OFFSET0);
    atom.offset1 = raw(c, si::GDS_ATOM_OFFSET1);
    atom.dst = raw(c, si::GDS_ATOM_DST);
    atom.src0 = raw(c, si::GDS_ATOM_SRC0);
    atom.src0_u = raw(c, si::GDS_ATOM_SRC0_U);
    atom.src1 = raw(c, si::GDS_ATOM_SRC1);
    atom.src1_u = raw(c, si::GDS_ATOM_SRC1_U);
    GdsRequest request;
    if (!gds_atom_request(atom, request))
        throw MachineStop(StopKind::BadInput, "gds",
                          "GDS_ATOM_SRC0 starts GDS_ATOM_OP " + std::to_string(atom.op) +
                              ", which is not an operation of one lane on memory");
    if (from != nullptr)
        request.vmid = from->vmid;
    std::vector<GdsResponse> done;
    execute(c, request, done);
    const unsigned wanted = request.elements == 2 ? 3 : 1;
    const unsigned inside =
        static_cast<unsigned>(request.lanes[0]) | static_cast<unsigned>(request.lanes[1]) << 1;
    if ((inside & wanted) != wanted)
        (request.command == GdsCommand::Read ? c.noted.read_clamp : c.noted.write_clamp) = true;
    if (request.returns) {
        const auto& data = done.front().data;
        const bool wide = request.bytes == 8;
        raw(c, si::GDS_ATOM_READ0) = data[0][0];
        raw(c, si::GDS_ATOM_READ0_U) = wide ? data[1][0] : 0;
        raw(c, si::GDS_ATOM_READ1) = data[wide ? 2 : 1][0];
        raw(c, si::GDS_ATOM_READ1_U) = wide ? data[3][0] : 0;
    }
    raw(c, si::GDS_ATOM_DST) += typed::GDS_ATOM_CNTL{atom.cntl}.AINC();
}

// Counter, type and flag as written; RELEASE_ALL lets every wave that waits go on.
void write_resource(Contents& c, uint32_t value, std::vector<GdsResponse>& done) {
    const typed::GDS_GWS_RESOURCE bits{value};
    typed::GDS_GWS_RESOURCE_CNTL index{raw(c, si::GDS_GWS_RESOURCE_CNTL)};
    Resource& r = c.resources[index.INDEX()];
    r.counter = bits.COUNTER();
    r.barrier = bits.TYPE() != 0;
    r.flag = bits.FLAG() != 0;
    if (bits.RELEASE_ALL() != 0)
        release_all(r, done);
}

uint32_t read_resource(const Contents& c) {
    const Resource& r =
        c.resources[typed::GDS_GWS_RESOURCE_CNTL{raw(c, si::GDS_GWS_RESOURCE_CNTL)}.INDEX()];
    typed::GDS_GWS_RESOURCE bits{};
    bits = bits.set_COUNTER(r.counter).set_TYPE(r.barrier ? 1 : 0).set_FLAG(r.flag ? 1 : 0);
    if (!r.waiting.empty())
        bits = bits.set_HEAD_VALID(1)
                   .set_HEAD_QUEUE(r.waiting.front().source)
                   .set_HEAD_FLAG(r.flag ? 1 : 0);
    return bits.raw;
}

void next_resource(Contents& c) {
    if ((raw(c, si::GDS_ENHANCE) >> 16 & 1) == 0)
        return;
    uint32_t& cntl = raw(c, si::GDS_GWS_RESOURCE_CNTL);
    const typed::GDS_GWS_RESOURCE_CNTL index{cntl};
    cntl = typed::GDS_GWS_RESOURCE_CNTL{cntl}.set_INDEX((index.INDEX() + 1) % kResources).raw;
}

}  // namespace

bool touches_memory(uint32_t offset, bool write) {
    return write ? offset == si::GDS_WR_DATA || offset == si::GDS_WR_BURST_DATA ||
                       offset == si::GDS_ATOM_SRC0
                 : offset == si::GDS_RD_DATA || offset == si::GDS_RD_BURST_DATA;
}

bool write_register(Contents& c, uint32_t offset, uint32_t value, std::vector<GdsResponse>& done) {
    if (!is_register(offset))
        return false;
    uint32_t& word = raw(c, offset);
    switch (offset) {
        case si::GDS_CNTL_STATUS:
            c.noted = {};
            return true;
        // Read only. Nothing is ever corrected or lost, so these counts stay 0.
        case si::GDS_RD_DATA:
        case si::GDS_RD_BURST_DATA:
        case si::GDS_WRITE_COMPLETE:
        case si::GDS_ATOM_COMPLETE:
        case si::GDS_ATOM_READ0:
        case si::GDS_ATOM_READ0_U:
        case si::GDS_ATOM_READ1:
        case si::GDS_ATOM_READ1_U:
        case si::GDS_DEBUG_DATA:
        case si::GDS_SECDED_CNT:
        case si::GDS_GRBM_SECDED_CNT:
        case si::GDS_OA_DED:
            return true;
        case si::GDS_WR_DATA:
            word = value;
            store(c, raw(c, si::GDS_WR_ADDR), value);
            return true;
        case si::GDS_WR_BURST_DATA:
            word = value;
            store(c, raw(c, si::GDS_WR_BURST_ADDR), value);
            raw(c, si::GDS_WR_BURST_ADDR) += 4;
            return true;
        case si::GDS_ATOM_SRC0:
            word = value;
            run_atom(c, nullptr);
            return true;
        case si::GDS_GWS_RESOURCE:
            write_resource(c, value, done);
            next_resource(c);
            return true;
        default:
            word = value;
            return true;
    }
}

bool look_at_register(const Contents& c, uint32_t offset, uint32_t& value) {
    if (!is_register(offset))
        return false;
    value = raw(c, offset);
    switch (offset) {
        case si::GDS_CNTL_STATUS:
            value = typed::GDS_CNTL_STATUS{}
                        .set_ORD_APP_BUSY(c.out_of_turn.empty() ? 0 : 1)
                        .set_DS_BANK_CONFLICT(c.noted.bank_conflict ? 1 : 0)
                        .set_DS_ADDR_CONFLICT(c.noted.address_conflict ? 1 : 0)
                        .set_DS_WR_CLAMP(c.noted.write_clamp ? 1 : 0)
                        .set_DS_RD_CLAMP(c.noted.read_clamp ? 1 : 0)
                        .raw;
            break;
        case si::GDS_RD_DATA:
            value = load(c, raw(c, si::GDS_RD_ADDR));
            break;
        case si::GDS_RD_BURST_DATA:
            value =
                raw(c, si::GDS_RD_BURST_COUNT) != 0 ? load(c, raw(c, si::GDS_RD_BURST_ADDR)) : 0;
            break;
        case si::GDS_WRITE_COMPLETE:
        case si::GDS_ATOM_COMPLETE:
            value = 1;
            break;
        case si::GDS_GWS_RESOURCE:
            value = read_resource(c);
            break;
        default:
            break;
    }
    return true;
}

bool read_register(Contents& c, uint32_t offset, uint32_t& value) {
    if (!look_at_register(c, offset, value))
        return false;
    const auto note_clamp = [&c](uint32_t address) {
        c.noted.read_clamp = c.noted.read_clamp || !in_memory(c, address);
    };
    if (offset == si::GDS_RD_DATA) {
        note_clamp(raw(c, si::GDS_RD_ADDR));
    } else if (offset == si::GDS_RD_BURST_DATA && raw(c, si::GDS_RD_BURST_COUNT) != 0) {
        note_clamp(raw(c, si::GDS_RD_BURST_ADDR));
        raw(c, si::GDS_RD_BURST_ADDR) += 4;
        --raw(c, si::GDS_RD_BURST_COUNT);
    } else if (offset == si::GDS_GWS_RESOURCE) {
        next_resource(c);
    }
    return true;
}

GdsResponse register_atomic(Contents& c, const GdsRequest& request) {
    const GdsAtom& a = request.atom;
    raw(c, si::GDS_ATOM_OP) = a.op;
    raw(c, si::GDS_ATOM_CNTL) = a.cntl;
    raw(c, si::GDS_ATOM_BASE) = a.base;
    raw(c, si::GDS_ATOM_SIZE) = a.size;
    raw(c, si::GDS_ATOM_OFFSET0) = a.offset0;
    raw(c, si::GDS_ATOM_OFFSET1) = a.offset1;
    raw(c, si::GDS_ATOM_DST) = a.dst;
    raw(c, si::GDS_ATOM_SRC0_U) = a.src0_u;
    raw(c, si::GDS_ATOM_SRC1) = a.src1;
    raw(c, si::GDS_ATOM_SRC1_U) = a.src1_u;
    raw(c, si::GDS_ATOM_SRC0) = a.src0;
    run_atom(c, &request);
    GdsResponse response;
    response.source = request.source;
    response.tag = request.tag;
    response.data[0][0] = raw(c, si::GDS_ATOM_READ0);
    response.data[1][0] = raw(c, si::GDS_ATOM_READ0_U);
    response.data[2][0] = raw(c, si::GDS_ATOM_READ1);
    response.data[3][0] = raw(c, si::GDS_ATOM_READ1_U);
    return response;
}

}  // namespace archipelago::gds
