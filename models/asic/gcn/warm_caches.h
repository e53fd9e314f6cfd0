// SPDX-License-Identifier: Apache-2.0
// What the caches of a chip would hold, followed while it runs in functional mode, for the chip in
// cycle mode that takes over. The caches are the cores of models/tc outside time (warming.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/asic/gcn/chip_config.h"
#include "models/asic/socket_memory.h"
#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/cu/functional/functional_cu.h"
#include "models/mc/address_map.h"
#include "models/tc/l2_channel.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "models/tc/tcc_core.h"
#include "models/tc/tcp_core.h"

namespace archipelago::gcn {

// One block of a checkpoint, of the caches here and of those of a chip in cycle mode.
constexpr const char* kWarmCaches = "warm caches";
template <class L1, class Inst, class Data, class L2>
void archive_lines(Archive& a, L1& l1, Inst& inst, Data& data, L2& l2) {
    a.block(kWarmCaches, [&] {
        const auto visit = [&a](auto& caches) {
            for (auto& cache : caches)
                cache->archive_lines(a);
        };
        visit(l1);
        visit(inst);
        visit(data);
        visit(l2);
    });
}

// Requests take effect in the order in which functional mode executes them: one work-group after
// the other, where waves of many run at a time in cycle mode.
class WarmCaches : public cu::AccessObserver {
  public:
    // `spaces`: of the chip, may be null.
    WarmCaches(const ChipConfig& config, const AddressSpaces* spaces);

    // The compute unit whose waves run from here on.
    void run_on(unsigned cu);
    void cache_action(const CacheAction& action);

    void fetched(uint64_t first, uint64_t end, uint8_t vmid) override;
    void loaded(uint64_t address, unsigned bytes, uint8_t vmid) override;
    void requested(const MemRequest& request) override;
    void invalidated(const CacheAction& action) override;

    // Lines get their data when they are written, from the memory that both modes share.
    void archive(Archive& a, asic::SocketMemory& memory);

  private:
    template <class Cache>
    void read_line(Cache& cache, uint64_t line, uint8_t vmid);
    void request_l2(const MemRequest& request);
    template <class Visit>
    void for_each(const Visit& visit);

    const ChipConfig& config_;
    const AddressSpaces* const spaces_;
    const mc::ChannelMap map_;
    std::vector<std::unique_ptr<tc::TcpCore>> l1_;
    std::vector<std::unique_ptr<tc::SqcInstCore>> inst_;
    std::vector<std::unique_ptr<tc::SqcDataCore>> data_;
    std::vector<std::unique_ptr<tc::TccCore>> l2_;
    unsigned cu_ = 0;
    // Line and VMID of the last fetch: it is the most recently used already.
    uint64_t fetched_ = ~uint64_t{0};
    uint8_t fetched_by_ = 0;
};

}  // namespace archipelago::gcn
