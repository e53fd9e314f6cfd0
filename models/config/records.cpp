// SPDX-License-Identifier: Apache-2.0
#include "models/config/records.h"

#include <algorithm>
#include <array>
#include <utility>

namespace archipelago::config {
namespace {

template <class T>
std::vector<T> values(const std::map<std::string, T>& by_path) {
    std::vector<T> out;
    out.reserve(by_path.size());
    for (const auto& [path, value] : by_path) {
        out.push_back(value);
    }
    return out;
}

template <class T>
const T* find_in(const std::map<std::string, T>& by_path, const std::string& path) {
    const auto it = by_path.find(path);
    return it == by_path.end() ? nullptr : &it->second;
}

template <class T>
void put(std::map<std::string, T>& by_path, T value) {
    std::string path = value.path;
    by_path.insert_or_assign(std::move(path), std::move(value));
}

}  // namespace

void TimingRegistry::add(TimingEntry entry) {
    put(by_path_, std::move(entry));
}

std::vector<TimingEntry> TimingRegistry::entries() const {
    return values(by_path_);
}

std::size_t TimingRegistry::guess_count() const {
    return static_cast<std::size_t>(std::count_if(by_path_.begin(), by_path_.end(),
                                                  [](const auto& e) { return e.second.is_guess; }));
}

std::size_t TimingRegistry::override_count() const {
    return static_cast<std::size_t>(std::count_if(
        by_path_.begin(), by_path_.end(), [](const auto& e) { return e.second.is_override; }));
}

const TimingEntry* TimingRegistry::find(const std::string& path) const {
    return find_in(by_path_, path);
}

std::string TimingRegistry::summary() const {
    const auto counted = [](std::size_t n, const char* one, const char* many) {
        return std::to_string(n) + ' ' + (n == 1 ? one : many);
    };
    return counted(size(), "delay", "delays") + ": " +
           counted(guess_count(), "estimate", "estimates") + ", " +
           std::to_string(override_count()) + " overridden";
}

std::string TimingRegistry::format_table() const {
    using Row = std::array<std::string, 6>;
    std::vector<Row> rows{{"path", "cycles", "source", "ref", "ns", "origin"}};
    for (const auto& [path, entry] : by_path_) {
        rows.push_back({path, std::to_string(entry.cycles), printable(entry.source),
                        entry.ref.empty() ? "-" : printable(entry.ref),
                        entry.ns.empty() ? "-" : printable(entry.ns), entry.origin.short_string()});
    }
    std::array<std::size_t, 6> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string out;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - row[i].size(), ' ');
            line += i == 0 ? "" : "  ";
            line += i == 1 ? pad + row[i] : row[i] + pad;  // numbers to the right
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

void FieldTable::add(FieldRecord record) {
    put(by_path_, std::move(record));
}

std::vector<FieldRecord> FieldTable::records() const {
    return values(by_path_);
}

const FieldRecord* FieldTable::find(const std::string& path) const {
    return find_in(by_path_, path);
}

std::string FieldTable::format() const {
    std::string out;
    for (const auto& [path, record] : by_path_) {
        out += path + ": " + record.value + "   # " +
               (record.is_default ? std::string("default") : record.origin.short_string()) + ", " +
               record.expected + (record.doc.empty() ? "" : ": " + record.doc) + '\n';
    }
    return out;
}

}  // namespace archipelago::config
