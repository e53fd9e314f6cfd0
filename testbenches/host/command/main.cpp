// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <systemc>
#include <vector>

#include "models/common/error.h"
#include "models/config/suggest.h"
#include "testbenches/host/code_object/build_options.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/instruction_sets.h"
#include "testbenches/host/command/python.h"
#include "testbenches/host/command/run_folder.h"
#include "testbenches/host/command/standard_streams.h"
#include "testbenches/host/stopped_by_user.h"
#include "testbenches/support/command_line.h"

namespace {

using namespace archipelago;
using namespace archipelago::host;

// CLI11 only says that a subcommand is missing.
bool unknown_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.size() < 2 || words[1].rfind('-', 0) == 0)
        return false;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    const std::string& given = words[1];
    if (std::find(names.begin(), names.end(), given) != names.end())
        return false;
    std::fprintf(stderr, "unknown subcommand \"%s\", expected one of: %s%s\n", given.c_str(),
                 config::join_names(names).c_str(), config::did_you_mean(given, names).c_str());
    return true;
}

// A subcommand whose options have been added to the program's.
struct Subcommand {
    const CLI::App* options;
    std::function<int()> run;
    // The words of the command line with those that its files bring along; null: they bring none.
    std::function<std::vector<std::string>(std::vector<std::string>)> more = nullptr;
};

void add_retire(CLI::App& run, RunArguments& a) {
    CLI::Option* file = run.add_option("--retire", a.retire,
                                       "write an execution trace: every instruction with its "
                                       "results; JSON lines when the name ends in .jsonl or .json");
    const auto filter = [&](const char* name, std::vector<std::string>& names, const char* help) {
        run.add_option(name, names, help)->allow_extra_args(false)->needs(file);
    };
    filter("--retire-cu", a.retire_units, "only this compute unit: se0.sh0.cu1, or se0.*");
    filter("--retire-wave", a.retire_waves, "only this wave: cs1.g7.w0, or cs1.*");
    filter("--retire-kernel", a.retire_kernels, "only this kernel: its name or address");
    filter("--retire-pc", a.retire_pcs, "only this range of addresses: 0x101000-0x101040");
}

void add_trace(CLI::App& run, RunArguments& a) {
    run.add_option("--trace", a.trace, "write a timeline for ui.perfetto.dev");
    run.add_option("--trace-window", a.trace_window,
                   "only these cycles of it: 100000:120000, 100000: or :120000");
    run.add_option("--trace-units", a.trace_units,
                   "only these units, and all in them: cp,spi,se0.sh0.cu0, se*.l1, overview")
        ->allow_extra_args(false);
    run.add_option("--trace-limit", a.trace_limit,
                   "end the timeline at this size, which a browser still opens: 256MiB unless "
                   "given; 0: never");
}

void add_logs(CLI::App& run, RunArguments& a) {
    CLI::Option* log = run.add_option(
        "--log", a.log,
        "pm4,isa,isa=values,dma,reg,mem: print what happens; isa=values with results");
    run.add_option("--log-file", a.log_file, "write the log there instead of to standard output")
        ->needs(log);
    run.add_option("--debug", a.debug,
                   "debugger of Adreno's engines: a file with commands, - is standard input");
    run.add_option("--debug-command", a.debug_commands,
                   "a command of the debugger, before those of --debug")
        ->allow_extra_args(false);
}

// When a run ends as hung.
void add_limits(CLI::App& run, RunArguments& a) {
    run.add_option("--max-cycles", a.max_cycles,
                   "stop as hung after so many cycles (in functional mode: instructions of a wave, "
                   "or reads or waves of CP since the host's last register access); 0: no limit")
        ->check(command_line::check_count);
    run.add_option("--max-instructions", a.max_instructions,
                   "stop as hung when a wave has executed so many and not ended (cycle mode: 2^26, "
                   "functional: 2^30); Adreno: when an engine has, and nothing of the ring was "
                   "taken (2^26); 0: these")
        ->check(command_line::check_count);
}

// Runs that begin or end at a checkpoint, or are in cycle mode for a part.
void add_parts(CLI::App& run, RunArguments& a) {
    CLI::Option* at = run.add_option("--checkpoint-at", a.checkpoint_at,
                                     "write a checkpoint there, with the rings drained: kernel:N "
                                     "after N dispatches of the kernel, step:N before a step");
    at->needs(run.add_option("--checkpoint", a.checkpoint, "file of the checkpoint"));
    run.add_flag("--until-checkpoint", a.ends_there, "end the run with the checkpoint")->needs(at);
    CLI::Option* restore =
        run.add_option("--restore", a.restore, "continue from a checkpoint of this workload");
    run.add_option("--fast-forward", a.fast_forward,
                   "run in functional mode up to there, then cycle by cycle")
        ->excludes(restore);
    run.add_option("--caches", a.caches,
                   "caches when cycle mode takes over from functional mode: cold (the default), or "
                   "warm, with the lines they would hold")
        ->check(CLI::IsMember({"cold", "warm"}));
    run.add_option(
           "--groups", a.groups,
           "simulate only these work-groups of the kernel's first dispatch (or of the first after "
           "--fast-forward) cycle by cycle, those before them functionally: 0-63,128-191")
        ->excludes(restore);
}

// An empty value, which an unset variable of a shell leaves, is not taken for an option not given.
void refuse_empty_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options())
        if (option->get_items_expected_max() > 0)
            option->check([](const std::string& value) {
                return std::string(value.empty() ? "is empty, expected a value" : "");
            });
}

Subcommand add_run(CLI::App& app) {
    const auto a = std::make_shared<RunArguments>();
    CLI::App* run = app.add_subcommand("run", "run workloads and check their results");
    run->add_option("workload", a->workload, "workload file (YAML)")->required();
    run->add_option("further", a->further,
                    "workloads that run after it, one after the other on the same machine");
    run->add_option("--code", a->code,
                    "run this code object, .cl or .s file as the kernel; for kernels of several "
                    "files once for each, in their order")
        ->allow_extra_args(false);
    run->add_option(
           "--options", a->options,
           "compile the kernel with these, after the workload's own: \"-DTILE=8 -Iinclude\"")
        ->allow_extra_args(false);
    run->add_option("--asic", a->asic, "chip name, or a YAML file of your own");
    run->add_option("--set", a->set, "override a value of the chip: cu.issue.width=4")
        ->allow_extra_args(false);
    run->add_option("--mode", a->mode, "cycle or functional")
        ->check(CLI::IsMember({"cycle", "functional"}))
        ->capture_default_str();
    run->add_option(
           "--rtl", a->rtl,
           "replace a block by its Verilog counterpart, with BLOCK=FILE by your own Verilog, with "
           "BLOCK=model by the model at the block's pins")
        ->allow_extra_args(false);
    run->add_option("--verilog", a->verilog,
                    "Verilog attached to the chip's buses: a library made by archipelago_verilog()")
        ->allow_extra_args(false);
    run->add_option("--seed", a->seed,
                    "shuffle the order of ticks within a cycle (results do not change)")
        ->check(command_line::check_count);
    run->add_option("--out", a->out,
                    "write all of the run into this new folder: chip and workload as they were, "
                    "command line and versions, statistics, timeline, log and summary");
    run->add_flag("--force", a->force, "with --out: also into a folder that is not empty");
    run->add_option("--stats", a->stats, "write all counters and metadata as JSON");
    run->add_flag("--profile", a->profile, "with --stats: cycles by instruction and reason");
    run->add_option("--series", a->series,
                    "with --stats: sample counters every so many cycles; 0: no series")
        ->check(command_line::check_count);
    add_trace(*run, *a);
    run->add_option("--fst", a->fst, "write waveforms");
    add_retire(*run, *a);
    add_logs(*run, *a);
    add_limits(*run, *a);
    run->add_flag("--check-protocol", a->check_protocol,
                  "check the TLM-2.0 base protocol on every socket of the chip");
    run->add_option("--random-stall", a->stall_percent,
                    "for tests: every channel stalls in so many percent of the cycles")
        ->check(CLI::Range(0, 90));
    run->add_flag("--quiet", a->quiet, "print failed checks only");
    CLI::Option* progress = run->add_flag("--progress", a->progress,
                                          "show progress every two seconds, even where standard "
                                          "error is no terminal or with --quiet");
    run->add_flag("--no-progress", a->no_progress, "show none")->excludes(progress);
    add_parts(*run, *a);
    return {run, [a] { return run_command(*a); },
            [a](std::vector<std::string> words) {
                a->command = words;
                const std::vector<std::string> own = options_of_workload(a->workload, words);
                words.insert(words.begin() + 2, own.begin(), own.end());
                return words;
            }};
}

Subcommand add_describe(CLI::App& app) {
    const auto a = std::make_shared<DescribeArguments>();
    CLI::App* describe = app.add_subcommand(
        "describe", "print a chip: block diagram, parameters, delays with sources");
    describe->add_option("asic", a->asic, "chip name, or a YAML file")->required();
    describe->add_option("--set", a->set, "override a value first")->allow_extra_args(false);
    describe->add_flag("--timings", a->timings, "every delay with its source");
    describe->add_flag("--fields", a->fields, "every parameter with its meaning, value and origin");
    describe->add_flag("--reasons", a->reasons, "the categories of cycles of waves and memory");
    describe->add_flag("--tree", a->tree, "the resolved YAML, each value with its file and line");
    return {describe, [a] { return describe_command(*a); }};
}

Subcommand add_check(CLI::App& app) {
    const auto a = std::make_shared<CheckArguments>();
    CLI::App* check =
        app.add_subcommand("check", "validate workloads and chips without running them");
    check
        ->add_option("requests", a->requests,
                     "JSON objects with workload, asic, code, options, options_folder, set, mode, "
                     "rtl, series "
                     "and reads, one a line; - for standard input")
        ->required();
    return {check, [a] { return check_command(*a); }};
}

void add_isa(CLI::App& command, std::string& isa) {
    std::string known;
    for (const InstructionSet& set : instruction_sets())
        known += (known.empty() ? "" : ", ") + set.name;
    command.add_option("--isa", isa, "instruction set: " + known)->required();
}

Subcommand add_asm(CLI::App& app) {
    const auto a = std::make_shared<AsmArguments>();
    CLI::App* assemble = app.add_subcommand("asm", "assemble shader code or packets");
    assemble->add_option("file", a->file, "text, - for standard input")->required();
    add_isa(*assemble, a->isa);
    assemble->add_option("-o,--output", a->output,
                         "write raw code there instead of words to standard output");
    assemble->add_flag("--elf", a->elf, "make an executable (ELF) of raw code; ctm only");
    return {assemble, [a] { return asm_command(*a); }};
}

Subcommand add_engine(CLI::App& app) {
    const auto a = std::make_shared<EngineArguments>();
    CLI::App* engine =
        app.add_subcommand("engine", "execute programs on Adreno's micro engine alone (JSON)");
    engine->add_option("file", a->file, "a program a line; - is standard input")->required();
    return {engine, [a] { return engine_command(*a); }};
}

Subcommand add_disasm(CLI::App& app) {
    const auto a = std::make_shared<DisasmArguments>();
    CLI::App* disassemble = app.add_subcommand("disasm", "disassemble shader code or packets");
    disassemble->add_option("file", a->file, "raw code or a code object, - for standard input")
        ->required();
    add_isa(*disassemble, a->isa);
    disassemble->add_flag("--hex", a->hex, "the file has hexadecimal words as text");
    return {disassemble, [a] { return disasm_command(*a); }};
}

Subcommand add_compile(CLI::App& app) {
    const auto a = std::make_shared<CompileArguments>();
    CLI::App* compile =
        app.add_subcommand("compile", "compile OpenCL C or assembly to a code object");
    compile->add_option("file", a->file, ".cl or .s file");
    compile->add_option("-o,--output", a->output, "code object to write");
    compile
        ->add_option(
            "--options", a->options,
            "options of the kernel, as clBuildProgram takes them: -D -U -I -include -cl-... "
            "-O... -W... -w -g; each may stand by itself, too")
        ->allow_extra_args(false);
    compile->add_flag("--toolchain", a->toolchain, "print the programs and options it would use");
    return {compile, [a] { return compile_command(*a); }};
}

Subcommand add_new(CLI::App& app) {
    const auto a = std::make_shared<NewArguments>();
    CLI::App* command = app.add_subcommand("new", "write a workload for a kernel, to start from");
    command->add_option("file", a->file, "kernels: .cl or .s file, or code object")->required();
    command->add_option("-o,--output", a->output,
                        "workload to write (default: the name of the file with .yaml)");
    command->add_option("--kernel", a->kernel, "of the file, where it has several (default: all)");
    command
        ->add_option("--options", a->options,
                     "options of the kernel, as `compile` has them; each may stand by itself, too")
        ->allow_extra_args(false);
    command->add_flag("--asm", a->assembly, "write the file as well: a kernel in assembly");
    return {command, [a] { return new_command(*a); }};
}

Subcommand add_map(CLI::App& app) {
    const auto a = std::make_shared<MapArguments>();
    CLI::App* map =
        app.add_subcommand("map", "translate surface coordinates to byte addresses, or back");
    map->add_option("surface", a->surface,
                    "surface file (YAML); points x,y[,slice[,sample]] come by standard input")
        ->required();
    CLI::Option* inverse =
        map->add_flag("--inverse", a->inverse, "translate addresses to coordinates");
    CLI::Option* picture = map->add_option(
        "--picture", a->picture,
        "draw pipe, bank and memory channel of each element (SVG), and count conflicts");
    picture->excludes(inverse);
    map->add_option("--region", a->region, "X,Y,WIDTH,HEIGHT of the picture, in elements")
        ->needs(picture);
    map->add_option("--rtl", a->rtl,
                    "compute them in the block's Verilog, or with BLOCK=FILE in your own")
        ->allow_extra_args(false);
    return {map, [a] { return map_command(*a); }};
}

Subcommand add_cosim(CLI::App& app) {
    const auto a = std::make_shared<CosimArguments>();
    CLI::App* cosim =
        app.add_subcommand("cosim", "compare a block with its Verilog, cycle by cycle");
    cosim->add_option("block", a->block, "block with a Verilog twin")->required();
    cosim->add_option("--rtl", a->rtl, "BLOCK=FILE: Verilog of your own in place of the twin");
    cosim
        ->add_option("--against", a->against,
                     "with --rtl: compare with the model, or with the project's Verilog (twin)")
        ->check(CLI::IsMember({"model", "twin"}))
        ->capture_default_str();
    cosim->add_option("--cycles", a->cycles, "cycles to compare")->check(command_line::check_count);
    cosim->add_option("--seed", a->seed, "seed of stimulus and initial registers")
        ->check(command_line::check_count);
    CLI::Option* workload =
        cosim->add_option("--workload", a->workload,
                          "replay traffic recorded from this workload instead of random traffic");
    cosim->add_option("--asic", a->asic, "chip that runs the workload")->needs(workload);
    cosim->add_option("--fst", a->fst, "write a waveform of the last cycles");
    return {cosim, [a] { return cosim_command(*a); }};
}

Subcommand add_retire_diff(CLI::App& app) {
    const auto a = std::make_shared<RetireDiffArguments>();
    CLI::App* diff =
        app.add_subcommand("retire-diff", "find the first difference of two execution traces");
    diff->add_option("first", a->first, "trace, text or JSON")->required();
    diff->add_option("second", a->second, "trace to compare with it")->required();
    diff->add_option("--context", a->context, "instructions of the wave shown before it")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    diff->add_flag("--ignore-accesses", a->ignore_accesses,
                   "do not compare memory accesses, for traces that have none");
    return {diff, [a] { return retire_diff_command(*a); }};
}

Subcommand add_rtl(CLI::App& app) {
    const auto a = std::make_shared<RtlArguments>();
    CLI::App* command =
        app.add_subcommand("rtl", "use your own Verilog for a block: pins, template, build");
    command->require_subcommand(1);
    CLI::App* pins = command->add_subcommand("pins", "print the pins of a block, or of all");
    pins->add_option("block", a->block, "block with a Verilog twin");
    pins->add_flag("--json", a->json, "all blocks, for scripts");
    CLI::App* empty =
        command->add_subcommand("template", "print an empty module with a block's pins");
    empty->add_option("block", a->block, "block with a Verilog twin")->required();
    // For --help: it never gets here.
    command->add_subcommand("build", "compile a YAML description and its sources to a library");
    return {command, [a, empty] {
                return empty->parsed() ? rtl_template_command(*a) : rtl_pins_command(*a);
            }};
}

Subcommand add_list(CLI::App& app) {
    const auto a = std::make_shared<ListArguments>();
    CLI::App* list = app.add_subcommand(
        "list", "list chips; find counters, timings, parameters, names of blocks");
    list->add_option("what", a->what,
                     "counters, timings or parameters of a chip, or glossary: the names of blocks; "
                     "else chips, rings, instruction sets, log categories");
    list->add_option("words", a->words, "only those with all these words in name or meaning");
    list->add_option("--asic", a->asic, "chip name, or a YAML file")->capture_default_str();
    list->add_option("--set", a->set, "override a value first")->allow_extra_args(false);
    list->add_flag("--coverage", a->coverage, "list packets and instructions, executed or not");
    return {list, [a] {
                if (a->coverage)
                    return coverage_command();
                return a->what.empty() ? list_command() : find_command(*a);
            }};
}

// CLI11 takes no value that begins with "-", so that those of --options get a "=". `compile`
// and `new` have the options of a kernel as their own, as compilers have.
std::vector<std::string> with_joined_options(int argc, char** argv) {
    static const std::vector<std::string> with_value = {
        "--options", "-D", "-U", "-I", "-include", "-target", "-Xclang", "-mllvm"};
    const std::string command = argc > 1 ? argv[1] : "";
    const bool compiles = command == "compile" || command == "new";
    bool is_value = false;  // of the word before
    std::vector<std::string> out;
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        const bool own =
            word == "-h" || word == "-" || word.rfind("-o", 0) == 0 || word.rfind("--", 0) == 0;
        if (is_value && out.back() == "--options")
            out.back() += "=" + word;
        else if (compiles && (is_value || (word[0] == '-' && !own)))
            out.push_back("--options=" + quoted_option(word));
        else
            out.push_back(word);
        is_value = std::find(with_value.begin(), with_value.end(), word) != with_value.end();
    }
    return out;
}

int run(const std::vector<std::string>& words) {
    CLI::App app{
        "Archipelago: a cycle-level SystemC model of Radeon GPUs, from command processor to DRAM"};
    app.set_version_flag("--version", "archipelago " ARCHIPELAGO_VERSION);
    app.require_subcommand(1);
    std::vector<Subcommand> subcommands;
    for (const auto add :
         {add_run, add_describe, add_check, add_asm, add_disasm, add_engine, add_compile, add_new,
          add_map, add_cosim, add_retire_diff, add_rtl, add_list})
        subcommands.push_back(add(app));
    for (CLI::App* command : app.get_subcommands({})) {
        refuse_empty_values(*command);
        for (CLI::App* part : command->get_subcommands({}))
            refuse_empty_values(*part);
    }
    for (const PythonSubcommand& python : python_subcommands())
        app.add_subcommand(python.name, python.meaning);  // for --help: it never gets here
    if (unknown_subcommand(app, words))
        return kBadUsage;
    std::vector<const char*> pointers;
    pointers.reserve(words.size());
    for (const std::string& word : words)
        pointers.push_back(word.c_str());
    if (const auto status =
            command_line::parse(app, static_cast<int>(words.size()), pointers.data()))
        return *status;
    const Subcommand& given =
        *std::find_if(subcommands.begin(), subcommands.end(),
                      [](const Subcommand& s) { return s.options->parsed(); });
    if (given.more)
        if (const std::vector<std::string> more = given.more(words); more.size() != words.size())
            return run(more);
    return given.run();
}

}  // namespace

namespace {

// What of a message is printed: lists end in a line feed, sentences do not.
std::string without_last_line_feeds(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

int archipelago::host::guarded(const std::function<int()>& command) {
    try {
        return command();
    } catch (const MachineStop& stop) {
        std::fflush(stdout);
        std::fprintf(stderr, "archipelago: the machine stopped (%s): %s\n", to_string(stop.kind()),
                     without_last_line_feeds(stop).c_str());
        return kMachineStopped;
    } catch (const StoppedByUser& stop) {
        std::fflush(stdout);
        std::fprintf(stderr, "archipelago: %s\n", stop.what());
        return kStoppedByUser;
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) == 0)
            std::fprintf(stderr, "%s\n", without_last_line_feeds(error).c_str());
        else  // of fmt::print, which has taken the reason
            std::fprintf(stderr, "standard output: %s\n", error.code().message().c_str());
        std::clearerr(stdout);
        return kBadUsage;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", without_last_line_feeds(error).c_str());
        return kBadUsage;
    }
}

// libsystemc has a main() that calls this; the one below takes precedence.
int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    hold_standard_streams();
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    return flush_standard_output(guarded([=] {
        continue_in_python(argc, argv);
        return run(with_joined_options(argc, argv));
    }));
}
