// What stands between an op's operands and its types in StableHLO text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Pretty form: "dims = [1, 0]", "sizes = [2, 3]"; "" for ops without attributes. With the comma
// before it.
std::string pretty_attributes(const Op& op);

// Generic form, inside <{...}>: "dimensions = array<i64: 0, 1>"; "" for none. Collectives without
// groups are given the group of all cores: the compilers want them spelled out.
std::string generic_attributes(const Op& op, const Module& module);

// "LT" and "FLOAT" of a comparison of such operands.
std::pair<std::string_view, std::string_view> compare_words(const CompareAttributes& a,
                                                            DType operands);

// "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {...} {...}"
std::string convolution_attributes(const ConvolutionAttributes& a);

}  // namespace ir
}  // namespace systolic::inline v0
