// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_recording.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/cu/pins/cu_pin_core.h"

namespace archipelago::rtl {
namespace {

constexpr auto kRead = static_cast<uint8_t>(MemCommand::Read);
constexpr auto kWrite = static_cast<uint8_t>(MemCommand::Write);

auto members_of(const CuPins::Gds& g) {
    return std::tie(g.command, g.atomic, g.bytes, g.elements, g.sign_extend, g.returns, g.vmid,
                    g.resource, g.counter, g.stage, g.swap, g.release, g.done, g.flush_denormals,
                    g.order, g.value, g.lanes0, g.lanes1, g.address0, g.address1, g.data, g.atom);
}

}  // namespace

// ---- the global data share

bool CuGdsAnswers::Less::operator()(const CuPins::Gds& a, const CuPins::Gds& b) const {
    return members_of(a) < members_of(b);
}

void CuGdsAnswers::add(const CuPins::Gds& request, const CuPins::Quad& answer) {
    answers_[request].all.push_back(answer);
}

CuPins::Quad CuGdsAnswers::next(const CuPins::Gds& request) {
    const auto found = answers_.find(request);
    if (found == answers_.end())
        return {};
    Answers& answers = found->second;
    const size_t at = std::min(answers.next, answers.all.size() - 1);
    ++answers.next;
    return answers.all[at];
}

// ---- a unit

// The model of a unit, which writes down its launches and what it has read.
class CuRecording::Listener : public cu::CuPinCore {
  public:
    Listener(const cu::CuSpec& timing, uint64_t limit) : CuPinCore(timing), limit_(limit) {}

    void step(const CuPins::In& in, CuPins::Out& out) override {
        CuPinCore::step(in, out);
        unit_.cfg = in.cfg;
        if (in.rst != 0)
            return;
        if (in.launch_valid != 0 && out.launch_ready != 0)
            launched(in.launch);
        if (out.done_valid != 0 && in.done_ready != 0)
            ended_.push_back(running_[out.done_wave]);
        if (is_full())
            return;
        before_launches(in, out);
        responses(in, out);
        requests(in, out);
        global_data(in, out);
        ++now_;
    }
    uint64_t passed() const { return passed_; }
    const CuRecordedUnit& unit() const { return unit_; }

  private:
    struct Asked {
        uint64_t address = 0;  // bytes, of the scalar cache
        unsigned dwords = 0;
        uint64_t mask = 0;  // of a line
        uint64_t at = 0;
    };
    // What is known of a line, and when the unit itself has written each byte last.
    struct Known {
        uint64_t bytes = 0, initial = 0;
        std::array<uint64_t, kLineBytes> written{};
        CuImage::Bytes now;
    };

    bool is_full() const { return passed_ > limit_; }

    void launched(const CuPins::Launch& launch) {
        if (++passed_ > limit_)
            return;
        if (unit_.launches.empty() || unit_.launches.back().launch.dispatch != launch.dispatch)
            first_of_dispatch_ = unit_.launches.size();
        running_[launch.wave] = unit_.launches.size();
        unit_.launches.push_back({launch,
                                  std::exchange(ended_, {}),
                                  {},
                                  std::exchange(tiling_, {}),
                                  std::exchange(rows_, {})});
    }

    void before_launches(const CuPins::In& in, const CuPins::Out& out) {
        if (in.tiling_valid != 0)
            tiling_.push_back({in.tiling_index, in.tiling_value});
        if (in.init_valid != 0 && out.init_ready != 0)
            rows_.push_back(in.init);
    }

    void requests(const CuPins::In& in, const CuPins::Out& out) {
        if (out.scalar_valid != 0 && in.scalar_ready != 0 && out.scalar_invalidate == 0)
            scalar_[out.scalar_tag] = {out.scalar_address, out.scalar_dwords, 0, now_};
        for (unsigned i = 0; i < CuPins::kRequests && out.request_valid[i] != 0; ++i) {
            const CuPins::Request& r = out.request[i];
            vector_[r.tag] = {0, 0, r.mask, now_};
            Known& known = lines_[r.line];
            if (r.command == kRead)
                continue;
            for (size_t b = 0; b < kLineBytes; ++b)
                if ((r.mask >> b & 1) != 0)
                    known.written[b] = now_;
            if (r.command != kWrite)
                continue;
            known.bytes |= r.mask;
            const auto* data = reinterpret_cast<const uint8_t*>(r.data.data());
            for (size_t b = 0; b < kLineBytes; ++b)
                if ((r.mask >> b & 1) != 0)
                    known.now.data[b] = data[b];
        }
    }

    void global_data(const CuPins::In& in, const CuPins::Out& out) {
        if (in.gdsdata_valid != 0 && out.gdsdata_ready != 0)
            unit_.gds.add(gds_[in.gdsdata_tag], in.gdsdata);
        if (out.gds_valid != 0)
            gds_[out.gds.tag] = out.gds;
    }

    void responses(const CuPins::In& in, const CuPins::Out& out) {
        if (in.fetched_valid != 0 && out.fetched_ready != 0 && in.fetched.fault == 0)
            saw(in.fetched.address, in.fetched.words.data(), 8, ~uint64_t{0}, now_);
        if (in.loaded_valid != 0 && out.loaded_ready != 0 && in.loaded.fault == 0) {
            const Asked& asked = scalar_[in.loaded.tag];
            saw(asked.address, in.loaded.data.data(), asked.dwords, ~uint64_t{0}, asked.at);
        }
        for (unsigned i = 0; i < CuPins::kRequests && out.answer_ready[i] != 0; ++i) {
            const CuPins::Answer& answer = in.answer[i];
            const Asked& asked = vector_[answer.tag];
            if (answer.command == kRead && answer.status == 0)
                saw(answer.line * kLineBytes, answer.data.data(), 16, asked.mask, asked.at);
            else if (answer.command != kRead && answer.command != kWrite)
                changed(answer, asked);
        }
    }

    // Dwords as they were read: what was asked for at `asked`, bytes of the mask.
    void saw(uint64_t address, const uint32_t* words, unsigned dwords, uint64_t mask,
             uint64_t asked) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(words);
        for (unsigned i = 0; i < 4 * dwords; ++i)
            if (dwords != 16 || (mask >> i & 1) != 0)
                saw_byte(address + i, bytes[i], asked);
    }
    void saw_byte(uint64_t address, uint8_t value, uint64_t asked) {
        const uint64_t line = address / kLineBytes;
        const size_t at = address % kLineBytes;
        Known& known = lines_[line];
        if (known.written[at] > asked)
            return;  // its own write has overtaken the read
        const uint64_t bit = uint64_t{1} << at;
        if ((known.bytes & bit) != 0 && known.now.data[at] == value)
            return;
        if (((known.bytes | known.initial) & bit) == 0 && known.written[at] == 0)
            unit_.memory.at(line).data[at] = value;
        else
            patch(line, at, value);
        known.bytes |= bit;
        known.initial |= bit;
        known.now.data[at] = value;
    }
    // The old values of an atomic are what memory held in front of it.
    void changed(const CuPins::Answer& answer, const Asked& asked) {
        Known& known = lines_[answer.line];
        const auto* bytes = reinterpret_cast<const uint8_t*>(answer.data.data());
        for (size_t b = 0; b < kLineBytes; ++b) {
            const uint64_t bit = uint64_t{1} << b;
            if ((asked.mask & bit) != 0 && ((known.bytes | known.initial) & bit) == 0) {
                unit_.memory.at(answer.line).data[b] = bytes[b];
                known.initial |= bit;
            }
        }
    }
    void patch(uint64_t line, size_t at, uint8_t value) {
        if (unit_.launches.empty())
            return;
        auto& patches = unit_.launches[first_of_dispatch_].patches;
        auto found = std::find_if(patches.begin(), patches.end(),
                                  [&](const CuPatch& p) { return p.line == line; });
        if (found == patches.end())
            found = patches.insert(found, CuPatch{line, 0, {}});
        found->mask |= uint64_t{1} << at;
        found->data[at] = value;
    }

    uint64_t limit_;
    uint64_t passed_ = 0;
    uint64_t now_ = 1;
    CuRecordedUnit unit_;
    size_t first_of_dispatch_ = 0;
    std::array<size_t, CuPins::kWaves> running_{};  // launch of the wave of each number
    std::vector<size_t> ended_;
    std::vector<CuTilingWrite> tiling_;  // since the last launch
    std::vector<CuPins::Init> rows_;
    std::map<uint32_t, CuPins::Gds> gds_;        // by tag
    std::map<uint32_t, Asked> scalar_, vector_;  // by tag
    std::map<uint64_t, Known> lines_;
};

// ---- a chip

CuRecording::CuRecording(uint64_t limit) : limit_(std::min(limit, kMaxPerUnit)) {}
CuRecording::~CuRecording() = default;

void CuRecording::attach(asic::ChipOptions& options) {
    options.substitutes.use<cu::CuFactory>(*this);
}

std::unique_ptr<cu::ComputeUnit> CuRecording::make(const cu::CuSpec& spec,
                                                   const cu::CuIdentity& identity,
                                                   std::shared_ptr<cu::DecodeCache> decode_cache,
                                                   unsigned) {
    listeners_.push_back(std::make_unique<Listener>(spec, limit_));
    return std::make_unique<cu::CuOnPins>(*listeners_.back(), spec, identity,
                                          std::move(decode_cache));
}

uint64_t CuRecording::size() const {
    uint64_t n = 0;
    for (const auto& listener : listeners_)
        n += listener->unit().launches.size();
    return n;
}

uint64_t CuRecording::passed() const {
    uint64_t n = 0;
    for (const auto& listener : listeners_)
        n += listener->passed();
    return n;
}

std::vector<const CuRecordedUnit*> CuRecording::units() const {
    std::vector<const CuRecordedUnit*> all;
    for (const auto& listener : listeners_)
        if (!listener->unit().launches.empty())
            all.push_back(&listener->unit());
    return all;
}

}  // namespace archipelago::rtl
