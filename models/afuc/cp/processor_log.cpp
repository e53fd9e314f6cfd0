// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/processor_log.h"

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
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
    else if (in_packet_ && processor_.engine() != nullptr &&
             processor_.engine()->state().leads == Leads::Packet)
        end_packet(now);
}

// Its header has been taken.
void ProcessorLog::begin_packet(Cycle now) {
    const uint32_t header = words_.empty() ? 0 : words_.back();
    if (in_packet_) {  // a twin does not tell where a packet ends
        words_.pop_back();
        end_packet(now);
    }
    words_.assign(1, header);
    in_packet_ = true;
    began_ = now;
}

// Its handler waits for the next.
void ProcessorLog::end_packet(Cycle now) {
    in_packet_ = false;
    if (words_.empty())
        return;
    if (logs(LogCategory::Pm4)) {
        std::string text = language_.disassemble(words_.data(), words_.size(), {false});
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        line(LogCategory::Pm4, began_, packet_place_ + ": " + text);
    }
    if (observers_.trace != nullptr)
        show_packet(now + 1);
    words_.clear();
}

void ProcessorLog::show_packet(Cycle end) const {
    observers_.trace->slice(track_, began_, end,
                            packet_name(generation_.names, take_header(words_[0]).entry));
}

void ProcessorLog::finish_trace(Cycle now) const {
    if (in_packet_ && !words_.empty() && observers_.trace != nullptr)
        show_packet(now);
}

// "pc 12 a630.afuc:40: mov $02, $data | $02 = 0x5".
void ProcessorLog::log_instruction(const Engine& engine, Cycle now) {
    const std::string source = processor_.source_of(pc_);
    std::string text = "pc " + std::to_string(pc_) + (source.empty() ? "" : " " + source) + ": " +
                       processor_.instruction(pc_);
    std::string values = effects_;
    for (unsigned i = 1; i < kRegisters; ++i)
        if (const uint32_t value = engine.state().gpr[i]; value != before_[i])
            values += format_text(", $%02x = ", i) + hex(value);
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
