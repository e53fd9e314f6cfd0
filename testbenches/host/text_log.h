// SPDX-License-Identifier: Apache-2.0
// A LogSink that writes one line per event: "<cycle> <unit>: <text>".
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/files.h"
#include "models/common/trace_sink.h"

namespace archipelago::host {

// "pm4", "isa", "dma", "reg", "mem", in the order of LogCategory.
const std::vector<std::string>& log_category_names();

// Reads what --log takes: names separated by commas, or "all". Bit n of the result is LogCategory
// n. "isa=values" is no category: it sets *isa_values, and is refused where that is null.
// Throws std::invalid_argument that names the nearest category.
uint32_t parse_log_categories(std::string_view list, bool* isa_values = nullptr);

class TextLog : public LogSink {
  public:
    // Writes to `out`, which must outlive the log.
    TextLog(std::ostream& out, uint32_t categories);
    // Writes to a file; throws std::runtime_error when it cannot be opened.
    TextLog(const std::string& path, uint32_t categories);
    // Flushes, but cannot report what goes wrong then.
    ~TextLog() override;

    // A text of several lines gets the cycle and the unit in front of each.
    void line(LogCategory category, Cycle at, std::string_view unit,
              std::string_view text) override;
    // Writes a line of no category, regardless of what is enabled.
    void add(Cycle at, std::string_view unit, std::string_view text);

    // Throws std::runtime_error when anything could not be written. A file has its name from then
    // on and takes no more lines.
    void flush();

  private:
    void write_buffer();

    std::unique_ptr<OutputFile> file_;  // null: a stream of somebody else
    std::ostream& out_;
    std::string name_;
    std::string buffer_;
};

}  // namespace archipelago::host
