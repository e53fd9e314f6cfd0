// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "models/common/page.h"
#include "models/config/load.h"
#include "models/config/parse.h"
#include "models/config/reader.h"
#include "models/config/suggest.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/formula.h"
#include "testbenches/host/input_files.h"
#include "testbenches/host/output_files.h"
#include "testbenches/host/page_set.h"
#include "testbenches/host/run_options.h"
#include "testbenches/host/workload_forms.h"
#include "testbenches/host/workload_kernel.h"
#include "testbenches/host/workload_program.h"
#include "testbenches/host/workload_spaces.h"
#include "testbenches/host/workload_waves.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;
using config::BareNumber;
using config::Diagnostics;
using config::in_quotes;
using config::range;
using config::Reader;
using config::Unit;
using config::Value;

constexpr uint32_t kMaxIbDwords = 0xfffff;  // INDIRECT_BUFFER.IB_SIZE has 20 bits
constexpr uint32_t kMaxVmid = 15;
constexpr size_t kMaxSteps = 65536;

const std::initializer_list<std::string_view> kDataForms = {
    "file", "words", "packets", "formula", "fill", "zeros", "random", "series", "range", "i8",
    "u8",   "i16",   "u16",     "i32",     "u32",  "i64",   "u64",    "f16",    "f32",   "f64"};

// Takes over what could be read; false when nothing could.
template <class To, class T>
bool take(To& to, std::optional<T> from) {
    if (from)
        to = std::move(*from);
    return from.has_value();
}

// Keys that cannot be judged, because the key that says what they belong to is missing (reported).
void ignore_keys(Reader& r, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
        r.ignore(key);
}

class Parser : private WorkloadParts {
  public:
    Parser(const std::string& filename, std::string directory, const ChipOfWorkload& chip_of,
           Diagnostics& diag)
        : directory_(std::move(directory)),
          chip_of_(chip_of),
          diag_(diag),
          programs_(*this, workload_.surfaces),
          kernels_(*this, workload_.buffers, directory_) {
        workload_.path = filename;
        workload_.name = fs::path(filename).filename().string();
        workload_.directory = directory_;
        inputs_.emplace(canonical_path(filename));
    }

    Workload read(const config::Node& root);

  private:
    void read_chip(Reader& r);
    void read_keys(const config::Node& root);
    enum class SizeAlone { Refused, MeansZeros };

    std::optional<std::string> path_of(const Value& value, std::string_view expected);
    const FileFacts& facts_of(const std::string& path);
    std::optional<DumpFile> dump_file(const Value& value) override;
    void check_dumps();
    bool check_range(Reader& r, uint64_t address, uint64_t size);
    void count_mapped(const Source& source, uint64_t new_bytes);

    std::optional<DataSource> data(Reader& r, SizeAlone size_alone,
                                   std::optional<uint64_t> fill_size = {},
                                   const FormulaUse& formulas = {false, {}});
    // `packets`: the language of the text form; null: there is none.
    std::optional<DataSource> data_of_form(Reader& r, const std::string& form,
                                           std::optional<uint64_t> fill_size,
                                           const front::PacketLanguage* packets,
                                           const FormulaUse& formulas = {false, {}});
    std::optional<FormulaData> formula(Reader& r, std::optional<uint64_t> bytes,
                                       const FormulaUse& use);
    void check_formulas();
    std::optional<FileData> file_data(Reader& r);
    // WorkloadParts
    std::optional<DataSource> sized_data(Reader& r, std::optional<uint64_t> bytes) override {
        return data(r, SizeAlone::Refused, bytes);
    }
    std::optional<DataSource> file_or_words(Reader& r) override;
    std::optional<std::string> input_file(const Value& value) override;
    std::optional<BufferExpectation> buffer_expectation(Reader r, uint64_t bytes,
                                                        std::optional<ElementType> type) override {
        return expected_bytes(r, bytes, type);
    }
    std::optional<BufferExpectation> expected_bytes(Reader& r, uint64_t bytes,
                                                    std::optional<ElementType> type);
    void count_buffer(const Source& source, uint64_t bytes) override {
        count_mapped(source, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
    }

    // Items of an optional list; what cannot be read has been reported.
    template <class T>
    void read_list(Reader& r, std::string_view key, std::vector<T>& to,
                   std::optional<T> (Parser::*read)(Reader)) {
        for (const Value& item : r.optional_items(key))
            if (std::optional<T> value = (this->*read)(item.map()))
                to.push_back(std::move(*value));
    }
    std::optional<MemorySpec> memory(Reader r);
    std::optional<BufferContents> buffer_contents(Reader& r);
    std::optional<Expectation> expectation(Reader r);
    std::optional<SurfaceExpectation> surface_expectation(Reader& r);
    std::optional<DumpSpec> dump(Reader r);
    std::optional<InterruptRing> interrupt_ring(Reader r);
    std::optional<KernelSpec> kernel(Reader r);
    std::optional<WaveSpec> wave(Reader r) { return read_wave(std::move(r), *this); }
    void steps(const std::vector<Value>& items, std::vector<Step>& to);
    void repeated_steps(Reader& r, std::vector<Step>& to);
    std::optional<Step> step(Reader r);
    std::optional<RingStep> ring_step(Reader& r);
    std::optional<ProgramSpec> program(Reader r);
    std::optional<unsigned> ring(Reader& r, std::string_view key) const;
    // The language of a ring's packets; of none, or an unknown one, that of packets in memory.
    const front::PacketLanguage* packets_of(std::optional<unsigned> ring) const;

    std::string directory_;
    const ChipOfWorkload& chip_of_;
    WorkloadChip chip_;
    Diagnostics& diag_;
    Workload workload_;
    std::map<std::string, FileFacts> files_;
    std::set<std::string> inputs_;
    std::vector<std::pair<std::string, Source>> dumps_;  // canonical path
    PageSet pages_;
    uint64_t mapped_bytes_ = 0;
    ProgramReader programs_;
    KernelReader kernels_;
    std::shared_ptr<FormulaNames> buffer_names_ = std::make_shared<FormulaNames>();
    std::vector<std::pair<Source, FormulaData>> formulas_;
};

// --- files

const FileFacts& Parser::facts_of(const std::string& path) {
    const auto [it, is_new] = files_.try_emplace(path);
    if (is_new) {
        it->second = read_facts(path);
        inputs_.insert(canonical_path(path));
    }
    return it->second;
}

// The text as a path seen from where the program runs.
std::optional<std::string> Parser::path_of(const Value& value, std::string_view expected) {
    const std::optional<std::string> text = value.as<std::string>();
    if (!text)
        return std::nullopt;
    if (text->find('\0') != std::string::npos || !fs::path(*text).has_filename()) {
        value.error("got " + in_quotes(*text) + ", expected " + std::string(expected));
        return std::nullopt;
    }
    std::string path =
        directory_.empty() || directory_ == "." ? *text : (fs::path(directory_) / *text).string();
    workload_.file_names.emplace_back(value.node().origin(), fs::absolute(path).string());
    return path;
}

// The path of a file that is there.
std::optional<std::string> Parser::input_file(const Value& value) {
    std::optional<std::string> path = path_of(value, "the name of a file");
    if (path) {
        const FileFacts& facts = facts_of(*path);
        if (!facts.fault.empty()) {
            value.error(in_quotes(*path) + ": " + facts.fault);
            return std::nullopt;
        }
    }
    return path;
}

std::optional<DumpFile> Parser::dump_file(const Value& value) {
    std::optional<std::string> text = path_of(value, "the name of a file to write");
    if (!text)
        return std::nullopt;
    DumpFile out{source_of(value), std::move(*text)};
    if (const auto fault = output_fault(out.path)) {
        value.error(in_quotes(out.path) + ": " + *fault);
        return std::nullopt;
    }
    dumps_.emplace_back(canonical_path(out.path), out.source);
    return out;
}

// A dump must not overwrite what this or another run reads, nor another dump.
void Parser::check_dumps() {
    std::map<std::string, Source> written;
    for (const auto& [path, source] : dumps_) {
        const auto [it, is_new] = written.emplace(path, source);
        if (inputs_.count(path) != 0) {
            diag_.error(source.origin, source.key_path,
                        "would overwrite " + in_quotes(path) + ", which this workload reads");
        } else if (!is_new) {
            diag_.error(source.origin, source.key_path,
                        "writes the same file as " + it->second.to_string());
        }
    }
}

// --- numbers

bool Parser::check_range(Reader& r, uint64_t address, uint64_t size) {
    return r.check(
        size == 0 || size - 1 <= ~uint64_t{0} - address, "address",
        fmt::format("{} bytes from {:#x} run over the end of the address space", size, address));
}

// Reported once, where the limit is crossed.
void Parser::count_mapped(const Source& source, uint64_t new_bytes) {
    const bool crossed = mapped_bytes_ > kMaxWorkloadBytes;
    mapped_bytes_ += new_bytes;
    if (!crossed && mapped_bytes_ > kMaxWorkloadBytes)
        diag_.error(source.origin, source.key_path,
                    "with this the workload maps " + text_of_bytes(mapped_bytes_) +
                        ", expected at most " + text_of_bytes(kMaxWorkloadBytes));
}

// --- data

std::optional<DataSource> Parser::data(Reader& r, SizeAlone size_alone,
                                       std::optional<uint64_t> fill_size,
                                       const FormulaUse& formulas) {
    // Asks for each, so that all are known.
    const bool has_form = std::count_if(kDataForms.begin(), kDataForms.end(),
                                        [&](std::string_view key) { return r.has(key); }) != 0;
    const bool zeros = size_alone == SizeAlone::MeansZeros && !has_form && r.has("size");
    const std::string form = zeros ? "fill" : r.one_of(kDataForms);
    // `ring` says whose packets they are.
    const std::optional<unsigned> number = form == "packets" ? ring(r, "ring") : std::nullopt;
    return data_of_form(r, form, fill_size, packets_of(number), formulas);
}

std::optional<DataSource> Parser::data_of_form(Reader& r, const std::string& form,
                                               std::optional<uint64_t> fill_size,
                                               const front::PacketLanguage* packets,
                                               const FormulaUse& formulas) {
    const bool takes_size = form == "file" || form == "fill";
    if (r.has("size") && !takes_size && !form.empty())
        r.error("size", "\"" + form + "\" has a size of its own, expected this with file or fill");
    if (r.has("offset") && form != "file" && !form.empty())
        r.error("offset", "does not go with \"" + form + "\", expected this with file");
    DataSource out;
    if (form == "file") {
        if (!take(out.data, file_data(r)))
            return std::nullopt;
    } else if (form == "packets") {
        if (packets == nullptr) {
            r.ignore("packets");
            r.error("packets", "this has no packets as text, expected words or file");
            return std::nullopt;
        }
        out.data = read_packets(r, *packets);
    } else if (form == "words") {
        out.data = read_words(r);
    } else if (form == "series") {
        out.data = read_series_words(r);
    } else if (form == "formula") {
        if (!take(out.data, formula(r, fill_size, formulas)))
            return std::nullopt;
    } else if (form == "range") {
        if (!take(out.data, read_range(r)))
            return std::nullopt;
    } else if (const std::optional<ElementType> type = type_named(form)) {
        out.data = read_list_of(*r.find(form), *type);
    } else if (form == "fill") {
        if (!take(out.data, read_fill(r, fill_size)))
            return std::nullopt;
    } else if (form == "zeros") {
        out.data = FillData{{0}, required_bytes(r, "zeros", range(1, kMaxWorkloadBytes))};
    } else if (form != "random" || !take(out.data, read_random(r))) {
        return std::nullopt;  // reported
    }
    const config::MapEntry* entry = r.node().find(form);
    out.source = entry == nullptr
                     ? source_of(r)
                     : Source{entry->value.origin(), config::join_path(r.path(), form)};
    return r.ok() ? std::optional<DataSource>(std::move(out)) : std::nullopt;
}

std::optional<FormulaData> Parser::formula(Reader& r, std::optional<uint64_t> bytes,
                                           const FormulaUse& use) {
    std::optional<FormulaData> out = read_formula(r, bytes, use);
    if (!out)
        return std::nullopt;
    out->names = use.of_buffers ? buffer_names_ : std::make_shared<FormulaNames>();
    formulas_.emplace_back(source_of(*r.find("formula")), *out);
    return out;
}

// Once the names of all buffers are known: a formula may name one that a later argument declares.
void Parser::check_formulas() {
    for (const BufferSpec& buffer : workload_.buffers) {
        if (buffer.name.empty())
            continue;
        buffer_names_->names.push_back(buffer.name);
        buffer_names_->contents.push_back(buffer.data);
    }
    for (const auto& [source, f] : formulas_) {
        try {
            Formula(f.text, f.type, f.names->names);
        } catch (const FormulaError& error) {
            diag_.error(source.origin, source.key_path, error.what());
        }
    }
}

std::optional<FileData> Parser::file_data(Reader& r) {
    const std::optional<std::string> path = input_file(*r.find("file"));
    const size_t errors = diag_.error_count();
    const uint64_t offset = r.optional_quantity("offset", Unit::Byte, 0, range(0, ~uint64_t{0}), {},
                                                BareNumber::Allowed);
    const std::optional<uint64_t> size = maybe_bytes(r, "size", kMaxDataBytes);
    if (!path || diag_.error_count() != errors)
        return std::nullopt;
    const uint64_t file_size = facts_of(*path).size;
    if (!r.check(offset < file_size, "offset",
                 fmt::format("{} is not inside {}, which has {} bytes", offset, in_quotes(*path),
                             file_size)))
        return std::nullopt;
    if (!r.check(!size || *size <= file_size - offset, "size",
                 fmt::format("{} bytes from offset {} end beyond {}, which has {} bytes",
                             size.value_or(0), offset, in_quotes(*path), file_size)))
        return std::nullopt;
    FileData out{*path, offset, size.value_or(file_size - offset)};
    if (!r.check(out.size <= kMaxDataBytes, "file",
                 fmt::format("{} bytes of {} are too many, expected at most {}", out.size,
                             in_quotes(*path), text_of_bytes(kMaxDataBytes))))
        return std::nullopt;
    return out;
}

// --- memory, expectations, dumps

std::optional<MemorySpec> Parser::memory(Reader r) {
    MemorySpec out;
    out.source = source_of(r);
    out.address = r.required<uint64_t>("address");
    std::optional<DataSource> contents = data(r, SizeAlone::MeansZeros);
    r.finish();
    if (!contents || !r.ok() || !check_range(r, out.address, contents->size()))
        return std::nullopt;
    out.data = std::move(*contents);
    count_mapped(out.source, pages_.add(out.address, out.data.size()) * kPageBytes);
    return out;
}

std::optional<BufferContents> Parser::buffer_contents(Reader& r) {
    const std::optional<unsigned> number = kernels_.named(*r.find("buffer"));
    std::optional<BufferExpectation> contents =
        expected_bytes(r, kernels_.size_of(number), kernels_.type_of(number));
    if (!number || !contents || !r.ok())
        return std::nullopt;
    return BufferContents{*number, std::move(contents->expected), contents->compare};
}

std::optional<Expectation> Parser::expectation(Reader r) {
    Expectation out;
    out.source = source_of(r);
    const std::string form = r.one_of({"address", "buffer", "register", "interrupt", "surface"});
    if (form == "buffer") {
        take(out.what, buffer_contents(r));
    } else if (form == "address") {
        MemoryExpectation memory;
        memory.address = r.required<uint64_t>("address");
        std::optional<DataSource> expected = data(r, SizeAlone::Refused, {}, {true, {}});
        memory.compare = read_compare_spec(r, expected);
        if (expected && r.ok() && check_range(r, memory.address, expected->size())) {
            memory.expected = std::move(*expected);
            out.what = std::move(memory);
        }
    } else if (form == "register") {
        out.what = read_register_expectation(r);
    } else if (form == "interrupt") {
        out.what = read_interrupt_expectation(r);
    } else if (form == "surface") {
        take(out.what, surface_expectation(r));
    } else {
        ignore_keys(r, kDataForms);
        ignore_keys(r, {"offset", "size", "type", "rel", "abs", "value", "mask", "count", "image",
                        "tolerance"});
    }
    r.finish();
    return r.ok() ? std::optional<Expectation>(std::move(out)) : std::nullopt;
}

std::optional<SurfaceExpectation> Parser::surface_expectation(Reader& r) {
    std::optional<PictureSpec> surface = read_picture_spec(*r.find("surface"), chip_.surfaces);
    const std::optional<Value> image = r.need("image", "the name of a .png or .pam file");
    const std::optional<std::string> file =
        image && names_image(*image) ? input_file(*image) : std::nullopt;
    const auto tolerance = r.optional<unsigned>("tolerance", 0, range(0u, 65535u));
    if (!surface || !file || !r.ok())
        return std::nullopt;
    return SurfaceExpectation{std::move(*surface), *file, tolerance};
}

std::optional<InterruptRing> Parser::interrupt_ring(Reader r) {
    const InterruptRing out = read_interrupt_ring(r);
    if (!r.ok() || !check_range(r, out.address, out.size))
        return std::nullopt;
    count_mapped(out.source, pages_.add(out.address, out.size) * kPageBytes);
    return out;
}

std::optional<DumpSpec> Parser::dump(Reader r) {
    DumpSpec out;
    out.source = source_of(r);
    const std::string form = r.one_of({"address", "buffer", "surface"});
    if (form == "buffer") {
        out.buffer = kernels_.named(*r.find("buffer"));
        out.size = kernels_.size_of(out.buffer);
    } else if (form == "surface") {
        out.surface = read_picture_spec(*r.find("surface"), chip_.surfaces);
    } else {
        out.address = r.required<uint64_t>("address");
        out.size = required_bytes(r, "size", range(1, kMaxWorkloadBytes));
    }
    const std::optional<Value> file = r.need("file", "the name of a file to write");
    const bool fits = file && (form != "surface" || names_image(*file));
    const std::optional<DumpFile> target = fits ? dump_file(*file) : std::nullopt;
    r.finish();
    if (!target || !r.ok() || !check_range(r, out.address, out.size))
        return std::nullopt;
    out.file = *target;
    return out;
}

// --- kernels

std::optional<KernelSpec> Parser::kernel(Reader r) {
    if (!chip_.waves)
        r.error("kernels need GCN compute units, this chip has none");
    return kernels_.read(r);
}

// `bytes` of the buffer; 0: they are not known, which has been reported.
std::optional<BufferExpectation> Parser::expected_bytes(Reader& r, uint64_t bytes,
                                                        std::optional<ElementType> type) {
    std::optional<DataSource> expected =
        data(r, SizeAlone::Refused, bytes != 0 ? std::optional<uint64_t>(bytes) : std::nullopt,
             {true, type});
    const CompareSpec compare = read_compare_spec(r, expected);
    if (expected && bytes != 0 && expected->size() > bytes)
        r.error(fmt::format("{} bytes are expected in a buffer of {}", expected->size(), bytes));
    return expected ? std::optional<BufferExpectation>({std::move(*expected), compare})
                    : std::nullopt;
}

std::optional<DataSource> Parser::file_or_words(Reader& r) {
    return data_of_form(r, r.one_of({"file", "words"}), std::nullopt, nullptr);
}

// --- steps

std::optional<unsigned> Parser::ring(Reader& r, std::string_view key) const {
    std::vector<std::string> names;
    for (const WorkloadChip::Ring& known : chip_.rings)
        names.push_back(known.name);
    const std::optional<Value> value = r.find(key);
    const std::optional<size_t> index = value ? value->one_of_names(names) : std::nullopt;
    return index ? std::optional<unsigned>(static_cast<unsigned>(*index)) : std::nullopt;
}

const front::PacketLanguage* Parser::packets_of(std::optional<unsigned> ring) const {
    return ring ? chip_.rings[*ring].packets : chip_.packets;
}

std::optional<ProgramSpec> Parser::program(Reader r) {
    std::optional<ProgramSpec> out = programs_.read(r);
    if (!chip_.program_ring)
        r.error("programs need a CTM chip, this one runs none");
    return out;
}

std::optional<RingStep> Parser::ring_step(Reader& r) {
    RingStep out;
    const std::optional<unsigned> number = ring(r, "ring");
    out.ring = number.value_or(0);
    if (r.has("proginfo")) {
        out.program_info = read_program_info(r.map("proginfo"));
        if (number && !chip_.rings[*number].program_info)
            r.error("proginfo", "programs of this ring have none, expected a ring of a CTM chip");
    }
    const std::string form = r.one_of({"words", "file", "packets", "ib"});
    if (form == "words" || form == "file" || form == "packets") {
        std::optional<DataSource> dwords = data_of_form(r, form, std::nullopt, packets_of(number));
        if (dwords) {
            const uint64_t size = dwords->size();
            r.check(size % 4 == 0, r.has("size") ? "size" : form,
                    fmt::format("{} bytes are no whole number of dwords", size));
            r.check(size <= kMaxRingBytes, r.has("size") ? "size" : form,
                    fmt::format("{} bytes are too many for a ring, expected at most {}", size,
                                text_of_bytes(kMaxRingBytes)));
            out.what = std::move(*dwords);
        }
    } else if (form == "ib") {
        Reader b = r.map("ib");
        IndirectBuffer ib;
        ib.address = b.required<uint64_t>("address");
        ib.dwords = b.required<uint32_t>("dwords", range(1, kMaxIbDwords));
        ib.vmid = b.optional<uint32_t>("vmid", 0, range(0, kMaxVmid));
        b.finish();
        if (b.ok()) {
            b.check(ib.address % 4 == 0, "address",
                    fmt::format("{:#x} is not a multiple of 4", ib.address));
            check_range(b, ib.address, uint64_t{ib.dwords} * 4);
        }
        out.what = ib;
    } else {
        ignore_keys(r, {"size", "offset"});
    }
    return number && r.ok() ? std::optional<RingStep>(std::move(out)) : std::nullopt;
}

void Parser::steps(const std::vector<Value>& items, std::vector<Step>& to) {
    for (const Value& item : items) {
        Reader r = item.map();
        if (r.has("repeat"))
            repeated_steps(r, to);
        else if (std::optional<Step> one = step(std::move(r)))
            to.push_back(std::move(*one));
    }
}

void Parser::repeated_steps(Reader& r, std::vector<Step>& to) {
    const uint64_t times = r.required<uint64_t>("repeat", range(1, kMaxSteps));
    std::vector<Step> once;
    steps(r.items("steps", config::count(1, kMaxSteps)), once);
    r.finish();
    if (!r.ok() ||
        !r.check(times * once.size() <= kMaxSteps - std::min(kMaxSteps, to.size()), "repeat",
                 fmt::format("{} times {} steps are too many, expected at most {} steps "
                             "in all",
                             times, once.size(), kMaxSteps)))
        return;
    for (uint64_t i = 0; i < times; ++i)
        to.insert(to.end(), once.begin(), once.end());
}

std::optional<Step> Parser::step(Reader r) {
    Step out;
    out.source = source_of(r);
    const std::string form = r.one_of({"memory", "ring", "wait", "expect", "kernel", "program"});
    if (form == "memory")
        take(out.what, memory(r.map("memory")));
    else if (form == "ring")
        take(out.what, ring_step(r));
    else if (form == "wait")
        out.what = WaitStep{ring(r, "wait").value_or(0)};
    else if (form == "expect")
        take(out.what, expectation(r.map("expect")));
    else if (form == "program")
        take(out.what, program(r.map("program")));
    else if (form == "kernel")
        take(out.what, kernel(r.map("kernel")));
    else
        ignore_keys(r, {"words", "file", "offset", "size", "packets", "ib", "proginfo"});
    r.finish();
    return r.ok() ? std::optional<Step>(std::move(out)) : std::nullopt;
}

Workload Parser::read(const config::Node& root) {
    if (root.is_null())  // every key is optional
        chip_ = chip_of_(std::nullopt);
    else
        read_keys(root);
    workload_.inputs.assign(inputs_.begin(), inputs_.end());
    for (const auto& [path, source] : dumps_)
        workload_.outputs.push_back(path);
    return std::move(workload_);
}

// Without a chip nothing else can be checked.
void Parser::read_chip(Reader& r) {
    workload_.asic = r.maybe<std::string>("asic");
    if (workload_.asic)
        r.check(!workload_.asic->empty(), "asic", "got empty text, expected the name of a chip");
    try {
        chip_ = chip_of_(workload_.asic == std::string() ? std::nullopt : workload_.asic);
    } catch (const NoSuchChip& error) {
        r.error("asic", error.what());
        diag_.throw_if_errors();
    }
}

void Parser::read_keys(const config::Node& root) {
    Reader r(root, diag_);
    read_chip(r);
    if (const auto name = r.maybe<std::string>("name"))
        if (r.check(!name->empty(), "name", "got empty text, expected what to call the workload"))
            workload_.name = *name;
    for (const Value& option : r.optional_items("run"))
        if (auto text = option.as<std::string>(); text && !is_run_option(*text))
            option.error("got " + in_quotes(*text) + ", expected a value after one of " +
                         run_option_names());
    if (r.has("address_spaces"))
        workload_.address_spaces = read_address_spaces(r, chip_.address_spaces);
    read_list(r, "memory", workload_.memory, &Parser::memory);
    if (r.has("code"))
        kernels_.read_code(r);
    if (names_code_alone(root)) {
        Reader code = r.map("kernel");
        kernels_.read_code(code);
    } else if (r.has("kernel")) {
        workload_.kernel = kernel(r.map("kernel"));
    }
    if (r.has("waves"))
        r.check(chip_.waves, "waves", "the chip has no GCN compute units that could run them");
    read_list(r, "waves", workload_.waves, &Parser::wave);
    if (r.has("program"))
        if (std::optional<ProgramSpec> first = program(r.map("program")))
            workload_.steps.push_back({first->source, std::move(*first)});
    steps(r.optional_items("steps"), workload_.steps);
    set_repeated_arguments(workload_.steps);
    read_list(r, "expect", workload_.expect, &Parser::expectation);
    read_list(r, "dump", workload_.dump, &Parser::dump);
    if (r.has("interrupts")) {
        Reader i = r.map("interrupts");
        workload_.interrupt_ring = interrupt_ring(i.map("ring"));
        i.finish();
    }
    r.finish();
    check_formulas();
    check_dumps();
}

// Nothing when there have been more errors than `errors`.
std::optional<Workload> read_workload(const std::optional<config::Node>& root, size_t errors,
                                      const std::string& filename, const std::string& directory,
                                      const ChipOfWorkload& chip, Diagnostics& diagnostics) {
    if (!root)
        return std::nullopt;
    // A fault of the text may leave a tree: it is read on, so that all faults come at once.
    Workload out = Parser(filename, directory, chip, diagnostics).read(*root);
    return diagnostics.error_count() == errors ? std::optional<Workload>(std::move(out))
                                               : std::nullopt;
}

}  // namespace

std::optional<Workload> parse_workload_tree(const config::Node& root, const std::string& filename,
                                            const std::string& directory,
                                            const ChipOfWorkload& chip,
                                            config::Diagnostics& diagnostics) {
    return read_workload(root, diagnostics.error_count(), filename, directory, chip, diagnostics);
}

std::optional<Workload> parse_workload_text(std::string_view text, const std::string& filename,
                                            const std::string& directory,
                                            const ChipOfWorkload& chip,
                                            config::Diagnostics& diagnostics) {
    const size_t errors = diagnostics.error_count();
    const auto root = config::parse_text(text, filename, diagnostics);
    return read_workload(root, errors, filename, directory, chip, diagnostics);
}

std::optional<Workload> load_workload(const std::string& path, const ChipOfWorkload& chip,
                                      config::Diagnostics& diagnostics) {
    const size_t errors = diagnostics.error_count();
    const auto root = config::load_file(path, diagnostics);
    const fs::path parent = fs::path(path).parent_path();
    return read_workload(root, errors, path, parent.empty() ? "." : parent.string(), chip,
                         diagnostics);
}

}  // namespace archipelago::host
