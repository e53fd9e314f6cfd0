// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma_spec.h"

namespace archipelago::dma {

front::FetchSpec Spec::fetch() const {
    front::FetchSpec f;
    f.shape = {1, 2};
    f.names = names();
    f.roq_lines = {ring_lines, buffer_lines};
    f.outstanding = fetch_outstanding;
    f.burst_lines = fetch_burst;
    f.command = command;
    f.response = memory_return;
    f.strobe_latency = strobe_latency;
    f.path = name() + ".fetch";
    f.client = Client::Dma;
    f.unit = instance == 0 ? TransactionUnit::Dma0Fetch : TransactionUnit::Dma1Fetch;
    return f;
}

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> found;
    if (transfers == 0 || transfers > kMaxTransfers)
        found.push_back("transfers is " + std::to_string(transfers) + ", expected 1 to " +
                        std::to_string(kMaxTransfers));
    if (addresses_per_cycle == 0 || addresses_per_cycle > kMaxAddresses)
        found.push_back("addresses_per_cycle is " + std::to_string(addresses_per_cycle) +
                        ", expected 1 to " + std::to_string(kMaxAddresses));
    if (open_lines < addresses_per_cycle)
        found.emplace_back("open_lines is less than addresses_per_cycle");
    return found;
}

}  // namespace archipelago::dma
