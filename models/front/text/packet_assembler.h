// SPDX-License-Identifier: Apache-2.0
// Text to packets: statements, fields of a packet by name, errors. A family's assembler says what a
// packet's header is and how long it may be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/front/field_names.h"
#include "models/front/packet_field.h"
#include "models/front/text/token_reader.h"

namespace archipelago::front {

// What messages call the dwords that fields number: "body dwords", of which "its body has" some.
struct DwordTerms {
    const char* dwords;
    const char* whole;
    uint32_t most;  // of a packet
};

// A flag after the name of a packet: NAME, or NAME=number.
struct HeaderFlag {
    const char* name;
    uint32_t most = 0;             // 0: it takes no number, and is 1
    const Token* given = nullptr;  // null: it is not
    uint32_t value = 0;
};

// Consecutive registers and their values.
struct RegisterRun {
    uint32_t first = 0;  // byte offset
    std::vector<uint32_t> values;

    uint32_t next() const { return first + 4 * static_cast<uint32_t>(values.size()); }
};

class PacketAssembler : protected TokenReader {
  public:
    virtual ~PacketAssembler() = default;

    PacketAssembly run(std::string_view text);

  protected:
    PacketAssembler(const regs::RegisterDatabase& registers, const DwordTerms& terms,
                    const TextRules& rules = {})
        : TokenReader(registers, rules), terms_(terms) {}

    // ---- what a family says ----

    // Emits the packet whose name has been read, up to the end of its statement.
    virtual void packet(const Token& name) = 0;
    // Whether `name` begins an item that is no field, which is read then.
    virtual bool other_item(const PacketShape& /*packet*/, const Token& /*name*/) { return false; }

    // ---- what it makes of a packet ----

    // The row called `name`; `others`: what may be there besides rows.
    template <class Table>
    auto& row_of(const Table& table, const Token& name, std::vector<std::string> others) const {
        if (const auto* row = table.find_by_name(std::string(name.text)))
            return *row;
        for (const auto& row : table)
            others.emplace_back(row.name);
        refuse(name, "unknown packet " + quoted(name), std::string(name.text), std::move(others));
    }

    // [FLAG, FLAG=number, ...], if there is one; those that are not `known` are refused.
    void header_flags(const std::vector<HeaderFlag*>& known);
    // "=" and the number of a flag, at most `most`.
    uint32_t flag_value(uint32_t most);
    // Dwords of a packet: what the flag `count` says, else what items set, at least `least`.
    // Refuses what is none of the row's sizes; null: all are allowed.
    uint32_t counted_dwords(const PacketShape* row, uint32_t least, const HeaderFlag& count,
                            const Token& name) const;
    // REGISTER = value, ... up to the end of the statement. `check` refuses a first register, by
    // its token and offset, that the packet does not reach.
    template <class Check>
    RegisterRun register_run(size_t most, const std::string& too_many, const Check& check) {
        const Token& type = last();
        RegisterRun run;
        do {
            const Token& name = register_token();
            const uint32_t offset = register_offset(name);
            if (run.values.empty())
                check(name, run.first = offset);
            else if (offset != run.next())
                not_next(name, offset, run.next());
            expect('=');
            run.values.push_back(register_value(db_.find(offset), name.text));
            if (run.values.size() > most)
                refuse(type, too_many);
        } while (take_mark(','));
        return run;
    }
    const Token& register_token();
    // "CP_RB0_CNTL (0x0c104)", as the rules have numbers of registers.
    std::string register_text(const Token& name, uint32_t offset) const;
    [[noreturn]] void not_next(const Token& name, uint32_t offset, uint32_t expected) const;
    // All dwords are zero.
    void begin();
    // FIELD = value, ...; `size` dwords decide which of two fields of one name it is, if not 0.
    void items(const PacketShape& packet, uint32_t size);
    // Of fields of one name that hang on values of another field, those that are there, once all
    // other items are known and before the size of the packet is.
    void choose_fields(const PacketShape& packet);
    // Fields that hang on others, once all of those `size` dwords are known.
    void conditional_fields(const PacketShape& packet, uint32_t size);
    // DWn: bits of a dword that no field names. False when it is not one.
    bool raw_dword(const Token& name);
    // Makes room for a dword that an item at `at` sets.
    void touch(uint32_t dword, const Token& at);
    void emit(uint32_t value);
    // The header, and `dwords_` after it.
    void emit_packet(uint32_t header);

    const DwordTerms terms_;
    std::vector<uint32_t> dwords_;
    uint32_t highest_ = 0;         // dwords that items set
    uint32_t wanted_ = 0;          // dwords that a field is for
    std::vector<uint32_t> given_;  // how often each field of the row

  private:
    struct Deferred {
        const PacketField* field;
        uint32_t value;
        const Token* token;
        bool chosen;  // false: another field of the name may be meant
    };

    void statement();
    void raw_data(bool bytes);
    bool field_item(const PacketShape& packet, const Token& name, uint32_t size);
    void pair_item(const PacketShape& packet, const PacketField& low, const Token& name);
    uint32_t value_of(const PacketShape& packet, const PacketField& field);
    uint32_t named_value(const PacketField& field, const FieldMeaning& meaning, const Token& name);
    void store(const PacketShape& packet, const PacketField& field, uint32_t value, const Token& at,
               bool of_list = false);
    uint32_t group_of(const PacketShape& packet, const PacketField& field, const Token& at,
                      bool of_list);
    std::string state_of(const PacketShape& packet, const FieldCondition& condition,
                         const std::vector<uint32_t>& dwords, uint32_t size) const;
    [[noreturn]] static void no_field(const PacketShape& packet, const Token& name);

    PacketAssembly result_;
    std::vector<Deferred> deferred_;
};

}  // namespace archipelago::front
