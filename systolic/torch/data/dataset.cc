#include "systolic/torch/data/dataset.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

TensorDataset::TensorDataset(Example arrays, SourceLocation location) : arrays_(std::move(arrays)) {
  if (arrays_.empty())
    raise<InvalidArgument>({.what = "TensorDataset of no arrays", .location = location});
  for (const auto& part : arrays_) {
    const int64_t rows = part.value.rank() == 0 ? -1 : part.value.shape()[0];
    if (&part == &*arrays_.begin()) rows_ = rows;
    if (rows >= 0 && rows == rows_) continue;
    raise<InvalidArgument>(
        {.what = str("TensorDataset: '", part.name, "' of shape ", part.value.shape()),
         .wanted = "as many rows as the first has",
         .location = location});
  }
}

Example TensorDataset::get(int64_t i) const {
  Example sample;
  for (const auto& part : arrays_) sample.set(part.name, part.value.row(i));
  return sample;
}

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
