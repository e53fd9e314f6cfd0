// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/elastic_script.h"

#include <algorithm>

namespace archipelago::rtl::elastic {

Script::Script(const ElasticBench& bench, const Ports& ports, const ElasticWorld* world)
    : bench_(bench),
      ports_(ports),
      world_(world),
      in_(std::make_shared<Buffer>(bench.table.in_bytes)),
      out_(bench.table.out_bytes) {
    bench.fresh(in_->data());
    rest(*in_);
    ports.reset->set(in_->data(), 1, 0);
    for (unsigned i = 0; i < kResetCycles; ++i)
        bench.model(in_->data(), out_.data());
}

void Script::end() {
    if (!ended_)
        rest(*in_);
    ended_ = true;
}

void Script::drop_before(uint64_t number) {
    while (first_ < number) {
        events_.pop_front();
        ++first_;
    }
}

void Script::advance() {
    in_ = std::make_shared<Buffer>(bench_.table.in_bytes);
    bench_.next(in_->data());
    bench_.model(in_->data(), out_.data());
    if (ports_.reset->get(in_->data(), 0) != 0) {
        rest(*in_);
    } else if (!broken_ && ports_.has_fault(out_.data())) {
        broken_ = true;
        events_.push_back({Event::Kind::Fault, kNoPort, 0, 0, in_});
    } else if (!broken_) {
        inputs();
        outputs();
    }
    bench_.observe(in_->data(), out_.data());
    ++cycles_;
    if (bench_.finished())
        end();
}

void Script::rest(const Buffer& in) {
    const bool again = !events_.empty() && events_.back().kind == Event::Kind::Reset;
    for (const auto& [port, values] : levels_)
        if (!again && std::count(values.begin(), values.end(), 0u) != std::ptrdiff_t(values.size()))
            events_.push_back(
                {Event::Kind::Level, port, 0, 0, std::make_shared<Buffer>(bench_.table.in_bytes)});
    if (world_ != nullptr && !again && !broken_ && last() != 0) {
        auto last = std::make_shared<Buffer>(in);
        if (const char* port = world_->flush(last->data())) {
            events_.push_back({Event::Kind::Rest, kNoPort, 0, 0, nullptr});
            events_.push_back({Event::Kind::Input, ports_.find(port), 0, 0, last});
        }
    }
    if (again)
        events_.pop_back();
    events_.push_back({Event::Kind::Reset, kNoPort, 0, 0, std::make_shared<Buffer>(in)});
    counts_.clear();
    levels_.clear();
    broken_ = false;
}

void Script::inputs() {
    for (const unsigned i : ports_.inputs) {
        const Port& port = ports_.all[i];
        if (port.valid != nullptr && Ports::passes(port, in_->data(), out_.data()))
            events_.push_back({Event::Kind::Input, i, 0, 0, in_});
        else if (port.valid == nullptr && changed(i))
            events_.push_back({Event::Kind::Level, i, 0, 0, in_});
    }
}

bool Script::changed(unsigned i) {
    std::vector<uint64_t> now;
    for (const PinRow* pin : ports_.all[i].inputs)
        for (unsigned n = 0; n < pin->elements; ++n)
            now.push_back(pin->get(in_->data(), n));
    auto [was, fresh] = levels_.try_emplace(i, std::vector<uint64_t>(now.size(), 0));
    return std::exchange(was->second, now) != now;
}

void Script::outputs() {
    for (unsigned i = 0; i < ports_.all.size(); ++i) {
        const Port& port = ports_.all[i];
        if (!port.compared || !Ports::passes(port, in_->data(), out_.data()))
            continue;
        const KeyOfPort key{port.stream, ports_.key_of(port, out_.data())};
        events_.push_back({Event::Kind::Output, key.first, key.second, ++counts_[key], nullptr});
    }
}

}  // namespace archipelago::rtl::elastic
