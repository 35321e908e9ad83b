#include "systolic/transformers/config/weight_names.h"

#include <gtest/gtest.h>

#include <numeric>

namespace systolic {
namespace {

TEST(WeightNamesTest, PathsBecomeTheNamesInFiles) {
  const WeightNames names{.plain_kernels = {"c_attn."}};
  struct Row {
    const char* path;
    int rank;
    const char* name;
    bool reversed;
  };
  for (const Row& row :
       {Row{"bert/encoder.layer.0/attention.self.query/kernel", 2,
            "bert.encoder.layer.0.attention.self.query.weight", true},
        Row{"bert/pooler.dense/bias", 1, "bert.pooler.dense.bias", false},
        Row{"bert/embeddings.LayerNorm/gamma", 1, "bert.embeddings.LayerNorm.weight", false},
        Row{"bert/embeddings.LayerNorm/beta", 1, "bert.embeddings.LayerNorm.bias", false},
        Row{"bert/embeddings.word_embeddings/embeddings", 2,
            "bert.embeddings.word_embeddings.weight", false},
        Row{"transformer/h.0/attn.c_attn/kernel", 2, "transformer.h.0.attn.c_attn.weight",
            false}}) {
    const StoredWeight stored = stored_weight(row.path, row.rank, names);
    EXPECT_EQ(stored.name, row.name);
    EXPECT_EQ(stored.reversed, row.reversed) << row.path;
  }
}

TEST(WeightNamesTest, NamesOfOlderCheckpointsBecomeThePresentOnes) {
  const WeightNames names{.older = {{"ln_f", "norm"}}};
  EXPECT_EQ(present_name("bert.embeddings.LayerNorm.gamma", names),
            "bert.embeddings.LayerNorm.weight");
  EXPECT_EQ(present_name("bert.embeddings.LayerNorm.beta", names),
            "bert.embeddings.LayerNorm.bias");
  EXPECT_EQ(present_name("h.ln_f.weight", names), "h.norm.weight");
  EXPECT_EQ(present_name("layer.gamma", names), "layer.gamma");
}

// Element by element, in double loops.
TEST(WeightNamesTest, KernelsAreTurnedAndTurnedBack) {
  for (const Shape& stored : {Shape{70, 33}, Shape{1, 5}, Shape{5, 3, 4}, Shape{6, 3, 2, 5}}) {
    Literal kernel(DType::f32, stored);
    const auto values = kernel.mutable_data<float>();
    std::iota(values.begin(), values.end(), 0.0F);
    const Literal ours = from_stored_axes(kernel);
    const int64_t out = stored[0], in = stored[1], spatial = kernel.size() / out / in;
    EXPECT_EQ(stored_shape(ours.shape()), stored);
    EXPECT_EQ(ours.shape()[-1], out);
    EXPECT_EQ(ours.shape()[-2], in);
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i) {
        for (int64_t s = 0; s < spatial; ++s) {
          ASSERT_EQ(ours.number_at((s * in + i) * out + o),
                    kernel.number_at((o * in + i) * spatial + s));
        }
      }
    }
    EXPECT_EQ(to_stored_axes(ours), kernel);
  }
}

}  // namespace
}  // namespace systolic
