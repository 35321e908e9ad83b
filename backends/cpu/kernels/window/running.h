// Running folds, which reduce_window says as a window over all of an axis. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"
#include "systolic/core/window.h"

namespace systolic::inline v0 {
namespace kernels {

// Along the middle axis of [outer, size, inner].
struct Running {
  int64_t outer = 1, size = 1, inner = 1;
  bool backwards = false;  // output i folds what is from i on
};
std::optional<Running> as_running(std::span<const int64_t> dims, std::span<const WindowAxis> axes);

// reduce_window, where it is a running fold from the neutral element; false where it is not.
bool reduce_as_running(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                       std::span<const WindowAxis> axes, const void* input, const void* init,
                       void* output, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
