# SPDX-License-Identifier: Apache-2.0
"""For scripts/verilog-wrapper: Verilog with the documented pins of a block, in the place of its twin."""

import difflib
import fnmatch
import json

from verilog_design import Failed

PLACE_KEYS = ["block", "contract", "pins", "unconnected"]


def load_pins(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Failed(f"{path}: no table of pins ({getattr(error, 'strerror', None) or error}); the target archipelago_pin_table_file "
                     "builds it: cmake --build --preset release --target archipelago_pin_table_file")


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


class Place:
    """The pins of verilog.block; match() finds those of the top module."""

    def __init__(self, reader, verilog, tables):
        self.reader = reader
        self.verilog = verilog
        self.pins = []  # (documented pin, Port of the Verilog, None: unconnected)
        self.promise = "exact"
        value = self.verilog.data["block"]
        self.block = self.reader.text(value, "verilog.block")
        if self.block not in tables:
            near = difflib.get_close_matches(self.block, list(tables), 1)
            hint = f", did you mean {near[0]}?" if near else ""
            self.reader.error(value.line, f"verilog.block: no block {self.block} with documented pins{hint}, "
                                          f"expected one of: {', '.join(tables)}")
        self.table = tables.get(self.block)
        self.contract()

    def contract(self):
        value = self.verilog.data.get("contract")
        if value is None:
            return
        self.promise = self.reader.text(value, "verilog.contract", ["exact", "elastic"])
        if self.promise == "elastic" and self.table and self.table["exact_only"]:
            self.reader.error(value.line, f"verilog.contract: {self.block} can be exact only: {self.table['exact_only']}")

    def names(self):
        """Names in the Verilog: (prefix, suffix, documented pin -> (name, line)), and the line of pins:."""
        pins = self.verilog.data.get("pins")
        known = [p["name"] for p in self.table["pins"]]
        if pins is None or not self.reader.check_keys(pins, ["prefix", "suffix", *known], "verilog.pins"):
            return "", "", {}, self.verilog.data["top"].line
        for key in ("prefix", "suffix"):
            if key in pins.data and not isinstance(pins.data[key].data, str):
                self.reader.error(pins.data[key].line, f"verilog.pins.{key}: expected a text")
        affix = {k: pins.data[k].data for k in ("prefix", "suffix")
                 if k in pins.data and isinstance(pins.data[k].data, str)}
        explicit = {k: (self.reader.text(v, f"verilog.pins.{k}"), v.line)
                    for k, v in pins.data.items() if k in known}
        return affix.get("prefix", ""), affix.get("suffix", ""), explicit, pins.line

    def unconnected(self):
        """Documented pins the Verilog does not have, as its description says: pin -> line."""
        value = self.verilog.data.get("unconnected")
        left_out = {}
        if value is None:
            return left_out
        for entry in value.data if isinstance(value.data, list) else [value]:
            pattern = self.reader.text(entry, "verilog.unconnected")
            hit = [p["name"] for p in self.table["pins"] if fnmatch.fnmatchcase(p["name"], pattern)]
            if not hit:
                self.reader.error(entry.line, f"verilog.unconnected: {self.block} has no pin {pattern}")
            left_out.update(dict.fromkeys(hit, entry.line))
        return left_out

    def match(self, generator):
        """Finds each documented pin among those of the top module."""
        self.generator = generator
        prefix, suffix, explicit, line = self.names()
        left_out = self.unconnected()
        for pin in self.table["pins"]:
            name, at = explicit.get(pin["name"], (prefix + pin["name"] + suffix, line))
            where = f"verilog.pins.{pin['name']}"
            port = self.generator.find(name)
            if pin["name"] in left_out:
                if port is not None:
                    self.reader.error(left_out[pin["name"]], f"verilog.unconnected: {pin['name']} is listed as unconnected, but "
                                                             f"{self.generator.design.top_name} has it: {port.name}")
                elif self.promise == "exact" and pin["direction"] == "output":
                    self.reader.error(left_out[pin["name"]], f"verilog.unconnected: {pin['name']} is an output, and the "
                                                             "contract exact compares all of them")
                self.pins.append((pin, None))
            elif port is None and pin["name"] in explicit:
                self.generator.unknown_pin(at, where, name)
            elif port is None:
                self.reader.error(at, f"{where}: missing: {self.generator.design.top_name} has no {pin['direction']} {name} "
                                      f"of {pin['width']} bits; name the one that is meant, or list it under unconnected:")
            else:
                self.check(pin, port, at, where)
                self.pins.append((pin, port))

    def check(self, pin, port, line, where):
        self.generator.use(port, line, where)
        if port.direction != pin["direction"]:
            self.reader.error(line, f"{where}: pin {port.name} is an {port.direction}, expected an {pin['direction']}")
        if port.width == 0:
            what = "an unpacked array" if port.unpacked else "of a type that has no bits"
            self.reader.error(line, f"{where}: pin {port.name} is {what}, expected packed bits: logic [{pin['width'] - 1}:0]")
        elif port.width != pin["width"]:
            parts = f" ({pin['elements']} of {pin['bits']})" if pin["elements"] > 1 else ""
            self.reader.error(line, f"{where}: pin {port.name} is {port.width} bits wide, expected {pin['width']}{parts}")

    def cpp(self, name, sources):
        """The C++ of the library: a top module that has the documented names."""
        generator = self.generator
        struct = "".join(word.capitalize() for word in self.block.split("_")) + "Pins"
        out = ["// Generated by scripts/verilog-wrapper. Do not edit.", "#include <verilated.h>", "#include <verilated_fst_c.h>",
               "#include <array>", "#include <type_traits>", f'#include "V{name}.h"', '#include "rtl-bridge/pins/place_module.h"',
               f'#include "pins/{self.block}_pins.h"', '#include "rtl-bridge/verilated/verilated_twin.h"',
               "namespace {", f"using Verilog = V{name};", "struct Top {", "    Verilog verilog;"]

        def pin_line(documented, port):
            return f"    std::remove_reference_t<decltype(Verilog::{port})>& {documented} = verilog.{port};"
        out.append(pin_line("clk", generator.clock.name))
        out.append("    uint8_t rst = 0;")
        for pin, port in self.pins:
            out.append(pin_line(pin["name"], port.name) if port else f"    {storage(pin['width'])} {pin['name']}{{}};")
        out.append("    Top(VerilatedContext* context, const char* path) : verilog(context, path) {")
        out += [f"        verilog.{port.name} = {value:#x}u;" for port, value in generator.tied.values()]
        out += ["    }", "    void eval() {"]
        if generator.reset is not None:
            out.append(f"        verilog.{generator.reset.name} = rst {'==' if generator.reset_low else '!='} 0;")
        out += ["        verilog.eval();", "    }",
                "    void trace(VerilatedFstC* waveform, int levels) { verilog.trace(waveform, levels); }",
                "    void final() { verilog.final(); }", "};",
                "void* make(const archipelago::rtl::TwinOptions& options) {",
                f"    using Pins = archipelago::rtl::{struct};",
                "    return static_cast<archipelago::rtl::Twin<Pins>*>(",
                "        new archipelago::rtl::VerilatedTwin<Pins, Top, VerilatedContext, VerilatedFstC>(options));", "}", "}  // namespace",
                'extern "C" const archipelago::rtl::PlaceModule archipelago_place_module;',
                "const archipelago::rtl::PlaceModule archipelago_place_module = {",
                f'    archipelago::rtl::kPlaceModuleVersion, "{self.block}", "{self.promise}", "{self.generator.design.top_name}",',
                f"    archipelago::rtl::pins_stamp<archipelago::rtl::{struct}>(),"]
        lines = [f"{fnv(path.read_bytes()):016x} {path}" for path in sources]
        out += ["    " + json.dumps(line + "\n") for line in lines]
        out += ["    , make};"]
        return "\n".join(out) + "\n"


def storage(width):
    """A type of the size of Verilator's for so many bits."""
    for bits in (8, 16, 32, 64):
        if width <= bits:
            return f"uint{bits}_t"
    return f"std::array<uint32_t, {(width + 31) // 32}>"
