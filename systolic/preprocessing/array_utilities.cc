#include "systolic/preprocessing/array_utilities.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

std::vector<int64_t> sizes_after(const Shape& shape, int first) {
  std::vector<int64_t> sizes;
  for (int axis = first; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

void check_sequences(const std::vector<Literal>& sequences, SourceLocation location) {
  for (const Literal& one : sequences) {
    const bool fits = one.dtype() != DType::string && one.rank() > 0 &&
                      sizes_after(one.shape(), 1) == sizes_after(sequences[0].shape(), 1);
    if (fits) continue;
    raise<InvalidArgument>(
        {.what = str("a sequence is ", to_string(one.dtype()), one.shape()),
         .wanted = "numbers [length, ...], with the same sizes after the length in all",
         .location = location});
  }
}

double norm_of(const std::vector<double>& values, double order) {
  double total = 0;
  for (const double value : values) {
    total = std::isinf(order) ? std::max(total, std::abs(value))
                              : total + std::pow(std::abs(value), order);
  }
  return std::isinf(order) ? total : std::pow(total, 1 / order);
}

template <class T>
Literal padded(const std::vector<std::vector<T>>& sequences, const PadSequencesOptions& options,
               SourceLocation location) {
  std::vector<Literal> arrays;
  for (const std::vector<T>& one : sequences)
    arrays.push_back(Literal::from(one, {static_cast<int64_t>(one.size())}));
  return pad_sequences(arrays, options, location);
}

}  // namespace

Literal to_categorical(const Literal& labels, std::optional<int64_t> num_classes,
                       SourceLocation location) {
  const Literal numbers = labels.convert(DType::i64);
  const std::span<const int64_t> from = numbers.data<int64_t>();
  const int64_t largest = from.empty() ? -1 : *std::max_element(from.begin(), from.end());
  const int64_t classes = num_classes.value_or(largest + 1);
  const int64_t smallest = from.empty() ? 0 : *std::min_element(from.begin(), from.end());
  if (classes < 1 || largest >= classes || smallest < 0) {
    raise<InvalidArgument>({.what = str("class numbers from ", smallest, " to ", largest),
                            .wanted = str("from 0 to below num_classes, ", classes),
                            .location = location});
  }
  std::vector<int64_t> sizes = sizes_after(labels.shape(), 0);
  if (sizes.size() > 1 && sizes.back() == 1) sizes.pop_back();
  sizes.push_back(classes);
  Literal result = Literal::zeros(DType::f32, Shape(sizes));
  const std::span<float> to = result.mutable_data<float>();
  for (size_t i = 0; i < from.size(); ++i)
    to[i * static_cast<size_t>(classes) + static_cast<size_t>(from[i])] = 1;
  return result;
}

Literal pad_sequences(const std::vector<Literal>& sequences, const PadSequencesOptions& options,
                      SourceLocation location) {
  check_sequences(sequences, location);
  int64_t longest = 0;
  for (const Literal& one : sequences) longest = std::max(longest, one.shape()[0]);
  const int64_t length = options.maxlen.value_or(longest);
  if (length < 0 || options.dtype == DType::string) {
    raise<InvalidArgument>({.what = str("maxlen ", length, ", dtype ", to_string(options.dtype)),
                            .wanted = "0 or more, of a type of numbers",
                            .location = location});
  }
  std::vector<int64_t> sizes{static_cast<int64_t>(sequences.size()), length};
  if (!sequences.empty()) {
    const std::vector<int64_t> rest = sizes_after(sequences[0].shape(), 1);
    sizes.insert(sizes.end(), rest.begin(), rest.end());
  }
  Literal result = Literal::filled(options.dtype, Shape(sizes), options.value);
  for (size_t i = 0; i < sequences.size(); ++i) {
    const int64_t count = std::min(sequences[i].shape()[0], length);
    if (count == 0) continue;
    const int64_t dropped =
        options.truncating == PadSide::pre ? sequences[i].shape()[0] - count : 0;
    const Literal kept = sequences[i].rows(dropped, dropped + count).convert(options.dtype);
    const size_t step = kept.byte_size() / static_cast<size_t>(count);
    const int64_t before = options.padding == PadSide::pre ? length - count : 0;
    std::memcpy(result.mutable_raw() +
                    (i * static_cast<size_t>(length) + static_cast<size_t>(before)) * step,
                kept.raw(), kept.byte_size());
  }
  return result;
}

Literal pad_sequences(const std::vector<std::vector<int64_t>>& sequences,
                      const PadSequencesOptions& options, SourceLocation location) {
  return padded(sequences, options, location);
}
Literal pad_sequences(const std::vector<std::vector<double>>& sequences,
                      const PadSequencesOptions& options, SourceLocation location) {
  return padded(sequences, options, location);
}

Literal normalize(const Literal& x, int axis, double order, SourceLocation location) {
  const int along = axis < 0 ? axis + x.rank() : axis;
  if (along < 0 || along >= x.rank() || !(order >= 1)) {
    raise<InvalidArgument>({.what = str("normalize along axis ", axis, " by order ", order,
                                        " of an array of shape ", x.shape()),
                            .wanted = "an axis of it, and an order of 1 or more",
                            .location = location});
  }
  Literal result = x.convert(DType::f64);
  const std::span<double> values = result.mutable_data<double>();
  size_t inner = 1;
  for (const int64_t size : sizes_after(x.shape(), along + 1)) inner *= static_cast<size_t>(size);
  const auto length = static_cast<size_t>(x.shape()[along]);
  std::vector<double> row(length);
  for (size_t begin = 0; begin < values.size(); begin += inner * length) {
    for (size_t i = 0; i < inner; ++i) {
      for (size_t k = 0; k < length; ++k) row[k] = values[begin + i + k * inner];
      const double norm = norm_of(row, order);
      if (norm == 0) continue;
      for (size_t k = 0; k < length; ++k) values[begin + i + k * inner] /= norm;
    }
  }
  return result.convert(x.dtype() == DType::f64 ? DType::f64 : DType::f32);
}

}  // namespace systolic::inline v0
