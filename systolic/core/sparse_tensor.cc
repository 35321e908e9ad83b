#include "systolic/core/sparse_tensor.h"

#include <utility>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// Each takes memory, whether it has values or not.
constexpr int64_t most_rows = 1 << 28;

std::string indices_name(const std::string& name) { return name + "_indices"; }
std::string shape_name(const std::string& name) { return name + "_dense_shape"; }

void check_kinds(const Literal& indices, const Literal& values, const Shape& dense_shape,
                 SourceLocation location) {
  const bool fits = indices.rank() == 2 && is_integer(indices.dtype()) && values.rank() == 1 &&
                    indices.shape()[0] == values.size() && indices.shape()[1] == dense_shape.rank();
  if (fits) return;
  raise<InvalidArgument>(
      {.what = str("a SparseTensor of shape ", dense_shape, " with indices ", indices.dtype(),
                   indices.shape(), " and values of shape ", values.shape()),
       .wanted = "integers [count, rank] and values [count]",
       .location = location});
}

// Row-major places, each after the one before.
void check_places(const Literal& indices, const Shape& dense_shape, SourceLocation location) {
  const int64_t rank = dense_shape.rank();
  std::vector<int64_t> last, here(static_cast<size_t>(rank));
  for (int64_t i = 0; i < indices.shape()[0]; ++i) {
    bool inside = true;
    for (int64_t axis = 0; axis < rank; ++axis) {
      const int64_t index = indices.integer_at(i * rank + axis);
      here[static_cast<size_t>(axis)] = index;
      inside = inside && index >= 0 && index < dense_shape[static_cast<int>(axis)];
    }
    if (inside && (last.empty() || last < here)) {
      last = here;
      continue;
    }
    raise<InvalidArgument>(
        {.what = str("index ", i, " of a SparseTensor of shape ", dense_shape, " is (", join(here),
                     ")", inside ? ", which is no later than the one before" : ""),
         .wanted = "places inside of the shape, in row-major order, each once",
         .location = location});
  }
}

}  // namespace

SparseTensor SparseTensor::from(const Literal& indices, Literal values, Shape dense_shape,
                                SourceLocation location) {
  check_kinds(indices, values, dense_shape, location);
  check_places(indices, dense_shape, location);
  return {indices.convert(DType::i64), std::move(values), std::move(dense_shape)};
}

bool SparseTensor::is_in(const Example& element, const std::string& name) {
  return element.contains(name) && element.contains(indices_name(name)) &&
         element.contains(shape_name(name));
}

SparseTensor SparseTensor::in(const Example& element, const std::string& name,
                              SourceLocation location) {
  const std::string what = str("sparse '", name, "'");
  const ErrorScope scope(what, location);
  const Literal& sizes = element[shape_name(name)];
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < sizes.size(); ++i) shape.push_back(sizes.integer_at(i));
  return from(element[indices_name(name)], element[name], Shape(shape), location);
}

void SparseTensor::put_in(Example& element, const std::string& name) const {
  element.set(name, values);
  element.set(indices_name(name), indices);
  element.set(shape_name(name), Literal::from(dense_shape.to_vector(), {dense_shape.rank()}));
}

RaggedTensor SparseTensor::rows(SourceLocation location) const {
  if (dense_shape.rank() != 2 || dense_shape[0] > most_rows) {
    raise<InvalidArgument>(
        {.what = str("rows of a SparseTensor of shape ", dense_shape),
         .wanted = str("two axes: [rows, columns], and at most ", most_rows, " rows"),
         .location = location});
  }
  Literal lengths = Literal::zeros(DType::i64, {dense_shape[0]});
  const auto counts = lengths.mutable_data<int64_t>();
  for (int64_t i = 0; i < count(); ++i) ++counts[static_cast<size_t>(indices.integer_at(2 * i))];
  return RaggedTensor::from_row_lengths(values, lengths, location);
}

}  // namespace systolic::inline v0
