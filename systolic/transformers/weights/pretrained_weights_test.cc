#include "systolic/transformers/weights/pretrained_weights.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// golden/bert with other tensors.
class LoadWeightsTest : public testing::Test {
 protected:
  void write(const Example& tensors) {
    io::write_file(folder_ / "config.json", io::read_file(golden_.folder() + "/config.json"));
    io::write_safetensors(folder_ / "model.safetensors", tensors);
  }
  // The body's alone, as `rename` has them; an empty name leaves one out.
  void write_body(const std::function<std::string(const std::string&)>& rename) {
    Example tensors;
    for (const auto& [name, value] : all_) {
      if (name.starts_with("bert.") && !rename(name).empty()) tensors.set(rename(name), value);
    }
    write(tensors);
  }
  Golden golden_{"bert"};
  Example all_ = io::read_safetensors(golden_.folder() + "/model.safetensors").tensors;
  TemporaryFolder folder_;
  CaughtLog log_;
};

TEST_F(LoadWeightsTest, AllThatDoesNotFitIsOneErrorAndNothingIsAssigned) {
  Example tensors = all_;
  tensors.set("bert.pooler.dense.bias", Literal::zeros(DType::f32, {31}));
  tensors.set("bert.encoder.layer.2.output.dense.bias", Literal::zeros(DType::f32, {32}));
  Example fewer;
  for (const auto& [name, value] : tensors) {
    if (!contains(name, "layer.1.output") && !contains(name, "word_embeddings"))
      fewer.set(name, value);
  }
  write(fewer);
  const PretrainedModel model = BertModel::from_config({.vocab_size = 60,
                                                        .hidden_size = 32,
                                                        .num_hidden_layers = 2,
                                                        .num_attention_heads = 4,
                                                        .intermediate_size = 37,
                                                        .max_position_embeddings = 24});
  const std::vector<Literal> before = model.get_weights();
  try {
    load_pretrained_weights(
        model.network(), folder_ / "",
        {.class_name = "BertModel", .body_name = "bert", .body_layers = {"bert"}, .names = {}});
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    for (const char* part :
         {"nothing was loaded", "bert.embeddings.word_embeddings.weight",
          "bert.encoder.layer.1.output.dense.weight", "bert.encoder.layer.1.output.LayerNorm.bias",
          "bert.pooler.dense.bias is f32[31]", "bert.encoder.layer.2.output.dense.bias"}) {
      EXPECT_TRUE(contains(message, part)) << part << "\n" << message;
    }
  }
  EXPECT_EQ(model.get_weights(), before);
}

// A configuration of a few bytes that asks for terabytes: shapes are compared before anything is
// allocated.
TEST_F(LoadWeightsTest, ATableBeyondAllMemoryIsAMismatch) {
  const Config::Map fields{{"vocab_size", 1 << 24}, {"hidden_size", 1 << 17}};
  try {
    BertModel::from_pretrained(golden_.folder(), {.config = fields});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(contains(error.what(), "f32[16777216,131072]")) << error.what();
  }
}

TEST_F(LoadWeightsTest, AHeadThatTheCheckpointLacksStartsFreshAndOneLineSaysSo) {
  // The body alone, as AutoModel saves it.
  write_body([](const std::string& name) { return name.substr(5); });
  const PretrainedModel model =
      BertForSequenceClassification::from_pretrained(folder_ / "", {.num_labels = 7});
  EXPECT_TRUE(contains(log_.lines(), "freshly initialized: classifier.weight, classifier.bias"))
      << log_.lines();
  EXPECT_EQ(model.network().output_ports().at(0).type.shape, Shape({-1, 7}));
  const Literal kernel = model.network().layer("bert").weights().front().literal();
  EXPECT_EQ(kernel, all_["bert.embeddings.word_embeddings.weight"].convert(DType::f32));
}

TEST_F(LoadWeightsTest, AHeadOfAnotherSizeIsAnErrorUnlessToldOtherwise) {
  const std::string folder = golden_.folder();
  try {
    BertForSequenceClassification::from_pretrained(folder, {.num_labels = 5});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(contains(error.what(), "classifier.weight is f16[3,32] in the file, f32[5,32]"))
        << error.what();
    EXPECT_TRUE(contains(error.what(), "ignore_mismatched_sizes")) << error.what();
  }
  const PretrainedModel model = BertForSequenceClassification::from_pretrained(
      folder, {.num_labels = 5, .ignore_mismatched_sizes = true});
  EXPECT_TRUE(contains(log_.lines(), "classifier.weight")) << log_.lines();
  EXPECT_EQ(model.config().labels().count(), 5);
}

TEST_F(LoadWeightsTest, NamesOfOlderCheckpointsAreRead) {
  write_body([](std::string name) {
    const auto replace = [&](const std::string& from, const std::string& to) {
      if (name.ends_with(from)) name.replace(name.size() - from.size(), from.size(), to);
    };
    replace("LayerNorm.weight", "LayerNorm.gamma");
    replace("LayerNorm.bias", "LayerNorm.beta");
    return name;
  });
  const PretrainedModel model = BertModel::from_pretrained(folder_ / "");
  EXPECT_EQ(log_.lines(), "");
  const Example inputs = golden_.inputs(model.input_names());
  EXPECT_LT(largest_difference(model.predict_outputs(inputs)["last_hidden_state"],
                               golden_.value(Task::features, "last_hidden_state")),
            output_tolerance);
}

// Where a weight is there under its old name and its new one, the new one is read, wherever they
// lie in the file.
TEST_F(LoadWeightsTest, AWeightUnderTwoNamesIsSaid) {
  const std::string name = "bert.embeddings.LayerNorm.", path = "bert/embeddings.LayerNorm/gamma";
  const Literal wanted = all_[name + "weight"].convert(DType::f32);
  const Literal older = Literal::filled(DType::f16, wanted.shape(), 7);
  for (const bool older_first : {false, true}) {
    Example tensors;
    if (older_first) tensors.set(name + "gamma", older);
    for (const auto& [other, value] : all_) tensors.set(other, value);
    tensors.set(name + "gamma", older);
    write(tensors);
    const PretrainedModel model = BertModel::from_pretrained(folder_ / "");
    Literal read;
    for (const NamedVariable& one : model.network().named_weights()) {
      if (one.path == path) read = one.variable.literal();
    }
    EXPECT_EQ(read, wanted) << older_first;
    EXPECT_TRUE(contains(log_.lines(), str(name, "gamma (", name, "weight is read in its place)")))
        << log_.lines();
  }
}

// A hostile file may have names of any length, and any number of them.
TEST_F(LoadWeightsTest, NamesInMessagesAreCut) {
  Example tensors;
  tensors.set(std::string(100'000, 'x'), Literal::zeros(DType::f32, {1}));
  for (int i = 0; i < 1000; ++i) tensors.set(str("y", i), Literal::zeros(DType::f32, {1}));
  write(tensors);
  const std::string message =
      message_of<InvalidArgument>([&] { BertModel::from_pretrained(folder_ / ""); });
  EXPECT_TRUE(contains(message, std::string(100, 'x') + "...")) << message.substr(0, 1000);
  EXPECT_TRUE(contains(message, "and 901 more"));
  EXPECT_LT(message.size(), 10'000u);
  for (const auto& [name, value] : all_) tensors.set(name, value);
  write(tensors);
  BertModel::from_pretrained(folder_ / "");
  EXPECT_TRUE(contains(log_.lines(), std::string(100, 'x') + "...")) << log_.lines();
  EXPECT_LT(log_.lines().size(), 10'000u);
}

TEST_F(LoadWeightsTest, AnotherArchitectureIsRefusedByNamedClassesOnly) {
  EXPECT_THROW(BertModel::from_pretrained(Golden("distilbert").folder()), InvalidArgument);
  EXPECT_EQ(AutoModel::from_pretrained(Golden("distilbert").folder()).class_name(),
            "DistilBertModel");
}

}  // namespace
}  // namespace systolic
