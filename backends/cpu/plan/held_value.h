// How a value of the program is held while its readers are lowered.
#pragma once

#include <variant>

#include "backends/cpu/plan/plan.h"
#include "backends/cpu/plan/view.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Nobody has defined it yet. Movement ops define theirs when they are asked for.
struct NotDefined {};

// A scatter's result that is not stored: elementwise programs alone read it, and sum the rows as
// they do (kernels/movement/row_sums.h).
struct RowSums {
  View lists, updates;
};

// Random bits that are not stored: the elementwise program that reads them draws them
// (fuse/drawn_bits.h).
struct DrawnBits {
  PlaceId state = no_place;
  int state_words = 2;  // of 64 bits
};

// A rounding that is left to the products that read it, which round as they pack
// (fuse/rounded_operand.h). One that does not pack rounds it first, and defines it as an array.
struct Unrounded {
  ir::ValueId source = ir::no_value;
};

// As a view it lies in memory: as an array of its own, in another value's, or in a constant.
using HeldValue = std::variant<NotDefined, View, RowSums, DrawnBits, Unrounded>;

}  // namespace cpu
}  // namespace systolic::inline v0
