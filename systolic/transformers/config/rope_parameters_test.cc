// Frequencies of positions against those of transformers 5.23 (modeling_rope_utils,
// ROPE_INIT_FUNCTIONS), which computes them in f32: heads of 16 numbers, 2048 positions.
#include "systolic/transformers/config/rope_parameters.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

TEST(RopeParametersTest, FrequenciesAreThoseOfTransformers) {
  const struct {
    RopeParameters parameters;
    std::vector<double> frequencies;
    double factor = 1;
  } table[] = {
      {{.rope_type = "linear", .factor = 4},
       {0.25, 0.079056941, 0.025, 0.0079056947, 0.0024999999, 0.00079056947, 0.00025000001,
        7.9056947e-05}},
      {{.rope_type = "llama3",
        .rope_theta = 5e5,
        .factor = 8,
        .original_max_position_embeddings = 256},
       {1, 0.19392276, 0.010538231, 0.00091158313, 0.00017677668, 3.4281024e-05, 6.6478697e-06,
        1.2891732e-06}},
      {{.rope_type = "yarn", .factor = 4, .original_max_position_embeddings = 512},
       {1, 0.25693506, 0.0625, 0.013834965, 0.0024999999, 0.00079056947, 0.00025000001,
        7.9056947e-05},
       1.138629436111989},
      {{.rope_type = "yarn", .original_max_position_embeddings = 512},  // 2048 / 512
       {1, 0.25693506, 0.0625, 0.013834965, 0.0024999999, 0.00079056947, 0.00025000001,
        7.9056947e-05},
       1.138629436111989},
      {{.rope_type = "yarn",
        .rope_theta = 1000,
        .factor = 4,
        .original_max_position_embeddings = 64,
        .beta_fast = 3,
        .beta_slow = 0.5,
        .truncate = false,
        .mscale = 0.7,
        .mscale_all_dim = 0.3},
       {1, 0.42169651, 0.14027175, 0.032048408, 0.0079056947, 0.0033338037, 0.0014058533,
        0.00059284345},
       1.0532376815143234},
      {{.rope_type = "yarn",
        .factor = 8,
        .original_max_position_embeddings = 512,
        .attention_factor = 0.9},
       {1, 0.24705294, 0.056250002, 0.01087033, 0.00125, 0.00039528473, 0.00012500001,
        3.9528473e-05},
       0.9},
  };
  for (const auto& row : table) {
    const RopeFrequencies got = rope_frequencies(row.parameters, 16, 2048);
    ASSERT_EQ(got.frequencies.size(), row.frequencies.size());
    for (size_t i = 0; i < row.frequencies.size(); ++i)
      EXPECT_NEAR(got.frequencies[i], row.frequencies[i], 1e-6 * row.frequencies[i])
          << row.parameters.rope_type << " " << i;
    EXPECT_NEAR(got.factor, row.factor, 1e-12) << row.parameters.rope_type;
  }
}

TEST(RopeParametersTest, APartOfAHeadIsTurned) {
  const RopeParameters half{.partial_rotary_factor = 0.4};
  EXPECT_EQ(rotated_size(half, 32), 12);  // the even number below 12.8
  EXPECT_EQ(rope_frequencies(half, 32, 100).frequencies.size(), 6u);
  EXPECT_EQ(rotated_size({}, 32), 32);
}

}  // namespace
}  // namespace systolic
