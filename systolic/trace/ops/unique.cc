#include "systolic/trace/ops/unique.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

[[noreturn]] void raise_no_size(const Tensor& x, SourceLocation at) {
  raise<InvalidArgument>(
      {.what =
           str("unique of shape ", x.shape(), ": the size of the result would depend on the data"),
       .wanted = "shapes that are known before the program runs",
       .hint =
           "name the size, unique(x, {.size = n}), or keep the shape and mask instead: sum(where("
           "mask, x, 0)) / sum(cast(mask, DType::f32))",
       .location = at});
}

}  // namespace

Tensor unique(const Tensor& x, UniqueOptions options, SourceLocation at) {
  if (!options.size) raise_no_size(x, at);
  if (*options.size < 1 || x.size() == 0) {
    raise<InvalidArgument>(
        {.what = str("unique of shape ", x.shape(), " with size = ", *options.size),
         .wanted = "at least one element, and a size of 1 or more",
         .location = at});
  }
  const int64_t count = x.size(), size = *options.size;
  const Tensor sorted = sort(reshape(x, {count}, at), 0, false, at);
  const Tensor smallest = slice(sorted, {0}, {1}, at),
               largest = slice(sorted, {count - 1}, {1}, at);
  Tensor is_new = fill({1}, 1, DType::pred, at);
  if (count > 1) {
    const Tensor differs = slice(sorted, {1}, {-1}, at) != slice(sorted, {0}, {count - 1}, at);
    is_new = concat({is_new, differs}, 0, at);
  }
  // Repeated elements become the largest, which sorts them after all others.
  Tensor distinct = sort(where(is_new, sorted, largest), 0, false, at);
  if (size < count) distinct = slice(distinct, {0}, {size}, at);
  if (size > count) distinct = pad(distinct, {{0, size - count}}, 0, at);
  const Tensor filler =
      options.fill_value ? fill({1}, *options.fill_value, x.dtype(), at) : smallest;
  const Tensor found = sum(cast(is_new, DType::i32), {}, at);
  return where(iota({size}, 0, DType::i32, at) < found, distinct, filler);
}

}  // namespace systolic::inline v0
