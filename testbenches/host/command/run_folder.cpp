// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <utility>

#include "models/common/files.h"
#include "models/config/load.h"
#include "models/config/node.h"
#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/command/run_parts.h"
#include "testbenches/host/output_files.h"
#include "testbenches/host/run_options.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void write_file(const fs::path& path, const std::string& text) {
    OutputFile file(path.string());
    file.write(text);
    file.complete();
}

std::string absolute(const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
}

// ---- the workload and the chip as YAML ----------------------------------------------------------

// Files that a chip names stand beside the file that names them; those of --set, where the command
// runs.
std::string chip_text(const asic::ChipDescription& chip) {
    std::vector<std::string> files = chip.files();
    for (std::string& file : files)
        file = canonical_path(file);
    return config::yaml_of(chip.tree(), [&](const config::Node& scalar) {
        const fs::path named_in(scalar.origin().file_name());
        const fs::path folder =
            named_in == config::kOverrideOrigin ? fs::path() : named_in.parent_path();
        const std::string file = canonical_path((folder / scalar.text()).string());
        const bool is_file = std::find(files.begin(), files.end(), file) != files.end();
        return is_file ? std::optional<std::string>(file) : std::nullopt;
    });
}

config::Node text_node(const std::string& text) {
    return config::Node::scalar(text, config::Node::Style::Quoted, config::origin_of("run"));
}

config::Node with_key(const config::Node& map, const std::string& key, config::Node value) {
    std::vector<config::MapEntry> entries = map.entries();
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const config::MapEntry& e) { return e.key == key; });
    if (at != entries.end())
        at->value = std::move(value);
    else
        entries.push_back({key, config::origin_of("run"), std::move(value)});
    return config::Node::map(std::move(entries), map.origin());
}

config::Node list_node(const std::vector<std::string>& texts) {
    std::vector<config::Node> items;
    items.reserve(texts.size());
    for (const std::string& text : texts)
        items.push_back(text_node(text));
    return config::Node::sequence(std::move(items), config::origin_of("run"));
}

// -I and -include of a kernel name their paths as seen from where the command runs.
std::vector<std::string> absolute_options(const BuildOptions& options) {
    std::vector<std::string> texts;
    for (const std::string& option : options) {
        const std::string_view flag = option.rfind("-include", 0) == 0 ? "-include"
                                      : option.rfind("-I", 0) == 0     ? "-I"
                                                                       : "";
        texts.push_back(quoted_option(
            flag.empty() ? option : std::string(flag) + absolute(option.substr(flag.size()))));
    }
    return texts;
}

std::vector<std::string> absolute_options(const std::vector<std::string>& texts,
                                          const std::string& folder) {
    BuildOptionReader reader(SourceKind::OpenCl, folder);  // they have been checked
    for (const std::string& text : texts)
        reader.add(text);
    return absolute_options(reader.options());
}

// Options of the compilation of kernels, at the top and in kernels.
config::Node with_absolute_options(const config::Node& node, const std::string& folder) {
    if (node.is_sequence()) {
        std::vector<config::Node> items;
        for (const config::Node& item : node.items())
            items.push_back(with_absolute_options(item, folder));
        return config::Node::sequence(std::move(items), node.origin());
    }
    if (!node.is_map())
        return node;
    std::vector<config::MapEntry> entries;
    for (const config::MapEntry& entry : node.entries())
        entries.push_back(
            {entry.key, entry.key_origin, with_absolute_options(entry.value, folder)});
    config::Node map = config::Node::map(std::move(entries), node.origin());
    const config::MapEntry* options = node.find("options");
    if (options == nullptr)
        return map;
    std::vector<std::string> texts;
    if (options->value.is_scalar())
        texts.push_back(options->value.text());
    for (const config::Node& item : options->value.items())
        texts.push_back(item.text());
    return with_key(map, "options", list_node(absolute_options(texts, folder)));
}

// What changes cycles or results and stands in neither chip nor workload.
std::vector<std::string> kept_options(const RunArguments& a) {
    std::vector<std::string> options;
    const auto keep = [&](const char* name, const std::string& value) {
        if (!value.empty())
            options.push_back(fmt::format("--{}={}", name, value));
    };
    const auto keep_number = [&](const char* name, uint64_t value) {
        keep(name, value != 0 ? std::to_string(value) : "");
    };
    keep("mode", a.mode != "cycle" ? a.mode : "");
    for (const std::string& file : a.code)
        keep("code", absolute(file));
    for (const std::string& text : absolute_options(a.options, a.options_folder))
        keep("options", text);
    for (const std::string& text : a.rtl) {
        const size_t equals = text.find('=');
        const bool file = equals != std::string::npos && text.substr(equals + 1) != "model";
        keep("rtl", file ? text.substr(0, equals + 1) + absolute(text.substr(equals + 1)) : text);
    }
    for (const std::string& file : a.verilog)
        keep("verilog", absolute(file));
    keep_number("seed", a.seed);
    keep_number("random-stall", a.stall_percent);
    keep_number("max-cycles", a.max_cycles);
    keep_number("max-instructions", a.max_instructions);
    keep("restore", a.restore.empty() ? "" : absolute(a.restore));
    keep("fast-forward", a.fast_forward);
    keep("caches", a.caches);
    keep("groups", a.groups);
    return options;
}

// `chip`: the file of the chip, seen from the workload's.
std::string workload_text(const RunArguments& a, const Job& job, const std::string& chip) {
    config::Diagnostics diagnostics;
    const auto root = config::load_file(job.workload.path, diagnostics);
    diagnostics.throw_if_errors();
    config::Node tree = with_absolute_options(*root, job.workload.directory);
    if (tree.is_null())
        tree = config::Node::map({}, tree.origin());
    tree = with_key(tree, "asic", text_node(chip));
    tree = with_key(tree, "name", text_node(job.workload.name));
    if (const std::vector<std::string> options = kept_options(a); !options.empty())
        tree = with_key(tree, "run", list_node(options));
    std::map<std::string, std::string> names;  // by place
    for (const auto& [origin, file] : job.workload.file_names)
        names[origin.to_string()] = fs::path(file).lexically_normal().string();
    return config::yaml_of(tree, [&](const config::Node& scalar) {
        const auto at = names.find(scalar.origin().to_string());
        return at != names.end() ? std::optional<std::string>(at->second) : std::nullopt;
    });
}

// ---- what was run -------------------------------------------------------------------------------

std::string first_line_of(const std::string& command) {
    std::array<char, 256> line{};
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr)
        return "";
    const bool read = std::fgets(line.data(), line.size(), pipe) != nullptr;
    pclose(pipe);
    const std::string text = read ? line.data() : "";
    return text.substr(0, text.find('\n'));
}

ordered_json versions() {
    ordered_json out{{"archipelago", ARCHIPELAGO_VERSION}, {"systemc", sc_core::sc_release()}};
    out["compiler"] = __VERSION__;
    if (const std::string clang = find_toolchain().clang.string(); !clang.empty())
        out["clang"] = first_line_of(quoted_option(clang) + " --version");
    return out;
}

ordered_json inputs(const std::vector<Job>& jobs) {
    std::map<std::string, std::string> hashes;
    for (const Job& job : jobs)
        for (const std::string& file : files_read(job))
            if (fs::is_regular_file(file))
                hashes[canonical_path(file)] = config::hash_text(read_file(file));
    ordered_json out = ordered_json::array();
    for (const auto& [file, hash] : hashes)
        out.push_back({{"file", file}, {"hash", hash}});
    return out;
}

// Standard output of what happens meanwhile goes into a file, and to where it would have gone when
// that has happened.
class KeptOutput {
  public:
    explicit KeptOutput(const std::string& path) : file_(path, "the summary") {
        std::fflush(stdout);
        saved_ = dup(STDOUT_FILENO);
        const int file = open(file_.place().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        if (saved_ < 0 || file < 0 || dup2(file, STDOUT_FILENO) < 0)
            throw FileError(path, "standard output cannot be kept there");
        close(file);
    }
    ~KeptOutput() { end(); }
    KeptOutput(const KeptOutput&) = delete;
    KeptOutput& operator=(const KeptOutput&) = delete;
    void complete(bool show) {
        end();
        file_.complete();
        if (show)
            std::fputs(read_file(file_.path()).c_str(), stdout);
    }

  private:
    void end() {
        if (saved_ < 0)
            return;
        std::fflush(stdout);
        dup2(saved_, STDOUT_FILENO);
        close(std::exchange(saved_, -1));
    }
    OutputFile file_;
    int saved_ = -1;
};

// ---- the folder ---------------------------------------------------------------------------------

// As its name says where it is given: "DIR/" is DIR.
void make_folder(const fs::path& folder, bool force) {
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("--out " + folder.string() + ": " + why);
    };
    std::error_code fault;
    if (fs::exists(folder, fault) && !fs::is_directory(folder, fault))
        refuse("is a file, expected a folder");
    if (!force && fs::exists(folder, fault) && !fs::is_empty(folder, fault))
        refuse("is not empty, expected a new folder, an empty one, or --force");
    fs::create_directories(folder, fault);
    if (fault)
        refuse(fault.message());
}

// Of the workloads of a run, in order; one alone has the folder itself.
std::vector<fs::path> part_folders(const fs::path& folder, const std::vector<Job>& jobs) {
    std::vector<fs::path> parts;
    parts.reserve(jobs.size());
    for (const Job& job : jobs)
        parts.push_back(jobs.size() == 1
                            ? folder
                            : folder / fmt::format("{:0{}}-{}", parts.size() + 1,
                                                   std::to_string(jobs.size()).size(),
                                                   fs::path(job.workload.path).stem().string()));
    return parts;
}

std::vector<Job> load_jobs(const RunArguments& a) {
    std::vector<Job> jobs;
    RunArguments one = a;
    jobs.push_back(load_run(one));
    for (const std::string& file : a.further) {
        one.workload = file;
        jobs.push_back(load_run(one));
    }
    return jobs;
}

RunArguments with_files(const RunArguments& a, const fs::path& folder) {
    RunArguments with = a;
    with.out.clear();
    with.force = false;
    with.quiet = false;  // for the summary
    with.no_progress = a.no_progress || (a.quiet && !a.progress);
    const auto name = [&](std::string& file, const char* own) {
        if (file.empty())
            file = (folder / own).string();
    };
    name(with.stats, "statistics.json");
    if (a.mode == "cycle")
        name(with.trace, "trace.perfetto-trace");
    if (with.log.empty())
        with.log = "pm4,dma";
    name(with.log_file, "log.txt");
    return with;
}

}  // namespace

int run_into_folder(const RunArguments& a, int (*run)(const RunArguments&)) {
    const std::vector<Job> jobs = load_jobs(a);
    const fs::path folder(a.out);
    const bool is_new = !fs::exists(folder);
    make_folder(folder, a.force);
    write_file(folder / "chip.yaml", chip_text(*jobs.front().chip));
    const std::vector<fs::path> parts = part_folders(folder, jobs);
    ordered_json workloads = ordered_json::array();
    for (size_t i = 0; i < jobs.size(); ++i) {
        fs::create_directories(parts[i]);
        write_file(parts[i] / "resolved.yaml",
                   workload_text(a, jobs[i], jobs.size() == 1 ? "chip.yaml" : "../chip.yaml"));
        workloads.push_back({{"file", absolute(jobs[i].workload.path)},
                             {"resolved", fs::relative(parts[i] / "resolved.yaml", folder)}});
    }
    const asic::Identity& id = jobs.front().chip->identity();
    ordered_json info{{"command", a.command},
                      {"directory", fs::current_path().string()},
                      {"workloads", std::move(workloads)},
                      {"asic", id.name},
                      {"mode", a.mode},
                      {"config_hash", id.hash},
                      {"versions", versions()},
                      {"inputs", inputs(jobs)}};
    write_file(folder / "run.json", info.dump(2) + '\n');
    KeptOutput summary(folder / "summary.txt");
    const int status = guarded([&] { return run(with_files(a, folder)); });
    summary.complete(!a.quiet);
    if (status == kBadUsage && is_new) {  // nothing has run
        fs::remove_all(folder);
        return status;
    }
    info["status"] = status;
    write_file(folder / "run.json", info.dump(2) + '\n');
    return status;
}

std::vector<std::string> options_of_workload(const std::string& workload,
                                             const std::vector<std::string>& words) {
    config::Diagnostics diagnostics;  // `run` reports them
    if (!fs::is_regular_file(workload) || read_file(workload).find("\nrun:") == std::string::npos)
        return {};
    const auto root = config::load_file(workload, diagnostics);
    const config::MapEntry* own = root ? root->find("run") : nullptr;
    std::vector<std::string> options;
    for (const config::Node& item :
         own != nullptr ? own->value.items() : std::vector<config::Node>()) {
        const std::string name = item.text().substr(0, item.text().find('='));
        const bool given = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word == name || word.rfind(name + '=', 0) == 0;
        });
        if (!given && is_run_option(item.text()))  // `run` reports others at their place
            options.push_back(item.text());
    }
    return options;
}

}  // namespace archipelago::host
