// SPDX-License-Identifier: Apache-2.0
#include "models/config/diagnostics.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace archipelago::config {

std::string Origin::to_string() const {
    std::string out(file_name());
    if (line != 0) {
        out += ':' + std::to_string(line) + ':' + std::to_string(column);
    }
    return out;
}

std::string Origin::short_string() const {
    std::string out(file_name());
    if (line != 0) {
        out += ':' + std::to_string(line);
    }
    return out;
}

Origin origin_of(std::string file) {
    Origin origin;
    origin.file = std::make_shared<const std::string>(std::move(file));
    return origin;
}

std::string format(const Diagnostic& diagnostic) {
    std::string out = diagnostic.origin.to_string();
    if (!out.empty()) {
        out += ": ";
    }
    if (!diagnostic.path.empty()) {
        out += diagnostic.path + ": ";
    }
    if (diagnostic.severity == Severity::Warning) {
        out += "warning: ";
    }
    return out + diagnostic.message;
}

void Diagnostics::add(Diagnostic diagnostic) {
    ++(diagnostic.severity == Severity::Error ? error_count_ : warning_count_);
    if (all_.size() < kMaxStored) {
        all_.push_back(std::move(diagnostic));
    }
}

void Diagnostics::error(const Origin& origin, std::string_view path, std::string message) {
    add({Severity::Error, origin, std::string(path), std::move(message)});
}

void Diagnostics::warning(const Origin& origin, std::string_view path, std::string message) {
    add({Severity::Warning, origin, std::string(path), std::move(message)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::map<std::string_view, std::size_t> file_rank;
    for (const Diagnostic& d : all_) {
        file_rank.emplace(d.origin.file_name(), file_rank.size());
    }
    std::vector<Diagnostic> out = all_;
    std::stable_sort(out.begin(), out.end(), [&](const Diagnostic& a, const Diagnostic& b) {
        const std::size_t rank_a = file_rank.at(a.origin.file_name());
        const std::size_t rank_b = file_rank.at(b.origin.file_name());
        return std::tie(rank_a, a.origin.line, a.origin.column) <
               std::tie(rank_b, b.origin.line, b.origin.column);
    });
    return out;
}

std::string Diagnostics::format() const {
    std::string out;
    for (const Diagnostic& d : sorted()) {
        out += config::format(d) + '\n';
    }
    const std::size_t total = error_count_ + warning_count_;
    if (total > all_.size()) {
        out += "… and " + std::to_string(total - all_.size()) + " more\n";
    }
    return out;
}

void Diagnostics::throw_if_errors() const {
    if (has_errors()) {
        throw ConfigError(format(), sorted());
    }
}

std::string printable(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    constexpr char kHex[] = "0123456789abcdef";
    const bool cut = text.size() > kLongest;
    if (cut) {
        std::size_t end = kLongest;
        // Never in the middle of a UTF-8 sequence.
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
            --end;
        }
        text = text.substr(0, end);
    }
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else {
            out += c;
        }
    }
    return cut ? out + "…" : out;
}

std::string in_quotes(std::string_view text) {
    return '"' + printable(text) + '"';
}

}  // namespace archipelago::config
