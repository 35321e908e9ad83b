#include "plugin/pivots.h"

#include <memory>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

constexpr const char* name = "systolic_lu_pivots_to_permutation";

void check(std::span<const CustomArray> operands, std::span<const CustomArray> results) {
  const auto fits = [&] {
    if (operands.size() != 1 || results.size() != 1) return false;
    const ir::Type &pivots = operands[0].type, &permutation = results[0].type;
    const int rank = pivots.shape.rank();
    if (pivots.dtype != DType::i32 || permutation.dtype != DType::i32) return false;
    if (rank == 0 || permutation.shape.rank() != rank) return false;
    return pivots.shape.slice(0, rank - 1) == permutation.shape.slice(0, rank - 1) &&
           pivots.shape[-1] <= permutation.shape[-1];
  };
  if (!fits()) raise<InvalidArgument>({.what = name, .wanted = "i32[..., k] to i32[..., m >= k]"});
}

class PivotsToPermutation : public CustomFunction {
 public:
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    check(operands, results);
    const int64_t k = operands[0].type.shape[-1], m = results[0].type.shape[-1];
    const auto* pivots = reinterpret_cast<const int32_t*>(operands[0].data);
    auto* rows = reinterpret_cast<int32_t*>(results[0].data);
    for (int64_t left = results[0].type.shape.elements(); left > 0; left -= m) {
      std::iota(rows, rows + m, 0);
      for (int64_t i = 0; i < k; ++i) {
        if (pivots[i] >= 0 && pivots[i] < m) std::swap(rows[i], rows[pivots[i]]);
      }
      pivots += k;
      rows += m;
    }
  }
};

}  // namespace

void register_pivots_to_permutation() {
  register_custom_function(name, [](const ir::CustomCallAttributes&) {
    return std::make_unique<PivotsToPermutation>();
  });
}

}  // namespace plugin
}  // namespace systolic::inline v0
