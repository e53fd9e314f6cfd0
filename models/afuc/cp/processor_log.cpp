// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/processor_log.h"

#include <utility>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/common/text.h"

namespace archipelago::afuc {

ProcessorLog::ProcessorLog(Processor& processor)
    : processor_(processor),
      generation_(*processor.spec().engine.generation),
      language_(generation_.names) {}

void ProcessorLog::observe(const Observers& observers) {
    observers_ = observers;
    track_ = observers.track(processor_.spec().engine.path);
    if (enabled())
        processor_.add_listener(*this);
}

void ProcessorLog::line(LogCategory category, Cycle at, const std::string& text) const {
    observers_.log->line(category, at, processor_.spec().engine.path, text);
}

std::string ProcessorLog::register_name(uint32_t index) const {
    const regs::RegisterInfo* info = language_.registers().find(4 * index);
    return info != nullptr ? std::string(info->name) : "register " + hex(index);
}

void ProcessorLog::before_step() {
    const Engine* engine = processor_.engine();
    if (engine == nullptr || engine->state().leads == Leads::Packet)
        packet_place_ = processor_.place_in_stream();
    if (engine == nullptr || !logs(LogCategory::Isa))
        return;
    pc_ = engine->state().pc;
    before_ = engine->state().gpr;
    sqe_before_ = engine->state().sqe;
    words_before_ = words_.size();
}

void ProcessorLog::after_step(Cycle now, bool packet) {
    for (const Action& a : actions_) {
        if (a.kind == Action::Kind::Register && logs(LogCategory::Reg))
            line(LogCategory::Reg, now, "write " + register_name(a.index) + " = " + hex(a.value));
        if (a.kind == Action::Kind::Memory && logs(LogCategory::Mem))
            line(LogCategory::Mem, now, "write " + hex(a.address) + " = " + hex(a.value));
    }
    actions_.clear();
    if (const Engine* engine = processor_.engine(); engine != nullptr && logs(LogCategory::Isa))
        log_instruction(*engine, now);
    effects_.clear();
    if (packet)
        begin_packet(now);
    else if (const Engine* engine = processor_.engine(); engine != nullptr &&
                                                         engine->state().leads == Leads::Packet &&
                                                         !engine->state().repeating)
        end_packet(now);
}

// Of a twin its header has just been taken, and where the one before has ended is not told.
// An engine has taken from the header on what is in words_: more than that, or nothing yet.
void ProcessorLog::begin_packet(Cycle now) {
    if (const Engine* engine = processor_.engine()) {
        header_ = engine->state().header;
    } else {
        const uint32_t header = words_.empty() ? 0 : words_.back();
        if (!words_.empty())
            words_.pop_back();
        end_packet(now);
        header_ = header;
        words_.assign(1, header);
    }
    in_packet_ = true;
    began_ = now;
}

// Its handler waits for the next.
void ProcessorLog::end_packet(Cycle now) {
    if (!std::exchange(in_packet_, false))
        return words_.clear();
    if (words_.empty())
        words_.assign(1, header_);
    if (logs(LogCategory::Pm4)) {
        std::string text = header_ == kBufferEnd
                               ? packet_name(generation_.names, take_header(header_).entry)
                               : language_.disassemble(words_.data(), words_.size(), {false});
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        line(LogCategory::Pm4, began_, packet_place_ + ": " + text);
    }
    if (observers_.trace != nullptr)
        trace_packet(now + 1);
    words_.clear();
}

void ProcessorLog::trace_packet(Cycle end) const {
    observers_.trace->slice(track_, began_, end,
                            packet_name(generation_.names, take_header(header_).entry));
}

void ProcessorLog::finish_trace(Cycle now) const {
    if (in_packet_ && observers_.trace != nullptr)
        trace_packet(now);
}

// What the issue cycle has taken of its stream.
std::string ProcessorLog::words_text() const {
    std::string text;
    for (size_t i = words_before_; i < words_.size(); ++i)
        text += (i == words_before_ ? ", $data " : " ") + hex(words_[i]);
    return text;
}

// What it has written, though the value may have been there before; what has changed besides. (rep)
// with 0 in $rem is not executed.
std::string ProcessorLog::values_text(const Engine& engine) const {
    const Decoded d = decode_word(generation_.encoding, engine.word_at(pc_));
    const bool done = !d.repeats || before_[kRem] != 0;
    std::string text;
    for (unsigned i = 1; i < kRegisters; ++i) {
        const uint32_t value = engine.state().gpr[i];
        const bool written =
            i != kDataOut && (i == d.destination || (d.pre_increment && i == d.second));
        if (value != before_[i] || (written && done))
            text += ", " + destination_text(i) + " = " + hex(value);
    }
    for (unsigned i = 0; i < kSqeRegisters; ++i)
        if (const uint32_t value = engine.state().sqe[i]; value != sqe_before_[i]) {
            const Named name = name_of(generation_.names, Space::Sqe, i);
            text += ", %" + (name ? name.text() : hex(i)) + " = " + hex(value);
        }
    return text;
}

// "pc 12 a630.afuc:40: mov $02, $data | $data 0x5, $02 = 0x5, $rem = 0x0".
void ProcessorLog::log_instruction(const Engine& engine, Cycle now) {
    const std::string source = processor_.source_of(pc_);
    std::string text = "pc " + std::to_string(pc_) + (source.empty() ? "" : " " + source) + ": " +
                       processor_.instruction(pc_);
    const std::string values = words_text() + effects_ + values_text(engine);
    if (!values.empty())
        text += " | " + values.substr(2);
    line(LogCategory::Isa, now, text);
}

void ProcessorLog::does(const Action& a) {
    actions_.push_back(a);
    switch (a.kind) {
        case Action::Kind::Register:
            effects_ += ", " + register_name(a.index) + " = " + hex(a.value);
            return;
        case Action::Kind::Memory:
            effects_ += ", mem[" + hex(a.address) + "] = " + hex(a.value);
            return;
        case Action::Kind::Timestamp:
            effects_ += ", mem[" + hex(a.address) + "] = always-on counter";
            return;
        case Action::Kind::Interrupt:
            effects_ += ", interrupt " + std::to_string(a.index);
            return;
        default:
            return;
    }
}

void ProcessorLog::wrote_control(uint32_t index, uint32_t value) {
    const Named name = name_of(generation_.names, Space::Control, index);
    effects_ += ", @" + (name ? name.text() : hex(index)) + " = " + hex(value);
}

void ProcessorLog::set_secure(bool on, bool done) {
    effects_ += std::string(", secure mode ") + (on ? "on" : "off") + (done ? "" : ": refused");
}

}  // namespace archipelago::afuc
