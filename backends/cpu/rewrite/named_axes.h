// Products of arrays whose axes have names, as in Einstein's notation: the order of the axes, and
// what is batched and what is summed, follow from the names.
//
//   product({query, {0, 1, 2}}, {w, {3, 1, 2}}, {0, 1}, {})
//
// of query [batch 0, heads 1, size 2] and w [features 3, heads 1, size 2], for a result that keeps
// 0 and 1, has the axes [heads 1, batch 0, features 3].
#pragma once

#include <vector>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace cpu {

using AxisNames = std::vector<int>;

bool holds(const AxisNames& names, int name);
// `names`, then those of `more` that are not among them.
AxisNames joined(AxisNames names, const AxisNames& more);
// Those of `names` that are not among `others`.
AxisNames without(AxisNames names, const AxisNames& others);

struct NamedArray {
  ir::Value array;
  AxisNames axes;  // a name each, none twice; axes of one name are of one size
};

// Axes that both have are batched if `kept` has them, else summed. The result has the batched ones,
// the rest of a's, the rest of b's. `dot` has no axes yet.
NamedArray product(const NamedArray& a, const NamedArray& b, const AxisNames& kept,
                   ir::DotAttributes dot);

// Transposed, so that its axes are in this order.
ir::Value arranged(const NamedArray& x, const AxisNames& order);

// Broadcast to `shape`, whose axes are `axes`.
ir::Value spread(const NamedArray& x, const AxisNames& axes, const Shape& shape);

}  // namespace cpu
}  // namespace systolic::inline v0
