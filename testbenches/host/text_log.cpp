// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/text_log.h"

#include <algorithm>
#include <stdexcept>

#include "models/config/diagnostics.h"
#include "models/config/suggest.h"

namespace archipelago::host {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr uint32_t kAll = (uint32_t{1} << static_cast<unsigned>(LogCategory::kCount)) - 1;

}  // namespace

const std::vector<std::string>& log_category_names() {
    static const std::vector<std::string> names{"pm4", "isa", "dma", "reg", "mem"};
    static_assert(static_cast<size_t>(LogCategory::kCount) == 5, "a category without a name");
    return names;
}

uint32_t parse_log_categories(std::string_view list, bool* isa_values) {
    std::vector<std::string> names = log_category_names();
    names.emplace_back("all");
    const std::string values = "isa=values";
    std::vector<std::string> known = names;
    if (isa_values != nullptr)
        known.push_back(values);
    uint32_t mask = 0;
    for (size_t at = 0; at <= list.size();) {
        const size_t comma = std::min(list.find(',', at), list.size());
        const std::string_view name = list.substr(at, comma - at);
        at = comma + 1;
        if (isa_values != nullptr && name == values) {
            *isa_values = true;
            continue;
        }
        uint32_t bits = 0;
        for (size_t i = 0; i < names.size(); ++i)
            if (name == names[i])
                bits = i + 1 == names.size() ? kAll : uint32_t{1} << i;
        if (bits == 0)
            throw std::invalid_argument("log category " + config::in_quotes(name) +
                                        ": expected one of: " + config::join_names(known) +
                                        config::did_you_mean(name, known));
        mask |= bits;
    }
    return mask;
}

TextLog::TextLog(std::ostream& out, uint32_t categories) : out_(out), name_("log") {
    mask_ = categories;
}

TextLog::TextLog(const std::string& path, uint32_t categories)
    : file_(std::make_unique<OutputFile>(path, "the log")), out_(file_->stream()), name_(path) {
    mask_ = categories;
}

TextLog::~TextLog() {
    write_buffer();
}

void TextLog::line(LogCategory category, Cycle at, std::string_view unit, std::string_view text) {
    if (enabled(category))
        add(at, unit, text);
}

void TextLog::add(Cycle at, std::string_view unit, std::string_view text) {
    const std::string head = std::to_string(at) + ' ' + std::string(unit) + ": ";
    for (size_t from = 0; from <= text.size();) {
        const size_t end = std::min(text.find('\n', from), text.size());
        if (from != 0 && from == text.size())
            break;  // the text ended in a line feed of its own
        buffer_ += head;
        buffer_ += text.substr(from, end - from);
        buffer_ += '\n';
        from = end + 1;
    }
    if (buffer_.size() >= kBufferBytes)
        write_buffer();
}

void TextLog::write_buffer() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.flush();
    buffer_.clear();
}

void TextLog::flush() {
    write_buffer();
    if (file_)
        file_->complete();
    if (!out_)
        throw std::runtime_error("cannot write the log " + name_ + ": it is incomplete");
}

}  // namespace archipelago::host
