// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/index_dma_reader.h"

#include <cstring>
#include <utility>

namespace archipelago::vgt {

IndexReader::IndexReader(const IndexCommand& command, unsigned most, ReadLine read,
                         std::function<std::string()> where)
    : walk_(command),
      most_(most),
      vmid_(command.vmid),
      read_(std::move(read)),
      where_(std::move(where)) {
    if (const IndexStop bad = check(command); bad != IndexStop::None)
        stop(bad, where_(), command.draw, command.base & kAddressMask, vmid_);
}

bool IndexReader::next(IndexGroup& group) {
    if (done_)
        return false;
    if (walk_.needs_line() && !have_line_) {
        const LineShare share = line_share(walk_.address, walk_.fetched, walk_.type);
        Line data{};
        const MemStatus status = read_(share.line, bytes_of_dwords(share.dwords), vmid_, data);
        if (status != MemStatus::Ok)
            stop(status == MemStatus::Unmapped ? IndexStop::Unmapped : IndexStop::Error, where_(),
                 walk_.draw, walk_.address, vmid_);
        std::memcpy(line_.data(), data.data(), kLineBytes);
        have_line_ = true;
    }
    bool leaves_line = false;
    group = walk_.next(line_, most_, leaves_line);
    have_line_ = have_line_ && !leaves_line;
    done_ = group.last;
    return true;
}

}  // namespace archipelago::vgt
