// How one axis of an array lies on cores: in how many pieces, and which piece each core has. What
// is not said, as in {2, {0, 0, 1, 1}} for four cores, is that a core holds the whole axis.
//
// A cut by several axes of a mesh counts the first as the major one, so that a cut by "x" begins
// the cut by "x" and "y": its pieces are made of whole pieces of the other.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {
namespace plugin {

struct Cut {
  int64_t pieces = 1;
  std::vector<int64_t> index = {};  // [core]; nothing where there is one piece
  friend bool operator==(const Cut&, const Cut&) = default;
};

// The cut into fewer pieces that `cut` refines; `pieces` divides its own.
Cut first_of(const Cut& cut, int64_t pieces);
// What is left of it within each of these pieces.
Cut rest_of(const Cut& cut, int64_t pieces);
bool begins(const Cut& coarse, const Cut& fine);
// The finest cut that begins both.
Cut common(const Cut& a, const Cut& b);
// Each piece of `major` cut by `minor`.
Cut combine(const Cut& major, const Cut& minor);
// Whether the cores have all combinations of pieces: no axis of a mesh cuts twice.
bool independent(const std::vector<const Cut*>& cuts);

// Divisors of pieces, the largest first, which is pieces itself.
std::vector<int64_t> divisors(int64_t pieces);

}  // namespace plugin
}  // namespace systolic::inline v0
