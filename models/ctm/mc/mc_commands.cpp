// SPDX-License-Identifier: Apache-2.0
// Commands of the command processor to the memory controller: surfaces, flushes and invalidations.
#include "models/ctm/mc/mc_core.h"

namespace archipelago::ctm {

bool McCore::run_command(Cycle now) {
    bool moved = state_.command.active && go_on_with_command(now);
    if (!state_.command.active && run_ == RunState::Running && commands.can_pop(now))
        moved |= begin_command(now);
    return moved;
}

bool McCore::set_surfaces(Cycle now, const UnitCommand& command) {
    for (AddressUnit& unit : units_)
        if (!unit.can_set(now))
            return false;
    for (AddressUnit& unit : units_)
        unit.set(now, command);
    units_next_.fill(0);
    return true;
}

bool McCore::begin_command(Cycle now) {
    const UnitCommand command = with_own_format(commands.front());
    McState::InHand c;
    c.active = true;
    c.opcode = command.opcode;
    c.finish = now;
    if (command.opcode <= static_cast<uint8_t>(Command::SetConstbFmt)) {
        if (!set_surfaces(now, command))
            return false;
        c.finish = now + spec_.address.commands.latency;
        state_.setting_until = c.finish;
    }
    commands.drop(now);
    ++state_.commands;
    c.effect = apply(command, state_.registers);
    c.walking = c.effect.kind != CacheEffect::None;
    state_.command = c;
    state_.began = now;
    go_on_with_command(now);
    return true;
}

bool McCore::go_on_with_command(Cycle now) {
    McState::InHand& c = state_.command;
    const bool flush = c.effect.kind == CacheEffect::Flush;
    if (c.walking) {
        const bool moved = flush ? walk_dirty() : drop_lines(now);
        if (c.walking)
            return moved;
    }
    if (c.finish > now) {
        due(c.finish);
        return false;
    }
    if (flush && cache(c.effect.cache).writing())
        return false;
    state_.flush_cycles += flush ? now - state_.began : 0;
    c.active = false;
    if (to_command_done)
        to_command_done->send(now, {c.opcode});
    return true;
}

// Both begin once no line is on its way to the cache. A flush sends a dirty line a cycle; it ends
// when memory has them.
bool McCore::walk_dirty() {
    McState::InHand& c = state_.command;
    CacheUnit& cache = this->cache(c.effect.cache);
    if (cache.fetching())
        return false;
    if (!cache.all_clean(c.entry))
        return cache.flush_one(c.entry);
    cache.invalidate();
    c.walking = false;
    return true;
}

bool McCore::drop_lines(Cycle now) {
    McState::InHand& c = state_.command;
    CacheUnit& cache = this->cache(c.effect.cache);
    if (cache.fetching())
        return false;
    if (!c.dropping) {
        c.dropping = true;
        c.finish = now + spec_.invalidate_cycles;
    }
    if (c.finish > now) {
        due(c.finish);
        return false;
    }
    ++state_.invalidations;
    cache.invalidate();
    c.walking = false;
    return true;
}

}  // namespace archipelago::ctm
