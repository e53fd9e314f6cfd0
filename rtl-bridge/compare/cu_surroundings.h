// SPDX-License-Identifier: Apache-2.0
// What stands around a compute unit under random stimulus: caches and memory that answer late and
// in any order, ports without room, and now and then an answer that should not be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "pins/cu_pins.h"
#include "rtl-bridge/compare/cu_memory.h"
#include "rtl-bridge/compare/cu_program.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// Answers on their way to a port, of which any that is due may be the next.
template <class T>
class CuAnswers {
  public:
    void clear(uint32_t delay) {
        waiting_.clear();
        offered_ = 0;
        delay_ = delay;
    }
    void add(Random& random, uint64_t now, T answer) {
        waiting_.push_back({now + 1 + random.below(delay_ + 1), std::move(answer)});
    }
    bool empty() const { return waiting_.empty(); }
    // Puts up to `most` of them at the port; how many.
    unsigned offer(Random& random, uint64_t now, unsigned most) {
        offered_ = 0;
        const size_t size = waiting_.size();
        const size_t start = size != 0 ? random.below(static_cast<uint32_t>(size)) : 0;
        for (size_t k = 0; k < std::min(size, kLooks) && offered_ < most; ++k) {
            const size_t i = (start + k) % size;
            if (i >= offered_ && waiting_[i].due <= now)
                std::swap(waiting_[i], waiting_[offered_++]);
        }
        return offered_;
    }
    const T& offered(size_t i) const { return waiting_[i].answer; }
    // The first of those offered have been taken.
    void taken(unsigned count) {
        for (unsigned i = std::min(count, offered_); i-- > 0;) {
            std::swap(waiting_[i], waiting_.back());
            waiting_.pop_back();
        }
        offered_ = 0;
    }

  private:
    static constexpr size_t kLooks = 24;
    struct Late {
        uint64_t due;
        T answer;
    };
    std::vector<Late> waiting_;
    unsigned offered_ = 0;
    uint32_t delay_ = 0;
};

class CuSurroundings {
  public:
    using In = CuPins::In;
    using Out = CuPins::Out;
    // An answer that nobody has asked for, or one that memory refuses.
    enum class Wrong : uint8_t { None, Fetched, Loaded, Answer, Invalidated, Refused, Gds };

    // A reset: other memory, other times.
    void begin(Random& random) {
        static constexpr uint32_t kDelays[] = {0, 0, 2, 10, 10, 40, 150, 500};
        static constexpr uint32_t kFetchDelays[] = {0, 0, 2, 10, 30, 150};
        image_ = CuImage(random.bits() | 1);
        for (Code& code : code_)
            code = {};
        // Programs of all slots in 4 MiB, data after.
        code_base_ = random.bits() >> 24 & ~uint64_t{0x3fffff};
        data_ = code_base_ + 0x400000 + 0x10000 * random.below(64);
        fetched_.clear(random.pick(kFetchDelays));
        loaded_.clear(random.pick(kDelays));
        answers_.clear(random.pick(kDelays));
        invalidated_.clear(random.pick(kDelays));
        gds_.clear(random.pick(kDelays));
        most_answers_ = 1 + random.below(CuPins::kRequests);
        open_ = random.one_in(3);
    }
    uint64_t data() const { return data_; }
    // Where the program of the group in a slot may begin.
    uint64_t place_of_code(unsigned slot, Random& random) const {
        return code_base_ + uint64_t{slot} * kCodeBytes + 4 * random.below(64);
    }
    // `fenced`: nothing is mapped after it.
    void put_code(unsigned slot, uint64_t pc, const CuProgram& program, bool fenced) {
        code_[slot] = {pc, program.words(), program.unmapped(), fenced};
    }
    void plan(Wrong wrong) { wrong_ = wrong; }

    void drive(In& in, Random& random) {
        ++now_;
        const auto room = [&](Activity& port) { return open_ || port.next(random) ? 1 : 0; };
        in.done_ready = room(done_room_);
        in.fetch_ready = room(fetch_room_);
        in.scalar_ready = room(scalar_room_);
        in.invalidate_ready = room(invalidate_room_);
        in.icache_ready = room(icache_room_);
        in.gds_ready = in.export_ready = room(special_room_);
        in.message_ready = room(message_room_);
        const unsigned requests = open_ ? CuPins::kRequests
                                  : !request_room_.next(random)
                                      ? 0
                                      : random.below(CuPins::kRequests + 1);
        for (unsigned i = 0; i < CuPins::kRequests; ++i)
            in.request_ready[i] = i < requests ? 1 : 0;

        in.fetched_valid = offer(fetched_, in.fetched, random);
        in.loaded_valid = offer(loaded_, in.loaded, random);
        in.invalidated_valid = offer(invalidated_, in.invalidated_tag, random);
        in.gdsdata_valid = gds_.offer(random, now_, 1) != 0 ? 1 : 0;
        if (in.gdsdata_valid != 0) {
            in.gdsdata_tag = gds_.offered(0).tag;
            in.gdsdata = gds_.offered(0).data;
        }
        const unsigned answers = answers_.offer(random, now_, 1 + random.below(most_answers_));
        for (unsigned i = 0; i < CuPins::kRequests; ++i) {
            in.answer_valid[i] = i < answers ? 1 : 0;
            if (i < answers)
                in.answer[i] = answers_.offered(i);
        }
        if (wrong_ != Wrong::None)
            go_wrong(in, random);
    }

    void observe(const In& in, const Out& out, Random& random) {
        fetched_.taken(in.fetched_valid != 0 && out.fetched_ready != 0 ? 1 : 0);
        loaded_.taken(in.loaded_valid != 0 && out.loaded_ready != 0 ? 1 : 0);
        invalidated_.taken(in.invalidated_valid != 0 && out.invalidated_ready != 0 ? 1 : 0);
        gds_.taken(in.gdsdata_valid != 0 && out.gdsdata_ready != 0 ? 1 : 0);
        unsigned answers = 0;
        while (answers < CuPins::kRequests && in.answer_valid[answers] != 0 &&
               out.answer_ready[answers] != 0)
            ++answers;
        answers_.taken(answers);
        if (out.fetch_valid != 0)
            fetch(out, random);
        if (out.scalar_valid != 0)
            load(out, random);
        for (unsigned i = 0; i < CuPins::kRequests && out.request_valid[i] != 0; ++i)
            serve(out.request[i], random);
        if (out.invalidate_valid != 0)
            invalidated_.add(random, now_, out.invalidate_tag);
        if (out.gds_valid != 0)
            answer_gds(out.gds, random);
    }

  private:
    static constexpr uint64_t kCodeBytes = 0x10000;
    struct GdsAnswer {
        uint32_t tag = 0;
        CuPins::Quad data{};
    };
    struct Code {
        uint64_t pc = 0;
        std::vector<uint32_t> words;
        uint64_t unmapped = 0;
        bool fenced = false;
    };

    template <class T>
    uint8_t offer(CuAnswers<T>& answers, T& pins, Random& random) {
        if (answers.offer(random, now_, 1) == 0)
            return 0;
        pins = answers.offered(0);
        return 1;
    }

    // The group's code an address may be in; null: none.
    const Code* code_at(uint64_t address) const {
        const uint64_t slot = (address - code_base_) / kCodeBytes;
        return slot < code_.size() ? &code_[slot] : nullptr;
    }
    uint32_t word(uint64_t address) const {
        if (const Code* code = code_at(address)) {
            const uint64_t at = (address - code->pc) / 4;
            if (at < code->words.size())
                return code->words[at];
        }
        return image_.word(address);
    }
    bool is_fetchable(uint64_t block) const {
        const Code* code = code_at(block);
        if (code == nullptr)
            return !is_cu_unmapped(block);
        const bool behind = block >= code->pc + 4 * code->words.size();
        return !(code->fenced && behind) &&
               !(code->unmapped != 0 && block == (code->unmapped & ~uint64_t{31}));
    }

    void fetch(const Out& out, Random& random) {
        CuPins::Fetched answer;
        answer.wave = out.fetch_wave;
        answer.tag = out.fetch_tag;
        answer.address = out.fetch_address;
        answer.fault = is_fetchable(out.fetch_address) ? 0 : 1;
        for (unsigned i = 0; i < answer.words.size() && answer.fault == 0; ++i)
            answer.words[i] = word(out.fetch_address + 4 * i);
        fetched_.add(random, now_, answer);
    }
    void load(const Out& out, Random& random) {
        CuPins::Loaded answer;
        answer.wave = out.scalar_wave;
        answer.tag = out.scalar_tag;
        if (out.scalar_invalidate == 0 && is_cu_unmapped(out.scalar_address)) {
            answer.fault = 1;
            answer.address = out.scalar_address;
        } else if (out.scalar_invalidate == 0) {
            for (unsigned i = 0; i < out.scalar_dwords; ++i)
                answer.data[i % 16] = word(out.scalar_address + 4 * i);
        }
        loaded_.add(random, now_, answer);
    }
    void serve(const CuPins::Request& r, Random& random) {
        CuPins::Answer answer;
        answer.tag = r.tag;
        answer.command = r.command;
        answer.line = r.line;
        if (is_cu_unmapped(r.line * kLineBytes)) {
            answer.status = static_cast<uint8_t>(MemStatus::Unmapped);
        } else {
            const CuPins::Line old = image_.execute(r);
            if (r.command != static_cast<uint8_t>(MemCommand::Write))
                answer.data = old;
        }
        answers_.add(random, now_, answer);
    }

    void answer_gds(const CuPins::Gds& request, Random& random) {
        GdsAnswer answer;
        answer.tag = request.tag;
        for (uint32_t& dword : answer.data)
            dword = random.word();
        gds_.add(random, now_, answer);
    }

    void go_wrong(In& in, Random& random) {
        const uint32_t tag =
            random.one_in(4) ? random.word() : random.below(random.one_in(2) ? 64 : 3);
        switch (wrong_) {
            case Wrong::None:
                break;
            case Wrong::Fetched:
                in.fetched_valid = 1;
                in.fetched = {};
                in.fetched.wave = static_cast<uint8_t>(random.below(64));
                in.fetched.tag = random.below(3);
                in.fetched.address = code_base_ + 32 * random.below(1 << 16);
                break;
            case Wrong::Loaded:
                if (in.scalar_ready != 0 && !open_)
                    return;  // a load that has not left is one that must not be answered
                in.loaded_valid = 1;
                in.loaded = {};
                in.loaded.tag = tag;
                break;
            case Wrong::Answer:
                if (in.answer_valid[0] != 0)
                    return;
                in.answer_valid[0] = 1;
                in.answer[0] = {};
                in.answer[0].tag = random.below(64) << 16 | (tag & 0xffff);
                break;
            case Wrong::Invalidated:
                in.invalidated_valid = 1;
                in.invalidated_tag = tag;
                break;
            case Wrong::Gds:
                in.gdsdata_valid = 1;
                in.gdsdata_tag = tag;
                break;
            case Wrong::Refused:
                if (in.answer_valid[0] == 0)
                    return;
                in.answer[0].status = static_cast<uint8_t>(MemStatus::Error);
                break;
        }
        wrong_ = Wrong::None;
    }

    uint64_t now_ = 0;
    CuImage image_;
    std::array<Code, 64> code_;  // of the group in each slot
    uint64_t code_base_ = 0, data_ = 0;
    CuAnswers<CuPins::Fetched> fetched_;
    CuAnswers<CuPins::Loaded> loaded_;
    CuAnswers<CuPins::Answer> answers_;
    CuAnswers<uint32_t> invalidated_;
    CuAnswers<GdsAnswer> gds_;
    unsigned most_answers_ = 1;
    bool open_ = false;  // every port has room
    Wrong wrong_ = Wrong::None;
    Activity done_room_, fetch_room_, scalar_room_, request_room_, invalidate_room_, icache_room_,
        special_room_, message_room_;
};

}  // namespace archipelago::rtl
