// SPDX-License-Identifier: Apache-2.0
// A debugger of Adreno's micro engines: commands of scripts or a terminal; README.md has them. It
// stands between two issue cycles of an engine, and the machine with it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/afuc/cp/debug_hook.h"
#include "models/common/memory_image.h"
#include "models/common/register_info.h"
#include "testbenches/host/debug/debug_input.h"

namespace archipelago::host {

// What commands name of the machine around the engines.
struct DebugMachine {
    const regs::RegisterDatabase* registers = nullptr;
    const afuc::CpSpec* cp = nullptr;
    std::function<MemoryImage&()> memory;
};

// `quit`: ends the run.
struct DebuggerQuit : std::runtime_error {
    DebuggerQuit() : std::runtime_error("stopped by quit") {}
};

class Debugger final : public afuc::DebugHook {
  public:
    // Once the commands end, the run goes on without stops. `out` and what `machine` points to
    // must outlive this.
    Debugger(DebugInput in, std::ostream& out, DebugMachine machine);
    ~Debugger() override;

    // The hook's functions throw DebuggerQuit, and std::invalid_argument for a wrong command that
    // does not come from a terminal, with its place.
    void attach(afuc::Processor& engine, std::function<uint32_t(uint32_t)> read_register) override;
    void before_issue(afuc::Processor& engine, Cycle now) override;
    void after_issue(afuc::Processor& engine, Cycle now, bool packet) override;

  private:
    struct Target;
    struct Point;
    struct Command;
    using Words = std::vector<std::string>;

    // ---- commands; each throws std::invalid_argument for what is wrong with it. True: the run
    // goes on.
    static const std::vector<Command>& commands();
    bool execute(const Words& words);
    bool step(const Words& words);
    bool until_packet(const Words& words);
    bool go_on(const Words& words);
    bool add_break(const Words& words);
    bool add_watch(const Words& words);
    bool remove(const Words& words);
    bool list_points(const Words& words);
    bool choose_engine(const Words& words);
    bool print(const Words& words);
    bool print_registers(const Words& words);
    bool print_stack(const Words& words);
    bool list_code(const Words& words);
    bool where(const Words& words);
    bool help(const Words& words);
    bool quit(const Words& words);

    void talk(Target& target, Cycle now, const std::string& why);
    bool obey(const std::string& line);
    void show_place(const Target& target, Cycle now);
    void print_memory(const Words& words);
    bool says_not_started(const Target& target);
    std::string line_of(const Target& target, uint32_t pc) const;
    std::string text_of(const Target& target, uint32_t pc) const;
    Target& target_of(afuc::Processor& engine);
    Target& find_target(const std::string& name) const;
    Target* take_engine(Words& words) const;
    std::vector<const afuc::Processor*> processors(const Target* only) const;
    uint32_t value_of(const Target& target, const std::string& what) const;
    bool stops_at(const Point& point, const Target& target, uint32_t pc) const;
    bool stops_behind(Point& point, const Target& target, bool packet, std::string& why) const;
    void add(Point point, const Words& words);

    DebugInput in_;
    std::ostream& out_;
    const DebugMachine machine_;
    std::vector<std::unique_ptr<Target>> targets_;
    std::vector<Point> points_;
    unsigned next_point_ = 1;
    Target* at_ = nullptr;    // that commands look at
    Target* only_ = nullptr;  // that stops: of steps
    Cycle now_ = 0;
    uint64_t steps_ =
        1;  // issue cycles until the next stop; 0: no stop by count. The first is at once
    uint64_t packets_ = 0;  // packets likewise
    bool ended_ = false;    // no more commands
};

}  // namespace archipelago::host
