#include "systolic/core/ragged_tensor.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

std::string splits_name(const std::string& name) { return name + "_row_splits"; }

[[noreturn]] void raise_bad_splits(const std::string& what, SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("row_splits ", what),
       .wanted = "integers [rows + 1] that begin with 0, never fall, and end with the number of "
                 "values",
       .location = location});
}

}  // namespace

RaggedTensor RaggedTensor::from_row_splits(Literal values, const Literal& row_splits,
                                           SourceLocation location) {
  if (values.rank() == 0) {
    raise<InvalidArgument>({.what = "the values of a RaggedTensor are a scalar",
                            .wanted = "an array [total, ...]",
                            .location = location});
  }
  if (!is_integer(row_splits.dtype()) || row_splits.rank() != 1 || row_splits.size() == 0)
    raise_bad_splits(str("are ", row_splits.dtype(), " of shape ", row_splits.shape()), location);
  const int64_t last = row_splits.size() - 1;
  if (row_splits.integer_at(0) != 0 || row_splits.integer_at(last) != values.shape()[0]) {
    raise_bad_splits(str("go from ", row_splits.integer_at(0), " to ", row_splits.integer_at(last),
                         " for ", values.shape()[0], " values"),
                     location);
  }
  for (int64_t i = 0; i < last; ++i) {
    if (row_splits.integer_at(i) > row_splits.integer_at(i + 1))
      raise_bad_splits(str("fall at row ", i), location);
  }
  return {std::move(values), row_splits.convert(DType::i64)};
}

RaggedTensor RaggedTensor::from_row_lengths(Literal values, const Literal& lengths,
                                            SourceLocation location) {
  Literal splits(DType::i64, {lengths.size() + 1});
  const auto starts = splits.mutable_data<int64_t>();
  starts[0] = 0;
  for (size_t i = 0; i + 1 < starts.size(); ++i)
    starts[i + 1] = starts[i] + std::max<int64_t>(0, lengths.integer_at(static_cast<int64_t>(i)));
  return from_row_splits(std::move(values), splits, location);
}

bool RaggedTensor::is_in(const Example& element, const std::string& name) {
  return element.contains(name) && element.contains(splits_name(name));
}

RaggedTensor RaggedTensor::in(const Example& element, const std::string& name,
                              SourceLocation location) {
  const std::string what = str("ragged '", name, "'");
  const ErrorScope scope(what, location);
  return from_row_splits(element[name], element[splits_name(name)], location);
}

void RaggedTensor::put_in(Example& element, const std::string& name) const {
  element.set(name, values);
  element.set(splits_name(name), row_splits);
}

int64_t RaggedTensor::longest_row() const {
  int64_t longest = 0;
  for (int64_t row = 0; row < rows(); ++row) longest = std::max(longest, row_length(row));
  return longest;
}

}  // namespace systolic::inline v0
