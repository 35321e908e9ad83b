// For tests: what datasets of numbers give.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/data/dataset.h"

namespace systolic {

using Numbers = std::vector<int64_t>;

// The first number of each element's first component.
inline Numbers numbers(const data::Dataset& dataset) {
  Numbers result;
  for (const Example& element : dataset) result.push_back(element.value(0).integer_at(0));
  return result;
}

// start, start + step, ... below stop.
inline Numbers counting(int64_t stop, int64_t start = 0, int64_t step = 1) {
  Numbers result;
  for (int64_t i = start; i < stop; i += step) result.push_back(i);
  return result;
}

}  // namespace systolic
