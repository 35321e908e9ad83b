// The words that options take: those of Keras, checked while compiling.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

using Words = std::vector<std::string>;

// What the option may be called, and that nothing else is.
template <class Names>
void expect_words(const Words& wanted) {
  SCOPED_TRACE(Names::subject);
  EXPECT_EQ(Choice<Names>::known(), wanted);
  for (const std::string& word : wanted) EXPECT_EQ(Choice<Names>::parse(word).name(), word);
  EXPECT_THROW(Choice<Names>::parse("sideways"), InvalidArgument);
}

TEST(WordExamples, OfLayers) {
  expect_words<PaddingNames>({"valid", "same", "causal"});
  expect_words<InterpolationNames>({"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"});
  expect_words<ScoreModeNames>({"dot", "concat"});
  expect_words<MergeModeNames>({"concat", "sum", "mul", "ave", "none"});
  expect_words<CategoryOutputNames>({"int", "one_hot", "multi_hot", "count"});
  expect_words<FeatureOutputNames>({"one_hot", "int"});
  expect_words<FlipNames>({"horizontal", "vertical", "horizontal_and_vertical"});
  expect_words<MelWindowNames>({"hann", "hamming"});
  expect_words<SpectrogramModeNames>({"log", "magnitude", "psd", "real", "imag", "angle", "stft"});
  expect_words<tpu::experimental::embedding::CombinerNames>({"sum", "mean", "sqrtn"});
}

TEST(WordExamples, OfLossesMetricsAndWeights) {
  expect_words<ReductionNames>(
      {"sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"});
  expect_words<AucSummationNames>({"interpolation", "minoring", "majoring"});
  expect_words<ScoreAverageNames>({"none", "micro", "macro", "weighted", "binary"});
  expect_words<R2AggregationNames>({"uniform_average", "variance_weighted_average", "none"});
  expect_words<FanNames>({"fan_in", "fan_out", "fan_avg"});
  expect_words<DistributionNames>({"truncated_normal", "untruncated_normal", "uniform"});
  expect_words<StftSideNames>({"real", "imag"});
  expect_words<StftScalingNames>({"none", "density", "spectrum"});
  expect_words<ConstraintNames>({"max_norm", "non_neg", "unit_norm", "min_max_norm"});
}

TEST(WordExamples, OfOperations) {
  expect_words<ops::image::EdgeNames>({"constant", "nearest", "wrap", "reflect", "mirror"});
  expect_words<ops::image::BetweenNames>({"bilinear", "nearest"});
  expect_words<ops::QuantileNames>({"linear", "lower", "higher", "midpoint", "nearest"});
  const SignalWindowNames windows;
  EXPECT_GE(windows.position("blackman"), 0);
}

TEST(WordExamples, AreConstantsOfTheirOwnTypes) {
  const Interpolation smooth = "bicubic";
  const ScoreMode concatenated = "concat";
  const MergeMode averaged = "ave";
  const CategoryOutput counted = "count";
  const FeatureOutput place = "int";
  const LookupOutput weighted = "tf_idf";
  EXPECT_TRUE(smooth.is("bicubic"));
  EXPECT_TRUE(concatenated.is("concat"));
  EXPECT_TRUE(averaged.is("ave"));
  EXPECT_TRUE(counted.is("count"));
  EXPECT_TRUE(place.is("int"));
  EXPECT_TRUE(weighted.is("tf_idf"));
}

TEST(WordExamples, OfPolicies) {
  const Words names(DTypePolicyNames::names.begin(), DTypePolicyNames::names.end());
  EXPECT_EQ(position_in(names, "float32"), 2);
  EXPECT_EQ(position_in(names, "float12"), -1);
  EXPECT_EQ(parse_choice("dtype policy", "bfloat16", names, SourceLocation::current()), 3);
  EXPECT_EQ(DTypePolicy::parse("mixed_bfloat16").compute_dtype(), DType::bf16);
}

}  // namespace
}  // namespace systolic
