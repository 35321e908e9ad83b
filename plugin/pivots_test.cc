#include "plugin/pivots.h"

#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/runtime/custom_function.h"

namespace systolic {
namespace {

using Numbers = std::vector<int32_t>;

Numbers permutation_of(const Shape& pivots_shape, Numbers pivots, const Shape& shape) {
  plugin::register_pivots_to_permutation();
  const auto function =
      make_custom_function({.call_target_name = "systolic_lu_pivots_to_permutation"});
  Numbers result(static_cast<size_t>(shape.elements()), -1);
  const CustomArray operands[] = {
      {{DType::i32, pivots_shape}, reinterpret_cast<std::byte*>(pivots.data())}};
  const CustomArray results[] = {
      {{DType::i32, shape}, reinterpret_cast<std::byte*>(result.data())}};
  function->run(operands, results);
  return result;
}

TEST(Pivots, AreExchangedOneAfterTheOther) {
  EXPECT_EQ(permutation_of({3}, {2, 2, 2}, {3}), (Numbers{2, 0, 1}));
  EXPECT_EQ(permutation_of({2}, {3, 1}, {4}), (Numbers{3, 1, 2, 0}));
  EXPECT_EQ(permutation_of({2, 2}, {1, 1, 0, 1}, {2, 2}), (Numbers{1, 0, 0, 1}));
  EXPECT_EQ(permutation_of({0}, {}, {2}), (Numbers{0, 1}));
  EXPECT_EQ(permutation_of({2}, {-7, 2147483647}, {2}), (Numbers{0, 1}));
}

TEST(Pivots, RefuseOtherShapes) {
  for (const auto& [from, to] : std::vector<std::pair<Shape, Shape>>{
           {{3}, {2}}, {{}, {}}, {{2, 3}, {3, 3}}, {{3}, {1, 3}}}) {
    EXPECT_CONTAINS(message_of<InvalidArgument>([&, from = from, to = to] {
                      permutation_of(from, Numbers(static_cast<size_t>(from.elements())), to);
                    }),
                    "expected i32[..., k] to i32[..., m >= k]");
  }
}

}  // namespace
}  // namespace systolic
