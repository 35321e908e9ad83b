// Fused elementwise programs: the software TPU runs a chain of elementwise ops tile by tile, so
// that what lies between the first load and the last store stays in the first-level cache.
//
// A program has an iteration space (row-major, fixed sizes), inputs that say how they are addressed
// by it, and a flat list of instructions over slots: buffers of `tile_elements` elements. Values
// are typed: bf16, f16 and f8 arrays are widened to f32 on load and rounded on store, so arithmetic
// on them is f32 (convert to round in between); i4 and u4 are computed as i8 and u8.
// Semantics are StableHLO's, with XLA's choices where it is silent:
//   integer x / 0 = all ones, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0; shifts by >= width give 0 or
//   the sign; float -> integer truncates and saturates, NaN gives 0; maximum and minimum propagate
//   NaN.
// Products may be contracted with sums into fused multiply-adds.
//
//   TileProgramBuilder builder({rows, columns});
//   auto x = builder.input(DType::f32);                       // rows x columns
//   auto bias = builder.input(DType::f32, {0, 1});            // columns, the same for every row
//   auto zero = builder.constant(DType::f32, 0.0);
//   builder.output(builder.op(TileOp::maximum, {builder.op(TileOp::add, {x, bias}), zero}),
//   DType::f32); TileProgram program = builder.build(); const void* inputs[] = {x_data, bias_data};
//   void* outputs[] = {y_data};
//   program.run(inputs, outputs, pool);
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// The ops one may append, named as in StableHLO. Operands have one type, which is the result's but
// where noted.
enum class TileOp : uint8_t {
  abs,
  add,
  and_,  // bitwise; logical on pred
  atan2,
  cbrt,
  ceil,
  clamp,  // (min, operand, max)
  cosine,
  count_leading_zeros,
  divide,
  erf,
  exponential,
  exponential_minus_one,
  floor,
  is_finite,  // -> pred
  log,
  log_plus_one,
  logistic,
  maximum,
  minimum,
  multiply,
  negate,
  not_,  // bitwise; logical on pred
  or_,
  popcnt,
  power,
  remainder,
  round_nearest_afz,
  round_nearest_even,
  rsqrt,
  select,  // (pred, on_true, on_false)
  shift_left,
  shift_right_arithmetic,
  shift_right_logical,
  sign,
  sine,
  sqrt,
  subtract,
  tan,
  tanh,
  xor_,
};
inline constexpr int tile_op_count = static_cast<int>(TileOp::xor_) + 1;

enum class CompareDirection : uint8_t { eq, ne, ge, gt, le, lt };

struct TileProgramData;

// A finished program. Immutable and cheap to copy; run() may be called from several threads at
// once.
class TileProgram {
 public:
  // Elements of the iteration space, and of every output.
  int64_t elements() const;
  int inputs() const;
  int outputs() const;
  DType output_dtype(int index) const;

  // Computes all outputs. inputs[i] and outputs[j] are the arrays in the order in which they were
  // declared. An output may be the same array as an input that is read contiguously and has the
  // same type and layout (a donated parameter); any other overlap is not allowed. Large spaces are
  // spread over the pool; the result does not depend on the number of threads. Allocates nothing.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           ThreadPool& pool) const;

  // As run(), but elements [begin, end) only, on the calling thread.
  void run_part(int64_t begin, int64_t end, std::span<const void* const> inputs,
                std::span<void* const> outputs) const;
  // The same for several ranges of elements, in their order.
  struct Range {
    int64_t begin, end;
  };
  void run_parts(std::span<const Range> ranges, std::span<const void* const> inputs,
                 std::span<void* const> outputs) const;
  // As run_part(), but outputs[j] is where the element `begin` goes: so a consumer can take a
  // program's result piece by piece.
  void run_range(int64_t begin, int64_t end, std::span<const void* const> inputs,
                 std::span<void* const> outputs) const;

  // One line an instruction, for dumps and tests.
  std::string text() const;
  // Instructions after merging; constants and plain loads do not count.
  int instructions() const;

 private:
  friend class TileProgramBuilder;
  explicit TileProgram(std::shared_ptr<const TileProgramData> data) : data_(std::move(data)) {}
  std::shared_ptr<const TileProgramData> data_;
};

struct TileGraph;

// Collects a program in static single assignment form; build() drops dead values, merges common
// pairs (multiply-add, lerp, compare-select, ...) and assigns slots.
class TileProgramBuilder {
 public:
  using Value = int;

  // The iteration space, at most 12 axes; no axis for a scalar.
  explicit TileProgramBuilder(std::span<const int64_t> dims);
  TileProgramBuilder(std::initializer_list<int64_t> dims)
      : TileProgramBuilder(std::span(dims.begin(), dims.size())) {}
  ~TileProgramBuilder();
  TileProgramBuilder(TileProgramBuilder&&) noexcept;
  TileProgramBuilder& operator=(TileProgramBuilder&&) noexcept;

  // The next input array, read contiguously.
  Value input(DType dtype);
  // The next input array: element (i0, i1, ...) of the space reads data[offset + sum of i *
  // strides], in elements. A stride of 0 broadcasts along that axis; negative strides are allowed.
  Value input(DType dtype, std::span<const int64_t> strides, int64_t offset = 0);
  Value input(DType dtype, std::initializer_list<int64_t> strides, int64_t offset = 0) {
    return input(dtype, std::span(strides.begin(), strides.size()), offset);
  }

  // The next two input arrays: lists (i32) and the updates that they list (f32); see
  // kernels/movement/row_sums.h. The first axis of the space counts the rows of the table.
  Value row_sums();
  // The next input array is the state, of 2 or 3 words of u64, from which Philox draws a word of
  // u32 for each element of the space, in its order; see kernels/random/random.h.
  Value drawn_words(int state_words);

  // A value known now, the same everywhere.
  Value constant(DType dtype, double value);
  Value constant_integer(DType dtype, int64_t value);
  // The index along `axis` of the space.
  Value iota(DType dtype, int axis);

  // Appends `op`. Operands of the wrong number or type are an InvalidArgument.
  Value op(TileOp op, std::span<const Value> operands);
  Value op(TileOp op, std::initializer_list<Value> operands) {
    return this->op(op, std::span(operands.begin(), operands.size()));
  }
  // -> pred. total_order: floats by IEEE 754 totalOrder (-NaN < -inf < ... < -0 < 0 < ... < NaN).
  Value compare(CompareDirection direction, Value lhs, Value rhs, bool total_order = false);
  // To a small float: rounds to it (the value stays an f32).
  Value convert(Value operand, DType dtype);
  // The same bits as a type of the same width.
  Value bitcast(Value operand, DType dtype);
  // Rounds an f32 or f64 to fewer bits and back: (8, 7) for bf16, (5, 10) for f16.
  Value reduce_precision(Value operand, int exponent_bits, int mantissa_bits);

  // What `dtype` is computed in: f32 for bf16, f16 and f8; i8 for i4; u8 for u4; itself for the
  // others.
  static DType compute_type(DType dtype);
  // pred, integers, floats: all but complex, string and token.
  static bool supports(DType dtype);
  DType type_of(Value value) const;
  // Whether an op is defined on operands of this type (the selected type for select).
  static bool supports(TileOp op, DType dtype);

  // The next output array: `value` converted to `dtype`, row-major.
  void output(Value value, DType dtype);
  // ... with strides as for inputs, none of them 0: to write into a part of a larger array.
  void output(Value value, DType dtype, std::span<const int64_t> strides, int64_t offset = 0);

  // Ends building. A program that needs more slots than fit (about 200 live values) is a
  // ResourceExhausted.
  TileProgram build();

 private:
  std::unique_ptr<TileGraph> graph_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
