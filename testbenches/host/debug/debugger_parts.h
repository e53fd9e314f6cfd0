// SPDX-License-Identifier: Apache-2.0
// What a debugger remembers of each engine, and what stops it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/host/debug/debugger.h"

namespace archipelago::host {

// An engine, and what it has done in the issue cycle at hand.
struct Debugger::Target final : afuc::ProcessorListener {
    Target(afuc::Processor& p, std::function<uint32_t(uint32_t)> read)
        : processor(p), read_register(std::move(read)) {}
    void took(uint32_t) override {}
    void does(const afuc::Action& action) override { actions.push_back(action); }
    void wrote_control(uint32_t, uint32_t) override {}

    const afuc::Generation& generation() const { return *processor.spec().engine.generation; }
    const afuc::EngineState& state() const { return processor.engine()->state(); }
    const std::string& name() const { return processor.spec().engine.path; }

    afuc::Processor& processor;
    std::function<uint32_t(uint32_t)> read_register;
    std::vector<afuc::Action> actions;
    // Where it stands, once that is no more a place to stop at: an instruction that waits is looked
    // at again and again. Nothing: it has executed one since.
    std::optional<uint32_t> stands;
};

struct Debugger::Point {
    enum class Kind : uint8_t { Pc, Source, Packet, Register, Memory, Value };
    Kind kind = Kind::Pc;
    std::string text;    // as it was given
    uint64_t place = 0;  // pc, entry of the packet table, register, byte address
    uint64_t bytes = 0;  // Memory
    std::string source;  // "file:line"; Value: the register
    unsigned number = 0;
    const Target* only = nullptr;  // of one engine
    uint32_t before = 0;           // Value: what it was

    // What the engine has just written there: "0x100014 <- 0x2".
    std::optional<std::string> written_by(const Target& target) const;
};

}  // namespace archipelago::host
