// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cp/text_rows.h"

#include <fstream>
#include <map>
#include <stdexcept>

namespace archipelago::cp::test {
namespace {

constexpr char kIndent[] = "    ";

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
    throw std::runtime_error(place + ": " + why);
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    size_t from = 0;
    for (size_t at = 0; (at = text.find(separator, from)) != std::string::npos;) {
        parts.push_back(text.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

std::string unescaped(const std::string& cell) {
    std::string text;
    for (size_t i = 0; i < cell.size(); ++i) {
        const bool escape = cell[i] == '\\' && i + 1 < cell.size();
        text += !escape ? cell[i] : cell[i + 1] == 'n' ? '\n' : ' ';
        i += escape ? 1 : 0;
    }
    return text;
}

class Reader {
  public:
    explicit Reader(const std::string& file) : file_(file) {}

    std::vector<TextRow> run() {
        std::ifstream in(ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/cp/rows/" + file_);
        if (!in)
            refuse(file_, "cannot be opened");
        for (std::string line; std::getline(in, line);) {
            place_ = file_ + ":" + std::to_string(++number_);
            if (line.empty() || line[0] == '#')
                continue;
            if (line.rfind(kIndent, 0) == 0)
                below(expanded(line.substr(sizeof kIndent - 1)));
            else if (line.rfind("let ", 0) == 0)
                fragment(line.substr(4));
            else
                row(expanded(line));
        }
        return std::move(rows_);
    }

  private:
    void fragment(const std::string& line) {
        const size_t equals = line.find(" = ");
        const std::string name = line.substr(0, equals);
        const auto [at, is_new] = fragments_.emplace(
            name, equals == std::string::npos ? "" : expanded(line.substr(equals + 3)));
        if (!is_new)
            refuse(place_, name + " is there twice");
        open_ = &at->second;
    }

    void row(const std::string& line) {
        const std::vector<std::string> cells = split(line, " | ");
        const size_t title = cells[0].find("  ");
        if (title == std::string::npos)
            refuse(place_, "a row is KEY [options]  title | cells");
        TextRow& row = rows_.emplace_back();
        row.place = place_;
        row.key = cells[0].substr(0, title);
        row.title = cells[0].substr(title + 2);
        if (const size_t options = row.key.find(" ["); options != std::string::npos) {
            const std::string list = row.key.substr(options + 2, row.key.size() - options - 3);
            for (const std::string& option : split(list, ", "))
                row.options.insert(option);
            row.key.resize(options);
        }
        for (size_t i = 1; i < cells.size(); ++i)
            row.cells.push_back(unescaped(cells[i]));
        open_ = nullptr;
    }

    // A line of the fragment or of the row above.
    void below(const std::string& line) {
        if (open_ != nullptr)
            *open_ += (open_->empty() ? "" : "\n") + line;
        else if (rows_.empty())
            refuse(place_, "indented, and nothing is above it");
        else if (line.rfind("> ", 0) == 0)
            rows_.back().buffer += line.substr(2) + "\n";
        else
            rows_.back().stream += line + "\n";
    }

    std::string expanded(std::string text) const {
        for (const auto& [name, value] : fragments_) {
            const std::string mark = "<" + name + ">";
            for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
                text.replace(at, mark.size(), value);
        }
        return text;
    }

    const std::string file_;
    std::string place_;
    unsigned number_ = 0;
    std::vector<TextRow> rows_;
    std::map<std::string, std::string> fragments_;  // without the last end of line
    std::string* open_ = nullptr;                   // the fragment whose lines follow
};

}  // namespace

unsigned TextRow::take_ring() {
    for (const std::string& option : options) {
        if (option.rfind("ring ", 0) != 0)
            continue;
        const unsigned ring = static_cast<unsigned>(std::stoul(option.substr(5)));
        options.erase(option);
        return ring;
    }
    return 0;
}

void TextRow::expect_no_options() const {
    if (!options.empty())
        refuse(place, "there is no option " + *options.begin());
}

std::vector<TextRow> read_text_rows(const std::string& file) {
    return Reader(file).run();
}

}  // namespace archipelago::cp::test
