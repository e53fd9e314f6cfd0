// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the first byte says whether the checksums are made to fit, an archive follows. What
// is accepted is written as it was read.
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/front/ring_fetch_core.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"checkpoint_fuzzer", false, 20000, 5000, 0.9};

namespace {

front::FetchSpec fetch_spec() {
    front::FetchSpec spec;
    spec.shape = {2, 2};
    spec.roq_lines = {4, 4};
    return spec;
}

// Memory, and a block with channels, streams and counters.
struct Machine {
    MemoryImage memory;
    front::RingFetchCore fetch{fetch_spec()};
    std::vector<std::string> notes;

    Machine() { memory.set_limit(1 << 20); }
    void archive(Archive& a) {
        a.block("memory", [&] { a(memory); });
        a.block("fetch", [&] { a(fetch); });
        a.block("notes", [&] { a(notes); });
    }
    std::string bytes() {
        Archive a;
        archive(a);
        return a.bytes();
    }
};

std::string some_machine(Random& random) {
    Machine machine;
    for (unsigned i = random.below(4); i != 0; --i) {
        const uint64_t at = uint64_t{random.below(64)} * 4096;
        machine.memory.map(at, 1 + random.below(3 * 4096));
        const uint32_t word = random.word();
        machine.memory.write(at + 4 * random.below(1024), &word, 4);
    }
    for (unsigned i = random.below(4); i != 0; --i)
        machine.notes.push_back(std::string(random.below(20), 'x'));
    return machine.bytes();
}

Bytes input_of(bool sealed, const std::string& archive) {
    Bytes bytes{static_cast<uint8_t>(sealed ? 1 : 0)};
    bytes.insert(bytes.end(), archive.begin(), archive.end());
    return bytes;
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    if (size == 0)
        return false;
    try {
        std::string bytes(data + 1, data + size);
        if ((data[0] & 1) != 0)
            bytes = Archive::sealed(std::move(bytes));
        Archive a(bytes, "file");
        Machine machine;
        machine.archive(a);
        if (!a.unvisited().empty())
            return false;
        Machine again;
        const std::string written = machine.bytes();
        Archive b(written, "file");
        again.archive(b);
        require(again.bytes() == written, "what is read is written");
        return true;
    } catch (const ArchiveError& error) {
        require(std::string(error.what()).find(": ") != std::string::npos, "an error has a place");
    } catch (const MachineStop&) {  // not at rest
    } catch (const std::length_error&) {
        // More memory than may be mapped.
    }
    return false;
}

std::vector<Bytes> seeds() {
    Random random(1);
    std::vector<Bytes> list;
    for (int i = 0; i < 6; ++i)
        list.push_back(input_of(i % 2 == 0, some_machine(random)));
    return list;
}

Bytes generate(Random& random) {
    Bytes bytes = input_of(random.one_in(2), some_machine(random));
    if (random.one_in(20))
        bytes[1 + random.below(static_cast<uint32_t>(bytes.size() - 1))] ^= 1;
    return bytes;
}

}  // namespace archipelago::fuzz
