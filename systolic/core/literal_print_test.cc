// The wanted texts are NumPy 2.4's: str() of the same arrays.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/core/literal.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

struct Printed {
  Literal literal;
  const char* wanted;
};

TEST(LiteralPrint, LooksAsNumPyPrints) {
  const Printed table[] = {
      {Literal::of<float>({{22, 28}, {49, 64}}),
       "[[22. 28.]\n"
       " [49. 64.]]"},
      {Literal::of<float>({1.5f, 2.25f, -3}), "[ 1.5   2.25 -3.  ]"},
      {Literal::of<float>({1e6f, 1.5f}), "[1.0e+06 1.5e+00]"},
      {Literal::of<float>({999999, 1000}), "[999999.   1000.]"},
      {Literal::of<float>({0.1f, 1.0f / 3}), "[0.1        0.33333334]"},
      {Literal::of<double>({1.0000000001, 1.0 / 3}), "[1.         0.33333333]"},
      {Literal::of<double>({1e-5, 1}), "[1.e-05 1.e+00]"},
      {Literal::of<double>({1e8}), "[1.e+08]"},
      {Literal::of<double>({1e100, -1e-100, 0.1234567890123}),
       "[ 1.00000000e+100 -1.00000000e-100  1.23456789e-001]"},
      {Literal::of<double>({1, INFINITY, NAN, -INFINITY}), "[  1.  inf  nan -inf]"},
      {Literal::of<double>({NAN, NAN}), "[nan nan]"},
      {Literal::of<double>({0, -0.0}), "[ 0. -0.]"},
      {Literal::of<int32_t>({{-1, 20}, {300, 4}}),
       "[[ -1  20]\n"
       " [300   4]]"},
      {Literal::of<uint64_t>({UINT64_MAX}), "[18446744073709551615]"},
      {Literal::of<bool>({true, false}), "[ True False]"},
      {Literal::scalar<bool>(true), "True"},
      {Literal::scalar<float>(22), "22.0"},
      {Literal::scalar<float>(0.1f), "0.1"},
      {Literal::scalar<float>(1e-5f), "1e-05"},
      {Literal::scalar<float>(-2.5e7f), "-2.5e+07"},
      {Literal::scalar<double>(1.0 / 3), "0.3333333333333333"},
      {Literal::scalar<double>(1e16), "1e+16"},
      {Literal::scalar<int64_t>(-5), "-5"},
      {Literal::of<float>({1.0f / 3}).convert(DType::f16), "[0.3333]"},
      {Literal::of<float>({1234}).convert(DType::f16), "[1.234e+03]"},
      {Literal::of<std::complex<double>>({1, {2, 3.5}, {0, -1}}), "[1.+0.j  2.+3.5j 0.-1.j ]"},
      {Literal::scalar<std::complex<double>>({3.25, 1}), "(3.25+1j)"},
      {Literal::zeros(DType::f32, {0, 3}), "[]"},
      {Literal::zeros(DType::f32, {2, 2, 1}),
       "[[[0.]\n"
       "  [0.]]\n"
       "\n"
       " [[0.]\n"
       "  [0.]]]"},
      {counting({3, 400}, DType::i64),
       "[[   0    1    2 ...  397  398  399]\n"
       " [ 400  401  402 ...  797  798  799]\n"
       " [ 800  801  802 ... 1197 1198 1199]]"},
      {counting({30, 40}, DType::f32),
       "[[0.000e+00 1.000e+00 2.000e+00 ... 3.700e+01 3.800e+01 3.900e+01]\n"
       " [4.000e+01 4.100e+01 4.200e+01 ... 7.700e+01 7.800e+01 7.900e+01]\n"
       " [8.000e+01 8.100e+01 8.200e+01 ... 1.170e+02 1.180e+02 1.190e+02]\n"
       " ...\n"
       " [1.080e+03 1.081e+03 1.082e+03 ... 1.117e+03 1.118e+03 1.119e+03]\n"
       " [1.120e+03 1.121e+03 1.122e+03 ... 1.157e+03 1.158e+03 1.159e+03]\n"
       " [1.160e+03 1.161e+03 1.162e+03 ... 1.197e+03 1.198e+03 1.199e+03]]"},
      {counting({1100}, DType::f32),
       "[0.000e+00 1.000e+00 2.000e+00 ... 1.097e+03 1.098e+03 1.099e+03]"},
      {counting({40}, DType::f64),
       "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
       " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35.\n"
       " 36. 37. 38. 39.]"},
      {counting({2, 3, 4}, DType::i32),
       "[[[ 0  1  2  3]\n"
       "  [ 4  5  6  7]\n"
       "  [ 8  9 10 11]]\n"
       "\n"
       " [[12 13 14 15]\n"
       "  [16 17 18 19]\n"
       "  [20 21 22 23]]]"},
      {counting({2, 30}, DType::i32),
       "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
       "  24 25 26 27 28 29]\n"
       " [30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53\n"
       "  54 55 56 57 58 59]]"},
      {Literal::strings({"a", "it's", std::string("\x00\n\\\xff", 4)}),
       "[b'a' b\"it's\" b'\\x00\\n\\\\\\xff']"},
      {Literal::scalar("ab"), "b'ab'"},
  };
  for (const Printed& row : table) EXPECT_EQ(to_string(row.literal), row.wanted);
}

TEST(LiteralPrint, SmallFloatsPrintTheirShortestDigits) {
  EXPECT_EQ(to_string(Literal::of<float>({0.1f, 100, -3}).convert(DType::bf16)),
            "[  0.1 100.   -3. ]");
  EXPECT_EQ(to_string(Literal::of<float>({448, 0.5f}).convert(DType::f8e4m3fn)), "[450.    0.5]");
}

}  // namespace
}  // namespace systolic
