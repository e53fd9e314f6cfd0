// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/packet_text.h"

#include "models/config/suggest.h"
#include "models/front/text/packet_language.h"

namespace archipelago::host {
namespace {

// The names valid in place of an unknown one: the one that was meant, else all when they are
// few.
std::string instead_of(const TextError& error) {
    constexpr std::size_t kFew = 24;
    std::string meant = config::did_you_mean(error.unknown, error.known);
    if (!meant.empty() || error.known.empty() || error.known.size() > kFew)
        return meant;
    return ", expected one of: " + config::join_names(error.known);
}

}  // namespace

AssembledText assemble_packets(const front::PacketLanguage& language, std::string_view text) {
    front::PacketAssembly assembly = language.assemble(text);
    AssembledText result;
    result.bytes = std::move(assembly.bytes);
    for (const TextError& error : assembly.errors)
        result.errors.push_back({error.line, error.column, error.message + instead_of(error)});
    return result;
}

}  // namespace archipelago::host
