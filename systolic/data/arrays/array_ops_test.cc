#include "systolic/data/arrays/array_ops.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

TEST(ArrayOps, ArithmeticWithNumbersAndArrays) {
  const Literal x = Literal::of<float>({{1, 2}, {3, 4}});
  EXPECT_EQ(x / 2, Literal::of<float>({{0.5f, 1}, {1.5f, 2}}));
  EXPECT_EQ(2 * x + 1, Literal::of<float>({{3, 5}, {7, 9}}));
  EXPECT_EQ(x - Literal::of<float>({1, 2}), Literal::of<float>({{0, 0}, {2, 2}}));
  EXPECT_EQ(x * x, Literal::of<float>({{1, 4}, {9, 16}}));
  EXPECT_EQ((x.convert(DType::bf16) + 1).number_at(3), 5);
  EXPECT_EQ(x, Literal::of<float>(
                   {{1, 2}, {3, 4}}));  // an argument that is not a temporary stays as it is
  EXPECT_EQ(data::cast(Literal::of<uint8_t>({0, 51, 255}), DType::f32) / 255,
            Literal::of<float>({0, 0.2f, 1}));
  EXPECT_EQ(1 - x, Literal::of<float>({{0, -1}, {-2, -3}}));
  EXPECT_EQ(6.0 / x, Literal::of<float>({{6, 3}, {2, 1.5f}}));
  EXPECT_CONTAINS(error_of([] { Literal::of<uint8_t>({1}) / 255.0; }),
                  "/ of u8(1,), expected floats.\n  hint: cast(x, DType::f32)");
  EXPECT_CONTAINS(error_of([&] { x + Literal::of<float>({1, 2, 3}); }), "f32(2, 2) + f32(3,)");
  EXPECT_CONTAINS(error_of([&] { x + Literal::of<double>({1, 2}); }), "the same type");
}

TEST(ArrayOps, ArithmeticInPlace) {
  Literal x = Literal::of<float>({{1, 2}, {3, 4}});
  const Literal before = x;
  x += 1;
  x *= 2.0;
  x -= Literal::of<float>({2, 2});
  EXPECT_EQ(x, 2 * before);
  EXPECT_CONTAINS(error_of([&] { x /= Literal::of<double>({1, 2}); }), "the same type");
  EXPECT_EQ(x, 2 * before);
  const Literal& itself = x;
  x /= itself;
  EXPECT_EQ(x, Literal::of<float>({{1, 1}, {1, 1}}));
  x -= std::vector<double>{0.5, 1};
  EXPECT_EQ(x, Literal::of<float>({{0.5f, 0}, {0.5f, 0}}));
}

TEST(ArrayOps, ArraysOfLists) {
  const std::vector<int32_t> row = {1, 2, 3};
  EXPECT_EQ(data::array({1.5, 2.0}), Literal::of<double>({1.5, 2}));
  EXPECT_EQ(data::array(row), Literal::of<int32_t>({1, 2, 3}));
  EXPECT_EQ(data::array({row}), Literal::of<int32_t>({{1, 2, 3}}));
  EXPECT_EQ(data::array({row, row}).shape(), (Shape{2, 3}));
  expect_parts(message_of<InvalidArgument>([&] {
                 data::array({row, row, std::vector<int32_t>{4}});
               }),
               {"row 2 has length 1, row 0 3", "set_padding()", "array_ops_test.cc:"});
}

// As TensorFlow's: types stay and wrap around, "/" is the true quotient.
TEST(ArrayOps, ArithmeticOfIntegers) {
  const Literal n = Literal::of<int64_t>({1, -2, 5'000'000'000}),
                bytes = Literal::of<uint8_t>({3, 250});
  EXPECT_EQ(n + 1, Literal::of<int64_t>({2, -1, 5'000'000'001}));
  EXPECT_EQ(2 * n - 3, Literal::of<int64_t>({-1, -7, 9'999'999'997}));
  EXPECT_EQ(1 - n, Literal::of<int64_t>({0, 3, -4'999'999'999}));
  EXPECT_EQ(n * n, Literal::of<int64_t>({1, 4, 6'553'255'926'290'448'384}));
  EXPECT_EQ(bytes + 10, Literal::of<uint8_t>({13, 4}));
  EXPECT_EQ(bytes * bytes, Literal::of<uint8_t>({9, 36}));
  EXPECT_EQ(bytes / 2, Literal::of<float>({1.5f, 125}));
  EXPECT_EQ(6 / Literal::of<int16_t>({4, -3}), Literal::of<float>({1.5f, -2}));
  EXPECT_EQ(n / Literal::of<int64_t>({2, 4, 5}), Literal::of<double>({0.5, -0.5, 1e9}));
  EXPECT_EQ(Literal::of<uint64_t>({1}) + ~uint64_t{0}, Literal::of<uint64_t>({0}));
  EXPECT_EQ(Literal::of<int64_t>({INT64_MAX}) + 1, Literal::of<int64_t>({INT64_MIN}));
  EXPECT_EQ(Literal::of<int64_t>({{1, 2}, {3, 4}}) + Literal::of<int64_t>({10, 20}),
            Literal::of<int64_t>({{11, 22}, {13, 24}}));
  EXPECT_CONTAINS(error_of([&] { bytes + 256; }),
                  "u8(2,) + a number, got 256, expected one that u8 holds");
  EXPECT_CONTAINS(error_of([&] { bytes * -1; }), "got -1");
  EXPECT_CONTAINS(error_of([&] { bytes / 300; }), "got 300");
  EXPECT_CONTAINS(error_of([&] { n + 0.5; }), "+ of i64(3,), expected floats");
  EXPECT_CONTAINS(error_of([&] { Literal::of<bool>({true}) + 1; }), "+ of pred(1,)");
  EXPECT_CONTAINS(error_of([&] { n + Literal::of<int32_t>({1, 2, 3}); }), "the same type");
}

TEST(ArrayOps, TemporariesAreChangedInPlace) {
  Literal x = Literal::of<float>({1, 2});
  const std::byte* memory = x.raw();
  x = std::move(x) * 2;
  EXPECT_EQ(x.raw(), memory);
}

TEST(ArrayOps, ScaleAndNormalize) {
  EXPECT_EQ(data::scale(Literal::of<uint8_t>({0, 10}), 0.5, 1), Literal::of<float>({1, 6}));
  const double mean[] = {1, 2}, deviation[] = {2, 4};
  EXPECT_EQ(data::normalize(Literal::of<uint8_t>({{1, 2}, {3, 10}}), mean, deviation),
            Literal::of<float>({{0, 0}, {1, 2}}));
  EXPECT_EQ(
      data::normalize(Literal::of<float>({3, 5}), std::span(mean, 1), std::span(deviation, 1)),
      Literal::of<float>({1, 2}));
  EXPECT_CONTAINS(error_of([&] {
                    data::normalize(counting({2, 3}, DType::i32), mean, deviation);
                  }),
                  "normalize i32(2, 3) with 2 means");
}

TEST(ArrayOps, NumbersOfEachChannel) {
  const std::vector<double> y = {1, 2};
  const Literal x = Literal::of<float>({{3, 4}, {5, 6}});
  EXPECT_EQ(x + y, Literal::of<float>({{4, 6}, {6, 8}}));
  EXPECT_EQ(x - y, Literal::of<float>({{2, 2}, {4, 4}}));
  EXPECT_EQ(x * y, Literal::of<float>({{3, 8}, {5, 12}}));
  EXPECT_EQ(x / y, Literal::of<float>({{3, 2}, {5, 3}}));
  EXPECT_EQ(x.convert(DType::bf16) - y, Literal::of<float>({{2, 2}, {4, 4}}).convert(DType::bf16));
  EXPECT_CONTAINS(error_of([&] { return x.convert(DType::u8) - y; }), "cast(x, DType::f32)");
  EXPECT_CONTAINS(error_of([&] { return x - std::vector<double>{1, 2, 3}; }), "that of the last");
}

TEST(ArrayOps, RowsBecomeAnArray) {
  const std::vector<std::vector<int32_t>> rows = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(data::array(rows), Literal::of<int32_t>({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(data::array(std::vector<std::vector<float>>{}).shape(), (Shape{0}));
  EXPECT_EQ(data::array(std::vector<float>{1, 2}), Literal::of<float>({1, 2}));
  EXPECT_CONTAINS(error_of([] {
                    return data::array(std::vector<std::vector<int32_t>>{{1, 2}, {3}});
                  }),
                  "row 1 has length 1, row 0 2");
}

TEST(ArrayOps, ShapesAreMoved) {
  const Literal x = counting({2, 3}, DType::i32);
  EXPECT_EQ(data::reshape(x, {3, -1}), counting({3, 2}, DType::i32));
  EXPECT_EQ(data::reshape(x, {-1}), counting({6}, DType::i32));
  EXPECT_EQ(data::transpose(x), Literal::of<int32_t>({{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(data::expand_dims(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(data::expand_dims(x, 0).shape(), (Shape{1, 2, 3}));
  const Literal cube = counting({2, 3, 4}, DType::i32), turned = data::transpose(cube, {2, 0, 1});
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k)
        EXPECT_EQ(turned.at<int32_t>({k, i, j}), cube.at<int32_t>({i, j, k}));
    }
  }
  EXPECT_CONTAINS(error_of([&] { data::transpose(x, {0, 0}); }), "every axis in [0, 2) once");
  EXPECT_CONTAINS(error_of([&] { data::reshape(x, {4, -1}); }), "cannot reshape");
  EXPECT_CONTAINS(error_of([&] { data::reshape(x, {-1, -1}); }), "at most one -1");
  EXPECT_CONTAINS(error_of([&] { data::expand_dims(x, 4); }), "an axis in [-3, 2]");
}

TEST(ArrayOps, SlicesAndPads) {
  const Literal x = counting({3, 4}, DType::i32);
  EXPECT_EQ(data::slice(x, {1, 1}, {2, 2}), Literal::of<int32_t>({{5, 6}, {9, 10}}));
  EXPECT_EQ(data::slice(x, {2, 0}, {-1, -1}), Literal::of<int32_t>({{8, 9, 10, 11}}));
  EXPECT_EQ(data::slice(x, {3, 0}, {0, 4}).shape(), (Shape{0, 4}));
  EXPECT_EQ(data::pad(Literal::of<int32_t>({{1, 2}}), {{1, 0}, {0, 1}}, 9),
            Literal::of<int32_t>({{9, 9, 9}, {1, 2, 9}}));
  EXPECT_CONTAINS(error_of([&] {
                    data::slice(x, {1, 1}, {2, 4});
                  }),
                  "a range within [0, 4) on axis 1");
  EXPECT_CONTAINS(error_of([&] { data::slice(x, {1}, {2}); }), "one for each of the 2 axes");
  EXPECT_CONTAINS(error_of([&] { data::pad(x, {{0, -1}, {0, 0}}); }), "at least 0");
}

TEST(ArrayOps, OneHotStackAndDecodeRaw) {
  EXPECT_EQ(data::one_hot(Literal::of<int64_t>({1, -1, 3, 0}), 3),
            Literal::of<float>({{0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(data::one_hot(Literal::scalar<uint8_t>(1), 2, DType::bf16).convert(DType::i32),
            Literal::of<int32_t>({0, 1}));
  EXPECT_EQ(data::stack(std::vector{Literal::of<float>({1}), Literal::of<float>({2})}),
            Literal::of<float>({{1}, {2}}));
  EXPECT_EQ(data::decode_raw(Literal::scalar("ab"), DType::u8), Literal::of<uint8_t>({97, 98}));
  EXPECT_EQ(
      data::decode_raw(Literal::strings({std::string("\1\0\2\0", 4), std::string("\3\0\4\1", 4)}),
                       DType::i16),
      Literal::of<int16_t>({{1, 2}, {3, 260}}));
  EXPECT_CONTAINS(error_of([] {
                    data::decode_raw(Literal::strings({"ab", "c"}), DType::u8);
                  }),
                  "string 1 has 1 bytes, expected 2 as the first");
  EXPECT_CONTAINS(error_of([] { data::decode_raw(Literal::scalar("abc"), DType::i16); }),
                  "a multiple of 2, the width of i16");
  EXPECT_CONTAINS(error_of([] { data::one_hot(Literal::of<float>({1}), 3); }), "expected integers");
  EXPECT_CONTAINS(error_of([] {
                    data::stack(std::vector{Literal::of<float>({1}), Literal::scalar(2.0f)});
                  }),
                  "array 1 is f32()");
}

TEST(ArrayOps, RowsCountAsPythonDoes) {
  const Literal x = Literal::of<int64_t>({{0, 1}, {2, 3}, {4, 5}});
  const auto first = [&](int64_t begin, int64_t end) {
    std::vector<int64_t> all;
    const Literal part = data::rows(x, begin, end);
    EXPECT_EQ(part.shape()[1], 2);
    for (int64_t i = 0; i < part.shape()[0]; ++i) all.push_back(part.row(i).integer_at(0));
    return all;
  };
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(first(0, -1), (Numbers{0, 2}));
  EXPECT_EQ(first(1, INT64_MAX), (Numbers{2, 4}));
  EXPECT_EQ(first(-2, 9), (Numbers{2, 4}));
  EXPECT_EQ(first(-9, 1), (Numbers{0}));
  EXPECT_EQ(first(2, 1), Numbers{});
  EXPECT_EQ(first(5, 7), Numbers{});
  EXPECT_CONTAINS(error_of([] { data::rows(Literal::scalar(1.f), 0); }), "rows of a scalar");
}

}  // namespace
}  // namespace systolic
