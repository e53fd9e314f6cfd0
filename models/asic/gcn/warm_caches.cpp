// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/warm_caches.h"

#include <optional>

#include "models/tc/cache_action_broadcaster.h"

namespace archipelago::gcn {

WarmCaches::WarmCaches(const ChipConfig& config, const AddressSpaces* spaces)
    : config_(config), spaces_(spaces), map_(config.channel_map) {
    for (unsigned i = 0; i < config.cus(); ++i)
        l1_.push_back(std::make_unique<tc::TcpCore>(config.tcp));
    for (unsigned i = 0; i < config.sqcs(); ++i) {
        inst_.push_back(std::make_unique<tc::SqcInstCore>(config.sqc_inst));
        data_.push_back(std::make_unique<tc::SqcDataCore>(config.sqc_data));
    }
    for (unsigned i = 0; i < config.channel_map.channels; ++i)
        l2_.push_back(std::make_unique<tc::TccCore>(config.tcc, map_, nullptr, i));
}

void WarmCaches::run_on(unsigned cu) {
    cu_ = cu;
    fetched_ = ~uint64_t{0};
}

template <class Visit>
void WarmCaches::for_each(const Visit& visit) {
    for (auto& cache : l1_)
        visit(*cache);
    for (auto& cache : inst_)
        visit(*cache);
    for (auto& cache : data_)
        visit(*cache);
    for (auto& cache : l2_)
        visit(*cache);
}

void WarmCaches::cache_action(const CacheAction& action) {
    for_each([&](auto& cache) { cache.warm(action); });
    if (spaces_ != nullptr)
        for (auto& cache : l2_)
            cache->warm(tc::of_all_lines(action));
    fetched_ = ~uint64_t{0};
}

// The access has succeeded, or is about to stop the machine: it is mapped, or leaves nothing.
void WarmCaches::request_l2(const MemRequest& request) {
    if (spaces_ == nullptr) {
        l2_[map_.channel(request.line)]->warm(request);
        return;
    }
    const std::optional<uint64_t> line = spaces_->translate(request.vmid, request.line);
    if (!line)
        return;
    MemRequest in_memory = request;
    in_memory.line = *line;
    l2_[map_.channel(*line)]->warm(in_memory);
}

template <class Cache>
void WarmCaches::read_line(Cache& cache, uint64_t line, uint8_t vmid) {
    if (!cache.warm(line, vmid))
        return;
    MemRequest fill;
    fill.line = line;
    fill.vmid = vmid;
    fill.byte_mask = ~uint64_t{0};
    request_l2(fill);
}

void WarmCaches::fetched(uint64_t first, uint64_t end, uint8_t vmid) {
    for (uint64_t line = line_of(first); line < end; line += kLineBytes) {
        if (line == fetched_ && vmid == fetched_by_)
            continue;
        fetched_ = line;
        fetched_by_ = vmid;
        read_line(*inst_[config_.sqc_of(cu_)], line, vmid);
    }
}

void WarmCaches::loaded(uint64_t address, unsigned bytes, uint8_t vmid) {
    tc::SqcDataCore& cache = *data_[config_.sqc_of(cu_)];
    read_line(cache, line_of(address), vmid);
    const uint64_t last = line_of(address + bytes - 1);
    if (last != line_of(address))
        read_line(cache, last, vmid);
}

void WarmCaches::requested(const MemRequest& request) {
    if (!l1_[cu_]->warm(request))
        return;
    MemRequest down = request;
    if (request.command == MemCommand::Read && !request.glc)
        down.byte_mask = ~uint64_t{0};  // what the L1 keeps is whole
    request_l2(down);
}

void WarmCaches::invalidated(const CacheAction& action) {
    l1_[cu_]->warm(action);
    data_[config_.sqc_of(cu_)]->warm(action);
}

void WarmCaches::archive(Archive& a, asic::SocketMemory& memory) {
    if (a.saving()) {
        const auto fill = [&](auto& caches) {
            for (auto& cache : caches)
                cache->fill([&](uint64_t line, uint8_t vmid, Line& data) {
                    return memory.read(line, data.data(), kLineBytes, vmid);
                });
        };
        fill(l1_);
        fill(inst_);
        fill(data_);
        for (auto& cache : l2_)
            cache->fill([&](uint64_t line, uint8_t, Line& data) {
                return memory.read(line, data.data(), kLineBytes);
            });
    }
    archive_lines(a, l1_, inst_, data_, l2_);
    fetched_ = ~uint64_t{0};
}

}  // namespace archipelago::gcn
