// Places in a table as what a model is given: Keras's `output_mode`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// Places that lie one after the other in rows.
struct PlaceRows {
  std::span<const int64_t> places;
  std::span<const int64_t> row_splits;  // (rows + 1,): where each starts, and where the last ends
};

// [rows, depth], f32, of the places in each row; those outside of [0, depth) count for nothing.
// "multi_hot": 1 where a place is in the row; "count": how often it is; "tf_idf": that, times the
// place's weight. More than 2^31 numbers are a ResourceExhausted.
Literal encode_rows(const PlaceRows& rows, std::string_view mode, int64_t depth,
                    std::span<const double> weights = {});

// i64 places of any shape: "int": as they are; "one_hot": [..., depth], without a last axis of 1
// before it; else the rows are along the last axis, and without one all places are one row.
Literal encode_places(const Literal& places, std::string_view mode, int64_t depth,
                      std::span<const double> weights = {});

}  // namespace systolic::inline v0
