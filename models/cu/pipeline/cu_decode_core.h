// SPDX-License-Identifier: Apache-2.0
// The instruction decoder pin by pin: make_decoded() after a register. Its Verilog twin is
// rtl-bridge/rtl/cu_decode.
#pragma once

#include "models/cu/pipeline/decoded.h"
#include "pins/cu_decode_pins.h"

namespace archipelago::cu {

// The opcode as the pins have it: of vector instructions VOP3's number, regardless of the encoding,
// of others the number in their encoding; 0 of an illegal one.
unsigned pin_opcode(const isa::Inst& inst);
// The opcode of an encoding with this number on the pins; Op::Illegal when there is none.
isa::Op opcode_from_pins(isa::Format format, unsigned number);

rtl::CuDecodePins::Result decode_on_pins(const rtl::CuDecodePins::Words& words);
// What the pins say, and what does not pass them: the words and, by the opcode, execution and
// floating-point operations. The enumerations of `result` are in range.
Decoded decoded_from_pins(const rtl::CuDecodePins::Words& words,
                          const rtl::CuDecodePins::Result& result);

// Plain and serialisable.
struct CuDecodeState {
    bool valid = false;
    rtl::CuDecodePins::Result result;  // in the output register
};

class CuDecodeCore : public rtl::PinBlock<rtl::CuDecodePins> {
  public:
    void step(const In& in, Out& out) override;
    const CuDecodeState& state() const { return state_; }

  private:
    CuDecodeState state_;
};

// Decodes by the decoder on pins. One that reads an instruction otherwise than make_decoded()
// stops the machine: what it says names registers and units without a further check.
class PinDecodeUnit : public DecodeUnit {
  public:
    // Resets the decoder, which must outlive this.
    explicit PinDecodeUnit(rtl::PinBlock<rtl::CuDecodePins>& decoder);
    Decoded decode(uint32_t first, uint32_t second, bool skip) override;

  private:
    rtl::PinBlock<rtl::CuDecodePins>& decoder_;
    rtl::CuDecodePins::In in_;
};

}  // namespace archipelago::cu
