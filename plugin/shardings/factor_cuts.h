// The arrays of one op, seen by the factors of its rule.
#pragma once

#include <vector>

#include "plugin/shardings/placement.h"

namespace systolic::inline v0 {
namespace plugin {

// How one array's factors are cut. An axis of several factors is cut major first; what its cut does
// not divide into stays as it is.
class FactorCuts {
 public:
  FactorCuts(const Rule& rule, size_t array, const PlacedArray& placed);

  bool has(size_t factor) const { return parts_[factor].axis != no_axis; }
  const Cut& cut(size_t factor) const { return parts_[factor].cut; }
  int64_t elements() const { return elements_; }
  // Cuts the factor by as much of `wanted`, which its own cut begins, as fits it and no other
  // factor is cut by. Whether that is more than there was.
  bool extend(size_t factor, const Cut& wanted);
  // Whether that changes the array.
  bool write(PlacedArray& placed) const;

 private:
  struct Part {
    int axis = no_axis;
    bool last = false;  // the minor one of its axis
    bool closed = false;
    Cut cut = {};
  };
  int64_t most_pieces(size_t factor, const Cut& wanted) const;
  bool is_free(size_t factor, const Cut& cut) const;

  const Rule& rule_;
  std::vector<Part> parts_;  // of each factor
  std::vector<Cut> rests_;   // of axes that do not divide
  std::vector<bool> stuck_;  // these axes
  int64_t elements_ = 1;
};

}  // namespace plugin
}  // namespace systolic::inline v0
