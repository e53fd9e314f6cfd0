// SPDX-License-Identifier: Apache-2.0
// The PE's registers and the buffers submitted through them, in both modes.
#pragma once

#include <cstdint>
#include <deque>

#include "models/ctm/command/command_reader.h"
#include "models/ctm/pe/registers.h"

namespace archipelago::ctm {

struct SubmittedBuffer {
    CommandBuffer buffer;
    uint32_t program_info = 0;
    bool after_idle = false;  // the host has seen everything idle before it submitted this
};

class RegisterFile {
  public:
    // `offset` in the window. False: no such register, or one that is read only.
    bool write(uint32_t offset, uint32_t value);
    bool read(uint32_t offset, uint32_t& value);
    // The same for a debugger: the host has seen nothing.
    bool inspect(uint32_t offset, uint32_t& value) const;
    void reset() { *this = {}; }

    bool has_buffer() const { return !queue_.empty(); }
    size_t waiting() const { return queue_.size(); }
    const SubmittedBuffer& next_buffer() const { return queue_.front(); }
    SubmittedBuffer take_buffer();
    // The buffer taken last has been consumed: all it started has ended.
    void consume() { consumed_ = taken_; }
    void set_programs_run(bool run) { programs_run_ = run; }
    bool busy() const { return submitted_ != consumed_; }

    template <class Archive>
    void archive(Archive& a) {
        a(address_, size_, program_info_, submitted_, taken_, consumed_, programs_run_, seen_idle_,
          queue_);
    }

  private:
    uint32_t address_ = 0;
    uint32_t size_ = 0;
    uint32_t program_info_ = kProgInfoAfterReset;
    uint32_t submitted_ = 0, taken_ = 0, consumed_ = 0;  // ids
    bool programs_run_ = false;
    bool seen_idle_ = false;
    std::deque<SubmittedBuffer> queue_;
};

}  // namespace archipelago::ctm
