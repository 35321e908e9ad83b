// What comes between an op's operands and its types in StableHLO text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Pretty form: "dims = [1, 0]", "sizes = [2, 3]", with the comma before it; "" for ops without
// attributes.
std::string pretty_attributes(const Op& op);

// Generic form, inside <{...}>: "dimensions = array<i64: 0, 1>"; "" for none. Collectives without
// groups get the group of all cores: compilers want it spelled out.
std::string generic_attributes(const Op& op, const Module& module);

// Attributes that are not StableHLO's own, inside the {...} after the regions: "mhlo.sharding =
// ..." of a custom_call that marks how its operand lies on the cores; "" for none.
std::string attributes_of_others(const Op& op);

// "LT" and "FLOAT" for a comparison of such operands.
std::pair<std::string_view, std::string_view> compare_words(const CompareAttributes& a,
                                                            DType operands);

// "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {...} {...}"
std::string convolution_attributes(const ConvolutionAttributes& a);

}  // namespace ir
}  // namespace systolic::inline v0
