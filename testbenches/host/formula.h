// SPDX-License-Identifier: Apache-2.0
// `formula:` of workloads: an element of a buffer, computed from those of others.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbenches/host/element_type.h"

namespace archipelago::host {

// What is wrong with the text of a formula, or with an element of it.
class FormulaError : public std::runtime_error {
  public:
    // `column`: of the text, from 1.
    FormulaError(size_t column, const std::string& what);
};

// The elements that a name stands for.
struct FormulaOperand {
    ElementType type = ElementType::U32;
    std::vector<uint8_t> bytes;

    uint64_t count() const { return bytes.size() / bytes_of(type); }
};

// Numbers are of one type, and each operation rounds to it: integers wrap around (those narrower
// than 32 bits are computed as i32), reals go to the nearest. What stands in [ ] is computed in
// i64. Names are those of operands (their element `i`, or another one: x[i + 1]), `i`, the number
// of the element, and `n`, how many there are.
class Formula {
  public:
    // Throws FormulaError. `names`: of operands. `n`: of elements.
    Formula(const std::string& text, ElementType type, const std::vector<std::string>& names);
    ~Formula();
    Formula(Formula&&) noexcept;
    Formula& operator=(Formula&&) noexcept;

    // Whether it needs the operand.
    bool uses(size_t operand) const { return used_.at(operand); }
    // Stores element `i` of `n`. Throws FormulaError for an index that an operand does not have,
    // and for an integer divided by 0.
    void store(uint64_t i, uint64_t n, const std::vector<FormulaOperand>& operands,
               uint8_t* to) const;

    struct Part;

  private:
    ElementType type_;
    std::vector<bool> used_;
    std::unique_ptr<Part> root_;
};

}  // namespace archipelago::host
