#include "systolic/transformers/generation/program/repeated_runs.h"

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor repeated_runs(const Tensor& ids, const Tensor& starts, const Tensor& end, int64_t length,
                     int64_t vocabulary) {
  const int64_t rows = ids.shape()[0], slots = ids.shape()[1], known = length - 1;
  const int64_t places = slots - known;
  if (places < 1) return zeros({rows, vocabulary}, DType::pred);
  const auto from = [&](int64_t i) { return slice(ids, {0, i}, {rows, places}); };
  // A run begins here, within the text, and ends before the text does.
  const Tensor place = iota({1, places}, 1);
  Tensor repeats = logical_and(place >= expand_dims(starts, 1), place + known < end);
  for (int64_t i = 0; i < known; ++i) {
    const Tensor last = ids[{all, end + (i - known)}];
    repeats = logical_and(repeats, from(i) == expand_dims(last, 1));
  }
  const Tensor cell = iota({rows, places}, 0) * vocabulary + from(known);
  const Tensor counts =
      scatter_add(zeros({rows * vocabulary}, DType::f32), reshape(cell, {rows * places}),
                  reshape(cast(repeats, DType::f32), {rows * places}));
  return reshape(counts, {rows, vocabulary}) > 0;
}

}  // namespace systolic::inline v0
