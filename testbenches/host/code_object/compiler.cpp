// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "testbenches/host/code_object/refuse.h"
#include "testbenches/support/scratch.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

// libclc keeps the work dimension and 32-bit offsets where the HSA ABI has 64-bit global offsets,
// so that get_work_dim() would be wrong always and get_global_id() with an offset. These three go
// by the ABI: dimensions from the dispatch packet, offsets from the hidden arguments.
constexpr char kWorkItemHeader[] = R"(
static inline __attribute__((always_inline)) uint archipelago_work_dim(void) {
    return ((constant ushort*)__builtin_amdgcn_dispatch_ptr())[1] & 3;
}
static inline __attribute__((always_inline)) size_t archipelago_global_offset(uint d) {
    return d < 3 ? ((constant ulong*)__builtin_amdgcn_implicitarg_ptr())[d] : 0;
}
static inline __attribute__((always_inline)) size_t archipelago_global_id(uint d) {
    return get_group_id(d) * get_local_size(d) + get_local_id(d) + archipelago_global_offset(d);
}
#define get_work_dim() archipelago_work_dim()
#define get_global_offset(d) archipelago_global_offset(d)
#define get_global_id(d) archipelago_global_id(d)
)";

std::string read_text(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

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
    std::string output = read_text(log);
    if (WIFSIGNALED(status))
        refuse(where, "{} was killed by signal {}\n{}", program.string(), WTERMSIG(status), output);
    if (WEXITSTATUS(status) != 0)
        refuse(where, "{} failed with status {}\n{}", program.string(), WEXITSTATUS(status),
               output);
    return output;
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
    if (!fs::is_regular_file(source, error))
        refuse(source.string(), "no such file");
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
    log += run(tools.lld, {"-shared", object, "-o", linked.string()}, directory, where);
    if (diagnostics)
        *diagnostics = log;
    const std::string bytes = read_text(linked);
    return {bytes.begin(), bytes.end()};
}

}  // namespace

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
    std::vector<std::string> words = {"-x",
                                      "cl",
                                      "-cl-std=CL1.2",
                                      "-cl-kernel-arg-info",
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
    const fs::path header = directory.path() / "work_item.h";
    std::ofstream(header) << kWorkItemHeader;
    // Compiled and linked in two steps because the driver takes the ld.lld that comes first in
    // PATH, and an older one refuses the objects of a newer clang.
    std::vector<std::string> arguments = opencl_options(options);
    arguments.insert(arguments.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                                       tools.libclc.string(), "-include", header.string(), "-c"});
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
    // .include finds files beside the source.
    arguments.insert(arguments.end(), {"-I", fs::absolute(source).parent_path().string()});
    return build(tools.llvm_mc, arguments, source, tools, scratch_for(where), diagnostics);
}

}  // namespace archipelago::host
