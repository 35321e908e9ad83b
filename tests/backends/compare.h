// Runs a module on the software TPU and on the interpreter, and compares.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/module.h"

namespace systolic {

// Numbers that suit an element type: floats in [low, high), integers in the same range, both 0 and
// 1 of pred. The same seed gives the same numbers.
struct Numbers {
  double low = -4;
  double high = 4;
};
Literal random_literal(DType dtype, const Shape& shape, uint32_t seed, Numbers numbers = {});

// A module whose main() is what `build` appends; it makes the arguments itself.
ir::Module make_module(const std::function<void(ir::Builder&)>& build);

// Both run `module` on `arguments`; every result must have equal type, shape, and numbers: integers
// equal, floats within `tolerance` epsilons of their type times max(1, magnitude of the expected
// array).
void expect_same(const ir::Module& module, const std::vector<Literal>& arguments,
                 double tolerance = 8, const std::string& what = "");

// Both give exactly `wanted`, the one result.
void expect_result(const ir::Module& module, const std::vector<Literal>& arguments,
                   const Literal& wanted);

// Fresh numbers for every argument.
void expect_same(const ir::Module& module, double tolerance = 8, const std::string& what = "",
                 Numbers numbers = {});

// One op on arguments of these types.
void expect_same_op(ir::OpCode code, const std::vector<ir::Type>& types,
                    const ir::Attributes& attributes = {}, double tolerance = 8,
                    Numbers numbers = {}, const std::vector<ir::Type>& requested = {});

}  // namespace systolic
