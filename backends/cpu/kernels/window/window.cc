// StableHLO's reduce_window and select_and_scatter on any array, index by index; f32 goes to
// pooling where the windows lie in one axis or two.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/reduce/reduce_combine.h"
#include "backends/cpu/kernels/window/pooling.h"
#include "backends/cpu/kernels/window/pooling_planes.h"
#include "backends/cpu/kernels/window/running.h"
#include "backends/cpu/kernels/window/visit_stored.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using Index = std::array<int64_t, max_axes>;

// Sizes and strides of a window walk.
struct WindowPlan {
  int rank = 0;
  Index dims{}, strides{}, output_dims{};
  std::array<WindowAxis, max_axes> axes{};
  int64_t outputs = 1, window_elements = 1;
};

WindowPlan make_plan(std::span<const int64_t> dims, std::span<const WindowAxis> axes) {
  ensure(dims.size() <= static_cast<size_t>(max_axes) && axes.size() == dims.size(),
         "a window has one entry for each of at most 12 axes");
  WindowPlan plan;
  plan.rank = static_cast<int>(dims.size());
  int64_t stride = 1;
  for (int k = plan.rank - 1; k >= 0; --k) {
    plan.dims[k] = dims[k];
    plan.axes[k] = axes[k];
    plan.strides[k] = stride;
    stride *= dims[k];
    plan.output_dims[k] = window_count(dims[k], axes[k]);
    plan.outputs *= plan.output_dims[k];
    plan.window_elements *= axes[k].window;
  }
  return plan;
}

// Calls visit(offset of an input element) for each position of the window at `output`, in row-major
// order; -1 stands for the padding and the holes of a dilated base.
template <class Visit>
void for_each_in_window(const WindowPlan& plan, const Index& output, Visit&& visit) {
  Index window{};
  for (int64_t n = 0; n < plan.window_elements; ++n) {
    int64_t offset = 0;
    bool inside = true;
    for (int k = 0; k < plan.rank && inside; ++k) {
      const int64_t element = plan.axes[k].element_at(output[k], window[k], plan.dims[k]);
      inside = element >= 0;
      offset += element * plan.strides[k];
    }
    visit(inside ? offset : -1);
    for (int k = plan.rank - 1; k >= 0; --k) {
      if (++window[k] < plan.axes[k].window) break;
      window[k] = 0;
    }
  }
}

Index index_of(const WindowPlan& plan, int64_t position) {
  Index index{};
  for (int k = plan.rank - 1; k >= 0; --k) {
    index[k] = position % plan.output_dims[k];
    position /= plan.output_dims[k];
  }
  return index;
}

bool is_single(const WindowAxis& axis) {
  return axis.window == 1 && axis.stride == 1 && axis.padding_low == 0 && axis.padding_high == 0 &&
         axis.base_dilation == 1;
}

// The window as pooling in one axis or in two that lie side by side, when it is that: the axes
// before them are the batch, those after them the channels.
std::optional<Pool2D> as_pool2d(DType dtype, std::span<const int64_t> dims,
                                std::span<const WindowAxis> axes) {
  if (dtype != DType::f32) return std::nullopt;
  size_t first = 0, end = axes.size();
  while (first < end && is_single(axes[first])) ++first;
  while (end > first && is_single(axes[end - 1])) --end;
  if (end == first || end - first > 2) return std::nullopt;
  Pool2D result{1, 1, dims[end - 1], 1, {}, axes[end - 1]};
  if (end - first == 2) {
    result.height = dims[first];
    result.vertical = axes[first];
  }
  for (const WindowAxis& axis : {result.vertical, result.horizontal}) {
    if (axis.base_dilation != 1 || axis.window_dilation != 1) return std::nullopt;
  }
  for (size_t k = 0; k < first; ++k) result.batch *= dims[k];
  for (size_t k = end; k < dims.size(); ++k) result.channels *= dims[k];
  return result;
}

bool is_float_value(const void* value, float wanted) {
  float got;
  std::memcpy(&got, value, sizeof(got));
  return got == wanted;
}

bool reduce_as_pooling(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                       std::span<const WindowAxis> axes, const void* input, const void* init,
                       void* output, ThreadPool& pool) {
  const std::optional<Pool2D> pool2d = as_pool2d(dtype, dims, axes);
  if (!pool2d) return false;
  const bool planes = fits_planes(*pool2d);
  const float* x = static_cast<const float*>(input);
  float* y = static_cast<float*>(output);
  if (kind == ReduceKind::maximum && is_float_value(init, -INFINITY)) {
    (planes ? max_pool_planes : max_pool)(*pool2d, x, y, pool);
    return true;
  }
  if (kind != ReduceKind::sum || !is_float_value(init, 0.0f)) return false;
  (planes ? sum_pool_planes : sum_pool)(*pool2d, x, y, pool);
  return true;
}

template <ReduceKind kind, class Stored>
void reduce_window_typed(const WindowPlan& plan, const Stored* input, Stored init, Stored* output,
                         ThreadPool& pool) {
  using T = CombineType<Stored>;
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, plan.window_elements));
  pool.parallel_for(plan.outputs, grain, [&](int64_t begin, int64_t end) {
    for (int64_t position = begin; position < end; ++position) {
      // Rounded each time, as the region says: who wants wider sums has a region of a wider type.
      Stored total = init;
      for_each_in_window(plan, index_of(plan, position), [&](int64_t offset) {
        const Stored element = offset < 0 ? init : input[offset];
        total = convert_element<Stored>(
            reduce_combine<kind, T>(convert_element<T>(total), convert_element<T>(element)));
      });
      output[position] = total;
    }
  });
}

}  // namespace

void reduce_window(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                   std::span<const WindowAxis> axes, const void* input, const void* init,
                   void* output, ThreadPool& pool) {
  if (reduce_as_running(kind, dtype, dims, axes, input, init, output, pool)) return;
  if (reduce_as_pooling(kind, dtype, dims, axes, input, init, output, pool)) return;
  const WindowPlan plan = make_plan(dims, axes);
  if (plan.outputs == 0) return;
  visit_stored(kind, dtype, [&](auto kind_tag, auto tag) {
    using Stored = typename decltype(tag)::type;
    Stored start;
    std::memcpy(&start, init, sizeof(start));
    reduce_window_typed<decltype(kind_tag)::value, Stored>(
        plan, static_cast<const Stored*>(input), start, static_cast<Stored*>(output), pool);
  });
}

namespace {

template <class T>
bool keeps(SelectKind select, T chosen, T candidate) {
  switch (select) {
    case SelectKind::ge:
      return chosen >= candidate;
    case SelectKind::gt:
      return chosen > candidate;
    case SelectKind::le:
      return chosen <= candidate;
    case SelectKind::lt:
      break;
  }
  return chosen < candidate;
}

// The element that wins in the window at `position`; -1 if the window covers none.
template <class Stored>
int64_t chosen_element(const WindowPlan& plan, SelectKind select, const Stored* operand,
                       int64_t position) {
  using T = CombineType<Stored>;
  int64_t chosen = -1;
  for_each_in_window(plan, index_of(plan, position), [&](int64_t offset) {
    if (offset < 0) return;
    if (chosen < 0 ||
        !keeps(select, convert_element<T>(operand[chosen]), convert_element<T>(operand[offset]))) {
      chosen = offset;
    }
  });
  return chosen;
}

// output[i] = output[i] combined with source[j].
using CombineElements = void (*)(void* output, int64_t i, const void* source, int64_t j);

CombineElements find_combine(ReduceKind kind, DType dtype) {
  CombineElements result = nullptr;
  visit_stored(kind, dtype, [&](auto kind_tag, auto tag) {
    using Stored = typename decltype(tag)::type;
    constexpr ReduceKind which = decltype(kind_tag)::value;
    result = [](void* output, int64_t i, const void* source, int64_t j) {
      using T = CombineType<Stored>;
      Stored& target = static_cast<Stored*>(output)[i];
      const Stored value = static_cast<const Stored*>(source)[j];
      target = convert_element<Stored>(
          reduce_combine<which, T>(convert_element<T>(target), convert_element<T>(value)));
    };
  });
  return result;
}

// Positions along the first axis share nothing if its windows are single elements: then they may
// run side by side.
bool first_axis_is_batch(const WindowPlan& plan) {
  return plan.rank > 0 && is_single(plan.axes[0]);
}

}  // namespace

void select_and_scatter(SelectKind select, ReduceKind scatter, DType dtype,
                        std::span<const int64_t> dims, std::span<const WindowAxis> axes,
                        const void* operand, const void* source, const void* init, void* output,
                        ThreadPool& pool) {
  const std::optional<Pool2D> pool2d = as_pool2d(dtype, dims, axes);
  if (pool2d && select == SelectKind::ge && scatter == ReduceKind::sum &&
      is_float_value(init, 0.0f)) {
    const auto gradient = fits_planes(*pool2d) ? max_pool_gradient_planes : max_pool_gradient;
    return gradient(*pool2d, static_cast<const float*>(operand), static_cast<const float*>(source),
                    static_cast<float*>(output), pool);
  }
  const WindowPlan plan = make_plan(dims, axes);
  int64_t elements = 1;
  for (int64_t size : dims) elements *= size;
  fill(byte_width(dtype), init, output, elements, pool);
  if (plan.outputs == 0) return;
  const int64_t batches = first_axis_is_batch(plan) ? plan.dims[0] : 1;
  const int64_t each = plan.outputs / batches;
  const CombineElements combine = find_combine(scatter, dtype);
  visit_stored(ReduceKind::maximum, dtype, [&](auto, auto tag) {
    using Stored = typename decltype(tag)::type;
    pool.parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      for (int64_t position = begin * each; position < end * each; ++position) {
        const int64_t chosen =
            chosen_element(plan, select, static_cast<const Stored*>(operand), position);
        if (chosen >= 0) combine(output, chosen, source, position);
      }
    });
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
