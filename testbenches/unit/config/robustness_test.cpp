// SPDX-License-Identifier: Apache-2.0
// No bytes may crash the layer, hang it, or pass without either a tree or an error. Mutations of
// real texts reach deeper than noise; both are bounded and seeded, so every run is the same.
#include <random>

#include "support.h"

namespace archipelago::config::test {
namespace {

const std::vector<std::string>& seeds() {
    static const std::vector<std::string> all{
        "base: si.yaml\ncp:\n  pfp: {depth: 32, clock: 925 MHz}\n  meq: &m\n    latency: {cycles: "
        "4, source: guess, ref: \"p. 3\"}\n  copy: *m\n",
        "memory:\n  - {address: 0x100000, file: in.bin}\n  - {address: 0x2000, words: [1, 0x2, "
        "-3]}\nkernel:\n  global_size: [4096, 1, 1]\n  args:\n    - buffer: {zeros: 64}\n    - "
        "f32: 2.0\n",
        "%YAML 1.2\n--- # c\n? complex\n: - 'single ''q'''\n  - \"double \\\" \\x41 \\u20ac\"\n  - "
        "|\n    block\n  - >-\n    folded\n    text\n...\n",
        "a: !!str x\nb: !<tag:x> y\nc: ! z\n<<: {d: 1}\n? [k]\n: ~\n- bad\n",
        "x: [[[{a: {b: [1, 2, {c: d}]}}]]]\ny: {? a : b, c, : d}\n",
    };
    return all;
}

// Reads the tree every way there is; the results do not matter, only that they come.
void exercise(const std::string& text) {
    Diagnostics diag;
    const std::optional<Node> node = parse_text(text, "fuzz.yaml", diag);
    ASSERT_EQ(node.has_value() || diag.has_errors(), true) << in_quotes(text);
    if (node) {
        const std::string canonical_text = canonical(*node);
        EXPECT_EQ(config_hash(*node).size(), 16U);
        EXPECT_EQ(canonical(merge(*node, *node)), canonical_text);
        EXPECT_FALSE(dump(*node).empty());
        Records records;
        Reader r(*node, diag, "", &records);
        for (const std::string& key : r.keys()) {
            r.required<unsigned>(key, range(1, 5));
            r.required<float>(key);
            r.required<bool>(key);
            r.required<std::string>(key);
            r.required_quantity(key, Unit::Byte, {}, "", BareNumber::Allowed);
            r.timing(key);
            r.sequence<std::uint32_t>(key);
            r.map(key).required<int>("a");
            for (Reader& item : r.optional_maps(key)) {
                item.one_of({"address", "buffer", "f32"});
            }
        }
        r.finish();
        records.fields.format();
        records.timings.format_table();
    }
    for (const Diagnostic& d : diag.all()) {
        const std::string line = format(d);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_EQ(line.rfind("fuzz.yaml", 0), 0U) << line;
    }
}

std::string mutate(std::string text, std::mt19937_64& random) {
    using namespace std::string_literals;
    static const std::string kInteresting = "{}[]:,-?&*!|>'\"%@`#\n\t \\~<=0x.\0\x04\xEF\xBB\xFF"s;
    const std::size_t edits = 1 + random() % 8;
    for (std::size_t i = 0; i < edits; ++i) {
        const std::size_t at = text.empty() ? 0 : random() % text.size();
        switch (random() % 6) {
            case 0:
                text.insert(at, 1, kInteresting[random() % kInteresting.size()]);
                break;
            case 1:
                text.erase(at, 1 + random() % 4);
                break;
            case 2:
                if (!text.empty()) {
                    text[at] = static_cast<char>(random() & 0xFF);
                }
                break;
            case 3:
                if (!text.empty()) {
                    text[at] = kInteresting[random() % kInteresting.size()];
                }
                break;
            case 4:
                text.insert(at, text.substr(random() % (text.size() + 1), random() % 32));
                break;
            default:
                text.resize(at);
                break;
        }
    }
    return text;
}

TEST(Robustness, MutatedTextsNeverCrash) {
    for (const std::string& seed : seeds()) {
        exercise(seed);
    }
    std::mt19937_64 random(0x5eed);
    for (int i = 0; i < 6000; ++i) {
        const std::string text = mutate(seeds()[random() % seeds().size()], random);
        exercise(text);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(Robustness, NoiseNeverCrashes) {
    std::mt19937_64 random(0xabcdef);
    for (int i = 0; i < 3000; ++i) {
        std::string text(random() % 64, '\0');
        for (char& c : text) {
            // Half of it printable, or nothing would get past the character check.
            c = static_cast<char>((i & 1) != 0 ? random() & 0xFF : 0x20 + random() % 0x5F);
        }
        exercise(text);
    }
}

TEST(Robustness, MutatedOverridesNeverCrash) {
    const Node chip = tree("cp: {pfp: {depth: 8}}\nch: [{rows: 1}]\n");
    const std::vector<std::string> assignments{"cp.pfp.depth=16", "ch[0].rows={a: [1, 2]}",
                                               "\"cp\".pfp=\"x\""};
    std::mt19937_64 random(7);
    for (int i = 0; i < 4000; ++i) {
        const std::string text = mutate(assignments[random() % assignments.size()], random);
        Diagnostics diag;
        const Node out = apply_override(chip, text, diag, OverridePath::NewLeaf);
        EXPECT_TRUE(out.is_map() || diag.has_errors()) << in_quotes(text);
    }
}

TEST(Robustness, AcceptedMutatedNumbersPrintAsTheSameValue) {
    const std::vector<std::string> texts{"925 MHz", "1.5 GHz", "0x1F", "-12", "1e-3", "64 KiB"};
    std::mt19937_64 random(11);
    for (int i = 0; i < 20000; ++i) {
        const std::string text = mutate(texts[random() % texts.size()], random);
        // Everything that is accepted prints as a text that means the same.
        const auto unit = static_cast<Unit>(random() % 3);
        const QuantityText quantity = parse_quantity(text, unit);
        if (quantity.status == QuantityText::Status::Ok) {
            const std::string printed = quantity_to_string(quantity.value, unit);
            EXPECT_EQ(parse_quantity(printed, unit).value, quantity.value) << in_quotes(text);
        }
        const IntegerText integer = parse_integer(text);
        if (integer.status == IntegerText::Status::Ok) {
            const std::string printed = integer_to_string(integer.negative, integer.magnitude);
            EXPECT_EQ(parse_integer(printed).magnitude, integer.magnitude) << in_quotes(text);
            EXPECT_EQ(parse_integer(printed).negative, integer.negative) << in_quotes(text);
            EXPECT_EQ(classify(text), ScalarType::Integer) << in_quotes(text);
        }
        double real = 0;
        if (parse_real(text, real) == RealStatus::Ok && real == real) {
            double again = 0;
            EXPECT_EQ(parse_real(real_to_string(real), again), RealStatus::Ok) << in_quotes(text);
            EXPECT_EQ(again, real) << in_quotes(text);
        }
    }
}

TEST(Robustness, LongRunsOfOneTokenEndInTime) {
    for (const char* token :
         {"[",  "{", "- ", "? ", "&a ", "a: ", "\"",    "*a ", "!", "[a, ", "{a: ",  "#", "| ",
          ", ", "]", "\n", " ",  "'",   "a\n", "- a\n", ": ",  "%", "--- ", "...\n", "\t"}) {
        std::string text;
        while (text.size() < 200'000) {
            text += token;
        }
        Diagnostics diag;
        const std::optional<Node> node = parse_text(text, "run.yaml", diag);
        EXPECT_TRUE(node.has_value() || diag.has_errors()) << in_quotes(token);
        EXPECT_LE(diag.error_count(), text.size());
    }
}

TEST(Robustness, ManyKeysAndManyErrorsStayLinear) {
    std::string text;
    for (int i = 0; i < 60'000; ++i) {
        text += "key" + std::to_string(i) + ": x\n";
    }
    EXPECT_EQ(
        read_errors(text, [](Reader& r) { EXPECT_EQ(r.named_maps("absent").size(), 0U); }).empty(),
        false);
    Diagnostics diag;
    const std::optional<Node> node = parse_text(text, "chip.yaml", diag);
    ASSERT_TRUE(node);
    {
        Reader r(*node, diag);
        for (const std::string& key : r.keys()) {
            r.required<unsigned>(key);
        }
    }
    EXPECT_EQ(diag.error_count(), 60'000U);
}

TEST(Robustness, LongListsOfWordsAreRead) {
    std::string text = "words: [";
    for (int i = 0; i < 200'000; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(i);
    }
    text += "]\n";
    EXPECT_EQ(read_errors(text,
                          [](Reader& r) {
                              const auto words = r.sequence<std::uint32_t>("words");
                              ASSERT_EQ(words.size(), 200'000U);
                              EXPECT_EQ(words.back(), 199'999U);
                          }),
              "");
}

}  // namespace
}  // namespace archipelago::config::test
