// How a PretrainedModel is used: by names, with defaults, as a layer, on several cores.
#include "systolic/transformers/pretrained_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/tensor.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_classifier.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

class PretrainedModelTest : public GoldenClassifierTest {};

TEST_F(PretrainedModelTest, InputsThatAreLeftOutHaveTheirDefaults) {
  const PretrainedModel model = classifier();
  EXPECT_EQ(model.input_names(),
            (std::vector<std::string>{"input_ids", "attention_mask", "token_type_ids"}));
  const Literal all_named =
      model.predict({{"token_type_ids", Literal::zeros(DType::i64, ids().shape())},
                     {"attention_mask", Literal::filled(DType::i64, ids().shape(), 1)},
                     {"input_ids", ids()}});
  EXPECT_EQ(model.predict(ids()), all_named);
  EXPECT_EQ(model.predict({{"input_ids", ids()}}), all_named);
  EXPECT_EQ(model.predict(data::from_tensors({{"input_ids", ids()}})), all_named);
  EXPECT_EQ(model.predict(data::from_tensors({{"whatever", ids()}})), all_named);
  // Op by op no kernel for whole rows runs, which sums in another order.
  const Literal eager = model(Tensor(ids())).literal();
  ASSERT_EQ(eager.shape(), all_named.shape());
  for (int64_t i = 0; i < eager.shape().elements(); ++i) {
    EXPECT_NEAR(eager.number_at(i), all_named.number_at(i), output_tolerance) << i;
  }
  EXPECT_THROW(model.predict({{"attention_mask", ids()}}), InvalidArgument);
}

TEST_F(PretrainedModelTest, WhatTheModelDoesNotKnowIsFoundOnTheHost) {
  const PretrainedModel model = classifier();
  Literal unknown = ids().convert(DType::i32);
  unknown.mutable_data<int32_t>()[12] = 60;
  try {
    model.predict(unknown);
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("value 60 in 'input_ids', row 1"), std::string::npos) << message;
    EXPECT_NE(message.find("0 to 59"), std::string::npos) << message;
  }
  EXPECT_THROW(model.predict(Literal::of<float>({{1, 60}})), InvalidArgument);
  EXPECT_THROW(model.predict(Literal::of<float>({{1, NAN}})), InvalidArgument);
  EXPECT_THROW(model.predict(Literal::of<float>({{1, -1}})), InvalidArgument);
  EXPECT_EQ(model.predict(Literal::of<float>({{1, 2}})),
            model.predict(Literal::of<int32_t>({{1, 2}})));
  try {
    model.predict(Literal::zeros(DType::i32, {2, 25}));
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("sequences of 25 tokens"), std::string::npos) << message;
    EXPECT_NE(message.find("max_length = 24"), std::string::npos) << message;
    // The layer, and the line above that made the model: not one of ours.
    EXPECT_NE(message.find("'bert/embeddings.position_embeddings'"), std::string::npos) << message;
    EXPECT_NE(message.find("pretrained_model_test.cc:"), std::string::npos) << message;
  }
}

TEST_F(PretrainedModelTest, AnswersAreLabelledByTheNamesOfTransformers) {
  PretrainedModel model = AutoModelForQuestionAnswering::from_pretrained(golden_.folder());
  model.compile({.optimizer = "adam"});
  const Literal ids = Literal::of<int32_t>({{5, 6, 7, 8}, {9, 8, 7, 6}});
  const Literal start = Literal::of<int32_t>({0, 1}), end = Literal::of<int32_t>({3, 2});
  const Example x{{"input_ids", ids}};
  const auto loss = [&](const ModelArrays& given, const ModelArrays& y) {
    return model.evaluate(given, y, {.verbose = 0})["loss"];
  };
  const double wanted = loss(x, {start, end});
  EXPECT_NE(loss(x, {end, start}), wanted);
  EXPECT_EQ(loss(x, {{"end_logits", end}, {"start_logits", start}}), wanted);
  EXPECT_EQ(loss(x, {{"end_positions", end}, {"start_positions", start}}), wanted);
  const Example together{{"end_positions", end}, {"input_ids", ids}, {"start_positions", start}};
  EXPECT_EQ(loss(together, {}), wanted);
  EXPECT_EQ(model.evaluate(data::from_tensors(together), {.verbose = 0})["loss"], wanted);
  try {
    loss(x, {{"begin", start}, {"end", end}});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("start_positions, end_positions"), std::string::npos)
        << error.what();
  }
}

TEST_F(PretrainedModelTest, LabelsMayComeWithTheInputs) {
  PretrainedModel model = classifier();
  model.compile({.optimizer = "adam"});
  const Literal labels = Literal::of<int32_t>({1, 0});
  const Literal two = Literal::of<int32_t>({{5, 6}, {7, 8}});
  const double wanted = model.evaluate({{"input_ids", two}}, labels, {.verbose = 0})["loss"];
  const Example together{{"labels", labels}, {"input_ids", two}};
  EXPECT_EQ(model.evaluate(together, ModelArrays(), {.verbose = 0})["loss"], wanted);
  EXPECT_EQ(model.predict(together), model.predict(two));
}

TEST_F(PretrainedModelTest, ABatchWithoutALabelThatCountsIsSaid) {
  PretrainedModel model = AutoModelForTokenClassification::from_pretrained(golden_.folder());
  model.compile({.optimizer = "adam"});
  const auto loss = [&](const Literal& labels) {
    return model.evaluate({{"input_ids", Literal::of<int32_t>({{5, 6}})}}, labels,
                          {.verbose = 0})["loss"];
  };
  EXPECT_GT(loss(Literal::of<int32_t>({{1, -100}})), 0);
  EXPECT_EQ(log_.lines().find("does not count"), std::string::npos) << log_.lines();
  EXPECT_EQ(loss(Literal::of<int32_t>({{-100, -100}})), 0);
  EXPECT_NE(log_.lines().find("all labels in 'y' of a batch are -100"), std::string::npos)
      << log_.lines();
}

// As torch's cross_entropy, whose ignore_index transformers leaves at -100 for every head.
TEST_F(PretrainedModelTest, ATextWithoutALabelDoesNotCount) {
  PretrainedModel model = classifier();
  model.compile({.optimizer = "adam"});
  const auto loss = [&](const Literal& ids, const Literal& labels) {
    return model.evaluate(ids, labels, {.verbose = 0})["loss"];
  };
  const Literal two = Literal::of<int32_t>({{5, 6}, {7, 8}});
  EXPECT_NEAR(loss(two, Literal::of<int32_t>({1, -100})),
              loss(two.rows(0, 1), Literal::of<int32_t>({1})), 1e-6);
  EXPECT_EQ(loss(two, Literal::of<int32_t>({-100, -100})), 0);
  EXPECT_THROW(loss(two, Literal::of<int32_t>({1, -99})), InvalidArgument);
}

// As the guide transposes them.
TEST_F(PretrainedModelTest, PicturesWithTheirChannelsFirstAreNamed) {
  const PretrainedModel vit = ViTModel::from_config({.hidden_size = 8,
                                                     .num_hidden_layers = 0,
                                                     .num_attention_heads = 1,
                                                     .image_size = 32,
                                                     .patch_size = 16});
  try {
    vit.predict_outputs(Literal::zeros(DType::f32, {2, 3, 32, 32}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("channels come last here"), std::string::npos)
        << error.what();
  }
}

// Summaries and weight files show them.
TEST_F(PretrainedModelTest, IsCalledAsItsTypeAndItsTask) {
  const struct {
    const char* folder;
    Task task;
    const char* name;
  } cases[] = {{"bert", Task::masked_lm, "bert_for_masked_lm"},
               {"vit", Task::image_classification, "vit_for_image_classification"},
               {"deit", Task::image_classification_with_teacher,
                "deit_for_image_classification_with_teacher"},
               {"distilbert", Task::features, "distilbert_model"},
               {"xlnet", Task::question_answering, "xlnet_for_question_answering_simple"},
               {"gpt2", Task::causal_lm, "gpt2_lm_head_model"},
               {"big_bird", Task::features, "big_bird_model"},
               {"xlm-roberta", Task::token_classification, "xlm_roberta_for_token_classification"}};
  for (const auto& one : cases) {
    const PretrainedModel model =
        PretrainedModel::from_pretrained(golden_folder(one.folder), one.task, {}, {});
    EXPECT_EQ(model.name(), one.name);
  }
}

TEST_F(PretrainedModelTest, TakesWhatATokenizerMakes) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"WordLevel","unk_token":"?","vocab":{"[PAD]":0,"?":6,"a":7,"b":8}},)"
      R"("pre_tokenizer":{"type":"WhitespaceSplit"}})");
  for (const char* folder : {"bert", "distilbert"}) {  // which has no token_type_ids
    const auto model = AutoModelForSequenceClassification::from_pretrained(golden_folder(folder));
    const BatchEncoding batch = tokenizer({"a", "a b"});
    EXPECT_EQ(model.predict(batch), model.predict({{"input_ids", batch.input_ids},
                                                   {"attention_mask", batch.attention_mask}}));
    const Literal alone = model.predict(tokenizer("a"));
    EXPECT_LT(largest_difference(alone, model.predict(batch).rows(0, 1)), output_tolerance);
    PretrainedModel trained = model;
    trained.compile({.optimizer = "sgd"});
    const Literal labels = Literal::of<int32_t>({1, 0});
    const double loss = trained.evaluate(batch, labels, {.verbose = 0})["loss"];
    const ModelArrays named = {{"input_ids", batch.input_ids},
                               {"attention_mask", batch.attention_mask}};
    EXPECT_EQ(trained.evaluate(named, labels, {.verbose = 0})["loss"], loss);
    EXPECT_EQ(trained.fit(batch, labels, {.verbose = 0}).samples, 2);
    EXPECT_NE(trained.evaluate(batch, labels, {.verbose = 0})["loss"], loss);
  }
}

// transformers refuses a batch there; the mask tells padding from tokens as well.
TEST_F(PretrainedModelTest, AGPT2WithoutAPaddingTokenClassifiesByTheMask) {
  const std::string folder = golden_folder("gpt2");
  const auto model = AutoModelForSequenceClassification::from_pretrained(
      folder, {.config = {{"pad_token_id", Config()}}});
  const Literal ids = Literal::of<int32_t>({{5, 6, 7, 9, 9}}),
                text = Literal::of<int32_t>({{5, 6, 7}});
  const Literal wanted = model.predict({{"input_ids", text}});
  const Literal mask = Literal::of<int32_t>({{1, 1, 1, 0, 0}});
  EXPECT_LT(
      largest_difference(model.predict({{"input_ids", ids}, {"attention_mask", mask}}), wanted),
      output_tolerance);
  EXPECT_GT(largest_difference(model.predict({{"input_ids", ids}}), wanted), 0.01);
}

TEST_F(PretrainedModelTest, DropoutOfGPT2sTokenClassesIsAField) {
  const Golden golden("gpt2");
  const auto differs_in_training = [&](const Config::Map& dropout) {
    Config::Map fields{{"resid_pdrop", 0.0}, {"embd_pdrop", 0.0}, {"attn_pdrop", 0.0}};
    fields.insert(fields.end(), dropout.begin(), dropout.end());
    PretrainedModel model =
        AutoModelForTokenClassification::from_pretrained(golden.folder(), {.config = fields});
    model.compile({.optimizer = "sgd"});
    const data::Dataset batch =
        golden.batch(model.input_names(), Task::token_classification, {"labels"});
    const double wanted = model.evaluate(batch, {.verbose = 0})["loss"];
    const double got = model.fit(batch, {.epochs = 1, .verbose = 0}).step_losses.front();
    return std::abs(got - wanted) > loss_tolerance;
  };
  EXPECT_FALSE(differs_in_training({{"classifier_dropout", 0.0}}));
  EXPECT_TRUE(differs_in_training({}));
}

TEST_F(PretrainedModelTest, IsALayerOfOtherModels) {
  set_seed(1);
  const PretrainedModel bert = BertModel::from_pretrained(golden_.folder());
  const Symbol input_ids = input({.shape = {-1}, .dtype = DType::i32, .name = "input_ids"});
  const Symbol mask = input({.shape = {-1}, .dtype = DType::i32, .name = "attention_mask"});
  const std::vector<Symbol> features = bert({{"input_ids", input_ids}, {"attention_mask", mask}});
  const Symbol first = features[0][{all, 0}];
  Model model({input_ids, mask}, {first, features[1]});
  const Example given = golden_.inputs({"input_ids", "attention_mask"});
  const Example outputs = model.predict_outputs(given);
  const PretrainedModel alone = BertModel::from_pretrained(golden_.folder());
  const Example wanted = alone.predict_outputs(given);
  EXPECT_EQ(outputs.value(1), wanted["pooler_output"]);

  const Symbol toxic = Dense{.units = 1, .activation = "sigmoid"}(bert(input_ids)[0][{all, 0}]);
  Model classifier(input_ids, toxic);
  classifier.compile({.optimizer = Adam{.learning_rate = 3e-3}, .loss = "binary_crossentropy"});
  const data::Dataset batch =
      data::from_tensors({{"x", ids()}, {"y", Literal::of<float>({0, 1, 1})}});
  const History history =
      classifier.fit(batch.repeat(), {.epochs = 1, .steps_per_epoch = 30, .verbose = 0});
  EXPECT_LT(history.step_losses.back(), 0.5 * history.step_losses.front());
}

// The ids' limit belongs to the table, not to the model's own inputs: a device would clamp them.
TEST_F(PretrainedModelTest, UnknownIdsAreFoundWhereItIsALayerToo) {
  const auto features = [](const auto& bert) {
    const Symbol ids = input({.shape = {4}, .dtype = DType::i32, .name = "input_ids"});
    return Model(ids, bert(ids)[0][{all, 0}]);
  };
  const std::vector<Model> models = {
      features(BertModel::from_pretrained(golden_.folder())),
      features(DistilBertModel::from_config(
          {.vocab_size = 57, .n_layers = 1, .n_heads = 2, .dim = 8, .hidden_dim = 8})),
      features(GPT2Model::from_config({.vocab_size = 57, .n_embd = 8, .n_layer = 1, .n_head = 2}))};
  for (const Model& model : models) {
    model.predict(Literal::of<int32_t>({{1, 2, 56, 3}}));
    for (const int32_t unknown : {60, -7}) {
      expect_parts(error_of([&] {
                     model.predict(Literal::of<int32_t>({{1, 2, unknown, 3}}));
                   }),
                   {str("value ", unknown, " in 'x', row 0"), " knows "});
    }
  }
}

// Padded to whole blocks before they are looked up.
TEST_F(PretrainedModelTest, UnknownIdsOfLongSequencesAreFoundToo) {
  const PretrainedModel bert = BigBirdModel::from_config({.vocab_size = 57,
                                                          .hidden_size = 8,
                                                          .num_hidden_layers = 1,
                                                          .num_attention_heads = 2,
                                                          .intermediate_size = 8,
                                                          .max_position_embeddings = 64,
                                                          .block_size = 2,
                                                          .num_random_blocks = 2});
  constexpr int64_t tokens = 45;
  const Symbol symbol = input({.shape = {tokens}, .dtype = DType::i32, .name = "ids"});
  const Symbol types = input({.shape = {tokens}, .dtype = DType::i32, .name = "types"});
  const Model model({symbol, types},
                    Symbol(bert({{"input_ids", symbol}, {"token_type_ids", types}})[0]));
  const auto predict = [&](int32_t id, int32_t type) {
    Literal ids = Literal::filled(DType::i32, {1, tokens}, 3);
    ids.mutable_data<int32_t>()[44] = id;
    model.predict({{"ids", ids}, {"types", Literal::filled(DType::i32, {1, tokens}, type)}});
  };
  predict(56, 1);
  expect_parts(error_of([&] { predict(57, 1); }), {"value 57 in 'ids', row 0", "0 to 56"});
  expect_parts(error_of([&] { predict(56, 2); }), {"value 2 in 'types', row 0", "0 to 1"});
  Literal ids = Literal::filled(DType::i32, {1, tokens}, 57);
  expect_parts(error_of([&] { bert(Tensor(ids)); }), {"value 57", "0 to 56"});
}

// Op by op: those of a constant. A device's own would have to be waited for.
TEST_F(PretrainedModelTest, OutputsThatItHasNotAreNamed) {
  const Symbol ids = input({.shape = {8}, .dtype = DType::i32});
  const PretrainedModel model = DistilBertModel::from_config(
      {.vocab_size = 57, .n_layers = 1, .n_heads = 2, .dim = 8, .hidden_dim = 8});
  EXPECT_EQ(model(ids).size(), 1u);
  const SourceLocation here{"user.cc", 7};
  expect_parts(error_of([&] { model(ids, here)[1]; }),
               {"output [1]", "DistilBertModel", "no pooler", "user.cc:7"});
}

TEST_F(PretrainedModelTest, TextsAndSingleSamplesAreNoBatches) {
  const PretrainedModel model = classifier();
  const auto message = [&](const Literal& x) {
    try {
      model.predict(x);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string of_texts = message(Literal::strings({"a fine film", "a dull film"}));
  EXPECT_NE(of_texts.find("'input_ids' is string(2,)"), std::string::npos) << of_texts;
  EXPECT_NE(of_texts.find("tokenizer(texts)"), std::string::npos) << of_texts;
  const std::string of_one = message(Literal::of<int32_t>({5, 6, 7}));
  EXPECT_NE(of_one.find("'input_ids' is i32(3,), expected i32(None, None)"), std::string::npos)
      << of_one;
}

TEST_F(PretrainedModelTest, ColumnsThatItDoesNotKnowDoNotCount) {
  const Golden golden("distilbert");
  PretrainedModel model = AutoModelForSequenceClassification::from_pretrained(golden.folder());
  model.compile({.optimizer = "adam"});
  const data::Dataset plain =
      golden.batch(model.input_names(), Task::sequence_classification, {"labels"});
  const double loss = model.evaluate(plain, {.verbose = 0})["loss"];
  Example more = plain.first();
  more.set("token_type_ids", Literal::zeros(DType::i32, ids().shape()));  // BERT's, not its own
  more.set("idx", Literal::of<int64_t>({7, 8, 9}));
  EXPECT_EQ(model.evaluate(data::from_tensors(more), {.verbose = 0})["loss"], loss);
  Example y = golden_.inputs({"token_type_ids"});
  for (const auto& [name, value] : plain.first()) y.set(name == "labels" ? "y" : name, value);
  EXPECT_EQ(model.evaluate(data::from_tensors(y), {.verbose = 0})["loss"], loss);
  try {
    model.predict(data::from_tensors(golden_.inputs({"attention_mask", "token_type_ids"})));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what()).find("label"), std::string::npos) << error.what();
  }
}

// As padding_idx of torch.nn.Embedding: scores of answers give tokens that pad a gradient, which
// their vector does not take.
TEST_F(PretrainedModelTest, TheVectorOfPaddingDoesNotLearn) {
  const auto changed_rows = [](const std::string& type, const Config::Map& fields,
                               const char* table) {
    const Golden golden(type);
    PretrainedModel model =
        AutoModelForQuestionAnswering::from_pretrained(golden.folder(), {.config = fields});
    model.compile({.optimizer = "sgd"});
    const auto find = [&] {
      for (const NamedVariable& one : model.network().named_weights()) {
        if (one.path.find(table) != std::string::npos) return one.variable.literal();
      }
      return Literal();
    };
    const Literal before = find();
    model.fit(golden.batch(model.input_names(), Task::question_answering,
                           {"start_positions", "end_positions"}),
              {.epochs = 1, .verbose = 0});
    const Literal after = find();
    std::set<int64_t> rows;
    for (int64_t i = 0; i < before.shape()[0]; ++i) {
      if (before.row(i) != after.row(i)) rows.insert(i);
    }
    return rows;
  };
  for (const char* type : {"albert", "bert", "distilbert", "electra"}) {
    EXPECT_EQ(changed_rows(type, {}, "word_embeddings").count(0), 0u) << type;
    EXPECT_EQ(changed_rows(type, {{"pad_token_id", Config()}}, "word_embeddings").count(0), 1u)
        << type;
  }
  for (const char* table : {"word_embeddings", "position_embeddings"}) {
    const std::set<int64_t> rows = changed_rows("roberta", {}, table);
    EXPECT_EQ(rows.count(1), 0u) << table;
    EXPECT_GT(rows.size(), 5u) << table;
  }
}

TEST_F(PretrainedModelTest, AFrozenBodyStaysAsItIs) {
  PretrainedModel model = classifier();
  model.freeze();
  EXPECT_EQ(model.trainable_variables().size(), 2u);
  model.compile({.optimizer = "adam"});
  const std::vector<Literal> before = model.get_weights();
  const std::vector<std::string> labels{"labels"};
  model.fit(golden_.batch(model.input_names(), Task::sequence_classification, labels),
            {.epochs = 1, .verbose = 0});
  const std::vector<Literal> after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i] == after[i], i + 2 < before.size());
  model.freeze(false);
  EXPECT_EQ(model.trainable_variables().size(), before.size());
}

// Without another compile().
TEST_F(PretrainedModelTest, FreezingTakesEffectInTheNextFit) {
  PretrainedModel model = classifier();
  model.compile({.optimizer = "adam"});
  const auto changed = [&] {
    const std::vector<Literal> before = model.get_weights();
    const std::vector<std::string> labels{"labels"};
    model.fit(golden_.batch(model.input_names(), Task::sequence_classification, labels),
              {.epochs = 1, .verbose = 0});
    const std::vector<Literal> after = model.get_weights();
    size_t count = 0;
    for (size_t i = 0; i < before.size(); ++i) count += before[i] == after[i] ? 0 : 1;
    return count;
  };
  EXPECT_GT(changed(), 10u);
  model.freeze();
  EXPECT_EQ(changed(), 2u);
  model.freeze(false);
  EXPECT_GT(changed(), 10u);
}

TEST_F(PretrainedModelTest, HandlesThatWereMovedFromHoldOn) {
  PretrainedModel model = classifier();
  const PretrainedModel moved = std::move(model);
  EXPECT_EQ(model.class_name(), moved.class_name());  // NOLINT
  EXPECT_EQ(model.predict(ids()), moved.predict(ids()));
  PretrainedConfig config = moved.config();
  const PretrainedConfig taken = std::move(config);
  EXPECT_EQ(config.model_type(), "bert");  // NOLINT
}

TEST_F(PretrainedModelTest, EightCoresTrainAsOne) {
  const auto losses = [&](int cores) {
    MirroredStrategy strategy(cores);
    PretrainedModel model = strategy.scope([&] {
      return AutoModelForSequenceClassification::from_pretrained(
          golden_.folder(),
          {.config = {{"hidden_dropout_prob", 0.0}, {"attention_probs_dropout_prob", 0.0}}});
    });
    model.compile({.optimizer = Adam{.learning_rate = 1e-3}});
    const std::vector<std::string> labels{"labels"};
    return model
        .fit(golden_.batch(model.input_names(), Task::sequence_classification, labels).repeat(),
             {.epochs = 1, .steps_per_epoch = 4, .verbose = 0})
        .step_losses;
  };
  const std::vector<float> one = losses(1), eight = losses(8);
  ASSERT_EQ(one.size(), eight.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], eight[i], 1e-5);
}

}  // namespace
}  // namespace systolic
