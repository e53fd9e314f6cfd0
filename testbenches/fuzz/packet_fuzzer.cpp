// SPDX-License-Identifier: Apache-2.0
// Packets of all kinds on all rings through both command processors: packet_streams.h. A stream
// ends done, waits for something it names, or stops with a place and a reason; nothing else.
#include "testbenches/fuzz/packet_streams.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"packet_fuzzer", false, 1500, 1500, 0.3};

bool exercise(const uint8_t* data, size_t size) {
    PacketScenario scenario;
    if (!unpack(data, size, scenario))
        return false;
    const StreamResult functional = run_functional(scenario);
    const StreamResult one_by_one = run_one_by_one(scenario);
    require(functional.end == one_by_one.end && functional.text == one_by_one.text &&
                functional.memory == one_by_one.memory,
            "registers that go at once change nothing");
    const StreamResult timed = run_timed(scenario);
    return functional.end == StreamEnd::Done && timed.end == StreamEnd::Done;
}

std::vector<Bytes> seeds() {
    Random random(1);
    std::vector<Bytes> list;
    while (list.size() < 40) {
        Bytes bytes = pack(make_scenario(random, {12, 0}));
        if (exercise(bytes.data(), bytes.size()))
            list.push_back(std::move(bytes));
    }
    return list;
}

Bytes generate(Random& random) {
    return pack(make_scenario(random, {20, 2}));
}

}  // namespace archipelago::fuzz
