// SPDX-License-Identifier: Apache-2.0
// A directory with the files the workload tests name, and the messages a text causes there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "models/cp/packets/si/si_packets.h"
#include "models/dma/packet_text.h"
#include "testbenches/host/workload.h"

namespace archipelago::host::test {

// Rings with packets as text, and rings without; compute units.
inline WorkloadChip test_chip(const std::optional<std::string>&) {
    static const cp::Pm4Language kPackets = cp::si_pm4();
    static const dma::TextLanguage kDmaPackets(dma::find_generation("si")->packets);
    return {{{"gfx", &kPackets},
             {"compute0", &kPackets},
             {"compute1", &kPackets},
             {"dma0"},
             {"dma1", &kDmaPackets},
             {"ctm", nullptr, true},
             {"cp"}},
            &kPackets,
            5,
            true,
            true};
}

class WorkloadFiles : public testing::Test {
  protected:
    WorkloadFiles() {
        directory_ = testing::TempDir() + "workload_test_" + std::to_string(getpid());
        std::filesystem::create_directories(directory_ + "/sub");
        put("in.bin", 80);
        put("odd.bin", 6);
        put("kernel.cl", 10);
        put("empty.bin", 0);
        put("sub/deep.bin", 16);
    }
    ~WorkloadFiles() override { std::filesystem::remove_all(directory_); }

    // A file of `size` bytes 0, 1, 2 ...
    void put(const std::string& name, size_t size) const {
        std::ofstream out(path(name), std::ios::binary);
        for (size_t i = 0; i < size; ++i) {
            out.put(static_cast<char>(i));
        }
    }
    void put_text(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string path(const std::string& name) const { return directory_ + "/" + name; }

    std::optional<Workload> parse(std::string_view text, std::string* errors = nullptr) const {
        config::Diagnostics diag;
        std::optional<Workload> out =
            parse_workload_text(text, "w.yaml", directory_, test_chip, diag);
        EXPECT_EQ(out.has_value(), !diag.has_errors());
        std::string all = diag.format();
        // What the directory is called is no part of a test.
        for (size_t at = 0; (at = all.find(directory_ + "/", at)) != std::string::npos;) {
            all.replace(at, directory_.size(), "DIR");
        }
        if (errors != nullptr) {
            *errors = all;
        } else {
            EXPECT_EQ(all, "");
        }
        return out;
    }
    // A workload that must have no fault.
    Workload good(std::string_view text) const {
        std::optional<Workload> out = parse(text);
        return out ? std::move(*out) : Workload();
    }
    std::string errors(std::string_view text) const {
        std::string out;
        EXPECT_FALSE(parse(text, &out).has_value()) << text;
        return out;
    }

    std::string directory_;
};

}  // namespace archipelago::host::test
