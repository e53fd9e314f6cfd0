// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/register_file.h"

namespace archipelago::ctm {

bool RegisterFile::write(uint32_t offset, uint32_t value) {
    switch (offset) {
        case kCbAddress:
            address_ = value;
            return true;
        case kCbSize:
            size_ = value;
            queue_.push_back({{++submitted_, address_, size_}, program_info_, seen_idle_});
            seen_idle_ = false;
            return true;
        case kProgInfo:
            program_info_ = value;
            return true;
        default:
            return false;
    }
}

bool RegisterFile::inspect(uint32_t offset, uint32_t& value) const {
    switch (offset) {
        case kCbAddress:
            value = address_;
            return true;
        case kCbSize:
            value = size_;
            return true;
        case kCbConsumed:
            value = consumed_;
            return true;
        case kStatus:
            value = (busy() ? kStatusPeBusy : 0) | (programs_run_ ? kStatusDppBusy : 0);
            return true;
        case kProgInfo:
            value = program_info_;
            return true;
        default:
            return false;
    }
}

bool RegisterFile::read(uint32_t offset, uint32_t& value) {
    if (!inspect(offset, value))
        return false;
    if (offset != kCbConsumed && offset != kStatus)
        return true;
    // What the host does from now on comes after the programs' end, as after a wait_for_idle.
    seen_idle_ = seen_idle_ || (!busy() && !programs_run_);
    return true;
}

SubmittedBuffer RegisterFile::take_buffer() {
    const SubmittedBuffer submitted = queue_.front();
    queue_.pop_front();
    taken_ = submitted.buffer.id;
    return submitted;
}

}  // namespace archipelago::ctm
