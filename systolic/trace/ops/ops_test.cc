// Ops of the public headers against loops and published formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// Small integers, so that sums of products are exact in any order.
Literal small_integers(const Shape& shape) {
  Literal literal(DType::f32, shape);
  auto data = literal.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * 7 % 11) - 5;
  return literal;
}

// The sum over all letters that the result lacks, by one loop over every letter's index.
Literal einsum_by_loops(const std::string& left, const std::string& right,
                        const std::string& result, const Literal& a, const Literal& b) {
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < left.size(); ++i) sizes[left[i]] = a.shape()[static_cast<int>(i)];
  for (size_t i = 0; i < right.size(); ++i) sizes[right[i]] = b.shape()[static_cast<int>(i)];
  std::vector<int64_t> all_sizes, result_sizes;
  for (const auto& [letter, size] : sizes) all_sizes.push_back(size);
  for (char letter : result) result_sizes.push_back(sizes[letter]);
  Literal sum = Literal::zeros(DType::f32, Shape(result_sizes));
  std::vector<int64_t> index(all_sizes.size(), 0);
  do {
    std::map<char, int64_t> at;
    for (size_t i = 0; const auto& [letter, size] : sizes) at[letter] = index[i++];
    const auto offset = [&](const std::string& letters) {
      int64_t position = 0;
      for (char letter : letters) position = position * sizes[letter] + at[letter];
      return position;
    };
    sum.mutable_data<float>()[static_cast<size_t>(offset(result))] +=
        static_cast<float>(a.number_at(offset(left)) * b.number_at(offset(right)));
  } while (next_index(Shape(all_sizes), index));
  return sum;
}

TEST(Einsum, IsTheSumOverTheLettersThatTheResultLacks) {
  struct Case {
    std::string left, right, result;
    Shape a, b;
  };
  const Case cases[] = {
      {"ij", "jk", "ik", {2, 3}, {3, 4}},
      {"ij", "jk", "ki", {2, 3}, {3, 4}},
      {"ij", "kj", "ik", {2, 3}, {4, 3}},
      {"i", "i", "", {5}, {5}},
      {"i", "j", "ij", {2}, {3}},
      {"", "ij", "ji", {}, {2, 3}},
      {"ij", "", "ij", {2, 3}, {}},
      {"", "", "", {}, {}},
      {"i", "j", "ji", {2}, {3}},
      {"ij", "ij", "ij", {2, 3}, {2, 3}},
      {"ij", "ij", "i", {2, 3}, {2, 3}},
      {"ij", "ij", "", {2, 3}, {2, 3}},
      {"ij", "ji", "ji", {2, 3}, {3, 2}},
      {"bij", "bjk", "bik", {2, 3, 4}, {2, 4, 5}},
      {"bij", "jk", "bik", {2, 3, 4}, {4, 5}},
      {"bqhd", "bkhd", "bhqk", {2, 3, 2, 4}, {2, 5, 2, 4}},  // attention scores
      {"bhqk", "bkhd", "bqhd", {2, 2, 3, 5}, {2, 5, 2, 4}},  // and their values
      {"abc", "cba", "b", {2, 3, 4}, {4, 3, 2}},
  };
  for (const Case& c : cases) {
    const std::string equation = c.left + "," + c.right + "->" + c.result;
    SCOPED_TRACE(equation);
    const Literal a = small_integers(c.a), b = small_integers(c.b);
    EXPECT_EQ(einsum(equation, Tensor(a), Tensor(b)).literal(),
              einsum_by_loops(c.left, c.right, c.result, a, b));
  }
}

TEST(Einsum, RefusesWhatItCannotContract) {
  const Tensor a(small_integers({2, 3})), b(small_integers({3, 4}));
  for (const char* equation :
       {"ij,jk", "ij->ij", "ij,jk,kl->il", "ijk,jk->ik", "ii,jk->ik", "ij,jk->i", "ij,jk->iz",
        "ij,jk->iik", "ii,jk->iijk", "", ",ij->ij"}) {
    EXPECT_THROW(einsum(equation, a, b), InvalidArgument) << equation;
  }
  EXPECT_THROW(einsum("ij,ik->jk", a, b), InvalidArgument);  // i is 2 and 3
  for (const char* equation : {"", "->", ",", "a,->a", ",->a"})
    EXPECT_THROW(einsum(equation, constant(1.f), constant(2.f)), InvalidArgument) << equation;
}

TEST(Ops, GiveWhatNumPyGives) {
  const Tensor x = constant({{3.f, 1.f, 4.f}, {1.f, 5.f, 1.f}});
  const Tensor odd = constant({0.f, nan, infinity, -infinity});
  const Tensor p = constant({true, true, false, false}), q = constant({true, false, true, false});
  const Tensor rows = zeros({3, 2});
  struct Case {
    const char* name;
    Tensor got;
    Literal wanted;
  };
  const Case cases[] = {
      {"eye", eye(3), Literal::of<float>({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})},
      {"eye i32", eye(2, DType::i32), Literal::of<int32_t>({{1, 0}, {0, 1}})},
      {"ones_like", ones_like(x), Literal::of<float>({{1, 1, 1}, {1, 1, 1}})},
      {"ones_like pred", ones_like(p), Literal::of<bool>({true, true, true, true})},
      {"is_nan", is_nan(odd), Literal::of<bool>({false, true, false, false})},
      {"logical_or", logical_or(p, q), Literal::of<bool>({true, true, true, false})},
      {"prod", prod(x), Literal::scalar(60.f)},
      {"prod rows", prod(x, {.axis = 1}), Literal::of<float>({12, 5})},
      {"prod kept", prod(x, {.axis = 0, .keepdims = true}), Literal::of<float>({{3, 5, 4}})},
      {"argmin", argmin(x), Literal::of<int32_t>({1, 0})},  // the first of equals
      {"argmin columns", argmin(x, 0), Literal::of<int32_t>({1, 0, 1})},
      {"scatter_add", scatter_add(rows, constant({2, 0, 2}), ones({3, 2})),
       Literal::of<float>({{1, 1}, {0, 0}, {2, 2}})},
      {"scatter_add of one", scatter_add(rows + 1, constant({1}), constant({{5.f, 7.f}})),
       Literal::of<float>({{1, 1}, {6, 8}, {1, 1}})},
      {"slice_update", slice_update(rows, {1, constant(int64_t{0})}, constant({{5.f, 7.f}})),
       Literal::of<float>({{0, 0}, {5, 7}, {0, 0}})},
      {"slice_update moved inside", slice_update(rows, {constant(9), 1}, ones({2, 1})),
       Literal::of<float>({{0, 0}, {0, 1}, {0, 1}})},
  };
  for (const Case& c : cases) EXPECT_EQ(c.got.literal(), c.wanted) << c.name;
  EXPECT_THROW(slice_update(rows, {0}, ones({1, 1})), InvalidArgument);
  EXPECT_THROW(slice_update(rows, {0, 0}, ones({1})), InvalidArgument);
  EXPECT_THROW(slice_update(rows, {0, 1.5}, ones({1, 1})), InvalidArgument);
  EXPECT_THROW(slice_update(rows, {0, 0}, ones({4, 1})), InvalidArgument);
}

TEST(Ops, TakeArraysOfTheHost) {
  const Literal x = Literal::of<float>({-1, 0, 2});
  EXPECT_EQ((x > 0.5).literal(), Literal::of<bool>({false, false, true}));
  EXPECT_EQ((1.0 + x * x).literal(), Literal::of<float>({2, 1, 5}));
  EXPECT_EQ(relu(x).literal(), Literal::of<float>({0, 0, 2}));
}

// The normal distribution cut to [-2, 2]: variance 1 - 4 phi(2) / (2 Phi(2) - 1) = 0.7737.
TEST(Random, TruncatedNormalHasItsBoundsAndMoments) {
  set_seed(3);
  constexpr int64_t count = 20000;
  const double mean = 5, stddev = 3;
  const Literal drawn = truncated_normal({count}, mean, stddev).literal();
  double sum = 0, squares = 0, largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double z = (drawn.number_at(i) - mean) / stddev;
    sum += z;
    squares += z * z;
    largest = std::max(largest, std::abs(z));
  }
  // Five standard errors of the mean, 0.88 / sqrt(count), and of the mean square, 0.9 /
  // sqrt(count).
  const double slack = 5 * 0.9 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(sum / count, 0, slack);
  EXPECT_NEAR(squares / count, 0.7737, slack);
  EXPECT_LE(largest, 2 + 1e-6);
  EXPECT_GT(largest, 1.95);
}

// Zeros of no elements are one number, seen in every place.
TEST(Shapes, OfNoElementsAreReshaped) {
  EXPECT_EQ(reshape(zeros({0, 3}), {-1}).literal().shape(), Shape({0}));
  EXPECT_EQ(reshape(zeros({0, 3}), {3, 0}).literal().shape(), Shape({3, 0}));
}

}  // namespace
}  // namespace systolic
