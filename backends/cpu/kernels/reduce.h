// Reductions over any axes of row-major arrays, and of elementwise programs that are never stored.
//
// Work is cut into pieces by the array's shape alone, and partial results are combined in a fixed
// order: results do not depend on the number of threads. f32 sums (and bf16, f16, f8, which are
// added up in f32 and rounded once) run in at least 64 accumulators that are flushed into a
// pairwise sum every 4096 elements: the error of a sum of n elements is at most
//   (64 + log2(n)) * 2^-24 * sum |x|.
// maximum and minimum propagate NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/kernels/tile_program.h"
#include "systolic/base/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// and_, or_, xor_ are bitwise on integers and logical on pred.
enum class ReduceKind : uint8_t { sum, product, maximum, minimum, and_, or_, xor_ };

// A planned reduction: made once, run often, from several threads at once if each brings its own
// scratch.
//
//   Reduction column_sums(ReduceKind::sum, DType::f32, {{rows, columns}}, {{0}});
//   column_sums.run(gradient, bias_gradient, scratch, pool);
class Reduction {
 public:
  // `dims` of the input, row-major, and the axes to reduce (in any order, each once). pred,
  // integers and floats but complex. sum and product of pred are not defined.
  Reduction(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
            std::span<const int64_t> axes);

  static bool supports(ReduceKind kind, DType dtype);

  // Memory the caller lends to run(), aligned to 64 bytes; may be 0.
  size_t scratch_bytes() const { return scratch_bytes_; }
  int64_t input_elements() const { return elements_; }
  int64_t output_elements() const;

  // output[kept axes] = init combined with all of input[..]. `init` is one element; null: the
  // kind's neutral element (for maximum of floats -infinity, of integers the smallest value, ...).
  void run(const void* input, void* output, void* scratch, ThreadPool& pool,
           const void* init = nullptr) const;

  // The same over the only output of `program`, whose iteration space must have input_elements()
  // elements in the same order and whose output type must be dtype.
  void run(const TileProgram& program, std::span<const void* const> inputs, void* output,
           void* scratch, ThreadPool& pool, const void* init = nullptr) const;

 private:
  friend struct ReductionRun;
  // One group of neighbouring axes that are all kept or all reduced.
  struct Group {
    int64_t size;
    bool reduced;
  };
  void plan_pieces();

  ReduceKind kind_;
  DType dtype_;
  int64_t elements_ = 1;
  std::vector<Group> groups_;  // outermost first, alternating
  int64_t pieces_ = 1;  // cuts of the reduced extent, whose partial results lie in the scratch
  int64_t piece_size_ = 0;
  size_t scratch_bytes_ = 0;
};

// Index of the largest element along the last axis of [rows, columns]; the first one wins ties, NaN
// wins over numbers. f32 or bf16 input, i32 output of `rows` elements.
void argmax_rows(DType dtype, const void* input, int32_t* output, int64_t rows, int64_t columns,
                 ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
