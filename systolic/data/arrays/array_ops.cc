#include "systolic/data/arrays/array_ops.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/core/put_together.h"

namespace systolic::inline v0 {
namespace data {
namespace {

std::string describe(const Literal& x) { return str(x.dtype(), x.shape()); }

void check_axis_count(const Literal& x, size_t count, std::string_view name,
                      SourceLocation location) {
  if (static_cast<size_t>(x.rank()) == count) return;
  raise<InvalidArgument>({.what = str(name, " of ", describe(x), " with ", count, " numbers"),
                          .wanted = str("one for each of the ", x.rank(), " axes"),
                          .location = location});
}

size_t width_of(const Literal& x, std::string_view name, SourceLocation location) {
  if (byte_width(x.dtype()) > 0) return static_cast<size_t>(byte_width(x.dtype()));
  raise<InvalidArgument>(
      {.what = str(name, " of ", describe(x)), .wanted = "numbers", .location = location});
}

// Copies a box of `shape` elements, row by row: element (i, j, …) lies at from + i *
// from_strides[0] + …, in elements.
void copy_box(const std::byte* from, const std::vector<int64_t>& from_strides, std::byte* to,
              const std::vector<int64_t>& to_strides, const Shape& shape, size_t width) {
  if (shape.elements() == 0) return;
  if (shape.rank() == 0) {
    std::memcpy(to, from, width);
    return;
  }
  const int last = shape.rank() - 1;
  const int64_t row = shape[last];
  const int64_t from_step = from_strides.back(), to_step = to_strides.back();
  const Shape outer = shape.slice(0, last);
  std::vector<int64_t> index(static_cast<size_t>(last), 0);
  do {
    int64_t source = 0, target = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      source += index[axis] * from_strides[axis];
      target += index[axis] * to_strides[axis];
    }
    const std::byte* in = from + static_cast<size_t>(source) * width;
    std::byte* out = to + static_cast<size_t>(target) * width;
    if (from_step == 1 && to_step == 1) {
      std::memcpy(out, in, static_cast<size_t>(row) * width);
    } else {
      for (int64_t i = 0; i < row; ++i) {
        std::memcpy(out + static_cast<size_t>(i * to_step) * width,
                    in + static_cast<size_t>(i * from_step) * width, width);
      }
    }
  } while (next_index(outer, index));
}

}  // namespace

Literal reshape(const Literal& x, const Shape& shape, SourceLocation location) {
  Shape result = shape;
  int64_t known = 1;
  int unknown = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] >= 0) {
      known *= shape[axis];
    } else if (unknown < 0) {
      unknown = axis;
    } else {
      raise<InvalidArgument>(
          {.what = str("reshape to ", shape), .wanted = "at most one -1", .location = location});
    }
  }
  if (unknown >= 0 && known > 0) result.set(unknown, x.size() / known);
  if (unknown >= 0 && known == 0) result.set(unknown, 0);
  return x.reshape(result, location);
}

Literal transpose(const Literal& x, std::vector<int> permutation, SourceLocation location) {
  const auto rank = static_cast<size_t>(x.rank());
  if (permutation.empty()) {
    for (size_t i = 0; i < rank; ++i) permutation.push_back(static_cast<int>(rank - 1 - i));
  }
  std::vector<int> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() == rank && sorted[i] == static_cast<int>(i)) continue;
    raise<InvalidArgument>(
        {.what = str("transpose of ", describe(x), " by (", join(permutation), ")"),
         .wanted = str("every axis in [0, ", rank, ") once"),
         .location = location});
  }
  const size_t width = width_of(x, "transpose", location);
  const std::vector<int64_t> strides = x.shape().strides();
  std::vector<int64_t> sizes, from_strides;
  for (int axis : permutation) {
    sizes.push_back(x.shape()[axis]);
    from_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  Literal result(x.dtype(), Shape(sizes));
  copy_box(x.raw(), from_strides, result.mutable_raw(), result.shape().strides(), result.shape(),
           width);
  return result;
}

Literal slice(const Literal& x, const std::vector<int64_t>& begin, const std::vector<int64_t>& size,
              SourceLocation location) {
  check_axis_count(x, begin.size(), "slice", location);
  check_axis_count(x, size.size(), "slice", location);
  const size_t width = width_of(x, "slice", location);
  const std::vector<int64_t> strides = x.shape().strides();
  std::vector<int64_t> sizes = size;
  int64_t offset = 0;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t there = x.shape()[static_cast<int>(axis)];
    if (sizes[axis] == -1) sizes[axis] = there - begin[axis];
    if (begin[axis] < 0 || sizes[axis] < 0 || begin[axis] > there ||
        sizes[axis] > there - begin[axis]) {
      raise<InvalidArgument>({.what = str("slice of ", describe(x), " from (", join(begin),
                                          ") of size (", join(size), ")"),
                              .wanted = str("a range within [0, ", there, ") on axis ", axis),
                              .location = location});
    }
    offset += begin[axis] * strides[axis];
  }
  Literal result(x.dtype(), Shape(sizes));
  copy_box(x.raw() + static_cast<size_t>(offset) * width, strides, result.mutable_raw(),
           result.shape().strides(), result.shape(), width);
  return result;
}

Literal rows(const Literal& x, int64_t begin, int64_t end, SourceLocation location) {
  if (x.rank() == 0) {
    raise<InvalidArgument>({.what = str("rows of a scalar, ", x),
                            .wanted = "an array with at least one axis",
                            .location = location});
  }
  const int64_t count = x.shape()[0];
  const auto place = [count](int64_t at) {
    return std::clamp(at < 0 ? at + count : at, int64_t{0}, count);
  };
  std::vector<int64_t> first(static_cast<size_t>(x.rank()), 0), size(first.size(), -1);
  first[0] = place(begin);
  size[0] = std::max<int64_t>(0, place(end) - first[0]);
  return slice(x, first, size, location);
}

Literal pad(const Literal& x, const std::vector<std::pair<int64_t, int64_t>>& paddings,
            double value, SourceLocation location) {
  check_axis_count(x, paddings.size(), "pad", location);
  const size_t width = width_of(x, "pad", location);
  std::vector<int64_t> sizes;
  for (size_t axis = 0; axis < paddings.size(); ++axis) {
    const auto [before, after] = paddings[axis];
    if (before < 0 || after < 0) {
      raise<InvalidArgument>({.what = str("pad by (", before, ", ", after, ") on axis ", axis),
                              .wanted = "numbers of at least 0",
                              .location = location});
    }
    sizes.push_back(before + x.shape()[static_cast<int>(axis)] + after);
  }
  Literal result = Literal::filled(x.dtype(), Shape(sizes), value);
  const std::vector<int64_t> strides = result.shape().strides();
  int64_t offset = 0;
  for (size_t axis = 0; axis < paddings.size(); ++axis)
    offset += paddings[axis].first * strides[axis];
  copy_box(x.raw(), x.shape().strides(), result.mutable_raw() + static_cast<size_t>(offset) * width,
           strides, x.shape(), width);
  return result;
}

Literal one_hot(const Literal& indices, int64_t depth, DType dtype, SourceLocation location) {
  if (!is_integer(indices.dtype()) || depth < 0) {
    raise<InvalidArgument>({.what = str("one_hot of ", describe(indices), " with depth ", depth),
                            .wanted = "integers, and a depth of at least 0",
                            .location = location});
  }
  Literal result = Literal::zeros(dtype, indices.shape().with_inserted(indices.rank(), depth));
  const Literal numbers = indices.convert(DType::i64);
  const auto labels = numbers.data<int64_t>();
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = reinterpret_cast<T*>(result.mutable_raw());
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] >= 0 && labels[i] < depth)
        out[static_cast<int64_t>(i) * depth + labels[i]] = convert_element<T>(1.0f);
    }
  });
  return result;
}

void raise_ragged(size_t row, size_t length, size_t of_first, SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("array: row ", row, " has length ", length, ", row 0 ", of_first),
       .wanted = "rows of one length",
       .hint =
           "pad them; for token ids tokenizer(texts, {.padding = true}) does, and encode_batch() "
           "after set_padding()",
       .location = location});
}

Literal stack(std::span<const Literal> arrays, SourceLocation location) {
  return stacked(arrays, {.what = "stack", .location = location});
}

Literal expand_dims(const Literal& x, int axis, SourceLocation location) {
  const int place = axis < 0 ? axis + x.rank() + 1 : axis;
  if (place < 0 || place > x.rank()) {
    raise<InvalidArgument>({.what = str("expand_dims of ", describe(x), " at axis ", axis),
                            .wanted = str("an axis in [", -x.rank() - 1, ", ", x.rank(), "]"),
                            .location = location});
  }
  return x.reshape(x.shape().with_inserted(place, 1));
}

Literal decode_raw(const Literal& strings, DType dtype, SourceLocation location) {
  const auto width = static_cast<size_t>(byte_width(dtype));
  if (strings.dtype() != DType::string || width == 0) {
    raise<InvalidArgument>({.what = str("decode_raw of ", describe(strings), " as ", dtype),
                            .wanted = "strings, and numbers",
                            .location = location});
  }
  const size_t bytes = strings.size() == 0 ? 0 : strings.string_at(0).size();
  const auto count = static_cast<int64_t>(bytes / width);
  Literal result(dtype, strings.shape().with_inserted(strings.rank(), count));
  std::byte* out = result.mutable_raw();
  for (int64_t i = 0; i < strings.size(); ++i) {
    const std::string_view value = strings.string_at(i);
    if (value.size() != bytes || bytes % width != 0) {
      raise<InvalidArgument>(
          {.what = str("decode_raw: string ", i, " has ", value.size(), " bytes"),
           .wanted = value.size() != bytes ? str(bytes, " as the first")
                                           : str("a multiple of ", width, ", the width of ", dtype),
           .location = location});
    }
    if (bytes > 0) std::memcpy(out + static_cast<size_t>(i) * bytes, value.data(), bytes);
  }
  if (dtype == DType::pred) {
    for (size_t i = 0; i < result.byte_size(); ++i)
      out[i] = out[i] != std::byte{0} ? std::byte{1} : std::byte{0};
  }
  return result;
}

}  // namespace data
}  // namespace systolic::inline v0
