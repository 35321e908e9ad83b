// An array of which only some elements are there (tf.SparseTensor): their positions in row-major
// order, and their values.
//
//   SparseTensor x = SparseTensor::from(Literal::of<int64_t>({{0, 1}, {2, 0}}),   // indices
//                                       Literal::of<int64_t>({7, 9}),             // values
//                                       Shape{3, 4});
//
// In an element of a dataset it is three arrays: "x", its values, "x_indices" and "x_dense_shape".
#pragma once

#include <string>

#include "systolic/core/example.h"
#include "systolic/core/literal.h"
#include "systolic/core/ragged_tensor.h"

namespace systolic::inline v0 {

struct SparseTensor {
  Literal indices;  // i64 [count, rank]
  Literal values;   // [count]
  Shape dense_shape;

  // InvalidArgument where indices lie outside of the shape or are out of order, naming the first.
  static SparseTensor from(const Literal& indices, Literal values, Shape dense_shape,
                           SourceLocation location = SourceLocation::current());
  static SparseTensor in(const Example& element, const std::string& name,
                         SourceLocation location = SourceLocation::current());
  static bool is_in(const Example& element, const std::string& name);
  void put_in(Example& element, const std::string& name) const;

  int64_t count() const { return values.size(); }
  // The values of each row of a matrix, in order, wherever they stand in it. InvalidArgument for
  // other ranks.
  RaggedTensor rows(SourceLocation location = SourceLocation::current()) const;
};

}  // namespace systolic::inline v0
