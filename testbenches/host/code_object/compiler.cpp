// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "models/common/files.h"
#include "testbenches/host/code_object/opencl_header.h"
#include "testbenches/host/code_object/opencl_images.h"
#include "testbenches/host/code_object/opencl_printf.h"
#include "testbenches/host/code_object/refuse.h"
#include "testbenches/support/scratch.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

Scratch scratch_for(const std::string& where) {
    try {
        return Scratch();
    } catch (const std::runtime_error& error) {
        refuse(where, "{}", error.what());
    }
}

// The words as exec takes them, for as long as they live.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> out;
    out.reserve(words.size() + 1);
    for (std::string& word : words)
        out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

// Messages in English, and the tool's own temporary files in this directory, removed with it.
std::vector<std::string> environment_in(const Scratch& directory) {
    std::vector<std::string> out;
    for (char** entry = environ; entry && *entry; ++entry)
        if (std::strncmp(*entry, "TMPDIR=", 7) != 0 && std::strncmp(*entry, "LC_ALL=", 7) != 0)
            out.emplace_back(*entry);
    out.push_back("TMPDIR=" + directory.path().string());
    out.emplace_back("LC_ALL=C");
    return out;
}

// A compiler that fails inside asks for a report and shows where it was. That helps nobody who
// wrote a kernel: the messages before that stay.
std::string without_stack_dump(const std::string& output) {
    std::istringstream lines(output);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("PLEASE submit a bug report", 0) == 0 || line.rfind("Stack dump:", 0) == 0)
            return kept + "the compiler itself has failed: this is a fault of it\n";
        kept += line + '\n';
    }
    return kept;
}

// The functions that a linker has not found: "mad_hi(int, int, int), sin(half)"; empty: none.
std::string missing_functions(const std::string& output) {
    static const std::regex undefined("undefined (?:hidden |protected )?symbol: (.*)");
    std::string names;
    std::istringstream lines(output);
    std::smatch found;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_search(line, found, undefined) &&
            names.find(found[1].str()) == std::string::npos)
            names += (names.empty() ? "" : ", ") + found[1].str();
    return names;
}

// Runs a program without a shell; returns its combined output. Anything but exit status 0 throws
// with that output.
std::string run(const fs::path& program, const std::vector<std::string>& arguments,
                const Scratch& directory, const std::string& where) {
    const fs::path log = directory.path() / "log";
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = environment_in(directory);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                  pointers_to(words).data(), pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        refuse(where, "cannot run {}: {}", program.string(), std::strerror(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            refuse(where, "cannot wait for {}: {}", program.string(), std::strerror(errno));
    std::string output = read_file(log.string());
    if (WIFSIGNALED(status))
        refuse(where, "{} was killed by signal {}\n{}", program.string(), WTERMSIG(status),
               without_stack_dump(output));
    if (WEXITSTATUS(status) == 0)
        return output;
    const std::string missing = missing_functions(output);
    if (!missing.empty())
        refuse(where, "calls what has no definition, in the source or in the OpenCL library: {}",
               missing);
    refuse(where, "{} failed with status {}\n{}", program.string(), WEXITSTATUS(status),
           without_stack_dump(output));
}

bool runnable(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream directories(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string directory; std::getline(directories, directory, ':');)
        if (!directory.empty() && runnable(fs::path(directory) / name))
            return fs::path(directory) / name;
    return {};
}

fs::path overridden(const char* variable, const fs::path& found) {
    const char* value = std::getenv(variable);
    return value && *value ? fs::path(value) : found;
}

fs::path find_versioned(const std::string& name) {
    for (const char* suffix : {"-15", "-16", "-14", ""})
        if (fs::path found = find_program(name + suffix); !found.empty())
            return found;
    return {};
}

fs::path find_companion(const std::string& name, const std::string& suffix) {
    if (fs::path found = find_program(name + suffix); !found.empty())
        return found;
    if (!suffix.empty()) {
        fs::path home = "/usr/lib/llvm" + suffix + "/bin/" + name;
        if (runnable(home))
            return home;
    }
    return find_versioned(name);
}

fs::path find_libclc() {
    for (const char* directory : {"/usr/lib/clc", "/usr/share/clc", "/usr/lib64/clc",
                                  "/usr/local/lib/clc", "/usr/local/share/clc"}) {
        fs::path file = fs::path(directory) / "amdgcn--amdhsa.bc";
        std::error_code error;
        if (fs::is_regular_file(file, error))
            return file;
    }
    return {};
}

void need(const fs::path& tool, const std::string& where, const char* name,
          const char* looked_for) {
    std::error_code error;
    if (tool.empty() || !fs::is_regular_file(tool, error))
        throw ToolMissingError(where, name, tool.empty() ? std::string(looked_for) : tool.string());
}

void need_source(const fs::path& source) {
    std::error_code error;
    if (!fs::exists(source, error))
        refuse(source.string(), "no such file");
    if (!fs::is_regular_file(source, error))
        refuse(source.string(), "is no regular file");
}

// Runs the compiler or assembler on the source and links what it makes.
std::vector<uint8_t> build(const fs::path& compiler, std::vector<std::string> arguments,
                           const fs::path& source, const Toolchain& tools, const Scratch& directory,
                           std::string* diagnostics) {
    const std::string where = source.string();
    const std::string object = (directory.path() / "kernel.o").string();
    const fs::path linked = directory.path() / "linked.hsaco";
    arguments.insert(arguments.end(), {where, "-o", object});
    std::string log = run(compiler, arguments, directory, where);
    need(tools.lld, where, "ld.lld", "ld.lld-15, -16, -14 or ld.lld in PATH, or ARCHIPELAGO_LLD");
    log += run(tools.lld, {"-shared", "--no-undefined", object, "-o", linked.string()}, directory,
               where);
    if (diagnostics)
        *diagnostics = log;
    const std::string bytes = read_file(linked.string());
    return {bytes.begin(), bytes.end()};
}

// The files of a rule "target: file file \\", as make reads it.
std::vector<std::string> files_of_rule(const std::string& rule) {
    std::vector<std::string> files;
    std::string name;
    const size_t colon = rule.find(": ");
    for (size_t i = colon == std::string::npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
        const bool escapes = rule[i] == '\\' && i + 1 < rule.size();
        if (escapes && rule[i + 1] != '\n')
            name += rule[++i];
        else if (!escapes && rule[i] != ' ' && rule[i] != '\n')
            name += rule[i];
        else if (!name.empty())
            files.push_back(std::exchange(name, {}));
        i += escapes && rule[i] == '\\' && rule[i + 1] == '\n' ? 1 : 0;
    }
    if (!name.empty())
        files.push_back(name);
    return files;
}

// llvm-mc names no files; .include and .incbin find theirs where it is run or in `folders`.
void add_included_by_assembly(const fs::path& source, const std::vector<std::string>& folders,
                              std::vector<std::string>& files) {
    constexpr size_t kMaxFiles = 1000;
    static const std::regex directive(R"re(^\s*\.(include|incbin)\s+"([^"]+)")re");
    std::istringstream lines(read_file(source.string()));
    for (std::string line; std::getline(lines, line) && files.size() < kMaxFiles;) {
        std::smatch found;
        if (!std::regex_search(line, found, directive))
            continue;
        std::vector<fs::path> places = {found[2].str()};
        for (const std::string& folder : folders)
            places.push_back(fs::path(folder) / found[2].str());
        for (const fs::path& file : places) {
            std::error_code error;
            const bool known = std::find(files.begin(), files.end(), file.string()) != files.end();
            if (known || !fs::is_regular_file(file, error))
                continue;
            files.push_back(file.string());
            if (found[1] == "include")
                add_included_by_assembly(file, folders, files);
        }
    }
}

// Where .include looks, in order: the folders of -I, then that of the source.
std::vector<std::string> assembly_folders(const fs::path& source, const BuildOptions& build) {
    std::vector<std::string> folders = include_folders(build);
    folders.push_back(fs::absolute(source).parent_path().string());
    return folders;
}

// clang's words for a source, but the names of files; writes the header that comes before it.
std::vector<std::string> opencl_arguments(const CompileOptions& options, const Scratch& directory) {
    const CompilerWords own = opencl_words(options.build);
    const fs::path header = directory.path() / "opencl.h";
    std::ofstream(header) << kOpenclHeader << kOpenclImages << kOpenclPrintf
                          << "#line 1 \"options\"\n"
                          << own.definitions;
    std::vector<std::string> arguments = opencl_options(options);
    arguments.insert(arguments.end(), {"-include", header.string()});
    arguments.insert(arguments.end(), own.words.begin(), own.words.end());
    return arguments;
}

std::vector<std::string> included_by_opencl(const fs::path& source, const BuildOptions& build) {
    const Toolchain tools = find_toolchain();
    const Scratch directory;
    const std::string rule = (directory.path() / "rule").string();
    std::vector<std::string> arguments = opencl_arguments({"gfx600", {}, build}, directory);
    arguments.insert(arguments.end(), {"-E", "-MM", "-MF", rule, source.string()});
    run(tools.clang, arguments, directory, source.string());
    std::vector<std::string> files = files_of_rule(read_file(rule));
    const std::string own = (directory.path() / "opencl.h").string();
    files.erase(std::remove(files.begin(), files.end(), own), files.end());
    return files;
}

}  // namespace

std::vector<std::string> included_files(const fs::path& source, const BuildOptions& build) {
    std::vector<std::string> files;
    try {
        const SourceKind kind = source_kind(source);
        if (kind == SourceKind::Assembly)
            add_included_by_assembly(source, assembly_folders(source, build), files);
        else if (kind == SourceKind::OpenCl)
            files = included_by_opencl(source, build);
    } catch (const std::exception&) {
        return files;  // the compilation says what is wrong
    }
    return files;
}

Toolchain find_toolchain() {
    Toolchain tools;
    tools.clang = overridden("ARCHIPELAGO_CLANG", find_versioned("clang"));
    // Companions are of the same make: "-15" of clang-15.
    const std::string clang = tools.clang.filename().string();
    const size_t dash = clang.rfind('-');
    const std::string suffix = dash == std::string::npos ? "" : clang.substr(dash);
    tools.llvm_mc = overridden("ARCHIPELAGO_LLVM_MC", find_companion("llvm-mc", suffix));
    tools.lld = overridden("ARCHIPELAGO_LLD", find_companion("ld.lld", suffix));
    tools.libclc = overridden("ARCHIPELAGO_LIBCLC", find_libclc());
    return tools;
}

std::vector<std::string> opencl_options(const CompileOptions& options) {
    // Declarations come from the header alone: those that clang 13 to 20 has built in give pointers
    // to events the generic address space, and code for them cannot be generated (LLVM 134598).
    std::vector<std::string> words = {"-x",
                                      "cl",
                                      "-cl-std=CL1.2",
                                      "-cl-kernel-arg-info",
                                      "-cl-no-stdinc",
                                      "-Xclang",
                                      "-finclude-default-header",
                                      "-target",
                                      "amdgcn-amd-amdhsa",
                                      "-mcpu=" + options.cpu,
                                      "-mcode-object-version=4",
                                      "-nogpulib",
                                      "-Wno-linker-warnings",
                                      "-O2"};
    words.insert(words.end(), options.flags.begin(), options.flags.end());
    return words;
}

std::vector<std::string> assembly_options(const CompileOptions& options) {
    std::vector<std::string> words = {"-triple=amdgcn-amd-amdhsa", "-mcpu=" + options.cpu,
                                      "--amdhsa-code-object-version=4", "-filetype=obj"};
    words.insert(words.end(), options.flags.begin(), options.flags.end());
    return words;
}

std::vector<uint8_t> compile_opencl(const fs::path& source, const CompileOptions& options,
                                    std::string* diagnostics) {
    const std::string where = source.string();
    need_source(source);
    const Toolchain tools = find_toolchain();
    need(tools.clang, where, "clang", "clang-15, -16, -14 or clang in PATH, or ARCHIPELAGO_CLANG");
    need(tools.libclc, where, "libclc",
         "amdgcn--amdhsa.bc in /usr/lib/clc, /usr/share/clc, or ARCHIPELAGO_LIBCLC");
    const Scratch directory = scratch_for(where);
    // Compiled and linked in two steps because the driver takes the ld.lld that comes first in
    // PATH, and an older one refuses the objects of a newer clang.
    std::vector<std::string> arguments = opencl_arguments(options, directory);
    arguments.insert(arguments.end(),
                     {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools.libclc.string(), "-c"});
    return build(tools.clang, arguments, source, tools, directory, diagnostics);
}

std::vector<uint8_t> assemble(const fs::path& source, const CompileOptions& options,
                              std::string* diagnostics) {
    const std::string where = source.string();
    need_source(source);
    const Toolchain tools = find_toolchain();
    need(tools.llvm_mc, where, "llvm-mc",
         "llvm-mc-15, -16, -14 or llvm-mc in PATH, or ARCHIPELAGO_LLVM_MC");
    std::vector<std::string> arguments = assembly_options(options);
    const std::vector<std::string> own = assembler_words(options.build);
    arguments.insert(arguments.end(), own.begin(), own.end());
    // .include finds files beside the source, too.
    arguments.insert(arguments.end(), {"-I", fs::absolute(source).parent_path().string()});
    return build(tools.llvm_mc, arguments, source, tools, scratch_for(where), diagnostics);
}

}  // namespace archipelago::host
