// Constants: dense<...> in all its spellings, as arrays.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct DenseValue {
  // Has the type as written, or is a scalar where one element stands for all (a splat).
  Literal literal;
  bool splat = false;
};

// The elements of dense<VALUE> : TYPE. VALUE is one element, nested lists, "0x..." (the bytes of
// all elements, little-endian; i1 as bits), or nothing for an empty array. Only what the text holds
// is ever allocated. A text that does not fit the type is an InvalidArgument at its place.
DenseValue read_dense(const Program& program, const Attribute& attribute, DType dtype,
                      const Shape& shape);
// The same for any element type of StableHLO: narrow elements come as they are held (narrow.h).
DenseValue read_dense(const Program& program, const Attribute& attribute, ElementType element,
                      const Shape& shape);

// The text between the brackets; for dense_resource<name> the bytes that `name` stands for, empty
// where there are none.
std::string_view text_of_elements(const Program& program, const Attribute& attribute);

// The numbers of array<i64: ...>, dense<...> : tensor<Nxi64>, [1, 2] or [true, false].
std::vector<int64_t> read_integers(const Program& program, const Attribute& attribute);

// A number attribute: 0.1 : f64, 0x3DCCCCCD : f32, 3 : i64.
double read_float(const Program& program, const Attribute& attribute);

}  // namespace stablehlo
}  // namespace systolic::inline v0
