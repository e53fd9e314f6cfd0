# SPDX-License-Identifier: Apache-2.0
"""YAML as nodes, which keep their lines and doubled keys: for the generators and verilog-wrapper."""

import yaml

# libyaml's parser where PyYAML has it: the descriptions of registers and opcodes are long.
FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unreadable(Exception):
    """`cause` is "file", "text" or "YAML"; `line` is None where no line is to blame."""

    def __init__(self, cause, reason, line=None):
        super().__init__(reason)
        self.cause, self.reason, self.line = cause, reason, line


def compose(path, loader=FAST):
    """The root node of a file, None of an empty one."""
    try:
        with open(path, encoding="utf-8") as stream:
            return yaml.compose(stream, Loader=loader)
    except OSError as error:
        raise Unreadable("file", error.strerror) from error
    except UnicodeDecodeError as error:
        raise Unreadable("text", "not UTF-8 text") from error
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise Unreadable("YAML", getattr(error, "problem", None), mark and mark.line + 1) from error


def line_of(node):
    return node.start_mark.line + 1


def doubled_keys(node, seen=None):
    """The key nodes below a node that their map has already."""
    seen = set() if seen is None else seen
    if id(node) in seen or isinstance(node, yaml.ScalarNode):  # by an alias
        return
    seen.add(id(node))
    keys = set()
    for child in node.value:
        for part in child if isinstance(child, tuple) else (child,):
            yield from doubled_keys(part, seen)
        if isinstance(child, tuple) and isinstance(child[0], yaml.ScalarNode):
            if child[0].value in keys:
                yield child[0]
            keys.add(child[0].value)
