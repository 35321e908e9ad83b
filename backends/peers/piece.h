// One process's piece of an array.
#pragma once

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace peers {

// Piece `index` of `pieces` equal ones along an axis, whose size they divide.
Literal piece_of(const Literal& whole, int axis, int64_t index, int64_t pieces);

}  // namespace peers
}  // namespace systolic::inline v0
