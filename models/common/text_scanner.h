// SPDX-License-Identifier: Apache-2.0
// Reads a text from left to right: what the lexers of all assemblers share. What a word, a blank
// and a comment is, and what is refused in which words, is a language's own.
#pragma once

#include <cstddef>
#include <string_view>

namespace archipelago {

class TextScanner {
  public:
    explicit TextScanner(std::string_view text) : text_(text) {}

    std::string_view text() const { return text_; }
    // Line and column of the next character, from 1.
    unsigned line() const { return line_; }
    unsigned column() const { return static_cast<unsigned>(at_ - line_start_) + 1; }
    bool at_end() const { return at_ == text_.size(); }
    // The next character, or the one `ahead` of it; 0 where the text has ended.
    char peek(size_t ahead = 0) const {
        return ahead < text_.size() - at_ ? text_[at_ + ahead] : '\0';
    }
    std::string_view rest() const { return text_.substr(at_); }
    bool starts_with(std::string_view word) const { return rest().substr(0, word.size()) == word; }

    // The next `count` characters, or all that are left.
    std::string_view take(size_t count) {
        const std::string_view taken = rest().substr(0, count);
        at_ += taken.size();
        return taken;
    }
    // The characters, maybe none, before the first that `belongs` does not hold for.
    template <class Belongs>
    std::string_view take_while(const Belongs& belongs) {
        size_t count = 0;
        while (count < text_.size() - at_ && belongs(text_[at_ + count]))
            ++count;
        return take(count);
    }
    // Takes `word` if it is next.
    bool accept(std::string_view word) {
        const bool is_next = starts_with(word);
        at_ += is_next ? word.size() : 0;
        return is_next;
    }
    // Takes the end of the line, which is next.
    void next_line() {
        ++line_;
        line_start_ = ++at_;
    }
    void take_all() { at_ = text_.size(); }
    // To go back within a line, and what has been taken since.
    size_t mark() const { return at_; }
    void back_to(size_t mark) { at_ = mark; }
    std::string_view since(size_t mark) const { return text_.substr(mark, at_ - mark); }

  private:
    std::string_view text_;
    size_t at_ = 0;  // in the text, as line_start_
    size_t line_start_ = 0;
    unsigned line_ = 1;
};

}  // namespace archipelago
