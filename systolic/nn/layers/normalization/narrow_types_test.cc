// Layers that compute wider than their policy's type: beyond what f16 holds, and below what f32
// does. Values of LayerNormalization and of pooling are Keras 3.15's; its BatchNormalization,
// Normalization and Rescaling round their inputs to f16 first and give NaN or infinity here.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/nn/layers/all.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

struct NarrowCase {
  const char* name;
  DTypePolicy policy;
  Layer (*make)();
  Literal input;
  std::vector<double> output;
  double tolerance;
  bool training = false;
};

Literal beyond_f16() { return Literal::of<float>({{60000, 65000, 70000, 68000}}); }
Literal beyond_f32() { return Literal::of<double>({{1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3}}); }
Literal column(const Literal& row) { return row.reshape({4, 1}); }

const NarrowCase narrow_cases[] = {
    {"layer normalization",
     "mixed_float16",
     [] { return Layer(LayerNormalization{}); },
     beyond_f16(),
     {-1.526, -0.1991, 1.128, 0.597},
     6e-4},
    {"layer normalization",
     "mixed_bfloat16",
     [] { return Layer(LayerNormalization{}); },
     beyond_f16(),
     {-1.526, -0.1991, 1.128, 0.597},
     4e-3},
    {"batch normalization",
     "mixed_float16",
     [] { return Layer(BatchNormalization{}); },
     column(beyond_f16()),
     {-1.526, -0.1991, 1.128, 0.597},
     6e-4,
     true},
    {"normalization",
     "mixed_float16",
     [] { return Layer(Normalization{.mean = {65750.0}, .variance = {1.4e7}}); },
     beyond_f16(),
     {-1.5367, -0.2004, 1.1359, 0.6013},
     6e-4},
    {"rescaling",
     "mixed_float16",
     [] { return Layer(Rescaling{.scale = 1.0 / 255}); },
     beyond_f16(),
     {235.25, 255, 274.5, 266.75},
     0.13},
    {"layer normalization",
     "float64",
     [] { return Layer(LayerNormalization{}); },
     beyond_f32(),
     {-1.341105, -0.447035, 0.447035, 1.341105},
     1e-6},
    {"batch normalization",
     "float64",
     [] { return Layer(BatchNormalization{}); },
     column(beyond_f32()),
     {-1.341105, -0.447035, 0.447035, 1.341105},
     1e-6,
     true},
    {"normalization",
     "float64",
     [] { return Layer(Normalization{.mean = {1e8 + 1.5}, .variance = {1.251}}); },
     beyond_f32(),
     {-1.341105, -0.447035, 0.447035, 1.341105},
     1e-6},
};

TEST(NarrowTypes, NormalizationsComputeWide) {
  for (const NarrowCase& row : narrow_cases) {
    const DTypePolicyScope policy(row.policy);
    const Tensor y = row.make()(constant(row.input), {.training = row.training});
    EXPECT_EQ(y.dtype(), row.policy.compute_dtype()) << row.name;
    const Literal got = y.literal();
    for (size_t i = 0; i < row.output.size(); ++i) {
      EXPECT_NEAR(got.number_at(static_cast<int64_t>(i)), row.output[i], row.tolerance)
          << row.name << ", " << i;
    }
  }
}

// 40 times 4000 is more than f16 holds.
TEST(NarrowTypes, MeansDoNotOverflow) {
  const DTypePolicyScope policy("mixed_float16");
  const Tensor steps = fill({1, 40, 2}, 4000), image = fill({1, 8, 8, 2}, 4000);
  const Tensor means[] = {
      GlobalAveragePooling1D{}(steps),
      AveragePooling1D{.pool_size = 40}(steps),
      GlobalAveragePooling2D{}(image),
      AveragePooling2D{.pool_size = 8}(image),
      AveragePooling2D{.pool_size = 3, .padding = "same"}(image),
      mean(cast(image, DType::f16)),
  };
  for (const Tensor& one : means) EXPECT_EQ(max(abs(one)).literal().number_at(0), 4000);
  // One square is 878,906, their mean 58,593.75.
  const Tensor sixteen = concat({zeros({15}), constant({1000.f})}, 0);
  EXPECT_EQ(variance(cast(sixteen, DType::f16)).literal().number_at(0), 58592);
}

}  // namespace
}  // namespace systolic
