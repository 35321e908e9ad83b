// Two dot_general of which one reads the other, and the two orders in which they can be multiplied.
//
//   inner  [rows, columns] = left [rows, k] . right [k, columns]         k: the inner sum
//   middle                 = reshape(inner + bias)                       bias, reshape: if any
//   outer                  = other . middle, or middle . other           in any of their axes
//
// `other` may meet `right` before `left` if it sums over columns only, and `left` before `right` if
// over rows only. Rows, columns and what the outer product batches may each be several axes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/rewrite/named_axes.h"
#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace cpu {

// Null: what the chain does not have.
struct ChainOps {
  const ir::Op *outer = nullptr, *inner = nullptr;
  const ir::Op *reshape = nullptr, *add = nullptr, *bias = nullptr;  // bias: a broadcast_in_dim
  size_t side = 0;  // which operand of the outer product comes from the inner one
};

class ProductChain {
 public:
  // Nothing where the products cannot be multiplied in the other order: where the outer one sums
  // over rows and columns, the reshape mixes them, or the bias depends on rows; nor of other types
  // than f32.
  static std::optional<ProductChain> make(const ir::Function& function, const ChainOps& ops);
  const ChainOps& ops() const { return ops_; }
  // Floating-point operations that the other order takes less. Nothing if it takes more than half
  // of them or a larger array than `middle`.
  std::optional<double> saving() const;
  // Appends the ops of the other order; the last one makes the outer product's result.
  ir::Value build(ir::Builder& builder) const;

 private:
  // An operand of the inner product, its free axes split as the middle's.
  struct Factor {
    ir::ValueId array = ir::no_value;
    Shape shape;
    AxisNames axes;
  };

  ProductChain(const ir::Function& function, const ChainOps& ops)
      : function_(function),
        ops_(ops),
        middle_shape_(shape(ops.outer->operands[ops.side])),
        other_id_(ops.outer->operands[1 - ops.side]) {
    name_axes();
  }

  const Shape& shape(ir::ValueId value) const { return function_.type(value).shape; }
  void name_axes();
  bool is_f32() const;
  bool is_plain_inner() const;
  bool find_factors();
  bool find_split(int64_t rows);
  std::optional<Factor> factor(size_t operand) const;
  bool bias_runs_along_columns() const;
  int rank_of_rows() const { return shape(ops_.inner->operands[0]).rank() - 1; }

  // How many there are of what has these axes.
  double count(const AxisNames& axes) const;
  // Then its bias is summed with its columns; else it stays outside of the sum.
  bool sums_columns() const { return near_ == 1; }
  NamedArray named(ir::Builder& builder, const Factor& factor) const;
  // On the side on which the program has `other`: the result's axes lie better so.
  NamedArray times(const NamedArray& other, const NamedArray& factor) const;
  NamedArray columns_of_bias(ir::Builder& builder) const;
  ir::Value bias_term(ir::Builder& builder) const;

  const ir::Function& function_;
  ChainOps ops_;
  Shape middle_shape_;
  ir::ValueId other_id_;
  // The names of other's axes are 0, 1, ...; middle's have the same where the outer product pairs
  // them, else the next numbers.
  AxisNames other_, middle_, result_;
  AxisNames summed_;            // by the outer product
  int inner_sum_ = 0;           // the name of k
  std::vector<int64_t> sizes_;  // by name
  int split_ = 0;               // where columns begin in the middle
  size_t near_ = 0;             // the operand of the inner product that `other` may meet first
  Factor factors_[2];
};

}  // namespace cpu
}  // namespace systolic::inline v0
