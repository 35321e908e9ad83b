// The ops around a large product that work on each of its rows by itself, such as a language
// model's logits, their cross-entropy and its gradient: which can be computed some rows at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// How an op may be computed for some rows at a time, rows being the places along the first axis.
struct RowUse {
  // For each operand: those rows alone are needed, or else all of it.
  std::vector<bool> by_rows;
  // The result is a sum over all rows; else it has the same rows.
  bool sums = false;
};

// Nothing for ops that mix rows, or whose rows are not divided by `tiles`. That a sum begins with 0
// is not asked here.
std::optional<RowUse> row_use(const ir::Function& function, const ir::Op& op, int64_t tiles);

// Some ops of one block, all of which work by rows.
struct RowRegion {
  int64_t tiles = 1;                    // into which the rows are cut
  std::vector<size_t> ops;              // ascending
  std::vector<bool> kept;               // for each op: others read it and need none of the product
  std::vector<ir::ValueId> inputs;      // of which an op reads its rows, made elsewhere
  std::vector<ir::ValueId> rows, sums;  // results that others read
  std::unordered_set<ir::ValueId> cut;  // results of its ops that have rows
};

// Which products are worth it.
struct TileLimits {
  // Bytes of the product: an array that no cache holds.
  int64_t least_bytes = int64_t{64} << 20;
  // Rows of a tile: a product of so many is as fast as one of more, and to add it up is little
  // beside making it.
  int64_t least_rows = 256;
};

// Around block.ops[product]: everything that reads the product's rows, or an array of their size
// that comes from them, and what lies between. Nothing where the array itself is wanted by others,
// or where the sums would take more memory than is saved.
std::optional<RowRegion> find_row_region(const ir::Function& function, const ir::Block& block,
                                         size_t product, const TileLimits& limits);

}  // namespace cpu
}  // namespace systolic::inline v0
