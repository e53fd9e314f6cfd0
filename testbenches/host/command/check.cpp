// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/description.h"
#include "models/common/files.h"
#include "models/config/diagnostics.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/job.h"
#include "testbenches/host/command/standard_streams.h"

namespace archipelago::host {
namespace {

using nlohmann::json;

std::string text_or(const json& request, const char* key, const std::string& otherwise) {
    return request.contains(key) ? request.at(key).get<std::string>() : otherwise;
}

json answer_of(const asic::ChipDescription& chip) {
    return {{"asic", chip.identity().name},
            {"config_hash", chip.identity().hash},
            {"clock_hz", chip.identity().clock_hz}};
}

RunArguments run_of(const json& request) {
    RunArguments run;
    run.workload = text_or(request, "workload", "");
    run.asic = text_or(request, "asic", "");
    if (request.contains("code"))
        run.code = {request.at("code").get<std::string>()};
    run.options = request.value("options", std::vector<std::string>());
    run.options_folder = text_or(request, "options_folder", "");
    run.set = request.value("set", std::vector<std::string>());
    run.mode = text_or(request, "mode", run.mode);
    run.rtl = request.value("rtl", std::vector<std::string>());
    run.series = request.value("series", uint64_t{0});
    run.stats = "/dev/null";  // runs that are checked have statistics
    return run;
}

json check(const json& request) {
    const RunArguments run = run_of(request);
    if (!request.contains("workload")) {
        check_blocks(run);
        return answer_of(*asic::load_chip(run.asic.empty() ? "tahiti" : run.asic, run.set));
    }
    const Job job = check_run(run);
    json answer = answer_of(*job.chip);
    answer["name"] = job.workload.name;
    answer["inputs"] = job.workload.inputs;
    if (request.value("reads", false))
        answer["reads"] = files_read(job);
    answer["outputs"] = job.workload.outputs;
    answer["codes"] = json::array();
    for (const KernelCode& code : codes_of(job.workload))
        answer["codes"].push_back({{"file", code.file}, {"options", code.build}});
    return answer;
}

// What `run` would refuse, message by message.
json errors_of(const json& request) {
    try {
        return check(request);
    } catch (const config::ConfigError& error) {
        json lines = json::array();
        for (const config::Diagnostic& diagnostic : error.diagnostics())
            if (diagnostic.severity == config::Severity::Error)
                lines.push_back(format(diagnostic));
        return {{"errors", std::move(lines)}};
    } catch (const std::exception& error) {
        return {{"errors", json::array({error.what()})}};
    }
}

json request_of(const std::string& line, const std::string& file, size_t number) {
    try {
        json request = json::parse(line);
        if (request.is_object())
            return request;
    } catch (const json::exception&) {
    }
    throw std::invalid_argument(fmt::format(
        "{}:{}: not a JSON object, expected one with workload, asic and set", file, number));
}

void answer_all(std::istream& requests, const std::string& name) {
    std::string line;
    for (size_t number = 1; std::getline(requests, line); ++number)
        fmt::print("{}\n", errors_of(request_of(line, name, number))
                               .dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

int check_command(const CheckArguments& a) {
    if (a.requests == "-") {
        answer_all(std::cin, "stdin");
        check_standard_input();
        return kDone;
    }
    std::istringstream file(read_file(a.requests));
    answer_all(file, a.requests);
    return kDone;
}

}  // namespace archipelago::host
