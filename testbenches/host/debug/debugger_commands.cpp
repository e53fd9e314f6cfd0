// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "models/afuc/isa/text.h"
#include "models/config/suggest.h"
#include "testbenches/host/debug/debug_words.h"
#include "testbenches/host/debug/debugger.h"
#include "testbenches/host/debug/debugger_parts.h"

namespace archipelago::host {
namespace {

constexpr uint32_t kSqeStackPointer = 5, kSqeStack = 8;
constexpr uint64_t kListed = 8;  // instructions of `list`

const std::string& word(const std::vector<std::string>& words, size_t i, const char* what) {
    if (i >= words.size())
        throw std::invalid_argument(std::string("expected ") + what);
    return words[i];
}

void check_words(const std::vector<std::string>& words, size_t most) {
    if (words.size() > most)
        throw std::invalid_argument("\"" + words[most] + "\" is too much");
}

}  // namespace

struct Debugger::Command {
    const char* name;
    const char* abbreviation;  // "": none
    const char* arguments;
    const char* meaning;
    size_t most;  // words
    bool (Debugger::*carry_out)(const Words&);
};

const std::vector<Debugger::Command>& Debugger::commands() {
    static const std::vector<Command> kCommands = {
        {"step", "s", "[N]", "to the N-th instruction from here", 2, &Debugger::step},
        {"packet", "pk", "[N]", "to the N-th packet from here", 2, &Debugger::until_packet},
        {"continue", "c", "", "to the next stop", 1, &Debugger::go_on},
        {"break", "b", "pc N | FILE:LINE | packet NAME | register NAME [in ENGINE]", "stop there",
         5, &Debugger::add_break},
        {"watch", "w", "$NN | @CONTROL | %SQE | register NAME | memory ADDRESS [BYTES] [in ENGINE]",
         "stop when it is written", 6, &Debugger::add_watch},
        {"points", "", "", "what stops the run", 1, &Debugger::list_points},
        {"delete", "d", "N", "a stop no more", 2, &Debugger::remove},
        {"print", "p", "$NN | @CONTROL | %SQE | REGISTER | memory ADDRESS [DWORDS]", "values", 4,
         &Debugger::print},
        {"registers", "", "", "all general registers", 1, &Debugger::print_registers},
        {"stack", "", "", "where calls return to", 1, &Debugger::print_stack},
        {"list", "l", "[N]", "the next N instructions", 2, &Debugger::list_code},
        {"where", "", "", "the place of the engine at hand", 1, &Debugger::where},
        {"engine", "", "NAME", "select another engine", 2, &Debugger::choose_engine},
        {"help", "h", "", "this list", 1, &Debugger::help},
        {"quit", "q", "", "end the run", 1, &Debugger::quit},
    };
    return kCommands;
}

bool Debugger::execute(const Words& w) {
    std::vector<std::string> known;
    for (const Command& command : commands()) {
        known.emplace_back(command.name);
        if (w[0] != command.name && w[0] != command.abbreviation)
            continue;
        check_words(w, command.most);
        return (this->*command.carry_out)(w);
    }
    throw std::invalid_argument("no such command" + config::did_you_mean(w[0], known) +
                                ", help lists them");
}

bool Debugger::help(const Words&) {
    for (const Command& c : commands()) {
        const std::string names =
            std::string(c.name) + (*c.abbreviation != 0 ? std::string(", ") + c.abbreviation : "");
        out_ << fmt::format("{:<14}{}{}{}\n", names, c.arguments, *c.arguments != 0 ? ": " : "",
                            c.meaning);
    }
    return false;
}

// ---- how far the run goes ----------------------------------------------------------------------

bool Debugger::step(const Words& w) {
    steps_ = w.size() > 1 ? debug_count(w[1]) : 1;
    only_ = at_;
    if (at_->processor.running())
        at_->stands = at_->state().pc;
    return true;
}

bool Debugger::until_packet(const Words& w) {
    packets_ = w.size() > 1 ? debug_count(w[1]) : 1;
    only_ = at_;
    return true;
}

bool Debugger::go_on(const Words&) {
    return true;
}

bool Debugger::quit(const Words&) {
    const DebuggerQuit quit;
    out_ << quit.what() << "\n" << std::flush;
    throw quit;
}

// ---- what stops it -----------------------------------------------------------------------------

void Debugger::add(Point point, const Words& given) {
    point.text = fmt::format("{}", fmt::join(given.begin() + 1, given.end(), " "));
    point.number = next_point_++;
    out_ << fmt::format("{}: {}\n", point.number, point.text);
    points_.push_back(std::move(point));
}

// Takes "in ENGINE" off the end; null: it is not there.
Debugger::Target* Debugger::take_engine(Words& w) const {
    if (w.size() < 2 || w[w.size() - 2] != "in")
        return nullptr;
    Target& target = find_target(w.back());
    w.resize(w.size() - 2);
    return &target;
}

std::vector<const afuc::Processor*> Debugger::processors(const Target* only) const {
    std::vector<const afuc::Processor*> found;
    for (const auto& target : targets_)
        if (only == nullptr || only == target.get())
            found.push_back(&target->processor);
    return found;
}

bool Debugger::add_break(const Words& given) {
    Words w = given;
    Point p;
    p.only = take_engine(w);
    const std::string& what = word(w, 1, "pc, packet, register or FILE:LINE");
    check_words(w, what == "pc" || what == "packet" || what == "register" ? 3 : 2);
    if (what == "pc") {
        p.place = debug_number(word(w, 2, "the number of an instruction"), "pc");
        check_pc(processors(p.only), p.place);
    } else if (what == "packet") {
        p.kind = Point::Kind::Packet;
        p.place = packet_entry(at_->generation().names, word(w, 2, "a packet's name"));
    } else if (what == "register") {
        p.kind = Point::Kind::Register;
        p.place = gpu_register_index(*machine_.registers, word(w, 2, "a register"));
    } else if (what.find(':') != std::string::npos) {
        p.kind = Point::Kind::Source;
        p.source = what;
        check_source(processors(p.only), what);
    } else {
        throw std::invalid_argument("expected pc, packet, register or FILE:LINE, got " + what);
    }
    add(std::move(p), given);
    return false;
}

bool Debugger::add_watch(const Words& given) {
    Words w = given;
    Point p;
    p.only = take_engine(w);
    const std::string& what = word(w, 1, "$NN, @CONTROL, %SQE, register or memory");
    check_words(w, what == "memory" ? 4 : what == "register" ? 3 : 2);
    if (what == "register") {
        p.kind = Point::Kind::Register;
        p.place = gpu_register_index(*machine_.registers, word(w, 2, "a register"));
    } else if (what == "memory") {
        p.kind = Point::Kind::Memory;
        p.place = debug_number(word(w, 2, "an address"), "address");
        p.bytes = w.size() > 3 ? debug_count(w[3]) : 4;
    } else if (what[0] == '$' || what[0] == '@' || what[0] == '%') {
        p.kind = Point::Kind::Value;
        p.source = what;
        p.only = p.only != nullptr ? p.only : at_;
        p.before = value_of(*p.only, what);
    } else {
        throw std::invalid_argument("expected $NN, @CONTROL, %SQE, register or memory, got " +
                                    what);
    }
    add(std::move(p), given);
    return false;
}

bool Debugger::remove(const Words& w) {
    const uint64_t which = debug_number(word(w, 1, "the number of a stop"), "delete");
    const auto found = std::find_if(points_.begin(), points_.end(),
                                    [&](const Point& p) { return p.number == which; });
    if (found == points_.end())
        throw std::invalid_argument(fmt::format("there is no {}, points lists them", which));
    points_.erase(found);
    return false;
}

bool Debugger::list_points(const Words&) {
    for (const Point& p : points_)
        out_ << fmt::format("{}: {}\n", p.number, p.text);
    return false;
}

// ---- engines and what they hold ----------------------------------------------------------------

Debugger::Target& Debugger::find_target(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& target : targets_) {
        if (target->name() == name)
            return *target;
        known.push_back(target->name());
    }
    throw std::invalid_argument("no engine " + name + ", there are " + config::join_names(known));
}

bool Debugger::choose_engine(const Words& w) {
    at_ = &find_target(word(w, 1, "an engine's name"));
    return false;
}

bool Debugger::where(const Words&) {
    show_place(*at_, now_);
    return false;
}

// $05, @IB_LEVEL, %SP, or a GPU register.
uint32_t Debugger::value_of(const Target& target, const std::string& what) const {
    const afuc::Names names = target.generation().names;
    switch (what[0]) {
        case '$':
            return target.state().gpr[general_register(what)];
        case '@':
            return target.state()
                .control[engine_register_index(names, afuc::Space::Control, what.substr(1))];
        case '%':
            return target.state()
                .sqe[engine_register_index(names, afuc::Space::Sqe, what.substr(1))];
        default:
            return target.read_register(gpu_register_index(*machine_.registers, what));
    }
}

bool Debugger::print(const Words& w) {
    const std::string& what = word(w, 1, "$NN, @CONTROL, %SQE, a register or memory");
    if (what == "memory") {
        print_memory(w);
        return false;
    }
    check_words(w, 2);
    const uint32_t value = value_of(*at_, what);
    const bool of_engine = what[0] == '$' || what[0] == '@' || what[0] == '%';
    if (!of_engine || !says_not_started(*at_))
        out_ << fmt::format("{} = {:#x} ({})\n", what, value, value);
    return false;
}

void Debugger::print_memory(const Words& w) {
    const uint64_t address = debug_number(word(w, 2, "an address"), "address");
    const uint64_t dwords = w.size() > 3 ? debug_count(w[3]) : 1;
    for (uint64_t i = 0; i < dwords; ++i) {
        if (!machine_.memory().is_mapped(address + 4 * i, 4))
            throw std::invalid_argument(fmt::format("{:#x} is not mapped", address + 4 * i));
        uint32_t value = 0;
        machine_.memory().read(address + 4 * i, &value, sizeof value);
        out_ << fmt::format("{:#x}: {:#010x}\n", address + 4 * i, value);
    }
}

bool Debugger::print_registers(const Words&) {
    if (says_not_started(*at_))
        return false;
    for (unsigned i = 1; i < afuc::kDataOut; ++i)
        out_ << fmt::format("{} {:#010x}{}", afuc::destination_text(i), at_->state().gpr[i],
                            i % 4 == 0 || i + 1 == afuc::kDataOut ? "\n" : "  ");
    return false;
}

bool Debugger::print_stack(const Words&) {
    if (says_not_started(*at_))
        return false;
    const auto& sqe = at_->state().sqe;
    const uint32_t depth = std::min(sqe[kSqeStackPointer], afuc::kStackDepth);
    for (uint32_t i = depth; i != 0; --i)
        out_ << "  " << line_of(*at_, sqe[kSqeStack + i - 1]) << "\n";
    if (depth == 0)
        out_ << "  no calls\n";
    return false;
}

bool Debugger::list_code(const Words& w) {
    const uint64_t lines = w.size() > 1 ? debug_count(w[1]) : kListed;
    if (says_not_started(*at_))
        return false;
    const uint64_t pc = at_->state().pc;
    const uint64_t end =
        std::min<uint64_t>(pc + std::min<uint64_t>(lines, UINT32_MAX), at_->processor.spec().words);
    for (uint64_t i = pc; i < end; ++i)
        out_ << (i == pc ? "> " : "  ") << line_of(*at_, static_cast<uint32_t>(i)) << "\n";
    return false;
}

}  // namespace archipelago::host
