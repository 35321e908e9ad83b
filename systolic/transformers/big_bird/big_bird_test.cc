// BigBird's block sparse attention against transformers: golden/make_long_inputs.py.
#include <gtest/gtest.h>

#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/layers/random_blocks.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

TEST(RandomBlocksTest, AreThoseThatTransformersDraws) {
  const Example drawn =
      io::read_safetensors(golden_folder("big_bird") + "/random_blocks.safetensors").tensors;
  ASSERT_FALSE(drawn.empty());
  for (const auto& [name, wanted] : drawn) {
    const std::vector<std::string> parts = split(name, '.');  // seed, tokens, positions
    RandomBlockOptions options{.heads = 2};
    int64_t seed = 0, tokens = 0;
    ASSERT_TRUE(parse_number(parts.at(0), seed) && parse_number(parts.at(1), tokens) &&
                parse_number(parts.at(2), options.most_positions));
    options.seed = static_cast<uint32_t>(seed);
    options.blocks = tokens / options.block_size;
    const std::vector<int32_t> got = random_blocks(options);
    EXPECT_EQ(Literal::from(got, wanted.shape()), wanted) << name;
  }
}

TEST(RandomBlocksTest, RefusesRowsWithoutEnoughBlocks) {
  EXPECT_THROW(random_blocks({.blocks = 64, .block_size = 64, .random_blocks = 14}),
               InvalidArgument);
}

const Config::Map sparse_fields{{"block_size", 2},
                                {"num_random_blocks", 2},
                                {"hidden_dropout_prob", 0.0},
                                {"attention_probs_dropout_prob", 0.0}};

class BigBirdTest : public testing::Test {
 protected:
  Example inputs() const {
    Example result;
    for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
      result.set(name, values_[name]);
    }
    return result;
  }
  std::string folder_ = golden_folder("big_bird");
  Example values_ = io::read_safetensors(folder_ + "/sparse.safetensors").tensors;
};

TEST_F(BigBirdTest, AttendsByBlocksToLongSequences) {
  const PretrainedModel model = BigBirdModel::from_pretrained(folder_, {.config = sparse_fields});
  EXPECT_LT(largest_difference(model.predict_outputs(inputs())["last_hidden_state"],
                               values_["last_hidden_state"]),
            output_tolerance);
}

TEST_F(BigBirdTest, AttendsToItsRandomBlocksInTraining) {
  const PretrainedModel model = BigBirdModel::from_pretrained(folder_, {.config = sparse_fields});
  std::vector<Tensor> xs;
  for (const auto& [name, value] : inputs()) xs.push_back(value);
  const Tensor got = model.network().outputs(xs, {.training = true}).at(0);
  EXPECT_LT(largest_difference(got.literal(), values_["training.last_hidden_state"]),
            output_tolerance);
}

// As transformers fills in the types that are not given, here alone.
TEST_F(BigBirdTest, TypesAreThoseOfQuestionAndContext) {
  const PretrainedModel model = BigBirdForQuestionAnswering::from_pretrained(folder_);
  const Example got = model.predict_outputs({{"input_ids", values_["answers.input_ids"]}});
  for (const char* name : {"start_logits", "end_logits"})
    EXPECT_LT(largest_difference(got[name], values_[str("answers.", name)]), output_tolerance);
  const Literal& ids = values_["answers.input_ids"];
  const Example other = model.predict_outputs(
      {{"input_ids", ids}, {"token_type_ids", Literal::zeros(DType::i32, ids.shape())}});
  EXPECT_GT(largest_difference(got["start_logits"], other["start_logits"]), 0.01);
}

// A batch trains through the blocks as through full attention.
TEST_F(BigBirdTest, TrainsOnLongSequences) {
  PretrainedModel model =
      BigBirdForSequenceClassification::from_pretrained(folder_, {.config = sparse_fields});
  model.compile({.optimizer = "adam"});
  Example batch = inputs();
  batch.set("labels", Literal::of<int32_t>({0, 2}));
  const History history = model.fit(data::from_tensors(batch).repeat(),
                                    {.epochs = 1, .steps_per_epoch = 8, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), history.step_losses.front());
}

}  // namespace
}  // namespace systolic
