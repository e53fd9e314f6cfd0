// SPDX-License-Identifier: Apache-2.0
// Checks of packets as they are parsed, and how logs show them; the same in both modes.
#include "models/front/packet_log.h"
#include "models/common/error.h"
#include "models/dma/engine_core.h"
#include "models/front/field_names.h"
#include "models/front/stream_reader.h"

namespace archipelago::dma {
namespace {

[[noreturn]] void cut_off(const PacketInfo& info, uint64_t dwords, uint32_t dwords_left,
                          const front::Location& location, const front::RingNames& names) {
    throw MachineStop(StopKind::BadInput, to_string(location, names),
                      std::string("packet ") + info.name + " is cut off: it has " +
                          std::to_string(dwords) + " dwords" +
                          front::too_few_left(location, dwords_left));
}

}  // namespace

const PacketInfo& check_header(const PacketTable& table, uint32_t header, uint32_t dwords_left,
                               const front::Location& location, const front::RingNames& names) {
    const PacketInfo* info = table.find(header);
    const auto bad = [&](const std::string& reason) {
        throw MachineStop(StopKind::BadInput, to_string(location, names), reason);
    };
    if (info == nullptr)
        bad("no packet of generation " + std::string(table.generation()) + " has header " +
            hex(header));
    if (info->fixed > dwords_left)
        cut_off(*info, info->fixed, dwords_left, location, names);
    return *info;
}

void check_size(const PacketInfo& info, const uint32_t* dwords, uint32_t dwords_left,
                const front::Location& location, const front::RingNames& names) {
    if (info.dwords_of(dwords) > dwords_left)
        cut_off(info, info.dwords_of(dwords), dwords_left, location, names);
}

void check_skip(const PacketInfo& info, uint32_t dwords, uint32_t dwords_left,
                const front::Location& location, const front::RingNames& names) {
    if (dwords > dwords_left)
        throw MachineStop(StopKind::BadInput, to_string(location, names),
                          std::string("packet ") + info.name + ": leaves out " +
                              std::to_string(dwords) + " dwords" +
                              front::too_few_left(location, dwords_left));
}

std::string beyond_write_pointer(const front::Location& location, const front::RingNames& names) {
    return to_string(location, names) + ": waits for " + front::kBeyondWritePointer;
}

void log_packet(const Observers& observers, const std::string& path, Cycle now,
                const std::string& place, const PacketInfo& info, const uint32_t* dwords,
                const regs::RegisterDatabase* registers) {
    front::log_packet(observers, LogCategory::Dma, now, path, place,
                      [&] { return describe_packet(info, dwords, registers); });
}

std::string describe_packet(const PacketInfo& info, const uint32_t* dwords,
                            const regs::RegisterDatabase* registers) {
    return info.name + front::describe_fields(info, dwords, info.fixed, registers);
}

}  // namespace archipelago::dma
