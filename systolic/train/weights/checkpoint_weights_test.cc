// Weights of checkpoints that TensorFlow wrote (golden/make_checkpoints.py), and of ours.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensor_bundle/checkpoint_state.h"
#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string golden_checkpoint(const std::string& name) {
  return test::source_path("systolic/train/weights/golden/" + name);
}

Model compiled_with(Model model, const Optimizer& optimizer) {
  model.compile(
      {.optimizer = optimizer, .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  return model;
}

// The recipe's attention().
Model attention_model() {
  const Symbol x = input({.shape = {3, 4}, .name = "x"});
  Symbol y = MultiHeadAttention{.num_heads = 2, .key_dim = 3, .name = "attention"}({x, x});
  y = BatchNormalization{.name = "norm"}(y);
  y = Bidirectional{.layer = LSTM{.units = 2, .return_sequences = true}, .name = "both"}(y);
  y = SeparableConv1D{.filters = 3, .kernel_size = 2, .padding = "same", .name = "separable"}(y);
  y = GRU{.units = 3, .name = "gru"}(y);
  const Layer shared = Dense{.units = 3, .activation = "tanh", .name = "shared"};
  y = Add{.name = "sum"}({shared(y), shared(shared(y))});
  const Network inner = Sequential({Dense{.units = 4, .activation = "relu", .name = "first"},
                                    Dense{.units = 3, .name = "second"}},
                                   {.name = "inner"});
  return compiled_with(Model(x, inner(y)), Adam{.learning_rate = 1e-2});
}

// The recipe's chain().
Model chain_model(const Optimizer& optimizer) {
  return compiled_with(
      Sequential({Input{.shape = {5}}, Dense{.units = 4, .activation = "tanh", .name = "first"},
                  LayerNormalization{.name = "norm"},
                  Sequential({Dense{.units = 3, .name = "inner"}}, {.name = "block"}),
                  Dense{.units = 3, .name = "last"}}),
      optimizer);
}

double difference(const Literal& a, const Literal& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(a.number_at(i) - b.number_at(i)));
  return largest;
}

Example expected_of_tensorflow() { return io::read_npz(golden_checkpoint("expected.npz")); }

void expect_same_as_tensorflow(Model model, const std::string& name) {
  SCOPED_TRACE(name);
  const Example expected = expected_of_tensorflow();
  const Literal& x = expected[name + "_x"];
  model.load_weights(golden_checkpoint(name));
  EXPECT_LT(difference(model.predict(x), expected[name + "_predictions"]), 1e-5);
  EXPECT_EQ(model.optimizer().iterations().item<int32_t>(), 2);
  const History history = model.fit(x, expected[name + "_y"],
                                    {.epochs = 1, .batch_size = 4, .shuffle = false, .verbose = 0});
  EXPECT_NEAR(history.last("loss"), expected[name + "_loss"].number_at(0), 1e-4);
}

TEST(CheckpointWeights, OfTensorFlowComputeAndTrainOnAsThere) {
  expect_same_as_tensorflow(attention_model(), "keras2");
  expect_same_as_tensorflow(chain_model(RMSprop{.learning_rate = 1e-2, .momentum = 0.5}),
                            "old_optimizer");
  expect_same_as_tensorflow(chain_model(SGD{.learning_rate = 0.05, .momentum = 0.9}), "keras3");
}

TEST(CheckpointWeights, ByTheNamesOfVariables) {
  const Example expected = expected_of_tensorflow();
  for (const char* name : {"exported", "named", "keras3"}) {
    SCOPED_TRACE(name);
    Model model = chain_model("sgd");
    model.load_weights(golden_checkpoint(name), {.by_name = name == std::string("keras3")});
    EXPECT_LT(difference(model.predict(expected["keras3_x"]), expected["keras3_predictions"]),
              1e-5);
  }
  Model other = Sequential({Input{.shape = {5}}, Dense{.units = 4, .name = "first"},
                            Dense{.units = 2, .name = "second"}});
  EXPECT_CONTAINS(
      message_of<InvalidArgument>([&] { other.load_weights(golden_checkpoint("named")); }),
      "missing: second/kernel");
  const Literal before = other.get_weights()[2];
  other.load_weights(golden_checkpoint("named"), {.by_name = true});
  EXPECT_EQ(other.get_weights()[2], before);
}

// Keras 3's export has no layers: what has other names there is found by its place in the list.
TEST(CheckpointWeights, OfAnExportAreFoundByTheirOrder) {
  const Example expected = expected_of_tensorflow();
  const auto renamed = [](int64_t units) {
    return Sequential({Input{.shape = {5}}, Dense{.units = 4, .activation = "tanh", .name = "a"},
                       LayerNormalization{.name = "b"},
                       Sequential({Dense{.units = units, .name = "c"}}, {.name = "d"}),
                       Dense{.units = 3, .name = "e"}});
  };
  Model model = renamed(3);
  model.load_weights(golden_checkpoint("exported"));
  EXPECT_LT(difference(model.predict(expected["keras3_x"]), expected["keras3_predictions"]), 1e-5);
  Model other = renamed(2);
  EXPECT_CONTAINS(
      message_of<InvalidArgument>([&] { other.load_weights(golden_checkpoint("exported")); }),
      "c, variable 4");
}

TEST(CheckpointWeights, AreKeptWithTheOptimizer) {
  const TemporaryFolder folder;
  const Example expected = expected_of_tensorflow();
  const auto train = [&](Model& model) {
    return model
        .fit(expected["keras2_x"], expected["keras2_y"],
             {.epochs = 1, .batch_size = 4, .shuffle = false, .verbose = 0})
        .last("loss");
  };
  Model model = attention_model();
  train(model);
  model.save_weights(folder / "run/w.ckpt");
  EXPECT_EQ(latest_checkpoint(folder / "run"), folder / "run/w.ckpt");
  for (const std::string& path :
       {folder / "run/w.ckpt", folder / "run/w.ckpt.index", folder / "run"}) {
    SCOPED_TRACE(path);
    Model twin = attention_model();
    twin.load_weights(path);
    EXPECT_EQ(twin.get_weights(), model.get_weights());
    for (size_t i = 0; i < twin.optimizer().variables().size(); ++i)
      EXPECT_EQ(twin.optimizer().variables()[i].literal(),
                model.optimizer().variables()[i].literal());
  }
  Model twin = attention_model();
  twin.load_weights(folder / "run/w.ckpt");
  EXPECT_EQ(train(twin), train(model));
}

// Under the names that tf_keras gives.
TEST(CheckpointWeights, HaveTensorFlowsNames) {
  const TemporaryFolder folder;
  const auto names = [](const std::string& prefix) {
    const auto bundle = io::open_tensor_bundle(prefix);
    std::vector<std::string> all;
    for (const io::TensorInfo& tensor : bundle->tensors()) {
      if (tensor.name.starts_with("layer")) all.push_back(tensor.name);
    }
    return all;
  };
  attention_model().save_weights(folder / "run.ckpt");
  EXPECT_EQ(names(folder / "run.ckpt"), names(golden_checkpoint("keras2")));
}

TEST(CheckpointWeights, ThatDoNotFitChangeNothing) {
  Model model = chain_model("adam");
  const std::vector<Literal> before = model.get_weights();
  EXPECT_CONTAINS(
      message_of<InvalidArgument>([&] { model.load_weights(golden_checkpoint("keras2")); }),
      "layers with weights in the file");
  Model wider = Sequential({Input{.shape = {5}}, Dense{.units = 4, .name = "first"},
                            LayerNormalization{}, Sequential({Dense{.units = 7}}),
                            Dense{.units = 3, .use_bias = false, .name = "last"}});
  const std::string message =
      message_of<InvalidArgument>([&] { wider.load_weights(golden_checkpoint("keras3")); });
  EXPECT_CONTAINS(message, "mismatched: ");
  EXPECT_CONTAINS(message, "unexpected: last/bias");
  // Another optimizer's state stays out.
  model.load_weights(golden_checkpoint("keras3"));
  EXPECT_EQ(model.optimizer().iterations().item<int32_t>(), 0);
  EXPECT_NE(model.get_weights(), before);
}

TEST(CheckpointWeights, ThatAreDamagedChangeNothing) {
  const TemporaryFolder folder;
  Model model = chain_model("sgd");
  model.save_weights(folder / "run.ckpt");
  const std::vector<Literal> before = model.get_weights();
  const std::string index = io::read_file(folder / "run.ckpt.index");
  const std::string numbers = io::read_file(folder / "run.ckpt.data-00000-of-00001");
  put_file(folder / "cut.ckpt.data-00000-of-00001", numbers);
  put_file(folder / "torn.ckpt.index", index);
  for (const size_t size : {size_t{0}, size_t{40}, index.size() / 2, index.size() - 1}) {
    put_file(folder / "cut.ckpt.index", index.substr(0, size));
    EXPECT_CONTAINS(message_of<DataLoss>([&] { model.load_weights(folder / "cut.ckpt"); }),
                    "cut.ckpt.index");
    put_file(folder / "torn.ckpt.data-00000-of-00001",
             numbers.substr(0, numbers.size() * size / index.size()));
    message_of<DataLoss>([&] { model.load_weights(folder / "torn.ckpt"); });
  }
  EXPECT_EQ(model.get_weights(), before);
  const std::string inner = folder / "inner";
  model.save_weights(inner + "/run.ckpt");
  put_file(inner + "/checkpoint", "model_checkpoint_path: \"../run.ckpt\"\n");
  EXPECT_CONTAINS(message_of<DataLoss>([&] { model.load_weights(inner); }), "is not in the folder");
}

}  // namespace
}  // namespace systolic
