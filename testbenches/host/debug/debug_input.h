// SPDX-License-Identifier: Apache-2.0
// Commands of a debugger, from the command line, scripts and a terminal, one after the other.
#pragma once

#include <deque>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <utility>

namespace archipelago::host {

class DebugInput {
  public:
    // `name`: where commands come from, for messages. `lines`: with the number of the line.
    void add(std::unique_ptr<std::istream> text, std::string name, bool lines) {
        std::istream& in = *text;
        sources_.push_back({std::move(text), &in, std::move(name), lines, false, 0});
    }
    // A terminal, which must outlive this.
    void add_terminal(std::istream& in) { sources_.push_back({nullptr, &in, "", false, true, 0}); }

    // The next line; false: there are no more. `prompt` is called before a terminal is read.
    bool next(std::string& line, const std::function<void()>& prompt) {
        for (; !sources_.empty(); sources_.pop_front()) {
            Source& source = sources_.front();
            if (source.terminal)
                prompt();
            if (std::getline(*source.in, line)) {
                ++source.line;
                return true;
            }
        }
        return false;
    }
    // Of the line at hand.
    bool from_terminal() const { return sources_.front().terminal; }
    // "script:3"
    std::string place() const {
        const Source& source = sources_.front();
        return source.name + (source.lines ? ":" + std::to_string(source.line) : "");
    }

  private:
    struct Source {
        std::unique_ptr<std::istream> owned;
        std::istream* in;
        std::string name;
        bool lines, terminal;
        unsigned line;  // the last that was read, from 1
    };
    std::deque<Source> sources_;
};

}  // namespace archipelago::host
