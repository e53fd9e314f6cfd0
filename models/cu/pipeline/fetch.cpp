// SPDX-License-Identifier: Apache-2.0
// Instruction fetch: one request per cycle for the SIMD whose turn it is, into a buffer of a few
// 32-byte blocks per wave. A jump empties the buffer.
#include <algorithm>

#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {

void CuCore::update_wants_fetch(unsigned simd, unsigned slot) {
    const Wave& wave = state_.waves[simd][slot];
    const auto bit = static_cast<uint16_t>(1u << slot);
    uint16_t& wants = state_.simds[simd].wants_fetch;
    if (wave.fetch_next - block_of(wave.regs.pc) < uint64_t{spec_.fetch_blocks} * kFetchBytes)
        wants |= bit;
    else
        wants &= static_cast<uint16_t>(~bit);
}

// Called with the wave's pc at its new place.
void CuCore::jump(unsigned simd, unsigned slot) {
    Wave& wave = state_.waves[simd][slot];
    ++wave.generation;
    for (unsigned i = 0; i < spec_.fetch_blocks; ++i)
        wave.blocks[i].status = FetchBlock::Status::Empty;
    wave.fetch_next = block_of(wave.regs.pc);
    update_wants_fetch(simd, slot);
}

unsigned CuCore::jump_penalty(unsigned simd, unsigned slot, uint64_t from) const {
    const uint64_t target = state_.waves[simd][slot].regs.pc;
    const auto dword = static_cast<unsigned>(target / 4 % kFetchDwords);
    if (state_.simds[simd].waves != 1 || target < from || dword < spec_.fetch_jump_free_dwords)
        return 0;
    return spec_.fetch_jump_penalty * (dword - spec_.fetch_jump_free_dwords + 1);
}

void CuCore::leave_block(unsigned simd, unsigned slot, uint64_t from) {
    Wave& wave = state_.waves[simd][slot];
    wave.blocks[from / kFetchBytes & (spec_.fetch_blocks - 1)].status = FetchBlock::Status::Empty;
    update_wants_fetch(simd, slot);
}

// The instruction at the wave's pc; null when the buffer does not hold all of it.
const Decoded* CuCore::lookup(Wave& wave, unsigned simd, unsigned slot) {
    const uint64_t pc = wave.regs.pc;
    const auto block_at = [&](uint64_t address) -> DecodedBlock* {
        const FetchBlock& b = wave.blocks[address / kFetchBytes & (spec_.fetch_blocks - 1)];
        if (b.address != block_of(address))
            return nullptr;
        if (b.status == FetchBlock::Status::Faulted)
            stop(StopKind::Fault, simd, slot, pc, nullptr,
                 "instruction fetch from an unmapped address" + of_space(wave.launch.vmid));
        return b.status == FetchBlock::Status::Valid ? b.decoded : nullptr;
    };
    DecodedBlock* block = block_at(pc);
    if (block == nullptr)
        return nullptr;
    const size_t dword = pc / 4 % kFetchDwords;
    const uint32_t first = block->words[dword];
    const auto second = [&]() -> const uint32_t* {
        if (dword + 1 < kFetchDwords)
            return &block->words[dword + 1];
        const DecodedBlock* after = block_at(pc + 4);
        return after == nullptr ? nullptr : &after->words[0];
    };
    if (wave.regs.vskip) {
        DecodeCache& skipping = decode_->skipping();
        if (skipping.length(first) == 1)
            return &skipping.get(first, 0);
        const uint32_t* word = second();
        return word == nullptr ? nullptr : &skipping.get(first, *word);
    }
    const Decoded*& known = block->at[dword];
    if (known != nullptr)
        return known;
    if (decode_->length(first) == 1)
        return known = &decode_->get(first, 0);
    const uint32_t* word = second();
    if (word == nullptr)
        return nullptr;
    const Decoded* decoded = &decode_->get(first, *word);
    if (dword + 1 < kFetchDwords)
        known = decoded;
    return decoded;
}

bool CuCore::fetched_whole(const Wave& wave) const {
    const auto dword = static_cast<unsigned>(wave.regs.pc / 4 % kFetchDwords);
    if (dword < spec_.fetch_free_dwords || (wave.after_long_pair && dword <= kFetchDwords / 2))
        return true;
    const unsigned turns = issue_cycles(*wave.next) / spec_.simds;
    return turns > 1 && dword + turns >= kFetchDwords;
}

// Makes the wave ready with its next instruction, from Simd::ready_at on, or lets it wait for it.
void CuCore::prepare(unsigned simd_index, unsigned slot) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    wave.next = lookup(wave, simd_index, slot);
    if (wave.next == nullptr) {
        wave.status = WaveStatus::NeedsFetch;
        simd.clear_ready(slot);
        return;
    }
    Cycle& ready_at = simd.ready_at[slot];
    if (wave.next->dwords == 2 && simd.waves == 1 && !fetched_whole(wave))
        delay(wave, ready_at, ready_at + spec_.fetch_two_dword_penalty, WaveReason::FetchLate);
    if ((wave.next->status_tested & wave.status_pending) != 0)
        delay(wave, ready_at, wave.status_until, WaveReason::Dependency);
    make_ready(simd_index, slot);
}

void CuCore::make_ready(unsigned simd_index, unsigned slot) {
    Wave& wave = state_.waves[simd_index][slot];
    Simd& simd = state_.simds[simd_index];
    const isa::Inst& inst = wave.next->inst;
    const Action action = wave.next->action;
    const auto bit = static_cast<uint16_t>(1u << slot);
    wave.status = WaveStatus::Ready;
    simd.set_ready(slot);
    if (inst.vgprs_used > wave.regs.num_vgprs || inst.sgprs_used > wave.regs.num_sgprs ||
        action == Action::Illegal || action == Action::Unimplemented)
        simd.stops |= bit;
    else
        simd.stops &= static_cast<uint16_t>(~bit);
    simd.cls[slot] = static_cast<uint8_t>(inst.cls);
    simd.blocked[slot] = WaveReason::Arbitration;
    try_issue_from(simd_index, simd.ready_at[slot]);
}

bool CuCore::fetch(unsigned simd_index, Cycle now) {
    if (!to_fetch->can_push(now))
        return false;
    Simd& simd = state_.simds[simd_index];
    // A wave without an instruction comes before one that fetches ahead; the older first.
    int chosen = -1;
    for (unsigned i = 0; i < simd.waves; ++i) {
        const unsigned slot = simd.order[i];
        if ((simd.wants_fetch >> slot & 1) == 0)
            continue;
        if (chosen < 0)
            chosen = static_cast<int>(slot);
        if (state_.waves[simd_index][slot].status == WaveStatus::NeedsFetch) {
            chosen = static_cast<int>(slot);
            break;
        }
    }
    if (chosen < 0)
        return false;
    const auto slot = static_cast<unsigned>(chosen);
    Wave& wave = state_.waves[simd_index][slot];
    FetchRequest request;
    request.address = wave.fetch_next;
    request.vmid = wave.launch.vmid;
    request.wave = static_cast<uint16_t>(simd_index * 16 + slot);
    request.cu = identity_.cache_port;
    request.generation = wave.generation;
    FetchBlock& block = wave.blocks[wave.fetch_next / kFetchBytes & (spec_.fetch_blocks - 1)];
    block.status = FetchBlock::Status::Requested;
    block.address = wave.fetch_next;
    wave.fetch_next += kFetchBytes;
    update_wants_fetch(simd_index, slot);
    ++state_.fetches_in_flight;
    ++state_.counters.fetches;
    to_fetch->push(now, request);
    return true;
}

bool CuCore::take_fetches(Cycle now) {
    if (!fetch_in.can_pop(now))
        return false;
    take_fetch(now, fetch_in.front());
    fetch_in.drop(now);
    return true;
}

void CuCore::take_fetch(Cycle now, const FetchResponse& response) {
    --state_.fetches_in_flight;
    const unsigned simd = response.wave / 16;
    const unsigned slot = response.wave % 16;
    if (simd >= spec_.simds || slot >= spec_.wave_slots)
        throw MachineStop(StopKind::Protocol, identity_.name,
                          "instruction fetch response for a wave slot that does not exist");
    if (state_.waves.empty() || state_.waves[simd][slot].status == WaveStatus::Free ||
        state_.waves[simd][slot].generation != response.generation) {
        ++state_.counters.fetches_dropped;
        return;
    }
    Wave& wave = state_.waves[simd][slot];
    FetchBlock& block = wave.blocks[response.address / kFetchBytes & (spec_.fetch_blocks - 1)];
    if (block.status != FetchBlock::Status::Requested || block.address != response.address)
        throw MachineStop(StopKind::Protocol, identity_.name,
                          "unsolicited instruction fetch response");
    block.status = response.fault ? FetchBlock::Status::Faulted : FetchBlock::Status::Valid;
    block.decoded = response.fault ? nullptr : &decode_->block(response.words);
    // A prefetched block may be at an address the program never reaches; only a wave that needs it
    // now decodes it.
    if (wave.status == WaveStatus::NeedsFetch)
        if (const Decoded* const next = lookup(wave, simd, slot); next != nullptr) {
            wave.next = next;
            end_wait(simd, slot, now, WaveReason::Fetch);
            prepare(simd, slot);
        }
}

}  // namespace archipelago::cu
