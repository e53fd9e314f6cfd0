// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/selected_mutant.h"

__thread int archipelago::rtl::selected_mutant = 0;
