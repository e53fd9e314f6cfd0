// SPDX-License-Identifier: Apache-2.0
// Files, inheritance and overrides: everything between a name on the command line and the resolved
// tree a Reader reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/parse.h"

namespace archipelago::config {

// One file as it stands; `base:` is a key like any other. A file that cannot be read is an error.
std::optional<Node> load_file(const std::string& path, Diagnostics& diag,
                              const Limits& limits = {});

// A file and what it inherits. The top-level key `base: other.yaml` (or a list, later ones laid
// over earlier ones) names files relative to its own file; each is loaded the same way,
// and the file's own keys are laid over them by merge(). The result has no key `base`. Cycles,
// missing files and a top level that is not a map are errors.
std::optional<Node> load_with_bases(const std::string& path, Diagnostics& diag,
                                    const Limits& limits = {});

// The longest chain of `base:` files, and the most files one configuration may draw together.
constexpr unsigned kMaxBaseDepth = 16;
constexpr unsigned kMaxBaseFiles = 64;

enum class OverridePath {
    MustExist,  // every part of the path is in the tree
    NewLeaf,    // the last key may be new: the Reader refuses it when it is unknown
};

// Applies one `--set` argument, "a.b[2].c=value"; the value is YAML ("5", "925 MHz",
// "{cycles: 4, source: guess}") and replaces what stood there. An unknown path is an error naming
// the nearest key, and leaves the tree as it was.
Node apply_override(const Node& root, std::string_view assignment, Diagnostics& diag,
                    OverridePath policy = OverridePath::MustExist, const Limits& limits = {});

// The file name overrides carry in origins.
inline constexpr const char* kOverrideOrigin = "--set";

}  // namespace archipelago::config
