// SPDX-License-Identifier: Apache-2.0
// The contents and the places of a parsed workload; workload.cpp does the parsing.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <type_traits>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/formula.h"
#include "testbenches/host/random_data.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;  // a multiple of 8
using Take = std::function<void(const uint8_t* bytes, size_t count)>;

void file_pieces(const Source& source, const FileData& file, const Take& take) {
    std::ifstream in(file.path, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(file.offset));
    if (!in)
        throw std::runtime_error(source.to_string() + ": cannot read " + file.path);
    std::vector<uint8_t> piece(std::min<uint64_t>(kPieceBytes, file.size));
    for (uint64_t done = 0; done < file.size;) {
        const size_t count = std::min<uint64_t>(piece.size(), file.size - done);
        in.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(count));
        if (static_cast<size_t>(in.gcount()) != count)
            throw std::runtime_error(fmt::format("{}: {} has become shorter than {} bytes",
                                                 source.to_string(), file.path,
                                                 file.offset + file.size));
        take(piece.data(), count);
        done += count;
    }
}

void word_pieces(const WordData& data, const Take& take) {
    std::vector<uint8_t> bytes(data.words.size() * 4);
    for (size_t i = 0; i < data.words.size(); ++i)
        store_le(bytes.data() + 4 * i, data.words[i], 4);
    take(bytes.data(), bytes.size());
}

void fill_pieces(const FillData& fill, const Take& take) {
    std::vector<uint8_t> piece(std::min<uint64_t>(kPieceBytes, fill.size));
    for (size_t i = 0; i < piece.size(); ++i)
        piece[i] = fill.pattern[i % fill.pattern.size()];
    for (uint64_t done = 0; done < fill.size;) {
        const size_t count = std::min<uint64_t>(piece.size(), fill.size - done);
        take(piece.data(), count);
        done += count;
    }
}

// store(number of the element, where it goes)
template <class Store>
void element_pieces(uint64_t elements, uint32_t bytes, const Take& take, const Store& store) {
    const uint64_t most = kPieceBytes / bytes;
    std::vector<uint8_t> piece(std::min(most, elements) * bytes);
    for (uint64_t done = 0; done < elements;) {
        const uint64_t count = std::min(most, elements - done);
        for (uint64_t i = 0; i < count; ++i)
            store(done + i, piece.data() + i * bytes);
        take(piece.data(), count * bytes);
        done += count;
    }
}

void range_pieces(const RangeData& range, const Take& take) {
    element_pieces(range.count, bytes_of(range.type), take, [&](uint64_t i, uint8_t* to) {
        store_term(range.type, range.first.data(), range.step.data(), i, to);
    });
}

// Contents without a type of their own have that of the formula.
void formula_pieces(const Source& source, const FormulaData& f, const Take& take) {
    try {
        const Formula formula(f.text, f.type, f.names->names);
        std::vector<FormulaOperand> operands(f.names->names.size());
        for (size_t i = 0; i < operands.size(); ++i)
            if (formula.uses(i)) {
                const DataSource& contents = f.names->contents[i];
                operands[i] = {contents.type().value_or(f.type), read_bytes(contents)};
            }
        element_pieces(f.count, bytes_of(f.type), take,
                       [&](uint64_t i, uint8_t* to) { formula.store(i, f.count, operands, to); });
    } catch (const FormulaError& error) {
        throw std::runtime_error(source.to_string() + ": " + error.what());
    }
}

void add_range(std::vector<AddressRange>& out, uint64_t address, uint64_t size) {
    if (size != 0)
        out.push_back({address, address + (size - 1)});
}

// Of VMID 0, whose addresses are those of memory.
void add_range(std::vector<AddressRange>& out, const PictureSpec& surface) {
    const auto* const described = std::get_if<PictureSurface>(&surface.what);
    if (described != nullptr && surface.choice.vmid == 0)
        add_range(out, described->level.layout.base, described->level.size_bytes);
}

void add_range(std::vector<AddressRange>& out, const Expectation& expectation) {
    if (const auto* memory = std::get_if<MemoryExpectation>(&expectation.what))
        add_range(out, memory->address, memory->expected.size());
    if (const auto* surface = std::get_if<SurfaceExpectation>(&expectation.what))
        add_range(out, surface->surface);
}

}  // namespace

std::string Source::to_string() const {
    const std::string place = origin.to_string();
    return place.empty() ? key_path : key_path.empty() ? place : place + ": " + key_path;
}

uint64_t DataSource::size() const {
    return std::visit(
        [](const auto& d) -> uint64_t {
            using T = std::decay_t<decltype(d)>;
            if constexpr (std::is_same_v<T, WordData>)
                return d.words.size() * 4;
            else if constexpr (std::is_same_v<T, ListData>)
                return d.bytes.size();
            else if constexpr (std::is_same_v<T, RandomSpec> || std::is_same_v<T, RangeData> ||
                               std::is_same_v<T, FormulaData>)
                return d.count * bytes_of(d.type);
            else
                return d.size;
        },
        data);
}

std::optional<ElementType> DataSource::type() const {
    return std::visit(
        [](const auto& d) -> std::optional<ElementType> {
            using T = std::decay_t<decltype(d)>;
            if constexpr (std::is_same_v<T, ListData> || std::is_same_v<T, RangeData> ||
                          std::is_same_v<T, RandomSpec> || std::is_same_v<T, FormulaData>)
                return d.type;
            else
                return std::nullopt;
        },
        data);
}

std::optional<uint8_t> DataSource::uniform_byte() const {
    const auto* fill = std::get_if<FillData>(&data);
    if (fill == nullptr || !std::all_of(fill->pattern.begin(), fill->pattern.end(),
                                        [&](uint8_t b) { return b == fill->pattern[0]; }))
        return std::nullopt;
    return fill->pattern[0];
}

void for_each_piece(const DataSource& source,
                    const std::function<void(const uint8_t* bytes, size_t count)>& take) {
    std::visit(
        [&](const auto& d) {
            using T = std::decay_t<decltype(d)>;
            if constexpr (std::is_same_v<T, FileData>) {
                file_pieces(source.source, d, take);
            } else if constexpr (std::is_same_v<T, WordData>) {
                word_pieces(d, take);
            } else if constexpr (std::is_same_v<T, FillData>) {
                fill_pieces(d, take);
            } else if constexpr (std::is_same_v<T, ListData>) {
                take(d.bytes.data(), d.bytes.size());
            } else if constexpr (std::is_same_v<T, RangeData>) {
                range_pieces(d, take);
            } else if constexpr (std::is_same_v<T, FormulaData>) {
                formula_pieces(source.source, d, take);
            } else {
                const std::vector<uint8_t> bytes = fill_random(to_string(d.type), d.count, d.seed);
                take(bytes.data(), bytes.size());
            }
        },
        source.data);
}

std::vector<uint8_t> read_bytes(const DataSource& source) {
    std::vector<uint8_t> out;
    out.reserve(source.size());
    for_each_piece(source, [&](const uint8_t* bytes, size_t count) {
        out.insert(out.end(), bytes, bytes + count);
    });
    return out;
}

std::vector<const KernelSpec*> Workload::kernels() const {
    std::vector<const KernelSpec*> out;
    if (kernel)
        out.push_back(&*kernel);
    for (const Step& step : steps)
        if (const auto* of_step = std::get_if<KernelSpec>(&step.what))
            out.push_back(of_step);
    return out;
}

std::vector<KernelSpec*> Workload::kernels() {
    std::vector<KernelSpec*> out;
    if (kernel)
        out.push_back(&*kernel);
    for (Step& step : steps)
        if (auto* of_step = std::get_if<KernelSpec>(&step.what))
            out.push_back(of_step);
    return out;
}

std::vector<AddressRange> named_ranges(const Workload& workload) {
    std::vector<AddressRange> all;
    for (const MemorySpec& memory : workload.memory)
        add_range(all, memory.address, memory.data.size());
    for (const Step& step : workload.steps) {
        if (const auto* memory = std::get_if<MemorySpec>(&step.what)) {
            add_range(all, memory->address, memory->data.size());
        } else if (const auto* ring = std::get_if<RingStep>(&step.what)) {
            if (const auto* ib = std::get_if<IndirectBuffer>(&ring->what))
                add_range(all, ib->address, uint64_t{ib->dwords} * 4);
        } else if (const auto* expectation = std::get_if<Expectation>(&step.what)) {
            add_range(all, *expectation);
        }
    }
    for (const Expectation& expectation : workload.expect)
        add_range(all, expectation);
    if (workload.address_spaces)
        workload.address_spaces->for_each([&](uint8_t, const MappedRange& range) {
            all.push_back({range.memory, range.in_memory(range.last)});
        });
    for (const DumpSpec& dump : workload.dump)
        if (dump.surface)
            add_range(all, *dump.surface);
        else if (!dump.buffer)
            add_range(all, dump.address, dump.size);
    if (workload.interrupt_ring)
        add_range(all, workload.interrupt_ring->address, workload.interrupt_ring->size);
    std::sort(all.begin(), all.end(),
              [](const AddressRange& a, const AddressRange& b) { return a.first < b.first; });
    std::vector<AddressRange> out;
    for (const AddressRange& range : all) {
        const bool touches =
            !out.empty() && (range.first <= out.back().last || range.first - out.back().last == 1);
        if (touches)
            out.back().last = std::max(out.back().last, range.last);
        else
            out.push_back(range);
    }
    return out;
}

}  // namespace archipelago::host
