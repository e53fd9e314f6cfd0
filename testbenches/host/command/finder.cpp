// SPDX-License-Identifier: Apache-2.0
// `list counters|timings|parameters|glossary [WORD…]`: what of a chip has all the words in its name
// or meaning, or is of a block that configs/glossary.yaml calls so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/config/load.h"
#include "models/config/reader.h"
#include "models/config/suggest.h"
#include "models/report/counter_kinds.h"
#include "testbenches/host/command/command.h"

namespace archipelago::host {
namespace {

struct Term {
    std::string name;
    std::string meaning;
    std::vector<std::string> also, counters, parameters, verilog;
};

std::vector<Term> read_glossary() {
    config::Diagnostics diagnostics;
    std::vector<Term> terms;
    if (const auto tree =
            config::load_file(asic::config_folder() + "/glossary.yaml", diagnostics)) {
        config::Reader root(*tree, diagnostics);
        for (const std::string& name : root.keys()) {
            config::Reader r = root.map(name);
            const auto names = [&](const char* key) {
                return r.maybe_sequence<std::string>(key).value_or(std::vector<std::string>());
            };
            terms.push_back({name, r.required<std::string>("is"), names("also"), names("counters"),
                             names("parameters"), names("verilog")});
        }
    }
    diagnostics.throw_if_errors();
    return terms;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return text;
}

// What is listed of one thing.
struct Row {
    std::string name;
    std::string amount;  // a counter's unit, a parameter's value
    std::string meaning;
    std::string block;  // a counter's kind of unit, a parameter's path
};

using NamesOfTerm = std::vector<std::string> Term::*;

class Finder {
  public:
    // `names`: which of a term's names Row::block has.
    Finder(std::vector<std::string> words, NamesOfTerm names)
        : words_(std::move(words)), names_(names), glossary_(read_glossary()) {}

    bool finds(const Row& row) const {
        const std::string text = lower(row.name + ' ' + row.amount + ' ' + row.meaning);
        return std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
            return text.find(lower(word)) != std::string::npos || is_block(word, row.block);
        });
    }

  private:
    bool is_block(const std::string& word, const std::string& block) const {
        return std::any_of(glossary_.begin(), glossary_.end(), [&](const Term& term) {
            return is_called(term, word) && has(term.*names_, block);
        });
    }
    static bool is_called(const Term& term, const std::string& word) {
        const auto same = [&](const std::string& name) { return lower(name) == lower(word); };
        return same(term.name) || std::any_of(term.also.begin(), term.also.end(), same);
    }
    // "tcp" has "tcp.size".
    static bool has(const std::vector<std::string>& names, const std::string& path) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return path.compare(0, name.size(), name) == 0 &&
                   (path.size() == name.size() || path[name.size()] == '.');
        });
    }

    const std::vector<std::string> words_;
    const NamesOfTerm names_;
    const std::vector<Term> glossary_;
};

std::vector<Row> counters_of(const asic::ChipDescription& description) {
    const auto chip = description.build("chip");
    const auto kinds = report::kinds_of(chip->stats());
    std::vector<Row> rows;
    std::unordered_set<std::string> listed;
    for (const Counter& counter : chip->stats().counters()) {
        const std::string& kind = kinds.at(counter.unit_path);
        const std::string name = kind + '.' + counter.name;
        if (listed.insert(name).second)
            rows.push_back({name, counter.unit, counter.meaning, kind});
    }
    return rows;
}

std::vector<Row> timings_of(const asic::ChipDescription& description) {
    const config::Records& records = description.records();
    std::vector<Row> rows;
    for (const config::TimingEntry& t : records.timings.entries()) {
        const config::FieldRecord* field = records.fields.find(t.path);
        rows.push_back({t.path, fmt::format("{} cycles", t.cycles),
                        fmt::format("{} (source: {}{}{})", field == nullptr ? "" : field->doc,
                                    t.source, t.ref.empty() ? "" : ", ", t.ref),
                        t.path});
    }
    return rows;
}

std::vector<Row> parameters_of(const asic::ChipDescription& description) {
    std::vector<Row> rows;
    for (const config::FieldRecord& f : description.records().fields.records())
        rows.push_back({f.path, f.value, f.doc + "; " + f.expected, f.path});
    return rows;
}

std::vector<Row> glossary_rows() {
    std::vector<Row> rows;
    for (const Term& term : read_glossary()) {
        std::string text = term.meaning;
        const auto add = [&](const char* what, const std::vector<std::string>& names) {
            if (!names.empty())
                text += fmt::format("; {} {}", what, fmt::join(names, ", "));
        };
        add("also", term.also);
        add("counters", term.counters);
        add("parameters", term.parameters);
        add("Verilog", term.verilog);
        rows.push_back({term.name, "", text, ""});
    }
    return rows;
}

struct List {
    const char* name;
    NamesOfTerm names;
    std::function<std::vector<Row>(const asic::ChipDescription&)> rows;
};

const std::vector<List>& lists() {
    static const std::vector<List> all{
        {"counters", &Term::counters, counters_of},
        {"timings", &Term::parameters, timings_of},
        {"parameters", &Term::parameters, parameters_of},
        {"glossary", &Term::also, [](const asic::ChipDescription&) { return glossary_rows(); }},
    };
    return all;
}

const List& list_called(const std::string& name) {
    std::vector<std::string> names;
    for (const List& list : lists()) {
        names.emplace_back(list.name);
        if (name == list.name)
            return list;
    }
    throw std::invalid_argument(fmt::format("list: got \"{}\", expected one of: {}{}", name,
                                            config::join_names(names),
                                            config::did_you_mean(name, names)));
}

// Names and their parts, for suggestions.
std::vector<std::string> words_of(const std::vector<Row>& rows) {
    std::vector<std::string> parts;
    for (const Row& row : rows) {
        parts.push_back(row.name);
        for (size_t begin = 0; begin <= row.name.size();) {
            const size_t end = std::min(row.name.find_first_of("._", begin), row.name.size());
            parts.push_back(row.name.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return parts;
}

void print(const std::vector<Row>& rows) {
    std::array<size_t, 2> widths{};
    for (const Row& row : rows)
        widths = {std::max(widths[0], row.name.size()), std::max(widths[1], row.amount.size())};
    for (const Row& row : rows) {
        std::string line = fmt::format("{:{}}  ", row.name, widths[0]);
        if (widths[1] != 0)
            line += fmt::format("{:{}}  ", row.amount, widths[1]);
        fmt::print("{}{}\n", line, row.meaning);
    }
}

}  // namespace

int find_command(const ListArguments& a) {
    const List& list = list_called(a.what);
    const auto chip = asic::load_chip(a.asic, a.set);
    const std::vector<Row> all = list.rows(*chip);
    const Finder finder(a.words, list.names);
    std::vector<Row> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const Row& row) { return finder.finds(row); });
    if (found.empty())
        throw std::invalid_argument(fmt::format(
            "{} of {}: none has the words \"{}\" in its name or meaning{}", a.what, a.asic,
            fmt::join(a.words, " "),
            a.words.size() == 1 ? config::did_you_mean(a.words[0], words_of(all)) : ""));
    print(found);
    return kDone;
}

}  // namespace archipelago::host
