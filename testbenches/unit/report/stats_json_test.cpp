// SPDX-License-Identifier: Apache-2.0
#include "models/report/stats_json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace archipelago::report {
namespace {

struct Example {
    uint64_t waves[3] = {1, 2, 3};
    uint64_t busy = ~uint64_t{0};
    uint64_t hits = 5;
    StatsRegistry registry;
    RunInfo run;

    Example() {
        registry.add("se0.sh0.cu10", "waves", "waves", "waves launched", &waves[0]);
        registry.add("se0.sh0.cu0", "waves", "waves", "waves launched", &waves[1]);
        registry.add("cp.me", "busy", "cycles", "cycles with a packet in execution", &busy);
        registry.add("se0.sh0.cu10", "hits", "lines", "lines found", &hits);
        run.cycles = 1234;
        run.sim_seconds = 1.25e-6;
        run.host_seconds = 0.5;
        run.workload = "saxpy.yaml";
        run.rtl = {"lds"};
        run.asic = "tahiti";
        run.mode = "cycle";
        run.config_hash = "0123456789abcdef";
        run.wave_instructions = 77;
        run.instructions = {{"valu", 70}, {"salu", 7}};
    }
};

TEST(StatsJson, HasTheseBytes) {
    Example example;
    example.run.extra = {{"repeats", {1, 2}}};
    EXPECT_EQ(stats_text(stats_json(example.registry, example.run)), R"({
  "schema_version": 1,
  "cycles": 1234,
  "sim_seconds": 1.25e-06,
  "host_seconds": 0.5,
  "workload": "saxpy.yaml",
  "rtl": [
    "lds"
  ],
  "verilog": [],
  "asic": "tahiti",
  "mode": "cycle",
  "config_hash": "0123456789abcdef",
  "wave_instructions": 77,
  "instructions": {
    "valu": 70,
    "salu": 7
  },
  "repeats": [
    1,
    2
  ],
  "units": {
    "se0.sh0.cu10": {
      "waves": 1,
      "hits": 5
    },
    "se0.sh0.cu0": {
      "waves": 2
    },
    "cp.me": {
      "busy": 18446744073709551615
    }
  },
  "definitions": {
    "cu": {
      "waves": {
        "unit": "waves",
        "meaning": "waves launched"
      },
      "hits": {
        "unit": "lines",
        "meaning": "lines found"
      }
    },
    "me": {
      "busy": {
        "unit": "cycles",
        "meaning": "cycles with a packet in execution"
      }
    }
  }
}
)");
}

TEST(StatsJson, LeavesTheHostsTimeOutWhenAsked) {
    Example example;
    example.run.host_seconds.reset();
    const auto json = stats_json(example.registry, example.run);
    EXPECT_FALSE(json.contains("host_seconds"));
    EXPECT_TRUE(json.contains("workload"));
    example.run.workload.clear();
    EXPECT_FALSE(stats_json(example.registry, example.run).contains("workload"));
    EXPECT_EQ(json.size(), 13U);
}

TEST(StatsJson, KeepsDefinitionsThatDifferWithinAKind) {
    Example example;
    uint64_t value = 0;
    example.registry.add("x.cu0", "hits", "lines", "something else", &value);
    example.registry.add("x.7", "n", "", "a unit that is a number", &value);
    const auto definitions = stats_json(example.registry, example.run)["definitions"];
    EXPECT_EQ(definitions["cu"]["hits"]["meaning"], "lines found");
    EXPECT_EQ(definitions["cu (x.cu0)"]["hits"]["meaning"], "something else");
    EXPECT_EQ(definitions["7"]["n"]["meaning"], "a unit that is a number");
}

TEST(StatsJson, RefusesCountersTwiceKeysTwiceAndNoValues) {
    const auto message = [](const Example& example) -> std::string {
        try {
            stats_json(example.registry, example.run);
        } catch (const std::logic_error& e) {
            return e.what();
        }
        return "";
    };
    Example twice;
    twice.registry.add("cp.me", "busy", "cycles", "again", &twice.busy);
    EXPECT_EQ(message(twice), "statistics: cp.me.busy is registered twice");
    Example empty;
    empty.registry.add("cp.me", "idle", "cycles", "", nullptr);
    EXPECT_EQ(message(empty), "statistics: cp.me.idle has no value");
    Example key;
    key.run.extra = {{"units", 1}};
    EXPECT_EQ(message(key), "statistics: the key units is given twice");
    Example known;
    known.run.extra = {{"cycles", 1}};
    EXPECT_EQ(message(known), "statistics: the key cycles is given twice");
}

TEST(StatsJson, SurvivesBytesThatAreNoTextAndNumbersThatAreNone) {
    Example example;
    example.run.asic = "\xff\xfe";
    example.run.sim_seconds = std::nan("");
    const std::string text = stats_text(stats_json(example.registry, example.run));
    EXPECT_THAT(text, testing::HasSubstr("\"sim_seconds\": null"));
    EXPECT_TRUE(nlohmann::json::accept(text));
}

TEST(StatsJson, IsWrittenToAFileOrSaysWhyNot) {
    Example example;
    const auto json = stats_json(example.registry, example.run);
    const std::string path = testing::TempDir() + "stats_json_test.json";
    write_stats(path, stats_text(json));
    std::ostringstream read;
    read << std::ifstream(path).rdbuf();
    EXPECT_EQ(read.str(), stats_text(json));
    std::remove(path.c_str());
    for (const char* bad : {"/no/such/directory/stats.json", "/dev/full"}) {
        try {
            write_stats(bad, stats_text(json));
            FAIL() << bad;
        } catch (const std::runtime_error& e) {
            EXPECT_THAT(e.what(), testing::HasSubstr(bad));
        }
    }
}

}  // namespace
}  // namespace archipelago::report
