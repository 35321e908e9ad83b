// Products that tests of Matmul compute, and the double-precision loops that give the expected
// results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cpu/kernels/matmul/matmul.h"
#include "systolic/base/text.h"

namespace systolic {
namespace matmul_test {

using kernels::MatmulOptions;
using kernels::MatrixLayout;

struct Flags {
  bool transpose_a = false, transpose_b = false, transpose_c = false;
  bool bias = false, relu = false, accumulate = false;
};

struct Case {
  int64_t batch, m, n, k;
  Flags flags = {};
};

inline std::string to_string(const Case& c) {
  return str(c.batch, " x (", c.m, " x ", c.k, ") (", c.k, " x ", c.n, ")",
             c.flags.transpose_a ? " a^T" : "", c.flags.transpose_b ? " b^T" : "",
             c.flags.transpose_c ? " c^T" : "", c.flags.bias ? " bias" : "",
             c.flags.relu ? " relu" : "", c.flags.accumulate ? " accumulate" : "");
}

inline MatrixLayout layout(int64_t rows, int64_t columns, bool stored_transposed) {
  return stored_transposed ? kernels::transposed(columns, rows) : kernels::row_major(rows, columns);
}

inline MatmulOptions options_of(const Case& c) {
  return {.batch = c.batch,
          .m = c.m,
          .n = c.n,
          .k = c.k,
          .a = layout(c.m, c.k, c.flags.transpose_a),
          .b = layout(c.k, c.n, c.flags.transpose_b),
          .c = layout(c.m, c.n, c.flags.transpose_c),
          .bias = c.flags.bias,
          .relu = c.flags.relu,
          .accumulate = c.flags.accumulate};
}

inline int64_t at(const MatrixLayout& layout, int64_t matrix, int64_t row, int64_t column) {
  return matrix * layout.batch_stride + row * layout.row_stride + column * layout.column_stride;
}

// By plain loops; `before` is what c holds.
inline std::vector<double> product(const MatmulOptions& o, const std::vector<double>& a,
                                   const std::vector<double>& b, const std::vector<double>& bias,
                                   const std::vector<double>& before) {
  std::vector<double> c = before;
  for (int64_t matrix = 0; matrix < o.batch; ++matrix) {
    for (int64_t i = 0; i < o.m; ++i) {
      for (int64_t j = 0; j < o.n; ++j) {
        double sum = o.bias ? bias[j] : 0;
        for (int64_t p = 0; p < o.k; ++p)
          sum += a[at(o.a, matrix, i, p)] * b[at(o.b, matrix, p, j)];
        double& out = c[at(o.c, matrix, i, j)];
        if (o.accumulate) sum += out;
        out = o.relu && sum < 0 ? 0 : sum;
      }
    }
  }
  return c;
}

}  // namespace matmul_test
}  // namespace systolic
