// SPDX-License-Identifier: Apache-2.0
// The host's driver of the copier's doorbell: each dword of a stream is a copy of so many bytes. A
// kernel copies a byte for each of its work-items.
#include "models/common/archive.h"
#include "testbenches/host/machine.h"
#include "testbenches/unit/asic/toy/toy_family.h"

namespace archipelago::toy {
namespace {

struct CopyLaunch : host::KernelLaunch {
    uint32_t bytes = 0;
};

class CopyKernel final : public host::HostKernel {
  public:
    explicit CopyKernel(const host::KernelSpec& spec) : bytes_(spec.global_size[0]) {}
    void place(const std::vector<host::ArgValue>&) override { launch_.bytes = bytes_; }
    host::KernelLaunch& launch() override { return launch_; }
    const host::KernelLaunch& launch() const override { return launch_; }
    host::LoadedKernel loaded() const override { return {"copy", 0, {}}; }
    void archive(Archive& a) override { a(launch_.bytes); }

  private:
    uint32_t bytes_;
    CopyLaunch launch_;
};

class CopyRing : public host::RingDriver {
  public:
    explicit CopyRing(host::Machine& machine) : machine_(machine) {}

    void bring_up() override {
        machine_.memory().map(kSource, 4096);
        machine_.memory().map(kTarget, 4096);
    }
    void submit(unsigned, const std::vector<uint32_t>& dwords) override {
        for (const uint32_t bytes : dwords) {
            machine_.write_register(kDoorbell, bytes);
            ++copies_;
        }
    }
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t) override {
        std::vector<uint32_t> buffer(dwords);
        machine_.memory().read(address, buffer.data(), 4 * buffer.size());
        submit(ring, buffer);
    }
    // Every copy raises an interrupt, so the last one is the fence.
    uint32_t fence(unsigned) override { return static_cast<uint32_t>(copies_); }
    bool passed(unsigned, uint32_t number) override {
        return machine_.interrupt_count(kCopyDone) >= number;
    }
    void wait(unsigned ring, uint32_t number) override {
        machine_.wait_until([&] { return passed(ring, number); }, "copies");
    }
    uint64_t fences(const std::string&) const override { return 0; }
    std::unique_ptr<host::HostKernel> load_kernel(const host::KernelSpec& spec,
                                                  const host::HostKernel*) override {
        return std::make_unique<CopyKernel>(spec);
    }
    void launch(unsigned ring, const host::KernelLaunch& launch, uint32_t repeat) override {
        submit(ring, std::vector<uint32_t>(repeat, dynamic_cast<const CopyLaunch&>(launch).bytes));
    }
    void archive(Archive& a) override { a(copies_); }

  private:
    host::Machine& machine_;
    uint64_t copies_ = 0;
};

}  // namespace

host::RingDriverKinds ring_driver_kinds() {
    host::RingDriverKinds all = host::ring_driver_kinds();
    all.push_back({"copier", [](host::Machine& machine, unsigned) {
                       return std::unique_ptr<host::RingDriver>(
                           std::make_unique<CopyRing>(machine));
                   }});
    return all;
}

}  // namespace archipelago::toy
