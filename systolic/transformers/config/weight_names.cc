#include "systolic/transformers/config/weight_names.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/text.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/shape.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t block = 32;  // rows and columns that are turned at once, to stay in the cache

void replace_suffix(std::string& name, std::string_view old_suffix, std::string_view suffix) {
  if (!std::string_view(name).ends_with(old_suffix)) return;
  name.replace(name.size() - old_suffix.size(), old_suffix.size(), suffix);
}

// [rows, columns] -> [columns, rows], where each element has `inner` bytes of type T.
template <class T>
void turn(const T* from, T* to, int64_t rows, int64_t columns) {
  const int64_t row_blocks = (rows + block - 1) / block;
  ThreadPool::compute().parallel_for(row_blocks, 8, [&](int64_t begin, int64_t end) {
    for (int64_t i0 = begin * block; i0 < std::min(end * block, rows); i0 += block) {
      for (int64_t j0 = 0; j0 < columns; j0 += block) {
        const int64_t i1 = std::min(i0 + block, rows), j1 = std::min(j0 + block, columns);
        for (int64_t j = j0; j < j1; ++j) {
          for (int64_t i = i0; i < i1; ++i) to[j * rows + i] = from[i * columns + j];
        }
      }
    }
  });
}

Literal turned(const Literal& matrix, int64_t rows, int64_t columns) {
  Literal result(matrix.dtype(), {columns, rows});
  const size_t width =
      matrix.byte_size() / static_cast<size_t>(std::max<int64_t>(1, rows * columns));
  const auto apply = [&]<class T>(T) {
    turn(reinterpret_cast<const T*>(matrix.raw()), reinterpret_cast<T*>(result.mutable_raw()), rows,
         columns);
  };
  if (width == 8) apply(uint64_t{});
  if (width == 4) apply(uint32_t{});
  if (width == 2) apply(uint16_t{});
  if (width == 1) apply(uint8_t{});
  return result;
}

// [a, b, c] -> [c, b, a], where the middle axis is short.
Literal ends_exchanged(const Literal& x, int64_t a, int64_t b, int64_t c) {
  // [a, b, c] -> [a, c, b] for each a, then [a, c * b] -> [c * b, a].
  const Literal cube = x.reshape({a, b, c});
  Literal inner(x.dtype(), {a, c, b});
  const size_t bytes = x.byte_size() / static_cast<size_t>(std::max<int64_t>(1, a));
  for (int64_t i = 0; i < a; ++i) {
    const Literal one = turned(cube.row(i), b, c);
    std::memcpy(inner.mutable_raw() + static_cast<size_t>(i) * bytes, one.raw(), bytes);
  }
  return turned(inner, a, c * b);
}

}  // namespace

bool contains_any(std::string_view name, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return name.find(part) != std::string_view::npos;
  });
}

StoredWeight stored_weight(std::string_view path, int rank, const WeightNames& names) {
  StoredWeight stored{std::string(path)};
  std::replace(stored.name.begin(), stored.name.end(), '/', '.');
  const bool kernel = stored.name.ends_with(".kernel");
  stored.reversed = kernel && rank >= 2 && !contains_any(stored.name, names.plain_kernels);
  replace_suffix(stored.name, ".kernel", ".weight");
  replace_suffix(stored.name, ".embeddings", ".weight");
  replace_suffix(stored.name, ".gamma", ".weight");
  replace_suffix(stored.name, ".beta", ".bias");
  replace_suffix(stored.name, ".moving_mean", ".running_mean");
  replace_suffix(stored.name, ".moving_variance", ".running_var");
  replace_suffix(stored.name, ".itself", "");
  return stored;
}

std::string present_name(std::string name, const WeightNames& names) {
  // What TensorFlow's BERT called the scale and shift of a LayerNorm.
  replace_suffix(name, "LayerNorm.gamma", "LayerNorm.weight");
  replace_suffix(name, "LayerNorm.beta", "LayerNorm.bias");
  for (const auto& [older, present] : names.older) {
    const size_t at = name.find(older);
    if (at != std::string::npos) name.replace(at, older.size(), present);
  }
  return name;
}

Shape stored_shape(const Shape& kernel) {
  const int rank = kernel.rank();
  std::vector<int64_t> sizes{kernel[rank - 1], kernel[rank - 2]};
  for (int axis = 0; axis < rank - 2; ++axis) sizes.push_back(kernel[axis]);
  return Shape(sizes);
}

Literal from_stored_axes(const Literal& kernel) {
  const Shape& shape = kernel.shape();
  if (kernel.rank() == 2) return turned(kernel, shape[0], shape[1]);
  // [out, in, spatial...] -> [spatial..., in, out]
  int64_t spatial = 1;
  std::vector<int64_t> sizes;
  for (int axis = 2; axis < kernel.rank(); ++axis) {
    spatial *= shape[axis];
    sizes.push_back(shape[axis]);
  }
  sizes.push_back(shape[1]);
  sizes.push_back(shape[0]);
  return ends_exchanged(kernel, shape[0], shape[1], spatial).reshape(Shape(sizes));
}

Literal to_stored_axes(const Literal& kernel) {
  const Shape& shape = kernel.shape();
  const int rank = kernel.rank();
  if (rank == 2) return turned(kernel, shape[0], shape[1]);
  int64_t spatial = 1;
  for (int axis = 0; axis < rank - 2; ++axis) spatial *= shape[axis];
  return ends_exchanged(kernel, spatial, shape[rank - 2], shape[rank - 1])
      .reshape(stored_shape(shape));
}

}  // namespace systolic::inline v0
