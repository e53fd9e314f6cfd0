// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/error.h"
#include "models/config/suggest.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/instruction_sets.h"
#include "testbenches/support/command_line.h"

namespace {

using namespace archipelago;
using namespace archipelago::host;

// CLI11 only says that a subcommand is missing.
bool unknown_subcommand(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-')
        return false;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end())
        return false;
    std::fprintf(stderr, "unknown subcommand \"%s\", expected one of: %s%s\n", argv[1],
                 config::join_names(names).c_str(), config::did_you_mean(argv[1], names).c_str());
    return true;
}

int run(int argc, char** argv) {
    CLI::App app{
        "Archipelago: a SystemC model of Radeon command processors and what stands behind "
        "them"};
    app.set_version_flag("--version", "archipelago " ARCHIPELAGO_VERSION);
    app.require_subcommand(1);

    RunArguments r;
    CLI::App* run = app.add_subcommand("run", "run a workload and check what comes out");
    run->add_option("workload", r.workload, "workload file (YAML)")->required();
    run->add_option("--code", r.code, "run this code object, .cl or .s file as the kernel");
    run->add_option("--asic", r.asic, "chip name, or a YAML file of your own");
    run->add_option("--set", r.set, "override a value of the chip: cu.issue.width=4")
        ->allow_extra_args(false);
    run->add_option("--mode", r.mode, "cycle or functional")
        ->check(CLI::IsMember({"cycle", "functional"}))
        ->capture_default_str();
    run->add_option("--rtl", r.rtl, "swap a block for its Verilog twin")->allow_extra_args(false);
    run->add_option("--verilog", r.verilog,
                    "other people's Verilog around the chip: a library of archipelago_verilog()")
        ->allow_extra_args(false);
    run->add_option("--seed", r.seed,
                    "shuffle the order of ticks within a cycle (results do not change)")
        ->check(command_line::check_count);
    run->add_option("--stats", r.stats, "write counters as JSON");
    run->add_option("--trace", r.trace, "write a timeline for ui.perfetto.dev");
    run->add_option("--fst", r.fst, "write waveforms");
    run->add_option("--log", r.log, "pm4,isa,dma,reg,mem: print what happens");
    run->add_option("--log-file", r.log_file, "write the log there instead of to standard output");
    run->add_option(
           "--max-cycles", r.max_cycles,
           "stop as hung after so many cycles (in functional mode: instructions of a wave)")
        ->check(command_line::check_count);
    run->add_flag("--check-protocol", r.check_protocol,
                  "check the TLM-2.0 base protocol on every socket of the chip");
    run->add_option("--random-stall", r.stall_percent,
                    "let every channel refuse in so many percent of the cycles")
        ->check(CLI::Range(0, 90));
    run->add_flag("--quiet", r.quiet, "print failures only");

    DescribeArguments d;
    CLI::App* describe = app.add_subcommand("describe", "print a chip as a block diagram");
    describe->add_option("asic", d.asic, "chip name, or a YAML file")->required();
    describe->add_option("--set", d.set, "override a value first")->allow_extra_args(false);
    describe->add_flag("--timings", d.timings, "every delay with its source");
    describe->add_flag("--fields", d.fields, "every field with its meaning and origin");
    describe->add_flag("--tree", d.tree, "the resolved description with origins");

    std::string sets;
    for (const InstructionSet& set : instruction_sets())
        sets += std::string(sets.empty() ? "" : ", ") + set.name;
    AsmArguments as;
    CLI::App* assemble = app.add_subcommand("asm", "turn assembler text into machine code");
    assemble->add_option("file", as.file, "text, - for standard input")->required();
    assemble->add_option("--isa", as.isa, "instruction set: " + sets)->required();
    assemble->add_option("-o,--output", as.output,
                         "write raw code there instead of words to standard output");
    DisasmArguments ds;
    CLI::App* disassemble = app.add_subcommand("disasm", "turn machine code into assembler text");
    disassemble->add_option("file", ds.file, "raw code or a code object, - for standard input")
        ->required();
    disassemble->add_option("--isa", ds.isa, "instruction set: " + sets)->required();
    disassemble->add_flag("--hex", ds.hex, "the file has hexadecimal words as text");
    CompileArguments k;
    CLI::App* compile =
        app.add_subcommand("compile", "turn OpenCL C or assembly into a code object");
    compile->add_option("file", k.file, ".cl or .s file");
    compile->add_option("-o,--output", k.output, "code object to write");
    compile->add_flag("--toolchain", k.toolchain, "print the programs and options it would use");
    MapArguments m;
    CLI::App* map = app.add_subcommand("map", "byte addresses of the points of a surface");
    map->add_option("surface", m.surface, "surface file (YAML); points x,y come by standard input")
        ->required();
    map->add_option("--rtl", m.rtl, "let the Verilog twin of the block answer")
        ->allow_extra_args(false);
    CosimArguments c;
    CLI::App* cosim = app.add_subcommand("cosim", "a block against its Verilog, every cycle");
    cosim->add_option("block", c.block, "block with a Verilog twin")->required();
    cosim->add_option("--cycles", c.cycles, "cycles to compare")->check(command_line::check_count);
    cosim->add_option("--seed", c.seed, "of stimulus and initial registers")
        ->check(command_line::check_count);
    cosim->add_option("--workload", c.workload, "traffic recorded from this instead of random");
    cosim->add_option("--asic", c.asic, "chip that runs the workload");
    cosim->add_option("--fst", c.fst, "write a waveform of the last cycles");

    bool coverage = false;
    CLI::App* list = app.add_subcommand("list", "print chips, rings, log categories");
    list->add_flag("--coverage", coverage, "packets and instructions: executed or not");

    if (unknown_subcommand(app, argc, argv))
        return kBadUsage;
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    if (run->parsed())
        return run_command(r);
    if (describe->parsed())
        return describe_command(d);
    if (assemble->parsed())
        return asm_command(as);
    if (disassemble->parsed())
        return disasm_command(ds);
    if (compile->parsed())
        return compile_command(k);
    if (map->parsed())
        return map_command(m);
    if (cosim->parsed())
        return cosim_command(c);
    return coverage ? coverage_command() : list_command();
}

int guarded(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const MachineStop& stop) {
        std::fflush(stdout);
        std::fprintf(stderr, "archipelago: the machine stopped (%s): %s\n", to_string(stop.kind()),
                     stop.what());
        return kMachineStopped;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", error.what());
        return kBadUsage;
    }
}

}  // namespace

// libsystemc brings a main() of its own that calls this; ours comes first.
int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    return guarded(argc, argv);
}
