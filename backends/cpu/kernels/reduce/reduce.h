// Reductions over any axes of row-major arrays, and of elementwise programs that are never stored.
//
// Work is cut into pieces by the array's shape alone, and partial results are combined in a fixed
// order: results do not depend on the number of threads. Sums of f32 (and bf16, f16, f8, which are
// widened to f32 and rounded once at the end) run in at least 64 f32 accumulators over at most 4096
// elements each time, whose totals are added up in f64: the error of a sum is at most
//   72 * 2^-24 * sum |x|
// before the result is rounded, whatever the number of elements. Products of floats run in f64.
// maximum and minimum propagate NaN. Integers wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/threads/thread_pool.h"
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
  int64_t output_elements() const { return outputs_; }

  // output[kept axes] = init combined with all of input[..]. `init` is one element; null: the
  // kind's neutral element (for maximum of floats -infinity, of integers the smallest value, ...).
  void run(const void* input, void* output, void* scratch, ThreadPool& pool,
           const void* init = nullptr) const;

  // The same over the only output of `program`, whose iteration space must have input_elements()
  // elements in the same order and whose output type must be dtype.
  void run(const TileProgram& program, std::span<const void* const> inputs, void* output,
           void* scratch, ThreadPool& pool, const void* init = nullptr) const;

  // Where only the innermost axes are reduced: the number of output elements, each of which is
  // reduced from its own run of input elements. Otherwise 0.
  int64_t parts() const;
  // Output elements [begin, end) of parts(), on the calling thread: what run() computes.
  void run_parts(int64_t begin, int64_t end, const void* input, void* output,
                 const void* init = nullptr) const;
  void run_parts(int64_t begin, int64_t end, const TileProgram& program,
                 std::span<const void* const> inputs, void* output,
                 const void* init = nullptr) const;

 private:
  friend class ReductionRun;
  // Neighbouring axes that are all kept or all reduced are one group. The innermost group and the
  // one around it make a matrix of rows x columns; the groups outside of these are the outer ones.
  struct Group {
    int64_t size = 1;
    int64_t stride = 1;  // in input elements
    bool reduced = false;
  };
  void make_groups(std::span<const int64_t> dims, std::span<const int64_t> axes);
  void plan();
  void check(const TileProgram& program) const;

  ReduceKind kind_;
  DType dtype_;
  int64_t elements_ = 1;
  int64_t outputs_ = 1;
  bool inner_reduced_ = false;  // the columns are what is reduced; else the rows are
  int64_t rows_ = 1, columns_ = 1;
  std::vector<Group> outer_kept_, outer_reduced_;
  int64_t outer_kept_count_ = 1, outer_reduced_count_ = 1;
  // One item of work: row_block_ x column_block_ elements of the matrix.
  int64_t row_block_ = 1, column_block_ = 1;
  int64_t kept_blocks_ = 1;     // blocks of the matrix along its kept side
  int64_t reduced_blocks_ = 1;  // and along its reduced side
  int64_t pieces_ = 1;  // of the items of one output block; partial results lie in the scratch
  size_t scratch_bytes_ = 0;
};

// Index of the largest element along the last axis of [rows, columns]; the first one wins ties, NaN
// wins over numbers. f32 or bf16 input, i32 output of `rows` elements.
void argmax_rows(DType dtype, const void* input, int32_t* output, int64_t rows, int64_t columns,
                 ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
