#include "systolic/core/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

TEST(Literal, HoldsWhatItWasMadeFrom) {
  const Literal a = Literal::of<float>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_EQ(a.at<float>({1, 2}), 6);
  EXPECT_EQ(a.byte_size(), 24u);
  EXPECT_EQ(Literal().item<float>(), 0);
  EXPECT_EQ(Literal::scalar<int64_t>(7).item<int32_t>(), 7);
  EXPECT_EQ(Literal::filled(DType::bf16, {2}, 1.5).number_at(1), 1.5);
  EXPECT_EQ(Literal::zeros(DType::i32, {2, 0}).size(), 0);
}

TEST(Literal, CopiesShareUntilOneIsWritten) {
  Literal a = Literal::of<int32_t>({1, 2, 3});
  Literal b = a;
  EXPECT_EQ(a.raw(), b.raw());
  b.mutable_data<int32_t>()[0] = 9;
  EXPECT_EQ(a.at<int32_t>({0}), 1);
  EXPECT_EQ(b.at<int32_t>({0}), 9);
  const std::byte* before = b.raw();
  b.mutable_data<int32_t>()[1] = 8;
  EXPECT_EQ(b.raw(), before);
}

TEST(Literal, WhatWasMovedFromIsAScalar) {
  Literal first = Literal::of<float>({1, 2, 3});
  Literal second = std::move(first);
  EXPECT_EQ(second, Literal::of<float>({1, 2, 3}));
  EXPECT_EQ(first, Literal());  // NOLINT
  first = std::move(second);
  second = Literal::scalar<int32_t>(7);
  EXPECT_EQ(first, Literal::of<float>({1, 2, 3}));
  Literal& same = first;
  first = std::move(same);
  EXPECT_EQ(first, Literal::of<float>({1, 2, 3}));
}

TEST(Literal, IsAloneUntilItIsShared) {
  Literal a = Literal::of<float>({{1, 2}, {3, 4}});
  EXPECT_TRUE(a.is_alone());
  {
    const Literal row = a.row(1);
    EXPECT_FALSE(a.is_alone());
    EXPECT_FALSE(row.is_alone());
  }
  EXPECT_TRUE(a.is_alone());
  const float numbers[] = {1, 2};
  EXPECT_FALSE(Literal::wrap(DType::f32, {2}, numbers, nullptr).is_alone());
}

TEST(Literal, RowsAndReshapesShareAndCopyOnWrite) {
  Literal a = Literal::of<float>({{1, 2}, {3, 4}});
  Literal row = a.row(1);
  EXPECT_EQ(row.shape(), Shape{2});
  EXPECT_EQ(row.raw(), a.raw() + 8);
  row.mutable_data<float>()[0] = 7;
  EXPECT_EQ(a.at<float>({1, 0}), 3);
  EXPECT_EQ(a.rows(1, 2).shape(), (Shape{1, 2}));
  EXPECT_EQ(a.reshape({4}).raw(), a.raw());
}

TEST(Literal, WrappedMemoryIsKeptAliveAndNeverWritten) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
  std::weak_ptr<std::vector<float>> watch = owner;
  Literal a = Literal::wrap(DType::f32, {2}, owner->data(), owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  const float* shared = a.data<float>().data();
  Literal b = a;
  a.mutable_data<float>()[0] = 5;
  EXPECT_EQ(shared[0], 1);
  b = Literal();
  EXPECT_TRUE(watch.expired());
}

TEST(Literal, StringsKeepTheirBytes) {
  const Literal a = Literal::strings({"one", "", std::string("t\0o", 3)});
  EXPECT_EQ(a.shape(), Shape{3});
  EXPECT_EQ(a.string_at(2), std::string_view("t\0o", 3));
  EXPECT_EQ(a.byte_size(), 6u);
  const Literal row = a.row(0), scalar = Literal::scalar("abc"), unset(DType::string, {2});
  EXPECT_EQ(row.bytes(), "one");
  EXPECT_EQ(scalar.bytes(), "abc");
  EXPECT_EQ(unset.string_at(1), "");
  EXPECT_FALSE(Literal::scalar("abc") == Literal::scalar("abd"));
  EXPECT_EQ(Literal::scalar("abc"), Literal::scalar("abc"));
}

TEST(Literal, StringViewsShareTheOwnersBytes) {
  auto block = std::make_shared<std::string>("hello world");
  const std::string_view views[] = {std::string_view(*block).substr(6)};
  const Literal a = Literal::string_views(views, {1}, block);
  EXPECT_EQ(a.string_at(0).data(), block->data() + 6);
  EXPECT_EQ(a.string_at(0), "world");
}

TEST(Literal, StringsCanBePointedElsewhere) {
  Literal a = Literal::strings({"one", "two"});
  Literal b = a;
  b.mutable_strings()[0] = b.string_at(1);
  EXPECT_EQ(a.string_at(0), "one");
  a = Literal();
  EXPECT_EQ(b, Literal::strings({"two", "two"}));  // it keeps the bytes
  Literal c = Literal::string_views({2}, b, nullptr);
  c.mutable_strings()[1] = b.string_at(0).substr(1);
  b = Literal();
  EXPECT_EQ(c, Literal::strings({"", "wo"}));
}

struct Conversion {
  double from;
  DType to;
  double wanted;
};

TEST(Literal, ConvertsFloatsAsXlaDoes) {
  const double inf = INFINITY;
  const Conversion table[] = {
      {1.9, DType::i32, 1},
      {-1.9, DType::i32, -1},
      {300, DType::u8, 255},
      {-1, DType::u8, 0},
      {-129, DType::i8, -128},
      {NAN, DType::i64, 0},
      {inf, DType::i32, 2147483647},
      {-inf, DType::i16, -32768},
      {9.5, DType::i4, 7},
      {-20, DType::i4, -8},
      {17, DType::u4, 15},
      {NAN, DType::u4, 0},
      {0.5, DType::pred, 1},
      {0, DType::pred, 0},
      {NAN, DType::pred, 1},
      {1e300, DType::f32, inf},
      {70000, DType::f16, inf},
      {1.00390625, DType::bf16, 1},                // a tie goes to even
      {1.00390625000001, DType::bf16, 1.0078125},  // one rounding, not two
  };
  for (const Conversion& row : table) {
    EXPECT_EQ(Literal::scalar<double>(row.from).convert(row.to).number_at(0), row.wanted)
        << row.from << " to " << to_string(row.to);
  }
}

TEST(Literal, ConvertsIntegersByWrapping) {
  const Literal wide = Literal::of<int64_t>({258, -1, 1LL << 40, 9});
  EXPECT_EQ(wide.convert(DType::u8), Literal::of<uint8_t>({2, 255, 0, 9}));
  EXPECT_EQ(wide.convert(DType::i4).convert(DType::i32), Literal::of<int32_t>({2, -1, 0, -7}));
  EXPECT_EQ(wide.convert(DType::u32), Literal::of<uint32_t>({258, 4294967295u, 0, 9}));
  EXPECT_EQ(wide.convert(DType::pred), Literal::of<bool>({true, true, true, true}));
  EXPECT_EQ(Literal::scalar<uint64_t>(UINT64_MAX).convert(DType::bf16).number_at(0), 0x1p64);
  EXPECT_EQ(Literal::scalar<int64_t>((int64_t{257} << 40) + 1).convert(DType::bf16).number_at(0),
            0x1p40 * 258);
  EXPECT_EQ(Literal::scalar<double>(0x1p64).convert(DType::u64).item<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Literal::scalar<float>(0x1p63f).convert(DType::i64).item<int64_t>(), INT64_MAX);
  EXPECT_EQ(Literal::scalar<int64_t>(INT64_MAX).integer_at(0), INT64_MAX);
}

TEST(Literal, ConvertsComplexNumbers) {
  const Literal a = Literal::from(std::vector<std::complex<float>>{{1.5f, 2}, {0, 3}}, {2});
  EXPECT_EQ(a.convert(DType::f32), Literal::of<float>({1.5f, 0}));
  EXPECT_EQ(a.convert(DType::pred), Literal::of<bool>({true, true}));
  EXPECT_EQ(a.convert(DType::c128).convert(DType::c64), a);
  EXPECT_EQ(Literal::scalar(2).convert(DType::c64).number_at(0), 2);
}

TEST(Literal, EveryPairOfTypesConvertsSmallNumbersExactly) {
  for (int i = 0; i < dtype_count; ++i) {
    for (int j = 0; j < dtype_count; ++j) {
      const auto from = static_cast<DType>(i), to = static_cast<DType>(j);
      if (byte_width(from) == 0 || byte_width(to) == 0) continue;
      for (int number : {0, 1, 3}) {
        const double held = from == DType::pred && number > 1 ? 1 : number;
        const double wanted = to == DType::pred ? held != 0 : held;
        EXPECT_EQ(Literal::filled(from, {3}, number).convert(to).number_at(2), wanted)
            << to_string(from) << " to " << to_string(to);
      }
    }
  }
}

TEST(Literal, ErrorsSayWhatWasAskedAndWhatIsThere) {
  const Literal a = Literal::of<float>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(
      message_of([&] { a.data<int32_t>(); }),
      "the elements of f32(2, 3) were requested as i32.\n  hint: use convert(DType::i32) first.");
  EXPECT_EQ(message_of([&] {
              a.reshape({4}, {"a.cc", 3});
            }),
            "cannot reshape f32(2, 3) of 6 elements to (4,), expected a shape of 6 elements.\n  at "
            "a.cc:3");
  EXPECT_EQ(message_of([&] { a.item<float>(); }),
            "item() of f32(2, 3), expected an array of one element.");
  EXPECT_EQ(message_of([&] {
              a.at<float>({0, 3});
            }),
            "index (0, 3) into f32(2, 3), expected axis 1 in [0, 3).");
  EXPECT_EQ(message_of([&] { a.row(2); }),
            "rows [2, 3) of f32(2, 3), expected rows within [0, 2).");
  EXPECT_EQ(message_of([&] {
              Literal::from(std::vector<int>{1, 2}, {3}, {"b.cc", 1});
            }),
            "shape (3,) holds 3 elements, got 2 values.\n  at b.cc:1");
  EXPECT_EQ(message_of([&] { a.string_at(0); }), "string_at of f32(2, 3), expected strings.");
  EXPECT_EQ(message_of([&] { Literal(DType::f32, Shape{-1}); }),
            "shape (-1,) has a negative size.");
  EXPECT_THROW(Literal(DType::f64, Shape{1LL << 61}), Error);
  EXPECT_THROW(Literal(DType::f64, Shape{1LL << 55}), Error);
}

}  // namespace
}  // namespace systolic
