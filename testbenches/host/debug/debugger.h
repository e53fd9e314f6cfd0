// SPDX-License-Identifier: Apache-2.0
// A debugger of Adreno's micro engines: commands of a script or a terminal; README.md has them. It
// stands between two beats of an engine, and the machine with it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/afuc/cp/debug_hook.h"
#include "models/common/memory_image.h"
#include "models/common/register_info.h"

namespace archipelago::host {

// What commands name of the machine around the engines.
struct DebugMachine {
    const regs::RegisterDatabase* registers = nullptr;
    std::function<MemoryImage&()> memory;
};

class Debugger final : public afuc::DebugHook {
  public:
    // Commands come from `in` until it ends, then the run goes on without stops. `prompt`: a
    // terminal. All must outlive this.
    Debugger(std::istream& in, std::ostream& out, bool prompt, DebugMachine machine);
    ~Debugger() override;

    void attach(afuc::Processor& engine, std::function<uint32_t(uint32_t)> read_register) override;
    void before_beat(afuc::Processor& engine, Cycle now) override;
    void after_beat(afuc::Processor& engine, Cycle now, bool packet) override;

  private:
    struct Target;
    struct Point;
    using Words = std::vector<std::string>;

    // ---- commands; each throws std::invalid_argument for what is wrong with it. True: the run
    // goes on.
    bool execute(const Words& words);
    bool step(const Words& words);
    bool until_packet(const Words& words);
    bool go_on(const Words& words);
    void add_break(const Words& words);
    void add_watch(const Words& words);
    void remove(const Words& words);
    void list_points();
    void choose_engine(const Words& words);
    void print(const Words& words);
    void print_registers();
    void print_stack();
    void list_code(const Words& words);
    void help();

    void talk(Target& target, Cycle now, const std::string& why);
    void show_place(const Target& target, Cycle now);
    std::string line_of(const Target& target, uint32_t pc) const;
    Target& target_of(afuc::Processor& engine);
    uint32_t value_of(const Target& target, const std::string& what) const;
    uint32_t register_index(const std::string& name) const;
    bool hits(const Point& point, const Target& target) const;
    void add(Point point);

    std::istream& in_;
    std::ostream& out_;
    const bool prompt_;
    const DebugMachine machine_;
    std::vector<std::unique_ptr<Target>> targets_;
    std::vector<Point> points_;
    unsigned next_point_ = 1;
    Target* at_ = nullptr;     // that commands look at
    Target* only_ = nullptr;   // that stops: of steps
    Target* shown_ = nullptr;  // whose next instruction has been shown
    Cycle now_ = 0;
    uint64_t steps_ = 1;    // beats until the next stop; 0: no stop by count. The first is at once
    uint64_t packets_ = 0;  // packets likewise
    bool ended_ = false;    // no more commands
};

}  // namespace archipelago::host
