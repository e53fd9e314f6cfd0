// SPDX-License-Identifier: Apache-2.0
// Errors and warnings about user input, collected so that a user sees all of them at once, and the
// files that were read.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace archipelago::config {

// Where a key or a value was written. Lines and columns count from 1; columns count bytes, as
// compilers do. Line 0 means that there is no position in a file ("--set", a file as a whole).
struct Origin {
    std::shared_ptr<const std::string> file;
    unsigned line = 0;
    unsigned column = 0;

    std::string_view file_name() const {
        return file ? std::string_view(*file) : std::string_view();
    }
    bool same_file(const Origin& other) const { return file_name() == other.file_name(); }
    // "file:line:column", or "file" alone when there is no position.
    std::string to_string() const;
    // "file:line", for tables.
    std::string short_string() const;
};

// An origin with a name and no position, e.g. origin_of("--set").
Origin origin_of(std::string file);

enum class Severity { Error, Warning };

struct Diagnostic {
    Severity severity = Severity::Error;
    Origin origin;
    std::string path;     // key path, e.g. "cp.pfp.depth"; empty for a file as a whole
    std::string message;  // what is wrong, what was expected
};

// `file:line:col: key.path: message`; a warning reads `file:line:col: key.path: warning: message`.
std::string format(const Diagnostic& diagnostic);

// What throw_if_errors() throws: what() is the formatted list, one line per diagnostic.
class ConfigError : public std::runtime_error {
  public:
    ConfigError(const std::string& text, std::vector<Diagnostic> diagnostics)
        : std::runtime_error(text),
          diagnostics_(std::make_shared<const std::vector<Diagnostic>>(std::move(diagnostics))) {}
    const std::vector<Diagnostic>& diagnostics() const { return *diagnostics_; }

  private:
    // Shared, because copying an exception must not throw.
    std::shared_ptr<const std::vector<Diagnostic>> diagnostics_;
};

class Diagnostics {
  public:
    // Hostile input must not exhaust memory: from here on diagnostics are only counted.
    static constexpr std::size_t kMaxStored = 1000;

    void error(const Origin& origin, std::string_view path, std::string message);
    void warning(const Origin& origin, std::string_view path, std::string message);

    bool has_errors() const { return error_count_ != 0; }
    std::size_t error_count() const { return error_count_; }
    std::size_t warning_count() const { return warning_count_; }
    bool is_full() const { return all_.size() >= kMaxStored; }

    // In order of report; at most kMaxStored.
    const std::vector<Diagnostic>& all() const { return all_; }
    // By file (in order of first report), line and column; equal places keep the order of report.
    std::vector<Diagnostic> sorted() const;

    // One line per diagnostic in sorted order, each ended by '\n'; empty without diagnostics.
    std::string format() const;

    void throw_if_errors() const;

    // Every file that loading has opened, in this order: none of them may be written.
    void add_file(std::string path) { files_.push_back(std::move(path)); }
    const std::vector<std::string>& files() const { return files_; }

  private:
    void add(Diagnostic diagnostic);

    std::vector<Diagnostic> all_;
    std::vector<std::string> files_;
    std::size_t error_count_ = 0;
    std::size_t warning_count_ = 0;
};

// `text` in double quotes, control characters escaped and anything beyond 60 bytes cut with "…",
// so that input can be shown in a one-line message.
std::string in_quotes(std::string_view text);
// The same without the quotes.
std::string printable(std::string_view text);

}  // namespace archipelago::config
