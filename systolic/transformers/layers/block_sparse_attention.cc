#include "systolic/transformers/layers/block_sparse_attention.h"

#include <cmath>
#include <vector>

#include "systolic/trace/ops/attention.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/random_blocks.h"

namespace systolic::inline v0 {
namespace {

constexpr double hidden = -1e9;

struct Sizes {
  int64_t batch, heads, size, block, blocks, rows, columns;

  Sizes(const Shape& query, const BlockSparse& sparse)
      : batch(query[0]),
        heads(query[2]),
        size(query[3]),
        block(sparse.block_size),
        blocks(query[1] / sparse.block_size),
        rows(blocks - 2),
        columns(5 + sparse.random_blocks) {}
};

// The blocks that each head's rows attend to, all but the first and the last row: [heads * rows *
// columns]. Where a neighbour is the first or the last block, which all attend to, it is told by
// `twice`.
struct Table {
  std::vector<int32_t> blocks;
  std::vector<int32_t> twice;  // [rows * columns], 1 where a place does not count
};

Table table_of(const Sizes& n, const BlockSparse& sparse, bool training) {
  std::vector<int32_t> drawn(static_cast<size_t>(n.heads * n.rows * sparse.random_blocks), 0);
  if (training) {
    drawn = random_blocks({.blocks = n.blocks,
                           .block_size = n.block,
                           .random_blocks = sparse.random_blocks,
                           .heads = n.heads,
                           .most_positions = sparse.most_positions,
                           .seed = sparse.seed});
  }
  Table table;
  const auto last = static_cast<int32_t>(n.blocks - 1);
  auto next = drawn.begin();
  for (int64_t head = 0; head < n.heads; ++head) {
    for (int32_t row = 1; row < last; ++row) {
      table.blocks.insert(table.blocks.end(), {0, row - 1, row, row + 1, last});
      table.blocks.insert(table.blocks.end(), next, next + sparse.random_blocks);
      next += sparse.random_blocks;
      if (head > 0) continue;
      table.twice.insert(table.twice.end(), {0, row == 1, 0, row + 1 == last, 0});
      table.twice.resize(table.twice.size() + static_cast<size_t>(sparse.random_blocks), 0);
    }
  }
  return table;
}

// x [batch, tokens, heads, size] -> the blocks of the table, [heads, rows, columns, batch, block,
// size].
Tensor gathered(const Tensor& x, const Sizes& n, const Table& table) {
  const Tensor blocks =
      transpose(reshape(x, {n.batch, n.blocks, n.block, n.heads, n.size}), {3, 1, 0, 2, 4});
  std::vector<int32_t> places = table.blocks;
  const int64_t each = n.rows * n.columns;
  for (int64_t i = 0; i < ssize(places); ++i) {
    places[static_cast<size_t>(i)] += static_cast<int32_t>(i / each * n.blocks);
  }
  const Tensor flat = reshape(blocks, {n.heads * n.blocks, n.batch * n.block * n.size});
  const Tensor picked = gather(flat, Tensor(Literal::from(places, Shape{ssize(places)})));
  return reshape(picked, {n.heads, n.rows, n.columns, n.batch, n.block, n.size});
}

// Whether each place of the table counts, pred [batch, heads, rows, 1, columns, block].
Tensor counted(const Tensor& mask, const Sizes& n, const Table& table) {
  const Tensor blocks = transpose(reshape(mask, {n.batch, n.blocks, n.block}), {1, 0, 2});
  const Tensor places = Tensor(Literal::from(table.blocks, Shape{ssize(table.blocks)}));
  const Tensor flat = cast(reshape(blocks, {n.blocks, n.batch * n.block}), DType::i32);
  const Tensor picked =
      reshape(gather(flat, places), {n.heads, n.rows, n.columns, n.batch, n.block});
  const Tensor once = Tensor(Literal::from(table.twice, Shape{1, 1, n.rows, 1, n.columns, 1})) == 0;
  return logical_and(expand_dims(transpose(picked, {3, 0, 1, 2, 4}), 3) != 0, once);
}

// All rows of blocks but the first and the last: [batch, rows * block, heads, size].
Tensor middle(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
              const Sizes& n, const Table& table) {
  const Tensor inner =
      slice(query, {0, n.block, 0, 0}, {n.batch, n.rows * n.block, n.heads, n.size});
  const Tensor rows = reshape(inner, {n.batch, n.rows, n.block, n.heads, n.size});
  const double scale = 1 / std::sqrt(static_cast<double>(n.size));
  const Tensor products = einsum("bmqhd,hmcbkd->bhmqck", rows * scale, gathered(key, n, table));
  const Tensor scores = where(counted(mask, n, table), cast(products, DType::f32), hidden);
  const Tensor weights =
      softmax(reshape(scores, {n.batch, n.heads, n.rows, n.block, n.columns * n.block}), -1);
  const Tensor split = reshape(cast(weights, query.dtype()),
                               {n.batch, n.heads, n.rows, n.block, n.columns, n.block});
  const Tensor mixed = einsum("bhmqck,hmcbkd->bmqhd", split, gathered(value, n, table));
  return reshape(mixed, {n.batch, n.rows * n.block, n.heads, n.size});
}

}  // namespace

Tensor block_sparse_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask, const BlockSparse& sparse,
                              const CallContext& context) {
  const Sizes n(query.shape(), sparse);
  const int64_t tokens = query.shape()[1];
  const auto block_at = [&](const Tensor& x, int64_t begin) {
    return slice(x, {0, begin, 0, 0}, {n.batch, n.block, n.heads, n.size});
  };
  const Tensor ends = concat({block_at(query, 0), block_at(query, tokens - n.block)}, 1);
  const Tensor full = scaled_dot_product_attention(ends, key, value, {.mask = mask});
  const Table table = table_of(n, sparse, context.training());
  const Tensor rows = middle(query, key, value, mask, n, table);
  const Tensor result = concat({block_at(full, 0), rows, block_at(full, n.block)}, 1);
  return where(reshape(mask, {n.batch, tokens, 1, 1}), result, 0.0);
}

}  // namespace systolic::inline v0
