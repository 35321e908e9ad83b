// What models say of inputs and labels that do not fit them: the argument, both shapes, and the
// line of the call, not that where the model was made.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/transformers/auto_model.h"

namespace systolic {
namespace {

constexpr SourceLocation made{"made.cc", 3}, here{"user.cc", 7};

PretrainedModel small(Task task) {
  PretrainedModel model = PretrainedModel::from_config(BertConfig{.vocab_size = 50,
                                                                  .hidden_size = 16,
                                                                  .num_hidden_layers = 1,
                                                                  .num_attention_heads = 2,
                                                                  .intermediate_size = 16,
                                                                  .max_position_embeddings = 32},
                                                       task, {}, made);
  if (task != Task::features) model.compile({.optimizer = "adam"});
  return model;
}

Literal ones(const Shape& shape) { return Literal::filled(DType::i32, shape, 1); }

class WrongInputs : public ::testing::Test {
 protected:
  void predict(const ModelArrays& x) const { model_.predict(x, {}, here); }
  void fit(const ModelArrays& x, const ModelArrays& y) { model_.fit(x, y, {.verbose = 0}, here); }
  void fit_answers(const std::vector<std::string>& labels) {
    Example rows{{"input_ids", ones({4, 8})}};
    for (const std::string& name : labels) rows.set(name, ones({4}));
    answers_.fit(data::from_tensor_slices(rows).batch(2), {.verbose = 0}, here);
  }
  void call(const std::vector<Tensor>& xs) const { model_(xs, {}, here); }

  PretrainedModel model_ = small(Task::sequence_classification);
  PretrainedModel answers_ = small(Task::question_answering);
};

TEST_F(WrongInputs, AreNamedWithTheLineOfTheCall) {
  const Literal ids = ones({4, 8}), labels = ones({4}), shorter = ones({4, 7});
  const Literal fractions = Literal::filled(DType::f32, {4, 8}, 1.5);
  const Tensor token_ids(ids), long_ids(ones({4, 40})), other_mask(shorter);
  const struct {
    const char* what;
    std::function<void()> run;
    std::vector<std::string> parts;
  } table[] = {
      {"no batch", [&] { predict(ones({8})); }, {"'input_ids'", "i32(8,)", "the batch"}},
      {"no batch, op by op", [&] { call({Tensor(ones({8}))}); }, {"'input_ids'", "(8,)"}},
      {"an axis too many",
       [&] {
         predict(ones({4, 8, 2}));
       },
       {"'input_ids'", "i32(4, 8, 2)"}},
      {"no integers", [&] { predict(fractions); }, {"'input_ids'", "1.5", "0 to 49"}},
      {"no token",
       [&] {
         predict(Literal::filled(DType::i32, {4, 8}, 77));
       },
       {"77", "0 to 49"}},
      {"a mask of another length",
       [&] {
         predict({{"input_ids", ids}, {"attention_mask", shorter}});
       },
       {"'attention_mask'", "(4, 7)", "'input_ids'", "(4, 8)", "pad both", "made.cc:3"}},
      {"the same in fit",
       [&] {
         fit({{"input_ids", ids}, {"attention_mask", shorter}}, labels);
       },
       {"fit: ", "'attention_mask'", "(4, 7)", "(4, 8)"}},
      {"the same op by op",
       [&] {
         call({token_ids, other_mask, token_ids});
       },
       {"'attention_mask'", "(4, 7)", "(4, 8)"}},
      {"types of another length",
       [&] {
         predict({{"input_ids", ids}, {"token_type_ids", shorter}});
       },
       {"'token_type_ids'", "(4, 7)", "(4, 8)"}},
      {"more than the positions",
       [&] {
         predict(ones({4, 40}));
       },
       {"(4, 40)", "at most 32", ".max_length = 32", "made.cc:3"}},
      {"the same in fit",
       [&] {
         fit(ones({4, 40}), labels);
       },
       {"fit: ", "at most 32"}},
      {"the same op by op", [&] { call({long_ids}); }, {"at most 32", "made.cc:3"}},
      {"an input of another name",
       [&] {
         predict({{"ids", ids}});
       },
       {"inputs ids", "input_ids"}},
      {"labels of too many axes",
       [&] {
         fit(ids, ones({4, 3}));
       },
       {"(4, 3)", "shape (4,)"}},
      {"too few labels", [&] { fit(ids, ones({3})); }, {"'y'", "(3,)", "'input_ids'", "(4, 8)"}},
      {"no class",
       [&] { fit(ids, Literal::filled(DType::i32, {4}, 5)); },
       {"label 5", "(after any shuffle)", "0 to 1", ".num_labels = n"}},
      {"several classes at once",
       [&] {
         fit(ids, Literal::filled(DType::f32, {4, 2}, 1));
       },
       {"fit: ", "(4, 2)", "shape (4,)", "multi_label_classification"}},
      {"one end of an answer",
       [&] {
         answers_.fit(ids, {{"start_positions", labels}}, {.verbose = 0}, here);
       },
       {"start_positions", "end_positions"}},
      {"answers of other names in a dataset",
       [&] {
         fit_answers({"start", "end"});
       },
       {"'start', 'end'", "the labels start_positions, end_positions", "start_logits", "rename"}},
      {"one of them",
       [&] {
         fit_answers({"start_positions", "end"});
       },
       {"rename 'end'", "end_positions"}},
      {"one that is no label",
       [&] {
         fit_answers({"start_logits", "end_logits", "id"});
       },
       {"'id'", "start_positions, end_positions"}},
      {"no answers", [&] { fit_answers({}); }, {"2 labels (start_positions, end_positions)"}},
      {"a column that is taken for a weight",
       [&] {
         const Example rows{{"input_ids", ids}, {"target", labels}, {"idx", labels}};
         model_.fit(data::from_tensor_slices(rows).batch(2), {.verbose = 0}, here);
       },
       {"'target', 'idx'", "the label labels"}},
      {"a row for each answer",
       [&] {
         const ModelArrays rows = {{"start_positions", ids}, {"end_positions", ids}};
         answers_.fit(ids, rows, {.verbose = 0}, here);
       },
       {"labels 'start_positions'", "(4, 8)", "shape (4,)"}},
  };
  for (const auto& row : table) {
    try {
      row.run();
      ADD_FAILURE() << row.what;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(str(error.report().location.file, ":", error.report().location.line), "user.cc:7")
          << row.what << ": " << error.what();
      for (const std::string& part : row.parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << part << " in " << row.what << ": " << error.what();
    }
  }
}

// GPT-2's labels are the tokens themselves, each in its own place.
TEST_F(WrongInputs, LabelsThatAreNoTokensAreNamed) {
  PretrainedModel model = GPT2LMHeadModel::from_config(
      {.vocab_size = 50, .n_positions = 16, .n_embd = 8, .n_layer = 1, .n_head = 2});
  model.compile({.optimizer = "sgd"});
  const auto fit = [&](int32_t label) {
    const Literal labels = Literal::of<int32_t>({{1, 2, -100, label}});
    return error_of([&] { model.fit(ones({1, 4}), labels, {.verbose = 0}, here); });
  };
  EXPECT_EQ(fit(49), "no error");
  for (const int32_t wrong : {50, -1})
    expect_parts(fit(wrong), {str("label ", wrong), "0 to 49", "token ids", "user.cc:7"});
}

// Before any batch is read: what is missing is no label.
TEST_F(WrongInputs, AModelWithoutAHeadIsNotTrainedByItself) {
  const Literal ids = ones({4, 8}), labels = ones({4});
  PretrainedModel body = small(Task::features);
  body.compile({.optimizer = "adam"});
  const auto fit = [&] { body.fit({{"input_ids", ids}, {"labels", labels}}, {}, {}, here); };
  const auto fit_rows = [&] {
    const Example rows{{"input_ids", ids}, {"labels", labels}};
    body.fit(data::from_tensor_slices(rows).batch(2), {}, here);
  };
  const auto evaluate = [&] { body.evaluate(ids, labels, {}, here); };
  for (const std::function<void()>& run :
       std::vector<std::function<void()>>{fit, fit_rows, evaluate})
    expect_parts(error_of(run), {"has no loss", "AutoModelForSequenceClassification", "user.cc:7"});
}

TEST_F(WrongInputs, DatasetsWithoutLabelsSayWhereLabelsComeFrom) {
  const auto fit = [](PretrainedModel model) {
    const Example rows{{"input_ids", ones({4, 8})}};
    return error_of(
        [&] { model.fit(data::from_tensor_slices(rows).batch(2), {.verbose = 0}, here); });
  };
  for (const Task task :
       {Task::sequence_classification, Task::masked_lm, Task::question_answering}) {
    const bool masks = task == Task::masked_lm, answers = task == Task::question_answering;
    expect_parts(fit(small(task)), {"inputs without labels",
                                    answers ? "2 labels (start_positions" : "1 label (labels)",
                                    masks ? ".mlm_probability" : "called ", "user.cc:7"});
  }
}

// In a larger model the line is that of its call, too.
TEST_F(WrongInputs, AreNamedWhereTheModelIsALayer) {
  const Symbol ids = input({.shape = {40}, .dtype = DType::i32, .name = "ids"});
  const Model whole(ids, Symbol(small(Task::features)(ids)[0]));
  try {
    whole.predict(ones({2, 40}), {}, here);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.report().location.file, "user.cc") << error.what();
    EXPECT_NE(std::string(error.what()).find("made.cc:3"), std::string::npos) << error.what();
  }
}

// By the labels' names of `transformers`, by the outputs' names, or in turn.
TEST_F(WrongInputs, AnswersAreGivenInThreeWays) {
  const Literal ids = ones({4, 8}), begin = ones({4}), end = Literal::filled(DType::i32, {4}, 3);
  const double loss = answers_.evaluate(ids, {begin, end}, {.verbose = 0})["loss"];
  for (const ModelArrays& labels : {ModelArrays{{"end_positions", end}, {"start_positions", begin}},
                                    ModelArrays{{"end_logits", end}, {"start_logits", begin}}}) {
    EXPECT_EQ(answers_.evaluate(ids, labels, {.verbose = 0})["loss"], loss);
    const Example named{{labels.names()[0], labels.arrays()[0]},
                        {labels.names()[1], labels.arrays()[1]}};
    const data::Dataset rows = data::from_tensor_slices({Example{{"input_ids", ids}}, named});
    EXPECT_EQ(answers_.evaluate(rows.batch(4), {.verbose = 0})["loss"], loss);
  }
}

// As GLUE's tables have them: "label", and an "idx" that is none.
TEST_F(WrongInputs, OfALabelsOwnNameWhatElseThereIsDoesNotCount) {
  const Literal ids = ones({4, 8}), classes = Literal::of<int32_t>({0, 1, 1, 0});
  const double loss = model_.evaluate(ids, classes, {.verbose = 0})["loss"];
  for (const char* name : {"label", "labels", "y"}) {
    const Example rows{
        {"idx", Literal::of<int32_t>({7, 8, 9, 10})}, {"input_ids", ids}, {name, classes}};
    const data::Dataset batches = data::from_tensor_slices(rows).batch(4);
    EXPECT_EQ(model_.evaluate(batches, {.verbose = 0})["loss"], loss) << name;
  }
}

}  // namespace
}  // namespace systolic
