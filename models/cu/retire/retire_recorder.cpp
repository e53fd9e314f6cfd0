// SPDX-License-Identifier: Apache-2.0
#include "models/cu/retire/retire_recorder.h"

#include <algorithm>
#include <cstring>

#include "models/cu/isa/opcodes.h"
#include "models/gcn/wave_name.h"

namespace archipelago::cu {
namespace {

using Kind = MemoryAccess::Kind;
using Space = MemoryAccess::Space;

constexpr uint16_t kStatusCodes[] = {isa::kVccLo, isa::kVccHi, isa::kExecLo, isa::kExecHi,
                                     isa::kM0};

bool is_status(unsigned code) {
    return std::find(std::begin(kStatusCodes), std::end(kStatusCodes), code) !=
           std::end(kStatusCodes);
}

// Sub-dword values have no other bits.
void cut_values(LaneRows<uint32_t>::Row& row, unsigned bytes) {
    if (bytes < 4)
        for (uint32_t& value : row)
            value &= (1u << (8 * bytes)) - 1;
}

void add_values(Retired& r, const uint32_t* lanes, unsigned bytes) {
    auto& row = r.values.add();
    std::memcpy(row.data(), lanes, sizeof row);
    cut_values(row, bytes);
}

template <class T>
void add_addresses(Retired& r, const T* lanes) {
    std::copy_n(lanes, isa::kLanes, r.addresses.add().begin());
}

Kind kind_of(isa::VectorMemOp::Kind kind) {
    switch (kind) {
        case isa::VectorMemOp::Kind::Store:
            return Kind::Store;
        case isa::VectorMemOp::Kind::Atomic:
            return Kind::Atomic;
        default:
            return Kind::Load;
    }
}

}  // namespace

RetireRecorder::~RetireRecorder() {
    for (auto& [number, wave] : waves_)
        emit(wave, true);
}

// ---- waves and records --------------------------------------------------------------------------

bool RetireRecorder::starts(uint32_t number, const WaveLaunch& launch, isa::WaveState& regs) {
    Wave& wave = waves_[number];
    wave.about = {launch, wave_name(launch), unit_};
    wave.wanted = sink_.starts(wave.about, regs);
    for (unsigned i = 0; i < kStatusWords; ++i)
        wave.status[i] = regs.s[kStatusCodes[i]];
    return wave.wanted;
}

void RetireRecorder::ends(uint32_t number, const isa::WaveState& regs) {
    Wave& wave = waves_.at(number);
    sink_.ends(wave.about, regs);
    wave.ended = true;
    if (executing_ == nullptr || current_ != number)
        finish(number);
}

void RetireRecorder::finish(uint32_t number) {
    emit(waves_.at(number), true);
    waves_.erase(number);
}

std::unique_ptr<RetireRecorder::Record> RetireRecorder::new_record() {
    if (free_.empty())
        return std::make_unique<Record>();
    std::unique_ptr<Record> record = std::move(free_.back());
    free_.pop_back();
    Retired& r = record->retired;
    r.finished = false;
    r.scalars.clear();
    r.vectors.clear();
    r.accesses.clear();
    r.values.clear();
    r.addresses.clear();
    record->outstanding = kNow;
    record->complete = false;
    record->stale = 0;
    return record;
}

void RetireRecorder::emit(Wave& wave, bool all) {
    while (!wave.records.empty() && (all || wave.records.front()->complete)) {
        std::unique_ptr<Record> record = std::move(wave.records.front());
        wave.records.erase(wave.records.begin());
        for (unsigned i = 0; i < kStatusWords; ++i)
            if ((record->stale >> i & 1) == 0)
                wave.status[i] = record->status[i];
        Retired& r = record->retired;
        r.finished = record->complete;
        r.vcc = wave.status[0] | uint64_t{wave.status[1]} << 32;
        r.exec = wave.status[2] | uint64_t{wave.status[3]} << 32;
        r.m0 = wave.status[4];
        sink_.retired(wave.about, r);
        free_.push_back(std::move(record));
    }
}

// ---- instructions -------------------------------------------------------------------------------

void RetireRecorder::begin(uint32_t number, const Decoded& decoded, isa::WaveState& regs,
                           uint64_t pc, Cycle now, uint8_t* lds) {
    Wave& wave = waves_.at(number);
    current_ = number;
    current_wave_ = &wave;
    executing_ = nullptr;
    if (!wave.wanted)
        return;
    wave.records.push_back(new_record());
    Record& record = *wave.records.back();
    executing_ = &record;
    record.retired.pc = pc;
    record.retired.cycle = now;
    record.retired.decoded = &decoded;
    record.retired.scc = regs.scc;
    record.lanes = regs.exec();
    record.next = pc + 4u * decoded.dwords;
    record.csp = regs.csp;
    record.destinations = {};
    sample(record, regs, ~uint8_t{0});
    if (decoded.action == Action::NoEffect)
        return;
    record.destinations = isa::destinations(decoded.inst, regs);
    if (decoded.action == Action::Lds)
        lds_accesses(record, regs, lds);
}

void RetireRecorder::issued(const isa::WaveState& regs, Operation outstanding) {
    if (executing_ == nullptr)
        return;
    Record& record = *executing_;
    executing_ = nullptr;
    Wave& wave = *current_wave_;
    const isa::Inst& inst = record.retired.decoded->inst;
    if (regs.csp != record.csp &&
        (inst.op == isa::Op::S_CBRANCH_G_FORK || inst.op == isa::Op::S_CBRANCH_I_FORK)) {
        record.destinations.sgpr = static_cast<uint16_t>(4 * record.csp);
        record.destinations.sgprs = 4;
    } else if (inst.op == isa::Op::S_TRAP && regs.pc != record.next) {
        record.destinations.sgpr = isa::kTtmpFirst;
        record.destinations.sgprs = 2;
    }
    record.retired.scc = regs.scc;
    sample(record, regs, ~uint8_t{0});
    const uint8_t written = status_words(record.destinations);
    for (const auto& earlier : wave.records)
        if (earlier->outstanding != kNow)
            record.stale |= status_words(earlier->destinations);
    record.outstanding = outstanding;
    if (outstanding != kNow) {
        record.stale |= written;
        return;
    }
    record.stale &= static_cast<uint8_t>(~written);
    complete(wave, record, regs);
    if (wave.ended)
        finish(current_);
}

RetireRecorder::Record* RetireRecorder::find(uint32_t number, Operation operation) {
    if (operation == kNow)
        return current_ == number ? executing_ : nullptr;
    return find(waves_.at(number), operation);
}

RetireRecorder::Record* RetireRecorder::find(Wave& wave, Operation operation) {
    for (const auto& record : wave.records)
        if (record->outstanding == operation)
            return record.get();
    return nullptr;
}

// Of VCC, EXEC and M0: a bit for each word that is among the destinations.
uint8_t RetireRecorder::status_words(const isa::Destinations& d) {
    unsigned words = 0;
    if (d.sgprs == 0)
        return 0;
    for (unsigned i = 0; i < kStatusWords; ++i)
        words |= unsigned{kStatusCodes[i] - uint32_t{d.sgpr} < d.sgprs} << i;
    return static_cast<uint8_t>(words);
}

void RetireRecorder::sample(Record& record, const isa::WaveState& regs, uint8_t words) {
    for (unsigned i = 0; i < kStatusWords; ++i)
        if ((words >> i & 1) != 0)
            record.status[i] = regs.s[kStatusCodes[i]];
}

void RetireRecorder::read_results(Record& record, const isa::WaveState& regs) {
    const isa::Destinations& d = record.destinations;
    Retired& r = record.retired;
    for (unsigned i = 0; i < d.sgprs; ++i)
        if (!is_status(d.sgpr + i))
            r.scalars.push_back({static_cast<uint16_t>(d.sgpr + i), regs.s[d.sgpr + i]});
    for (unsigned i = 0; d.lanes != 0 && i < d.vgprs; ++i) {
        r.vectors.push_back(
            {static_cast<uint16_t>(d.vgpr + i), d.lanes, static_cast<uint32_t>(r.values.size())});
        add_values(r, regs.v[d.vgpr + i], 4);
    }
}

void RetireRecorder::complete(Wave& wave, Record& record, const isa::WaveState& regs) {
    read_results(record, regs);
    record.complete = true;
    record.outstanding = kNow;
    emit(wave);
}

// ---- memory -------------------------------------------------------------------------------------

// Its values are the rows added next; its addresses have been added.
MemoryAccess& RetireRecorder::add_access(Retired& r, Space space, Kind kind, unsigned bytes,
                                         uint64_t lanes) {
    MemoryAccess& access = r.accesses.emplace_back();
    access.space = space;
    access.kind = kind;
    access.bytes = static_cast<uint8_t>(bytes);
    access.dwords = static_cast<uint8_t>((bytes + 3) / 4);
    access.lanes = lanes;
    access.address_row = static_cast<uint32_t>(r.addresses.size() - 1);
    access.row = static_cast<uint32_t>(r.values.size());
    return access;
}

void RetireRecorder::add_accesses(Retired& r, const isa::VectorMemOp& op) {
    const Kind kind = kind_of(op.kind);
    if (!op.contiguous) {
        for (unsigned k = 0; k < op.dwords; ++k) {
            if (op.dword_lanes[k] == 0)
                continue;
            const unsigned bytes = std::min(4u, op.bytes - 4u * k);
            add_addresses(r, op.addr[k]);
            add_access(r, Space::Global, kind, bytes, op.dword_lanes[k]);
            add_values(r, op.data[k], bytes);
        }
        return;
    }
    if (op.lanes == 0)
        return;
    add_addresses(r, op.addr[0]);
    MemoryAccess& access = add_access(r, Space::Global, kind, op.bytes, op.lanes);
    if (kind == Kind::Atomic && compares(op.atomic))
        access.dwords = static_cast<uint8_t>(2 * access.dwords);
    for (unsigned k = 0; k < access.dwords; ++k)
        add_values(r, op.data[k], op.bytes);
}

void RetireRecorder::sends(const isa::VectorMemOp& op) {
    if (executing_ != nullptr &&
        (op.kind == isa::VectorMemOp::Kind::Store || op.kind == isa::VectorMemOp::Kind::Atomic))
        add_accesses(executing_->retired, op);
}

void RetireRecorder::sends(const GdsRequest& request) {
    if (executing_ == nullptr)
        return;
    Retired& r = executing_->retired;
    const bool writes = request.command == GdsCommand::Write;
    const Kind kind = writes                                ? Kind::Store
                      : request.command == GdsCommand::Read ? Kind::Load
                                                            : Kind::Atomic;
    const unsigned operands = kind == Kind::Load ? 0 : (request.bytes + 3u) / 4;
    for (unsigned e = 0; e < 2; ++e) {
        if (request.lanes[e] == 0)
            continue;
        add_addresses(r, request.address[e].data());
        MemoryAccess& access = add_access(r, Space::Gds, kind, request.bytes, request.lanes[e]);
        access.dwords = static_cast<uint8_t>(operands);
        for (unsigned k = 0; k < operands; ++k)
            add_values(r, request.data[(e * operands + k) & 3].data(), request.bytes);
    }
}

void RetireRecorder::loaded(uint32_t wave, Operation operation, const isa::ScalarMemOp& op,
                            const isa::WaveState& regs) {
    Record* const record = find(wave, operation);
    if (record == nullptr)
        return;
    if (op.kind == isa::ScalarMemOp::Kind::Load || op.kind == isa::ScalarMemOp::Kind::BufferLoad) {
        Retired& r = record->retired;
        const unsigned dwords = std::min(op.valid, op.dwords);
        if (dwords != 0) {
            r.addresses.add()[0] = op.addr;
            add_access(r, Space::Scalar, Kind::Load, 4 * dwords, 1);
            for (unsigned k = 0; k < dwords; ++k)
                r.values.add()[0] = regs.s[op.sdst + k];
        }
    }
    loaded(wave, operation, regs);
}

// Also atomics that return what was there before.
void RetireRecorder::loaded(uint32_t wave, Operation operation, const isa::VectorMemOp& op,
                            const isa::ImageOp* image, const isa::WaveState& regs) {
    Record* const record = find(wave, operation);
    if (record == nullptr)
        return;
    Retired& r = record->retired;
    record->destinations = {};
    record->destinations.lanes = record->lanes;
    if (image != nullptr) {
        record->destinations.vgpr = op.vdst;
        record->destinations.vgprs =
            static_cast<uint8_t>(image->registers + (image->status ? 1 : 0));
        add_texels(r, *image, isa::ImageOp::Texel::Memory, op.lanes);
        add_texels(r, *image, isa::ImageOp::Texel::Table, op.lanes);
    } else {
        if (op.kind == isa::VectorMemOp::Kind::Load)
            add_accesses(r, op);
        if (op.returns) {
            record->destinations.vgpr = op.vdst;
            record->destinations.vgprs = static_cast<uint8_t>(op.dwords + (op.tfe ? 1 : 0));
        }
    }
    loaded(wave, operation, regs);
}

void RetireRecorder::loaded(uint32_t number, Operation operation, const isa::WaveState& regs) {
    if (operation == kNow)
        return;  // issued() reads the registers
    Wave& wave = waves_.at(number);
    Record* const record = find(wave, operation);
    if (record == nullptr)
        return;
    const uint8_t written = status_words(record->destinations);
    record->stale &= static_cast<uint8_t>(~written);
    sample(*record, regs, written);
    complete(wave, *record, regs);
}

// One access for the n-th texel of every lane that has one.
void RetireRecorder::add_texels(Retired& r, const isa::ImageOp& image, isa::ImageOp::Texel kind,
                                uint64_t lanes) {
    for (unsigned t = 0; t < isa::ImageOp::kTexels; ++t) {
        uint64_t with = 0;
        unsigned bytes = 0;
        for (uint64_t m = lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            if (t < image.count[lane] && image.kind[lane][t] == kind) {
                with |= uint64_t{1} << lane;
                bytes = image.size(lane, t);
            }
        }
        if (with == 0)
            continue;
        auto& addresses = r.addresses.add();
        const MemoryAccess access = add_access(r, Space::Image, Kind::Load, bytes, with);
        for (unsigned k = 0; k < access.dwords; ++k) {
            auto& values = r.values.add();
            for (uint64_t m = with; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
                addresses[lane] = image.addr[lane][t];
                values[lane] = 0;
                std::memcpy(&values[lane], &image.data[lane][t][4 * k],
                            std::min(4u, bytes - 4 * k));
            }
        }
    }
}

// Before the instruction is executed: loads see what the places hold now.
void RetireRecorder::lds_accesses(Record& record, isa::WaveState& regs, uint8_t* lds) {
    if (places_ == nullptr)
        places_ = std::make_unique<isa::LdsPlaces>();
    isa::LdsPlaces& places = *places_;
    isa::lds_places(record.retired.decoded->inst, regs, lds, lds_bytes_, places);
    Retired& r = record.retired;
    for (unsigned e = 0; e < places.count; ++e) {
        const isa::LdsPlaces::Element& element = places.element[e];
        if (element.lanes == 0)
            continue;
        add_addresses(r, element.address);
        MemoryAccess& access =
            add_access(r, Space::Lds, static_cast<Kind>(element.kind), places.bytes, element.lanes);
        if (element.kind != isa::LdsPlaces::Kind::Load) {
            access.dwords = element.operand_dwords;
            for (unsigned k = 0; k < access.dwords; ++k)
                add_values(r, element.operand[k], places.bytes);
            continue;
        }
        // The whole dword an element of fewer bytes lies in is in range: allocations are dwords.
        const uint8_t* const base = lds + regs.lds_base;
        for (unsigned k = 0; k < access.dwords; ++k) {
            auto& row = r.values.add();
            for (uint64_t m = element.lanes; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
                uint32_t dword;
                std::memcpy(&dword, base + (element.address[lane] & ~3u) + 4 * k, 4);
                row[lane] = dword >> (8 * (element.address[lane] & 3u));
            }
            cut_values(row, places.bytes);
        }
    }
}

}  // namespace archipelago::cu
