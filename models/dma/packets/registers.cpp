// SPDX-License-Identifier: Apache-2.0
// Packets that reach registers over SRBM, and polls: SRBM_WRITE, SRBM_READ, POLL_REG_MEM. Document
// "Async DMA": evergreen/ni/si 21 to 23; cik 16, 19. SRBM_WRITE and SRBM_READ name a register by
// its dword, POLL_REG_MEM by its byte offset (Linux radeon).
#include "models/dma/operations.h"
#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"
#include "models/front/poll_function.h"

namespace archipelago::dma {
namespace {

constexpr front::FieldMeaning kRegister = front::register_from(0);

// A retry count of all ones is without end (document, cik 16; taken for the others too).
constexpr uint32_t kForever = 0xFFF;

// Another try after a failed one: false when there were as many as `retries` allows; the engine
// then goes on with the next packet.
bool try_again(ProgramState& p, MicroOp& op, uint32_t retries, uint32_t interval) {
    if (retries != kForever && p.tries == retries)
        return false;
    ++p.tries;
    op.forever = retries == kForever;
    return delay(op, std::max(1u, interval * p.settings.poll_unit));
}

}  // namespace

// ---- SRBM_WRITE --------------------------------------------------------------------------------

namespace srbm_write {
enum f : uint8_t { kRegisterField, kByteEnable, kData };
constexpr PacketField kFields[] = {
    {"REGISTER", 2, 0, 15, &kRegister}, {"BYTE_ENABLE", 2, 16, 19}, {"DATA", 3, 0, 31}};
constexpr PacketField kFieldsCik[] = {
    {"REGISTER", 2, 0, 15, &kRegister}, {"BYTE_ENABLE", 1, 28, 31}, {"DATA", 3, 0, 31}};

bool run(ProgramState& p, MicroOp& op) {
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitTransfer);
        case 1:
            op.byte_enable = static_cast<uint8_t>(p[kByteEnable]);
            return write_register(op, 4 * p[kRegisterField], p[kData]);
        default:
            return false;
    }
}
}  // namespace srbm_write

constexpr PacketInfo kSrbmWrite =
    packet("SRBM_WRITE", 0x90000000, 0xFC000000).program(3, srbm_write::kFields, srbm_write::run);
constexpr PacketInfo kSrbmWriteCik =
    packet("SRBM_WRITE", 0x000E, 0x0FFFFFFF).program(3, srbm_write::kFieldsCik, srbm_write::run);

// ---- SRBM_READ ---------------------------------------------------------------------------------

namespace srbm_read {
enum f : uint8_t { kPoll, kRegisterField, kRetries, kMask, kValue };
constexpr PacketField kFields[] = {{"POLL", 1, 26, 26},
                                   {"REGISTER", 2, 0, 15, &kRegister},
                                   {"RETRY_COUNT", 2, 20, 31},
                                   {"MASK", 3, 0, 31},
                                   {"VALUE", 4, 0, 31}};
// With a dword that no driver sends, and whose use the document does not tell.
constexpr PacketField kFieldsDocument[] = {
    {"POLL", 1, 26, 26},        {"REGISTER", 2, 0, 15, &kRegister},
    {"RETRY_COUNT", 2, 20, 31}, {"MASK", 4, 0, 31},
    {"VALUE", 5, 0, 31},        {"DATA", 3, 0, 31}};

bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kRead, kLook };
    if (p.step == kStart) {
        p.step = kRead;
        return issue(op, OpKind::WaitTransfer);
    }
    if (p.step == kRead) {
        p.step = kLook;
        return read_register(op, 4 * p[kRegisterField]);
    }
    const auto value = static_cast<uint32_t>(p.result.value);
    if (p[kPoll] == 0 || (value & p[kMask]) == p[kValue])
        return false;
    p.step = kRead;
    return try_again(p, op, p[kRetries], 1);
}
std::string describe_wait(const PacketInfo& info, const uint32_t* dwords, uint32_t last_read) {
    return " register " + hex(4 * info.fields[kRegisterField].in(dwords)) + " & " +
           hex(info.fields[kMask].in(dwords)) + " == " + hex(info.fields[kValue].in(dwords)) +
           " (last " + hex(last_read) + ")";
}
}  // namespace srbm_read

constexpr PacketInfo kSrbmRead = packet("SRBM_READ", 0x98000000, 0xF8000000)
                                     .program(4, srbm_read::kFields, srbm_read::run)
                                     .waits(srbm_read::describe_wait);
constexpr PacketInfo kSrbmReadDocument = packet("SRBM_READ", 0x98000000, 0xF8000000)
                                             .program(5, srbm_read::kFieldsDocument, srbm_read::run)
                                             .waits(srbm_read::describe_wait);

// ---- POLL_REG_MEM ------------------------------------------------------------------------------

namespace poll_reg_mem {
constexpr ValueName kSpaceNames[] = {{0, "REGISTER"}, {1, "MEMORY"}};
constexpr front::FieldMeaning kSpaces = front::value_names(kSpaceNames);
constexpr ValueName kOpNames[] = {{0, "WAIT"}, {1, "WRITE_WAIT_WRITE"}};
constexpr front::FieldMeaning kOps = front::value_names(kOpNames);
enum f : uint8_t {
    kSpace,
    kFunction,
    kAddressLo,
    kAddressHi,
    kMask,
    kReference,
    kRetries,
    kInterval,
    kOp
};
constexpr PacketField kFields[] = {
    {"SPACE", 1, 27, 27, &kSpaces},
    {"FUNCTION", 6, 28, 30, &kFunctions},
    {"ADDRESS_LO", 2, 2, 31, &kAddress},
    {"ADDRESS_HI", 3, 0, 7},
    {"MASK", 4, 0, 31},
    {"REFERENCE", 5, 0, 31},
    {"RETRY_COUNT", 3, 16, 27},
    {"INTERVAL", 6, 0, 16},
};
constexpr PacketField kFieldsCik[] = {
    {"SPACE", 1, 31, 31, &kSpaces},
    {"FUNCTION", 1, 28, 30, &kFunctions},
    {"ADDRESS_LO", 2, 2, 31, &kAddress},
    {"ADDRESS_HI", 3, 0, 31},
    {"MASK", 5, 0, 31},
    {"REFERENCE", 4, 0, 31},
    {"RETRY_COUNT", 6, 16, 27},
    {"INTERVAL", 6, 0, 15},
    {"OP", 1, 26, 27, &kOps},
};

// Of OP WRITE_WAIT_WRITE: what is written before the poll. What the write after it is for, no
// source tells; it is left out.
struct Request {
    bool wanted;
    uint32_t offset, value;
};

bool poll(ProgramState& p, MicroOp& op, const Request& request) {
    enum : uint32_t { kStart, kRequest, kRead, kLook };
    switch (p.step) {
        case kStart:
            if (p[kFunction] == front::kReservedFunction)
                p.bad("reserved FUNCTION 7");
            if (request.wanted && p[kSpace] != 0)
                p.bad("OP WRITE_WAIT_WRITE of memory");
            p.step = request.wanted ? kRequest : kRead;
            return issue(op, OpKind::WaitTransfer);
        case kRequest:
            p.step = kRead;
            return write_register(op, request.offset, request.value);
        case kRead:
            p.step = kLook;
            if (p[kSpace] == 0)
                return read_register(op, p.placed(kAddressLo));
            p.address_in(kAddressLo, op);
            return read_memory(op, p.wide(kAddressLo, kAddressHi));
        default:
            if (front::poll_holds(p[kFunction], static_cast<uint32_t>(p.result.value) & p[kMask],
                                  p[kReference]))
                return false;
            p.step = kRead;
            return try_again(p, op, p[kRetries], p[kInterval]);
    }
}
bool run(ProgramState& p, MicroOp& op) {
    return poll(p, op, {});
}
bool poll_cik(ProgramState& p, MicroOp& op, const Request& request) {
    if (p[kOp] > 1)
        p.bad("reserved OP " + std::to_string(p[kOp]));
    return poll(p, op, request);
}
// As drivers send it, ADDRESS_HI is the byte offset of a register that gets REFERENCE, for a flush
// of HDP: ADDRESS_LO is where it shows that it is done.
bool run_cik(ProgramState& p, MicroOp& op) {
    return poll_cik(p, op, {p[kOp] != 0, p[kAddressHi], p[kReference]});
}
// In the document it is what the register itself gets before it is polled.
bool run_cik_document(ProgramState& p, MicroOp& op) {
    return poll_cik(p, op, {p[kOp] != 0, p.placed(kAddressLo), p[kAddressHi]});
}
std::string describe_wait(const PacketInfo& info, const uint32_t* dwords, uint32_t last_read) {
    const auto field = [&](unsigned i) { return info.fields[i].in(dwords); };
    const bool memory = field(kSpace) != 0;
    const uint64_t low = field(kAddressLo) << 2;
    return (memory ? " memory " + hex(uint64_t{field(kAddressHi)} << 32 | low)
                   : " register " + hex(low)) +
           " & " + hex(field(kMask)) + " " + front::poll_sign(field(kFunction)) + " " +
           hex(field(kReference)) + " (last " + hex(last_read) + ")";
}
}  // namespace poll_reg_mem

constexpr PacketInfo kPollRegMem = packet("POLL_REG_MEM", 0xE0000000, 0xF0000000)
                                       .program(6, poll_reg_mem::kFields, poll_reg_mem::run)
                                       .waits(poll_reg_mem::describe_wait);
constexpr PacketInfo kPollRegMemCik =
    packet("POLL_REG_MEM", 0x0008, 0xFFFF)
        .program(6, poll_reg_mem::kFieldsCik, poll_reg_mem::run_cik)
        .waits(poll_reg_mem::describe_wait);
constexpr PacketInfo kPollRegMemCikDocument =
    PacketRow(kPollRegMemCik).runs(poll_reg_mem::run_cik_document);

}  // namespace archipelago::dma
