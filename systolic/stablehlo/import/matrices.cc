#include "systolic/stablehlo/import/matrices.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace matrices {

ir::Value flattened(ir::Value x) {
  const int64_t batch = x.shape().slice(0, x.rank() - 2).elements();
  return ir::reshape(x, {batch, x.shape()[-2], x.shape()[-1]});
}

ir::Value transposed(ir::Value x) { return ir::transpose(x, {0, 2, 1}); }

ir::Value product(ir::Value a, ir::Value b) {
  return ir::dot_general(a, b,
                         {.lhs_batching_dimensions = {0},
                          .rhs_batching_dimensions = {0},
                          .lhs_contracting_dimensions = {2},
                          .rhs_contracting_dimensions = {1},
                          .precision = ir::Precision::highest});
}

ir::Value spread(ir::Value x, const Shape& shape) {
  return ir::broadcast_in_dim(x, shape, {0, 1, 2});
}

ir::Value rows_of(ir::Value like) { return like.builder().iota({DType::i64, like.shape()}, 1); }
ir::Value columns_of(ir::Value like) { return like.builder().iota({DType::i64, like.shape()}, 2); }

ir::Value on_diagonal(ir::Value like) {
  return ir::compare(rows_of(like), columns_of(like), ir::Direction::eq);
}

ir::Value part(ir::Value x, ir::Value row, ir::Value column, int64_t rows, int64_t columns) {
  const ir::Value starts[] = {x.builder().constant(Literal::scalar(int64_t{0})), row, column};
  return ir::dynamic_slice(x, starts, {x.shape()[0], rows, columns});
}

ir::Value with_part(ir::Value x, ir::Value row, ir::Value column, ir::Value values) {
  const ir::Value starts[] = {x.builder().constant(Literal::scalar(int64_t{0})), row, column};
  return ir::dynamic_update_slice(x, values, starts);
}

std::vector<ir::Value> loop(int64_t n, std::vector<ir::Value> state, const LoopBody& body) {
  std::vector<ir::Value> initial{state[0].builder().constant(Literal::scalar(int64_t{0}))};
  initial.insert(initial.end(), state.begin(), state.end());
  std::vector<ir::Value> last = ir::while_loop(
      initial,
      [&](std::span<const ir::Value> s) {
        return ir::compare(s[0], static_cast<double>(n), ir::Direction::lt);
      },
      [&](std::span<const ir::Value> s) {
        std::vector<ir::Value> next = body(s[0], s.subspan(1));
        next.insert(next.begin(), s[0] + 1.0);
        return next;
      });
  last.erase(last.begin());
  return last;
}

}  // namespace matrices
}  // namespace stablehlo
}  // namespace systolic::inline v0
