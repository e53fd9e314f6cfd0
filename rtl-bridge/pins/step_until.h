// SPDX-License-Identifier: Apache-2.0
// A block's other side that waits for an output: a twin answers at once, another block may take its
// time.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

// Steps up to a cycle in which the output is high; false: within `most` cycles behind the first
// there was none.
template <class P>
bool step_until(PinBlock<P>& block, const typename P::In& in, typename P::Out& out,
                uint8_t P::Out::*high, unsigned most) {
    for (unsigned waited = 0; waited <= most; ++waited) {
        block.step(in, out);
        if (out.*high != 0)
            return true;
    }
    return false;
}

}  // namespace archipelago::rtl
