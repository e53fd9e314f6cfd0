// SPDX-License-Identifier: Apache-2.0
#include "models/common/archive.h"

#include <cstring>

#include "models/common/error.h"

namespace archipelago {
namespace {

constexpr char kMagic[8] = {'A', 'R', 'C', 'H', 'C', 'K', 'P', 'T'};
constexpr uint32_t kVersion = 1;  // of the format, not of what blocks hold
constexpr uint32_t kMaxName = 256;
// A block: size of its name, its name, size of its bytes, their shape, their checksum, its bytes.
constexpr size_t kBlockHead = sizeof(uint32_t) + 3 * sizeof(uint64_t);

constexpr uint64_t kBasis = 0xcbf29ce484222325u;

// Eight bytes at a time: a checkpoint has some hundred MB.
uint64_t checksum(const char* bytes, size_t size) {
    uint64_t sum = kBasis ^ size;
    const auto add = [&sum](uint64_t word) {
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    };
    size_t at = 0;
    for (uint64_t word = 0; at + sizeof word <= size; at += sizeof word) {
        std::memcpy(&word, bytes + at, sizeof word);
        add(word);
    }
    uint64_t rest = 0;
    std::memcpy(&rest, bytes + at, size - at);
    add(rest);
    return sum;
}

// Of the head of a block: its name counts, its place does not.
uint64_t checksum(const std::string& name, uint64_t shape, const char* bytes, size_t size) {
    return checksum(bytes, size) ^ checksum(name.data(), name.size()) * 3 ^ shape;
}

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(const std::string& bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

[[noreturn]] void fail(const std::string& file, size_t at, const std::string& why) {
    throw ArchiveError(file + ": byte " + std::to_string(at) + ": " + why);
}

// A block as it lies in a file: where it begins, its checksum, and its bytes.
struct Found {
    std::string name;
    size_t start = 0, sum = 0, first = 0, size = 0;
    uint64_t shape = 0;
};
uint64_t checksum_of(const Found& block, const std::string& bytes) {
    return checksum(block.name, block.shape, bytes.data() + block.first, block.size);
}

Found block_at(const std::string& bytes, const std::string& file, size_t start) {
    Found block;
    block.start = start;
    const auto length = get<uint32_t>(bytes, start);
    if (length > kMaxName || bytes.size() - start < kBlockHead + length)
        fail(file, start, "no block, or the file ends in its name");
    block.name = bytes.substr(start + sizeof length, length);
    const size_t numbers = start + sizeof length + length;
    block.size = get<uint64_t>(bytes, numbers);
    block.shape = get<uint64_t>(bytes, numbers + 8);
    block.sum = numbers + 16;
    block.first = numbers + 24;
    if (bytes.size() - block.first < block.size)
        fail(file, start, "the file ends in block " + block.name);
    return block;
}

std::vector<Found> blocks_of(const std::string& bytes, const std::string& file) {
    const size_t head = sizeof kMagic + sizeof kVersion;
    if (bytes.size() < head || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
        fail(file, 0, "not a checkpoint");
    const auto version = get<uint32_t>(bytes, sizeof kMagic);
    if (version != kVersion)
        fail(file, sizeof kMagic,
             "format " + std::to_string(version) + " of checkpoints, expected " +
                 std::to_string(kVersion));
    std::vector<Found> blocks;
    for (size_t at = head;; at = blocks.back().first + blocks.back().size) {
        if (bytes.size() - at < sizeof(uint32_t))
            fail(file, at, "the file ends before its last block");
        if (get<uint32_t>(bytes, at) != 0) {
            blocks.push_back(block_at(bytes, file, at));
            continue;
        }
        if (bytes.size() - at != sizeof(uint32_t))
            fail(file, at, "more behind the last block");
        return blocks;
    }
}

}  // namespace

Archive::Archive(std::string bytes, std::string file)
    : saving_(false), file_(std::move(file)), bytes_(std::move(bytes)) {
    for (const Found& block : blocks_of(bytes_, file_)) {
        if (checksum_of(block, bytes_) != get<uint64_t>(bytes_, block.sum))
            fail(file_, block.start, "block " + block.name + " is damaged: its checksum differs");
        const Block known{block.first, block.first + block.size, block.shape, false};
        if (!blocks_.emplace(block.name, known).second)
            fail(file_, block.start, "block " + block.name + " comes twice");
    }
}

std::string Archive::sealed(std::string bytes) {
    for (const Found& block : blocks_of(bytes, "archive")) {
        const uint64_t sum = checksum_of(block, bytes);
        std::memcpy(bytes.data() + block.sum, &sum, sizeof sum);
    }
    return bytes;
}

std::string Archive::bytes() const {
    std::string file(kMagic, sizeof kMagic);
    append(file, kVersion);
    file += bytes_;
    append(file, uint32_t{0});
    return file;
}

std::vector<std::string> Archive::unvisited() const {
    std::vector<std::string> names;
    for (const auto& [name, block] : blocks_)
        if (!block.visited)
            names.push_back(name);
    return names;
}

void Archive::at_rest(bool holds, const std::string& what) const {
    if (!holds)
        throw MachineStop(StopKind::Unimplemented, block_,
                          "a checkpoint while it is not at rest: " + what);
}

void Archive::begin_block(const std::string& name) {
    block_ = name;
    shape_ = kBasis;
    fields_ = 0;
    if (saving_) {
        if (!blocks_.emplace(name, Block{}).second)
            throw ArchiveError("block " + name + " is written twice: an archive holds one chip");
        append(bytes_, static_cast<uint32_t>(name.size()));
        bytes_ += name;
        begin_ = bytes_.size();
        bytes_.append(3 * sizeof(uint64_t), '\0');
        return;
    }
    const auto found = blocks_.find(name);
    if (found == blocks_.end())
        throw ArchiveError(file_ + ": it has no block " + name);
    found->second.visited = true;
    begin_ = at_ = found->second.first;
    end_ = found->second.end;
}

void Archive::end_block() {
    if (saving_) {
        const size_t first = begin_ + 3 * sizeof(uint64_t);
        const uint64_t head[3] = {
            bytes_.size() - first, shape_,
            checksum(block_, shape_, bytes_.data() + first, bytes_.size() - first)};
        std::memcpy(bytes_.data() + begin_, head, sizeof head);
        return;
    }
    if (at_ != end_)
        refuse("it has " + std::to_string(end_ - at_) + " bytes more than the block holds");
    if (shape_ != blocks_.at(block_).shape)
        refuse("it was written of a block with other fields (another version?)");
}

void Archive::size(uint64_t& count) {
    plain(&count, 1);
    // Everything that is counted takes at least a byte; a State with fewer is empty.
    if (!saving_ && count > end_ - at_)
        refuse("field " + std::to_string(fields_) + " counts " + std::to_string(count) +
               " elements, more than there are bytes");
}

void Archive::transfer(void* values, size_t size, size_t count) {
    ++fields_;
    note(size);
    const size_t bytes = size * count;
    if (saving_) {
        bytes_.append(static_cast<const char*>(values), bytes);
        return;
    }
    if (bytes > end_ - at_)
        refuse("it ends in field " + std::to_string(fields_) + " (" + std::to_string(count) +
               " of " + std::to_string(size) + " bytes)");
    if (bytes != 0)
        std::memcpy(values, bytes_.data() + at_, bytes);
    at_ += bytes;
}

void Archive::field(std::string& text) {
    uint64_t count = text.size();
    size(count);
    if (!saving_)
        text.resize(static_cast<size_t>(count));
    transfer(text.data(), 1, text.size());
}

void Archive::refuse(const std::string& why) const {
    throw ArchiveError(file_ + ": byte " + std::to_string(at_) + ": block " + block_ + ": " + why);
}

void Archive::refuse_size(uint64_t fresh, uint64_t saved) const {
    refuse("field " + std::to_string(fields_) + " has " + std::to_string(saved) +
           " elements, the chip's " + std::to_string(fresh));
}

}  // namespace archipelago
