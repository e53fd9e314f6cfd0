// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/common/error.h"

namespace archipelago::host {
namespace {

constexpr uint32_t kSqeStackPointer = 5, kSqeStack = 8;

uint64_t number(const std::string& text, const char* what) {
    size_t used = 0;
    uint64_t value = 0;
    try {
        value = std::stoull(text, &used, 0);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != text.size())
        throw std::invalid_argument(fmt::format("{} \"{}\" is not a number", what, text));
    return value;
}

const std::string& word(const std::vector<std::string>& words, size_t i, const char* what) {
    if (i >= words.size())
        throw std::invalid_argument(fmt::format("{}: {} is missing", words[0], what));
    return words[i];
}

}  // namespace

// An engine, and what it has done in the beat at hand.
struct Debugger::Target final : afuc::ProcessorListener {
    Target(afuc::Processor& p, std::function<uint32_t(uint32_t)> read)
        : processor(p), read_register(std::move(read)) {}
    void took(uint32_t) override {}
    void does(const afuc::Action& action) override { actions.push_back(action); }
    void wrote_control(uint32_t index, uint32_t value) override {
        control.emplace_back(index, value);
    }

    const afuc::Generation& generation() const { return *processor.spec().engine.generation; }
    const afuc::EngineState& state() const { return processor.engine()->state(); }
    const std::string& name() const { return processor.spec().engine.path; }

    afuc::Processor& processor;
    std::function<uint32_t(uint32_t)> read_register;
    std::vector<afuc::Action> actions;
    std::vector<std::pair<uint32_t, uint32_t>> control;
};

struct Debugger::Point {
    enum class Kind : uint8_t { Pc, Source, Packet, Register, Memory, Control, General };
    Kind kind = Kind::Pc;
    std::string text;    // as it was given
    uint64_t place = 0;  // pc, entry of the packet table, register, byte address
    uint64_t bytes = 0;  // Memory
    std::string source;  // "file:line"
    unsigned number = 0;
    const Target* only = nullptr;  // of one engine
    uint32_t before = 0;           // General: the value it had
};

Debugger::Debugger(std::istream& in, std::ostream& out, bool prompt, DebugMachine machine)
    : in_(in), out_(out), prompt_(prompt), machine_(std::move(machine)) {}

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
void Debugger::before_beat(afuc::Processor& engine, Cycle now) {
    if (ended_ || engine.engine() == nullptr)
        return;
    Target& target = target_of(engine);
    target.actions.clear();
    target.control.clear();
    const uint32_t pc = target.state().pc;
    const afuc::Engine& e = *engine.engine();
    if (pc >= e.section_words() || !e.has(pc) || target.state().repeating)
        return;
    // A stop behind a beat has shown this instruction already.
    if (&target == shown_) {
        shown_ = nullptr;
        return;
    }
    if (&target == only_ && steps_ != 0 && --steps_ == 0)
        return talk(target, now, "");
    for (const Point& p : points_)
        if ((p.only == nullptr || p.only == &target) &&
            ((p.kind == Point::Kind::Pc && p.place == pc) ||
             (p.kind == Point::Kind::Source && engine.source_of(pc) == p.source)))
            return talk(target, now, fmt::format("break {}: {}", p.number, p.text));
}

// Packets, and what has been written.
void Debugger::after_beat(afuc::Processor& engine, Cycle now, bool packet) {
    if (ended_ || engine.engine() == nullptr)
        return;
    Target& target = target_of(engine);
    shown_ = &target;
    const unsigned entry = afuc::take_header(target.state().header).entry;
    if (packet && &target == only_ && packets_ != 0 && --packets_ == 0)
        return talk(target, now, "");
    for (Point& p : points_) {
        if (p.only != nullptr && p.only != &target)
            continue;
        if (p.kind == Point::Kind::Packet ? packet && p.place == entry : hits(p, target)) {
            std::string why = fmt::format("break {}: {}", p.number, p.text);
            if (p.kind == Point::Kind::General) {
                const uint32_t value = value_of(target, p.source);
                why += fmt::format(": {:#x} -> {:#x}", p.before, value);
                p.before = value;
            }
            return talk(target, now, why);
        }
    }
    shown_ = nullptr;
}

bool Debugger::hits(const Point& point, const Target& target) const {
    switch (point.kind) {
        case Point::Kind::Register:
        case Point::Kind::Memory:
            return std::any_of(
                target.actions.begin(), target.actions.end(), [&](const afuc::Action& a) {
                    return point.kind == Point::Kind::Register
                               ? a.kind == afuc::Action::Kind::Register && a.index == point.place
                               : (a.kind == afuc::Action::Kind::Memory ||
                                  a.kind == afuc::Action::Kind::Timestamp) &&
                                     a.address - point.place < point.bytes;
                });
        case Point::Kind::Control:
            return std::any_of(target.control.begin(), target.control.end(),
                               [&](const auto& c) { return c.first == point.place; });
        case Point::Kind::General:
            return value_of(target, point.source) != point.before;
        default:
            return false;
    }
}

// Reads commands until one lets the run go on.
void Debugger::talk(Target& target, Cycle now, const std::string& why) {
    at_ = only_ = &target;
    now_ = now;
    steps_ = packets_ = 0;
    if (!why.empty())
        out_ << why << "\n";
    show_place(target, now);
    std::string text;
    for (;;) {
        if (prompt_)
            out_ << "(" << at_->name() << ") " << std::flush;
        if (!std::getline(in_, text)) {
            ended_ = true;
            return;
        }
        std::istringstream line(text.substr(0, text.find('#')));
        Words words;
        for (std::string w; line >> w;)
            words.push_back(w);
        try {
            if (!words.empty() && execute(words))
                return;
        } catch (const std::invalid_argument& error) {
            if (!prompt_)
                throw std::invalid_argument("debugger: " + text + ": " + error.what());
            out_ << error.what() << "\n";
        }
    }
}

// ---- commands ----------------------------------------------------------------------------------

bool Debugger::execute(const Words& w) {
    const std::string& name = w[0];
    if (name == "step" || name == "s")
        return step(w);
    if (name == "packet" || name == "p")
        return until_packet(w);
    if (name == "continue" || name == "c")
        return go_on(w);
    if (name == "quit" || name == "q")
        throw MachineStop(StopKind::BadInput, at_->processor.where(), "ended by the debugger");
    if (name == "break" || name == "b")
        add_break(w);
    else if (name == "watch" || name == "w")
        add_watch(w);
    else if (name == "delete" || name == "d")
        remove(w);
    else if (name == "points")
        list_points();
    else if (name == "engine")
        choose_engine(w);
    else if (name == "print")
        print(w);
    else if (name == "registers")
        print_registers();
    else if (name == "stack")
        print_stack();
    else if (name == "list" || name == "l")
        list_code(w);
    else if (name == "where")
        show_place(*at_, now_);
    else if (name == "help")
        help();
    else
        throw std::invalid_argument("no such command, help lists them");
    return false;
}

void Debugger::help() {
    out_ << "step [N], packet [N], continue, quit\n"
            "break pc N | FILE:LINE | packet NAME | register NAME [in ENGINE]\n"
            "watch $NN | @CONTROL | %SQE | register NAME | memory ADDRESS [BYTES] [in ENGINE]\n"
            "points, delete N\n"
            "print $NN | @CONTROL | %SQE | REGISTER | memory ADDRESS [DWORDS]\n"
            "registers, stack, list [N], where, engine NAME\n";
}

bool Debugger::step(const Words& w) {
    steps_ = w.size() > 1 ? number(w[1], "step") : 1;
    only_ = at_;
    return steps_ != 0;
}

bool Debugger::until_packet(const Words& w) {
    packets_ = w.size() > 1 ? number(w[1], "packet") : 1;
    only_ = at_;
    return packets_ != 0;
}

bool Debugger::go_on(const Words&) {
    return true;
}

void Debugger::add(Point point) {
    point.number = next_point_++;
    out_ << fmt::format("{}: {}\n", point.number, point.text);
    points_.push_back(std::move(point));
}

void Debugger::add_break(const Words& given) {
    Words w = given;
    Point p;
    if (w.size() > 2 && w[w.size() - 2] == "in") {
        Target* const before = at_;
        choose_engine({"engine", w.back()});
        p.only = at_;
        at_ = before;
        w.resize(w.size() - 2);
    }
    for (size_t i = 1; i < given.size(); ++i)
        p.text += (i == 1 ? "" : " ") + given[i];
    const std::string& what = word(w, 1, "pc, packet, register or FILE:LINE");
    if (what == "pc") {
        p.place = number(word(w, 2, "a number"), "pc");
    } else if (what == "packet") {
        const std::string& packet = word(w, 2, "a packet");
        const int opcode = packet == "PKT4" ? static_cast<int>(afuc::kType4Entry)
                                            : afuc::packet_opcode(at_->generation().names, packet);
        if (opcode < 0)
            throw std::invalid_argument("no packet " + packet);
        p.kind = Point::Kind::Packet;
        p.place = static_cast<uint64_t>(opcode);
    } else if (what == "register") {
        p.kind = Point::Kind::Register;
        p.place = register_index(word(w, 2, "a register"));
    } else if (what.find(':') != std::string::npos) {
        p.kind = Point::Kind::Source;
        p.source = what;
    } else {
        throw std::invalid_argument("break: expected pc, packet, register or FILE:LINE");
    }
    add(std::move(p));
}

void Debugger::add_watch(const Words& w) {
    const std::string& what = word(w, 1, "what to watch");
    Point p;
    for (size_t i = 1; i < w.size(); ++i)
        p.text += (i == 1 ? "" : " ") + w[i];
    if (what == "register") {
        p.kind = Point::Kind::Register;
        p.place = register_index(word(w, 2, "a register"));
    } else if (what == "memory") {
        p.kind = Point::Kind::Memory;
        p.place = number(word(w, 2, "an address"), "address");
        p.bytes = w.size() > 3 ? number(w[3], "bytes") : 4;
    } else {
        p.kind = Point::Kind::General;
        p.source = what;
        p.only = at_;
        p.before = value_of(*at_, what);
    }
    add(std::move(p));
}

void Debugger::remove(const Words& w) {
    const uint64_t which = number(word(w, 1, "a number"), "point");
    const auto found = std::find_if(points_.begin(), points_.end(),
                                    [&](const Point& p) { return p.number == which; });
    if (found == points_.end())
        throw std::invalid_argument(fmt::format("there is no {}", which));
    points_.erase(found);
}

void Debugger::list_points() {
    for (const Point& p : points_)
        out_ << fmt::format("{}: {}\n", p.number, p.text);
}

void Debugger::choose_engine(const Words& w) {
    const std::string& name = word(w, 1, "a name");
    std::string known;
    for (const auto& target : targets_) {
        if (target->name() == name) {
            at_ = target.get();
            return;
        }
        known += (known.empty() ? "" : ", ") + target->name();
    }
    throw std::invalid_argument("no engine " + name + ", there are " + known);
}

uint32_t Debugger::register_index(const std::string& name) const {
    if (const auto* info = machine_.registers->find_by_name(name))
        return info->offset / 4;
    return static_cast<uint32_t>(number(name, "register"));
}

// $05, @IB_LEVEL, %SP, or a GPU register.
uint32_t Debugger::value_of(const Target& target, const std::string& what) const {
    const afuc::Names names = target.generation().names;
    if (what[0] == '$') {
        const uint64_t n = what == "$rem" ? static_cast<uint64_t>(afuc::kRem)
                                          : number("0x" + what.substr(1), "register");
        if (n >= afuc::kRegisters)
            throw std::invalid_argument("no register " + what);
        return target.state().gpr[n];
    }
    if (what[0] == '@' || what[0] == '%') {
        const bool control = what[0] == '@';
        const std::string name = what.substr(1);
        const auto* found =
            afuc::find_register(names, control ? afuc::Space::Control : afuc::Space::Sqe, name);
        const uint64_t at = found != nullptr ? found->first : number(name, "register");
        if (at >= (control ? afuc::kControlRegisters : afuc::kSqeRegisters))
            throw std::invalid_argument("no register " + what);
        return control ? target.state().control[at] : target.state().sqe[at];
    }
    return target.read_register(register_index(what));
}

void Debugger::print(const Words& w) {
    const std::string& what = word(w, 1, "what to print");
    if (what != "memory") {
        const uint32_t value = value_of(*at_, what);
        out_ << fmt::format("{} = {:#x} ({})\n", what, value, value);
        return;
    }
    const uint64_t address = number(word(w, 2, "an address"), "address");
    const uint64_t dwords = w.size() > 3 ? number(w[3], "dwords") : 1;
    for (uint64_t i = 0; i < dwords; ++i) {
        if (!machine_.memory().is_mapped(address + 4 * i, 4))
            throw std::invalid_argument(fmt::format("{:#x} is not mapped", address + 4 * i));
        uint32_t value = 0;
        machine_.memory().read(address + 4 * i, &value, sizeof value);
        out_ << fmt::format("{:#x}: {:#010x}\n", address + 4 * i, value);
    }
}

void Debugger::print_registers() {
    for (unsigned i = 1; i < afuc::kRegisters; ++i)
        out_ << fmt::format("${:02x} {:#010x}{}", i, at_->state().gpr[i],
                            i % 4 == 0 || i + 1 == afuc::kRegisters ? "\n" : "  ");
}

void Debugger::print_stack() {
    const auto& sqe = at_->state().sqe;
    const uint32_t depth = std::min(sqe[kSqeStackPointer], afuc::kStackDepth);
    for (uint32_t i = depth; i != 0; --i)
        out_ << "  " << line_of(*at_, sqe[kSqeStack + i - 1]) << "\n";
    if (depth == 0)
        out_ << "  no calls\n";
}

void Debugger::list_code(const Words& w) {
    const uint64_t lines = w.size() > 1 ? number(w[1], "list") : 8;
    const uint32_t pc = at_->state().pc;
    for (uint32_t i = pc; i < pc + lines && i < at_->processor.engine()->section_words(); ++i)
        out_ << (i == pc ? "> " : "  ") << line_of(*at_, i) << "\n";
}

std::string Debugger::line_of(const Target& target, uint32_t pc) const {
    const afuc::Engine& engine = *target.processor.engine();
    const std::string source = target.processor.source_of(pc);
    return fmt::format("pc {}{}: {}", pc, source.empty() ? "" : " " + source,
                       engine.has(pc)
                           ? afuc::instruction_text(target.generation(), engine.word_at(pc), pc)
                           : "not fetched");
}

void Debugger::show_place(const Target& target, Cycle now) {
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
