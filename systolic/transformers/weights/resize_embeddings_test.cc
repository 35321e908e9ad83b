// PretrainedModel::resize_token_embeddings.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/nn/config/dtype_policy.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/train/callbacks/lambda_callback.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr int64_t golden_tokens = 60;  // of the golden models
constexpr SourceLocation user_line{"user.cc", 7};
const Literal some_ids = Literal::of<int32_t>({{5, 6, 7, 8}, {9, 8, 7, 59}});

// [batch, golden_tokens, classes] -> the first `count` of each.
Literal first_classes(const Literal& scores, int64_t count) {
  const int64_t all = scores.shape()[2], rows = scores.size() / all;
  std::vector<float> values;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < count; ++k)
      values.push_back(static_cast<float>(scores.number_at(row * all + k)));
  }
  return Literal::from(values, {scores.shape()[0], scores.shape()[1], count});
}

std::optional<Variable> variable_of(const PretrainedModel& model, const std::string& part) {
  for (const NamedVariable& one : model.network().named_weights()) {
    if (one.path.find(part) != std::string::npos) return one.variable;
  }
  return {};
}

Literal weight_of(const PretrainedModel& model, const std::string& part) {
  const std::optional<Variable> found = variable_of(model, part);
  return found ? found->literal() : Literal();
}

struct LanguageModel {
  const char* type;
  Task task;
};

// Heads that are the words' table, and some with weights of their own.
TEST(ResizeTokenEmbeddings, ScoresOfTokensThatStayAreTheSame) {
  const CaughtLog log;
  for (const LanguageModel& one :
       {LanguageModel{"albert", Task::masked_lm}, LanguageModel{"bert", Task::masked_lm},
        LanguageModel{"big_bird", Task::masked_lm}, LanguageModel{"distilbert", Task::masked_lm},
        LanguageModel{"electra", Task::masked_lm}, LanguageModel{"gpt2", Task::causal_lm},
        LanguageModel{"roberta", Task::masked_lm}, LanguageModel{"xlnet", Task::causal_lm}}) {
    const std::string type = one.type;
    const Task task = one.task;
    for (const bool tied : {true, false}) {
      const auto read = [&](const std::string& folder, const PretrainedOptions& options = {}) {
        return PretrainedModel::from_pretrained(folder, task, options, {});
      };
      PretrainedModel model = read(golden_folder(type), {.config = {{"tie_word_embeddings", tied}},
                                                         .ignore_mismatched_sizes = true});
      const Literal wanted = model.predict(some_ids);
      model.resize_token_embeddings(golden_tokens + 3);
      const Literal larger = model.predict(some_ids);
      EXPECT_EQ(larger.shape(), Shape({2, 4, golden_tokens + 3})) << type;
      EXPECT_EQ(largest_difference(first_classes(larger, golden_tokens), wanted), 0)
          << type << tied;
      EXPECT_EQ(model.config().entries(task)["vocab_size"].integer(), golden_tokens + 3) << type;
      model.predict(Literal::of<int32_t>({{1, golden_tokens + 2}}));
      EXPECT_NE(error_of([&] {
                  model.predict(Literal::of<int32_t>({{1, golden_tokens + 3}}));
                }),
                "no error");

      const TemporaryFolder folder;
      model.save_pretrained(folder / "");
      const PretrainedModel saved = read(folder / "");
      EXPECT_EQ(saved.config().entries(task)["vocab_size"].integer(), golden_tokens + 3) << type;
      EXPECT_EQ(saved.predict(some_ids), larger) << type << tied;

      model.resize_token_embeddings(golden_tokens);
      EXPECT_EQ(largest_difference(model.predict(some_ids), wanted), 0) << type << tied;
    }
  }
}

TEST(ResizeTokenEmbeddings, NewVectorsAreAsInAModelWithoutTrainingWhereThatIsWanted) {
  set_seed(1);
  const int64_t more = 1000;
  PretrainedModel model = AutoModelForMaskedLM::from_pretrained(
      golden_folder("bert"), {.config = {{"initializer_range", 0.05}}});
  const Literal before = weight_of(model, "word_embeddings");
  model.resize_token_embeddings(golden_tokens + more, {.mean_resizing = false});
  const Literal after = weight_of(model, "word_embeddings");
  ASSERT_EQ(after.shape(), Shape({golden_tokens + more, 32}));
  EXPECT_EQ(after.rows(0, golden_tokens), before);
  double squares = 0, sum = 0;
  for (int64_t i = before.size(); i < after.size(); ++i) {
    squares += after.number_at(i) * after.number_at(i);
    sum += after.number_at(i);
  }
  const auto count = static_cast<double>(more * 32);
  EXPECT_NEAR(std::sqrt(squares / count), 0.05, 0.001);
  EXPECT_NEAR(sum / count, 0, 0.002);
  const Literal bias = weight_of(model, "cls.predictions/bias");
  ASSERT_EQ(bias.shape(), Shape({golden_tokens + more}));
  for (int64_t i = golden_tokens; i < golden_tokens + more; ++i) EXPECT_EQ(bias.number_at(i), 0);
}

// How far what was added along the first axis lies from the mean of what was there, at most, in
// deviations of that.
double from_mean(const Literal& before, const Literal& after) {
  const Tensor average = mean(Tensor(before), {.axis = 0, .keepdims = true});
  const Tensor added(after.rows(before.shape()[0], after.shape()[0]));
  const Tensor deviation = sqrt(mean(square(Tensor(before) - average)));
  return (max(abs(added - average)) / deviation).item<float>();
}

// An untied head's matrix and its bias too; a tied one's bias is 0.
TEST(ResizeTokenEmbeddings, NewVectorsLieNearTheMean) {
  constexpr double little = 6 * 3.2e-5;  // six deviations of the 1e-9 of the variance
  for (const bool tied : {true, false}) {
    PretrainedModel model = AutoModelForMaskedLM::from_pretrained(
        golden_folder("bert"),
        {.config = {{"tie_word_embeddings", tied}}, .ignore_mismatched_sizes = true});
    const auto transposed = [](const Literal& x) { return transpose(Tensor(x)).literal(); };
    if (!tied) variable_of(model, "decoder/bias")->assign(random_normal({golden_tokens}, 1));
    const Literal table = weight_of(model, "word_embeddings"),
                  kernel = weight_of(model, "decoder/kernel"),
                  bias = weight_of(model, "decoder/bias");
    model.resize_token_embeddings(golden_tokens + 2);
    EXPECT_LT(from_mean(table, weight_of(model, "word_embeddings")), little);
    const Literal own = weight_of(model, "cls.predictions/bias");
    EXPECT_EQ(own.rows(golden_tokens, golden_tokens + 2), Literal::of<float>({0, 0}));
    if (tied) continue;
    EXPECT_LT(from_mean(transposed(kernel), transposed(weight_of(model, "decoder/kernel"))),
              little);
    EXPECT_LT(from_mean(bias, weight_of(model, "decoder/bias")), little);
  }
}

TEST(ResizeTokenEmbeddings, RoundsUpAndShrinks) {
  PretrainedModel model = BertModel::from_pretrained(golden_folder("bert"));
  const Literal before = weight_of(model, "word_embeddings");
  model.resize_token_embeddings(golden_tokens + 1, {.pad_to_multiple_of = 64});
  EXPECT_EQ(weight_of(model, "word_embeddings").shape()[0], 64);
  model.resize_token_embeddings(20);
  EXPECT_EQ(weight_of(model, "word_embeddings"), before.rows(0, 20));
  EXPECT_EQ(model.predict_outputs(Literal::of<int32_t>({{19, 3}})).size(), 2u);
  EXPECT_NE(error_of([&] { model.predict_outputs(Literal::of<int32_t>({{20, 3}})); }), "no error");
}

// A strategy's cores, what is frozen, and other handles of the model.
TEST(ResizeTokenEmbeddings, TheModelTrainsAndGeneratesAsBefore) {
  PretrainedModel model = MirroredStrategy(2).scope(
      [] { return AutoModelForSequenceClassification::from_pretrained(golden_folder("bert")); });
  const PretrainedModel same = model;
  model.freeze();
  const size_t trained = model.trainable_variables().size();
  model.compile({.optimizer = Adam{}});
  const Literal rows = Literal::of<int32_t>({{5, 6}, {7, 61}}),
                labels = Literal::of<int32_t>({1, 0});
  model.resize_token_embeddings(62);
  EXPECT_EQ(model.num_replicas(), 2);
  EXPECT_EQ(model.trainable_variables().size(), trained);
  EXPECT_NE(error_of([&] { model.fit(rows, labels, {.verbose = 0}); }).find("not compiled"),
            std::string::npos);
  model.freeze(false);
  model.compile({.optimizer = Adam{.learning_rate = 0.01}});
  const Literal before = weight_of(model, "word_embeddings");
  model.fit(rows, labels, {.verbose = 0});
  EXPECT_NE(weight_of(model, "word_embeddings").row(61), before.row(61));
  EXPECT_EQ(same.predict(rows), model.predict(rows));
  EXPECT_EQ(same.config().entries(Task::features)["vocab_size"].integer(), 62);

  PretrainedModel gpt2 = AutoModelForCausalLM::from_pretrained(golden_folder("gpt2"));
  const GenerationConfig options{.max_new_tokens = 6, .eos_token_id = 61};
  EXPECT_NE(error_of([&] { gpt2.generate(some_ids, options); }).find("eos_token_id = 61"),
            std::string::npos);
  const Literal wanted = gpt2.generate(some_ids, {.max_new_tokens = 6, .eos_token_id = -1});
  gpt2.resize_token_embeddings(62);
  EXPECT_EQ(gpt2.generate(some_ids, options), wanted);
}

// The optimizer was that of the other table.
TEST(ResizeTokenEmbeddings, EndsTheFitThatItIsCalledIn) {
  for (const bool eagerly : {false, true}) {
    PretrainedModel model =
        AutoModelForSequenceClassification::from_pretrained(golden_folder("bert"));
    model.compile({.optimizer = Adam{}, .run_eagerly = eagerly});
    const CallbackPtr resizes = LambdaCallback{
        .on_train_batch_end = [&](int64_t, const Logs&) { model.resize_token_embeddings(62); }};
    const std::string error = error_of([&] {
      model.fit(some_ids, Literal::of<int32_t>({1, 0}),
                {.batch_size = 1, .callbacks = {resizes}, .verbose = 0}, user_line);
    });
    expect_parts(error, {"fit of a model that is not compiled: resize_token_embeddings() took",
                         "model.compile(", "user.cc:7"});
  }
}

TEST(ResizeTokenEmbeddings, KeepsTheTypesAndInputsThatTheModelWasMadeWith) {
  set_dtype_policy("mixed_bfloat16");
  PretrainedModel bert =
      BertModel::from_pretrained(golden_folder("bert"), {.add_pooling_layer = false});
  set_dtype_policy("float32");
  const Example wanted = bert.predict_outputs(some_ids);
  bert.resize_token_embeddings(golden_tokens + 1);
  EXPECT_EQ(bert.predict_outputs(some_ids), wanted);
  PretrainedModel xlnet =
      AutoModelForCausalLM::from_pretrained(golden_folder("xlnet"), {.optional_inputs = {"mems"}});
  const std::vector<std::string> names = xlnet.input_names();
  xlnet.resize_token_embeddings(golden_tokens + 1);
  EXPECT_EQ(xlnet.input_names(), names);
}

TEST(ResizeTokenEmbeddings, RefusesWhatCannotBe) {
  PretrainedModel bert = BertModel::from_pretrained(golden_folder("bert"));
  for (const int64_t wrong : {int64_t{0}, int64_t{-1}, int64_t{1} << 40})
    expect_parts(
        error_of([&] { bert.resize_token_embeddings(wrong, {}, user_line); }),
        {str("resize_token_embeddings(", wrong, ") of a BertModel"), "1 to 16777216", "user.cc:7"});
  expect_parts(
      error_of([&] { bert.resize_token_embeddings(9, {.pad_to_multiple_of = 0}, user_line); }),
      {"pad_to_multiple_of = 0", "user.cc:7"});
  PretrainedModel vit = ViTModel::from_pretrained(golden_folder("vit"));
  expect_parts(error_of([&] { vit.resize_token_embeddings(9, {}, user_line); }),
               {"of a ViTModel", "a model of texts", "user.cc:7"});
  EXPECT_EQ(bert.config().entries(Task::features)["vocab_size"].integer(), golden_tokens);
}

}  // namespace
}  // namespace systolic
