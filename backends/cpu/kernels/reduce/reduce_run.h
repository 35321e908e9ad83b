// Running a planned Reduction: the loops, for each kind and type. Internal to reduce.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "systolic/base/function_ref.h"

namespace systolic::inline v0 {
namespace kernels {

// How a reduction is cut. Fixed, so that results are.
struct ReductionBlocks {
  static constexpr int64_t item_elements = 4096;    // fetched at once; a block of f32 accumulation
  static constexpr int64_t most_columns = 1024;     // accumulators of a column reduction
  static constexpr int64_t piece_elements = 16384;  // below, a piece is not worth a thread
  static constexpr int64_t wanted_tasks = 32;       // enough for the machines of today
};

// `fetch(begin, count, buffer)` gives `count` input elements from position `begin` on in the stored
// type, in place or in the buffer.
using ReductionFetch = FunctionRef<const void*(int64_t, int64_t, void*)>;

void run_reduction(const Reduction& plan, ReductionFetch fetch, void* output, void* scratch,
                   ThreadPool& pool, const void* init);
// Rows [begin, end) of a plan with parts(), on the calling thread.
void run_reduction_rows(const Reduction& plan, int64_t begin, int64_t end, ReductionFetch fetch,
                        void* output, const void* init);

}  // namespace kernels
}  // namespace systolic::inline v0
