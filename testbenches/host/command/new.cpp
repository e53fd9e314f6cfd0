// SPDX-License-Identifier: Apache-2.0
// `archipelago new`: a workload to start from, written from the signature of a kernel, or a kernel
// in assembly with its workload.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <system_error>

#include "models/common/files.h"
#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/command/assembly_skeleton.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/job.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kElements = 65536;        // of a buffer: of a square of 256 by 256
constexpr uint32_t kLocalBytes = 4096;       // of a `local` pointer, at least
constexpr uint32_t kUnknownBytes = 1 << 20;  // of a buffer of structs

// A type of OpenCL C as workloads call it.
struct Element {
    std::string name;  // "f32"; empty: a struct, or a name of the program's own
    uint32_t bytes = 0;
    uint32_t lanes = 1;

    uint32_t size() const { return bytes * (lanes == 3 ? 4 : lanes); }
};

// Of a value or, with its last "*" taken off, of what a pointer points to.
Element element_of(std::string type) {
    static const std::map<std::string, std::pair<const char*, uint32_t>> known = {
        {"char", {"i8", 1}},    {"uchar", {"u8", 1}},      {"bool", {"u8", 1}},
        {"short", {"i16", 2}},  {"ushort", {"u16", 2}},    {"int", {"i32", 4}},
        {"uint", {"u32", 4}},   {"long", {"i64", 8}},      {"ulong", {"u64", 8}},
        {"size_t", {"u64", 8}}, {"ptrdiff_t", {"i64", 8}}, {"float", {"f32", 4}},
        {"double", {"f64", 8}}};
    if (!type.empty() && type.back() == '*')
        type.pop_back();
    const size_t digits = type.find_last_not_of("0123456789") + 1;
    const auto found = known.find(type.substr(0, digits));
    if (found == known.end())
        return {};
    const uint32_t lanes =
        digits == type.size() ? 1 : static_cast<uint32_t>(std::stoul(type.substr(digits)));
    return {found->second.first, found->second.second, lanes};
}

// The sizes of a launch that are likely to suit the kernel.
struct Range {
    std::array<uint32_t, 3> global{1, 1, 1};
    std::array<uint32_t, 3> local{1, 1, 1};
    unsigned dimensions = 1;

    uint32_t local_items() const { return local[0] * local[1] * local[2]; }
};

// How many dimensions the source asks for.
unsigned dimensions_of(const std::string& source) {
    static const std::regex query(
        R"re(get_(?:global|group|local)_(?:id|size)\s*\(\s*([12])\s*\))re");
    unsigned dimensions = 1;
    for (std::sregex_iterator at(source.begin(), source.end(), query), end; at != end; ++at)
        dimensions = std::max(dimensions, static_cast<unsigned>((*at)[1].str()[0] - '0') + 1);
    return dimensions;
}

Range range_of(const KernelMetadata& kernel, unsigned dimensions) {
    static constexpr std::array<uint32_t, 3> kGroups = {64, 8, 4};   // side of a group of one wave
    static constexpr std::array<uint32_t, 3> kItems = {256, 32, 8};  // side of the range
    Range range;
    range.dimensions = dimensions;
    for (unsigned i = 0; i < 3 && kernel.reqd_workgroup_size; ++i)
        if ((*kernel.reqd_workgroup_size)[i] > 1)
            range.dimensions = std::max(range.dimensions, i + 1);
    for (unsigned i = 0; i < range.dimensions; ++i) {
        range.local[i] = kGroups[range.dimensions - 1];
        range.global[i] = kItems[range.dimensions - 1];
    }
    if (range.local_items() > kernel.max_flat_workgroup_size)
        range.local = {1, 1, 1};
    if (kernel.reqd_workgroup_size) {
        range.local = *kernel.reqd_workgroup_size;
        for (unsigned i = 0; i < range.dimensions; ++i)
            range.global[i] = 4 * range.local[i];
    }
    return range;
}

std::string sizes(const std::array<uint32_t, 3>& of, unsigned dimensions) {
    return fmt::format("[{}]", fmt::join(of.begin(), of.begin() + dimensions, ", "));
}

// Contents with which most kernels run: integers may be indices, so they stay within the buffers.
std::string contents_of(const KernelArg& arg, const Element& element, unsigned seed) {
    const bool read_only = arg.is_const || arg.address_space == "constant";
    const uint32_t count = kElements * element.lanes;
    if (element.name.empty())
        return fmt::format("zeros: {}", kUnknownBytes);
    if (element.name[0] == 'f')
        return fmt::format("random: {{type: {}, count: {}, seed: {}}}", element.name,
                           element.lanes == 3 ? kElements * 4 : count, seed);
    if (read_only && element.bytes == 4)
        return fmt::format("series: {{count: {}}}", element.lanes == 3 ? kElements * 4 : count);
    if (read_only && element.bytes < 4)
        return fmt::format("fill: 1, size: {}", kElements * element.size());
    return fmt::format("zeros: {}", kElements * element.size());
}

// A number of the type, or a list of them; of what has no name among the types, its bytes.
std::string value_of(const KernelArg& arg, const Element& element, const Range& range) {
    if (element.name.empty() && arg.type_name.empty() && (arg.size == 4 || arg.size == 8))
        return fmt::format("u{}: {}", 8 * arg.size, range.global[0]);
    if (element.name.empty())
        return fmt::format("value: {{zeros: {}}}", arg.size);
    const std::string number = element.name[0] == 'f' ? "1.0"
                               : element.bytes == 1   ? "1"
                                                      : std::to_string(range.global[0]);
    if (element.lanes == 1)
        return fmt::format("{}: {}", element.name, number);
    return fmt::format("{}: [{}]", element.name,
                       fmt::join(std::vector<std::string>(element.lanes, number), ", "));
}

// Writes the kernels of one object, one under the other.
class WorkloadText {
  public:
    WorkloadText(const CodeObject& object, std::string code, std::string options,
                 unsigned dimensions)
        : object_(object),
          code_(std::move(code)),
          options_(std::move(options)),
          dimensions_(dimensions) {}

    std::string of(const std::vector<const Kernel*>& kernels) {
        if (kernels.size() == 1)
            return "kernel:\n" + keys_of(*kernels.front(), "  ");
        names_are_shared_ = true;
        std::string text = "steps:                      # in order; buffers of one name are one\n";
        for (const Kernel* kernel : kernels)
            text += "  - kernel:\n" + keys_of(*kernel, "      ");
        return text;
    }

  private:
    std::string keys_of(const Kernel& kernel, const std::string& indent) {
        const Range range = range_of(kernel.metadata, dimensions_);
        std::string text = indent + "code: " + code_ + "\n";
        if (!options_.empty())
            text += indent + "options: " + options_ + "\n";
        text += fmt::format(
            "{0}name: {1}\n{0}global_size: {2}      # work-items\n"
            "{0}local_size: {3}       # of a work-group\n",
            indent, kernel.name, sizes(range.global, range.dimensions),
            sizes(range.local, range.dimensions));
        std::string args;
        for (const KernelArg& arg : kernel.metadata.args)
            if (arg.value_kind.rfind("hidden_", 0) != 0)
                args += argument(kernel, arg, range, indent + "  ");
        return text + (args.empty() ? "" : indent + "args:\n" + args);
    }

    std::string argument(const Kernel& kernel, const KernelArg& arg, const Range& range,
                         const std::string& indent) {
        const std::string comment = fmt::format(
            "{}# {}: {}{}\n", indent, arg.name.empty() ? "no name" : arg.name,
            arg.is_const ? "const " : "", arg.type_name.empty() ? arg.value_kind : arg.type_name);
        const Element element = element_of(arg.type_name);
        if (arg.value_kind == "by_value")
            return fmt::format("{}{}- {}\n", comment, indent, value_of(arg, element, range));
        if (arg.value_kind == "dynamic_shared_pointer")
            return fmt::format("{}{}- local: {}\n", comment, indent,
                               std::max(kLocalBytes, range.local_items() * element.size()));
        if (arg.value_kind == "sampler")
            return fmt::format("{}{}- sampler: {{address: clamp_to_edge, filter: nearest}}\n",
                               comment, indent);
        if (arg.value_kind == "image" && arg.type_name == "image2d_t")
            return fmt::format(
                "{}{}- image: {{width: 256, height: 256, format: rgba_f32, zeros: 1 MiB}}\n",
                comment, indent);
        if (arg.value_kind == "image" && arg.type_name == "image1d_t")
            return fmt::format("{}{}- image: {{width: 256, format: rgba_f32, zeros: 4096}}\n",
                               comment, indent);
        if (arg.value_kind != "global_buffer")
            throw std::invalid_argument(fmt::format(
                "{}: kernel '{}': argument `{}` is of kind {}, which no workload has yet",
                object_.name, kernel.name, arg.name, arg.value_kind));
        return comment + buffer(arg, element, indent);
    }

    std::string buffer(const KernelArg& arg, const Element& element, const std::string& indent) {
        const bool shares = names_are_shared_ && !arg.name.empty();
        const auto known = buffers_.find(arg.name);
        if (shares && known != buffers_.end() && known->second == arg.type_name)
            return fmt::format("{}- buffer: {{buffer: {}}}\n", indent, arg.name);
        const bool names = shares && known == buffers_.end();
        if (names)
            buffers_[arg.name] = arg.type_name;
        std::string text =
            fmt::format("{}- buffer: {{{}{}}}\n", indent, names ? "name: " + arg.name + ", " : "",
                        contents_of(arg, element, ++seed_));
        if (!arg.is_const && arg.address_space != "constant")
            text += fmt::format(
                "{}  # expect: {{file: {}.bin{}}}      # contents afterwards\n", indent,
                arg.name.empty() ? "out" : arg.name,
                element.name[0] == 'f' ? ", type: " + element.name + ", rel: 1e-6" : "");
        return text;
    }

    const CodeObject& object_;
    std::string code_, options_;
    unsigned dimensions_;
    bool names_are_shared_ = false;
    std::map<std::string, std::string> buffers_;  // by name: the type of its elements
    unsigned seed_ = 0;
};

// A scalar of YAML that means this text.
std::string yaml_text(const std::string& text) {
    static const std::regex plain("[-A-Za-z0-9_./+=][-A-Za-z0-9_./+= ]*");
    if (std::regex_match(text, plain) && text.back() != ' ' && text.find("- ") != 0)
        return text;
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

// The options as the workload in `folder` has them.
std::string options_text(const BuildOptions& options, const fs::path& folder) {
    std::vector<std::string> words;
    for (const std::string& option : options) {
        const size_t flag = option.rfind("-include", 0) == 0 ? 8
                            : option.rfind("-I", 0) == 0     ? 2
                                                             : 0;
        const std::string text =
            flag == 0
                ? option
                : option.substr(0, flag) + fs::proximate(option.substr(flag), folder).string();
        const bool blanks = text.find_first_of(" \t'\"\\") != std::string::npos;
        words.push_back(yaml_text(blanks ? quoted_option(text) : text));
    }
    return words.empty() ? "" : fmt::format("[{}]", fmt::join(words, ", "));
}

// Called for each file before the first is written.
void refuse_existing(const fs::path& path) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error)))
        throw std::invalid_argument(
            fmt::format("{} exists already, and nothing is overwritten", path.string()));
}

void write_new(const fs::path& path, const std::string& text) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wx"),
                                                               std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0)
        throw std::system_error(errno, std::generic_category(), path.string());
}

fs::path workload_path(const NewArguments& a) {
    return a.output.empty() ? fs::path(a.file).replace_extension(".yaml") : fs::path(a.output);
}

std::string head_of(const std::string& what, const fs::path& workload) {
    return fmt::format(
        "# {}: archipelago run {}\n# Sizes and data are guesses to start from: put in those of "
        "your "
        "program. Every key: testbenches/host/WORKLOADS.md.\n",
        what, workload.filename().string());
}

int new_assembly(const NewArguments& a) {
    if (fs::path(a.file).extension() != ".s")
        throw std::invalid_argument("new --asm: \"" + a.file +
                                    "\", expected the name of a .s file");
    const fs::path workload = workload_path(a);
    refuse_existing(a.file);
    refuse_existing(workload);
    std::string name = fs::path(a.file).stem().string();
    for (char& c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    name = std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "k" + name : name;
    const std::string code = fs::proximate(a.file, fs::absolute(workload).parent_path()).string();
    write_new(a.file, std::regex_replace(kAssemblySkeleton, std::regex("NAME"), name));
    write_new(workload, head_of("Runs " + name, workload) +
                            fmt::format(kAssemblyWorkload, yaml_text(code), name));
    fmt::print("{} and {} written; archipelago run {}\n", a.file, workload.string(),
               workload.string());
    return kDone;
}

}  // namespace

int new_command(const NewArguments& a) {
    if (a.assembly)
        return new_assembly(a);
    const fs::path workload = workload_path(a);
    refuse_existing(workload);
    const SourceKind kind = source_kind(a.file);
    const BuildOptions options = read_build_options("new", kind, a.options);
    std::string diagnostics;
    const CodeObject object =
        load_code_object_file(a.file, &diagnostics, DebugLines::Leave, options);
    std::fputs(diagnostics.c_str(), stderr);
    std::vector<const Kernel*> kernels;
    if (a.kernel.empty())
        for (const Kernel& kernel : object.kernels)
            kernels.push_back(&kernel);
    else
        kernels.push_back(&object.kernel(a.kernel));
    std::sort(kernels.begin(), kernels.end(), [](const Kernel* a, const Kernel* b) {
        return a->entry_offset < b->entry_offset;  // as the source has them
    });
    const fs::path folder = fs::absolute(workload).parent_path();
    WorkloadText text(object, yaml_text(fs::proximate(a.file, folder).string()),
                      options_text(options, folder),
                      kind == SourceKind::OpenCl ? dimensions_of(read_file(a.file)) : 1);
    const std::string body = text.of(kernels);
    write_new(workload, head_of("Runs " + fs::path(a.file).filename().string(), workload) + body);
    fmt::print("{} written; archipelago run {}\n", workload.string(), workload.string());
    return kDone;
}

}  // namespace archipelago::host
