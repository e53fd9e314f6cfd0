// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "testbenches/host/debug/debugger_parts.h"

namespace archipelago::host {

std::optional<std::string> Debugger::Point::written_by(const Target& target) const {
    for (const afuc::Action& a : target.actions) {
        const bool timestamp = a.kind == afuc::Action::Kind::Timestamp;
        if (kind == Kind::Register && a.kind == afuc::Action::Kind::Register && a.index == place)
            return fmt::format("{:#x} <- {:#x}", a.index, a.value);
        if (kind == Kind::Memory && (timestamp || a.kind == afuc::Action::Kind::Memory) &&
            (a.address - place < bytes || place - a.address < (timestamp ? 8u : 4u)))
            return fmt::format("{:#x} <- {}", a.address,
                               timestamp ? "the counter" : fmt::format("{:#x}", a.value));
    }
    return {};
}

Debugger::Debugger(DebugInput in, std::ostream& out, DebugMachine machine)
    : in_(std::move(in)), out_(out), machine_(std::move(machine)) {}

Debugger::~Debugger() = default;

void Debugger::attach(afuc::Processor& engine, std::function<uint32_t(uint32_t)> read_register) {
    targets_.push_back(std::make_unique<Target>(engine, std::move(read_register)));
    engine.add_listener(*targets_.back());
    if (at_ == nullptr)
        at_ = only_ = targets_.back().get();
}

Debugger::Target& Debugger::target_of(afuc::Processor& engine) {
    for (const auto& target : targets_)
        if (&target->processor == &engine)
            return *target;
    throw std::logic_error("an engine that is not attached");
}

// ---- stops -------------------------------------------------------------------------------------

// Breakpoints at an instruction, and the end of steps.
void Debugger::before_issue(afuc::Processor& engine, Cycle now) {
    if (ended_ || engine.engine() == nullptr)
        return;
    Target& target = target_of(engine);
    target.actions.clear();
    const uint32_t pc = target.state().pc;
    const afuc::Engine& e = *engine.engine();
    if (pc >= e.section_words() || !e.has(pc) || target.state().repeating)
        return;
    if (std::exchange(target.stands, pc) == pc)
        return;
    if (&target == only_ && steps_ != 0 && --steps_ == 0)
        return talk(target, now, "");
    for (const Point& p : points_)
        if (stops_at(p, target, pc))
            return talk(target, now, fmt::format("break {}: {}", p.number, p.text));
}

// Packets, and what has been written.
void Debugger::after_issue(afuc::Processor& engine, Cycle now, bool packet) {
    if (ended_ || engine.engine() == nullptr)
        return;
    Target& target = target_of(engine);
    target.stands = target.state().pc;  // a stop here shows the next instruction
    if (packet && &target == only_ && packets_ != 0 && --packets_ == 0)
        return talk(target, now, "");
    for (Point& p : points_) {
        std::string why = fmt::format("break {}: {}", p.number, p.text);
        if (stops_behind(p, target, packet, why))
            return talk(target, now, why);
    }
    target.stands.reset();
}

bool Debugger::stops_at(const Point& p, const Target& target, uint32_t pc) const {
    if (p.only != nullptr && p.only != &target)
        return false;
    return (p.kind == Point::Kind::Pc && p.place == pc) ||
           (p.kind == Point::Kind::Source && target.processor.source_of(pc) == p.source);
}

// Adds to `why` what was written.
bool Debugger::stops_behind(Point& p, const Target& target, bool packet, std::string& why) const {
    if (p.only != nullptr && p.only != &target)
        return false;
    if (p.kind == Point::Kind::Packet)
        return packet && p.place == afuc::take_header(target.state().header).entry;
    if (p.kind == Point::Kind::Value) {
        const uint32_t value = value_of(target, p.source);
        if (value == p.before)
            return false;
        why += fmt::format(": {:#x} -> {:#x}", p.before, value);
        p.before = value;
        return true;
    }
    const std::optional<std::string> written = p.written_by(target);
    why += written ? ": " + *written : "";
    return written.has_value();
}

// Reads commands until one lets the run go on.
void Debugger::talk(Target& target, Cycle now, const std::string& why) {
    at_ = only_ = &target;
    now_ = now;
    steps_ = packets_ = 0;
    if (!why.empty())
        out_ << why << "\n";
    show_place(target, now);
    std::string line;
    do
        if (!in_.next(line, [&] { out_ << "(" << at_->name() << ") " << std::flush; })) {
            ended_ = true;
            return;
        }
    while (!obey(line));
}

// Carries out a line, "#" begins a comment.
bool Debugger::obey(const std::string& line) {
    std::istringstream text(line.substr(0, line.find('#')));
    Words words;
    for (std::string w; text >> w;)
        words.push_back(w);
    if (words.empty())
        return false;
    try {
        return execute(words);
    } catch (const std::invalid_argument& error) {
        if (!in_.from_terminal())
            throw std::invalid_argument(
                fmt::format("{}: {}: {}", in_.place(), fmt::join(words, " "), error.what()));
        out_ << error.what() << "\n";
        return false;
    }
}

// ---- where an engine is ------------------------------------------------------------------------

bool Debugger::says_not_started(const Target& target) {
    if (target.processor.running())
        return false;
    out_ << target.name() << " has not been started\n";
    return true;
}

// Of an instruction that has not been fetched, what the image has.
std::string Debugger::text_of(const Target& target, uint32_t pc) const {
    const afuc::Engine& engine = *target.processor.engine();
    const afuc::ProcessorSpec& spec = target.processor.spec();
    if (pc >= spec.words)
        return fmt::format("after the {} instructions of its section", spec.words);
    const uint32_t word = pc < engine.section_words() && engine.has(pc)
                              ? engine.word_at(pc)
                              : machine_.cp->images[spec.image].words[spec.first_word + pc];
    return afuc::instruction_text(target.generation(), word, pc, [&target](uint32_t index) {
        return target.processor.label_at(index);
    });
}

std::string Debugger::line_of(const Target& target, uint32_t pc) const {
    const std::string source = target.processor.source_of(pc);
    return fmt::format("pc {}{}: {}", pc, source.empty() ? "" : " " + source, text_of(target, pc));
}

void Debugger::show_place(const Target& target, Cycle now) {
    if (says_not_started(target))
        return;
    const afuc::EngineState& s = target.state();
    out_ << fmt::format(
                "{} at {}, {}{}\n", target.name(), now,
                s.packets != 0
                    ? "packet " + afuc::packet_text(target.generation().names, s.header) + ", "
                    : "",
                target.processor.place_in_stream())
         << "> " << line_of(target, s.pc) << "\n";
}

}  // namespace archipelago::host
