// SPDX-License-Identifier: Apache-2.0
// The subcommands of `archipelago`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/command/job.h"

namespace archipelago::host {

class WaveformFile;

// Exit statuses users' scripts rely on.
enum ExitStatus : int {
    kDone = 0,
    kExpectationFailed = 1,
    kBadUsage = 2,  // or bad input
    kMachineStopped = 3,
    kStoppedByUser = 130,  // by SIGINT or SIGTERM
};

// Bytes of a timeline that a browser opens with some memory to spare.
constexpr const char* kTraceLimit = "256MiB";

struct RunArguments {
    std::vector<std::string> command;  // the words of the command line
    std::string out;                   // folder for all of the run; empty: none
    bool force = false;                // into a folder that is not empty
    std::string workload;
    std::vector<std::string> further;  // workloads that run after it on the same machine
    std::vector<std::string> code;     // in place of the files of the workload's kernels, in order
    std::vector<std::string> options;  // of the kernel's compilation, after the workload's own
    std::string options_folder;        // that they are relative to; empty: the current one
    std::string asic;                  // empty: what the workload says, else tahiti
    std::vector<std::string> set;      // PATH=VALUE
    std::string mode = "cycle";
    std::vector<std::string> rtl;
    std::vector<std::string> verilog;
    uint64_t seed = 0;  // 0: ticks in a fixed order
    std::string stats;
    bool profile = false;  // instructions distinguished in the statistics
    uint64_t series = 0;   // cycles between two readings; 0: none
    std::string trace;
    std::string trace_window;              // FIRST:END, cycles; empty: all
    std::vector<std::string> trace_units;  // lists of patterns; none: all
    std::string trace_limit;               // of the file's size; 0: none; empty: kTraceLimit
    std::string fst;
    WaveformFile* waveform = nullptr;  // of `fst`, while the run writes it
    std::string retire;                // file of the retire trace
    std::vector<std::string> retire_units, retire_waves, retire_kernels, retire_pcs;
    std::string log;
    std::string log_file;
    std::string debug;                        // file with commands, "-" is standard input
    std::vector<std::string> debug_commands;  // before those of the file
    uint64_t max_cycles = 0;
    uint64_t max_instructions = 0;  // 0: as ChipOptions has it
    bool check_protocol = false;
    unsigned stall_percent = 0;
    bool quiet = false;
    bool progress = false;      // shown even where standard error is no terminal
    bool no_progress = false;   // never shown
    std::string checkpoint_at;  // a Point
    std::string checkpoint;     // file written there
    std::string restore;        // file to go on from
    std::string fast_forward;   // a Point: up to there in functional mode
    std::string caches;         // cold, or warm: followed in functional mode; empty: cold
    std::string groups;         // those of a dispatch that run in cycle mode; empty: all
    bool ends_there = false;    // with the checkpoint
};
int run_command(const RunArguments& arguments);
// What `run` refuses before it builds the machine: of the blocks in `rtl` alone, or of all. Throws
// std::invalid_argument for what is wrong with options, config::ConfigError with files.
void check_blocks(const RunArguments& arguments);
Job check_run(const RunArguments& arguments);

// What a command returns, or when it throws the exit status for that, with the message on standard
// error.
int guarded(const std::function<int()>& command);

struct DescribeArguments {
    std::string asic;
    std::vector<std::string> set;
    bool timings = false;
    bool fields = false;
    bool tree = false;
    bool reasons = false;
};
int describe_command(const DescribeArguments& arguments);

struct CheckArguments {
    std::string requests;  // file, "-" is standard input
};
// One JSON object a line says what a run would be given (workload, asic, code, options, set, mode,
// rtl, series).
// The answer, a line each, has what it would refuse (errors), or config_hash, clock_hz, the files
// that the workload names (inputs, outputs) and, with `reads`, every file the run would read.
// For scripts that check many points before they run one.
int check_command(const CheckArguments& arguments);

struct AsmArguments {
    std::string file;  // "-" is standard input
    std::string isa;
    std::string output;  // empty: words as text on standard output
    bool elf = false;    // an executable
};
int asm_command(const AsmArguments& arguments);

struct EngineArguments {
    std::string file;  // programs, one a line; "-" is standard input
};
int engine_command(const EngineArguments& arguments);

struct DisasmArguments {
    std::string file;
    std::string isa;
    bool hex = false;  // the file has words as text
};
int disasm_command(const DisasmArguments& arguments);

struct CompileArguments {
    std::string file;    // .cl or .s
    std::string output;  // code object
    std::vector<std::string> options;
    bool toolchain = false;
};
// The code object `run` makes of the file; or, for scripts, the programs and options that make it.
int compile_command(const CompileArguments& arguments);

struct NewArguments {
    std::string file;                  // of the kernels; with `assembly` the one to write
    std::string output;                // workload; empty: the file's name with .yaml
    std::string kernel;                // of the file; empty: all
    std::vector<std::string> options;  // of its compilation
    bool assembly = false;             // write a kernel, too
};
// Writes a workload that runs a kernel at once; overwrites nothing.
int new_command(const NewArguments& arguments);

struct MapArguments {
    std::string surface;  // file
    std::vector<std::string> rtl;
    bool inverse = false;
    std::string picture;  // file to draw
    std::string region;   // of the picture
};
// Points on standard input, addresses on standard output; or the other way round; or a picture and
// its conflicts.
int map_command(const MapArguments& arguments);

struct CosimArguments {
    std::string block;
    std::string rtl;  // BLOCK=FILE: a user's Verilog in place of the twin
    std::string against = "model";
    std::string asic;      // for the workload; empty: what it says, else tahiti
    std::string workload;  // empty: random stimulus
    std::string fst;
    uint64_t cycles = 1'000'000;
    uint64_t seed = 1;
};
int cosim_command(const CosimArguments& arguments);

struct RetireDiffArguments {
    std::string first, second;
    unsigned context = 8;  // records shown in front of a difference
    bool ignore_accesses = false;
};
// kExpectationFailed when the traces differ.
int retire_diff_command(const RetireDiffArguments& arguments);

struct RtlArguments {
    std::string block;  // empty: all
    bool json = false;
};
// The pins of a block as a page, and a module that has them and does nothing.
int rtl_pins_command(const RtlArguments& arguments);
int rtl_template_command(const RtlArguments& arguments);

// BLOCK, BLOCK=FILE or BLOCK@INSTANCE=FILE of --rtl.
struct RtlChoice {
    std::string block, file;
    std::optional<unsigned> instance;
};
RtlChoice rtl_choice(const std::string& text);

struct ListArguments {
    bool coverage = false;
    std::string what;  // empty: chips, rings and so on
    std::vector<std::string> words;
    std::string asic = "tahiti";
    std::vector<std::string> set;
};
int list_command();
// Counters, timings, parameters or glossary that have all the words.
int find_command(const ListArguments& arguments);

// Every packet and instruction format, and whether it is executed: one line each, for scripts.
int coverage_command();

}  // namespace archipelago::host
