// Models of layers in layers, with masks, from Keras's files (golden/make_keras_wrapped_models.py)
// and to such files and back.
#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/nn/nn.h"
#include "systolic/saving/load_model.h"
#include "systolic/saving/test_answers.h"

namespace systolic {
namespace {

using test::saving_golden;

class WrappedModels : public NeedsHdf5 {
 protected:
  const Config answers = Config::parse(io::read_file(saving_golden("wrapped_models.json")));

  void expect_answers(const Model& model, const std::string& name) {
    std::vector<Tensor> inputs;
    const std::vector<NetworkPort> ports = model.network().input_ports();
    const Config::List& given = answers[name]["inputs"].list();
    for (size_t i = 0; i < given.size(); ++i)
      inputs.emplace_back(test::array_of(given[i]).convert(ports[i].type.dtype));
    const std::vector<Tensor> outputs = model.network().outputs(inputs);
    const Config::List& wanted = answers[name]["outputs"].list();
    ASSERT_EQ(outputs.size(), wanted.size()) << name;
    for (size_t i = 0; i < wanted.size(); ++i)
      test::expect_answer(outputs[i].literal(), wanted[i], name);
  }
};

TEST_F(WrappedModels, OfKerasAnswerTheSame) {
  for (const char* name : {"cells", "masks", "wrappers"})
    expect_answers(load_model(saving_golden(str("wrapped_", name, ".keras"))), name);
}

TEST_F(WrappedModels, GoToFilesAndBack) {
  const std::string path = std::filesystem::path(testing::TempDir()) / "wrapped.keras";
  for (const char* name : {"cells", "masks", "wrappers"}) {
    load_model(saving_golden(str("wrapped_", name, ".keras"))).save(path);
    expect_answers(load_model(path), name);
  }
}

// Keras finds a weight by its path, of which ours must be one.
TEST_F(WrappedModels, HaveKerasPaths) {
  const std::string path = std::filesystem::path(testing::TempDir()) / "paths.weights.h5";
  const Symbol x = input({.shape = {4, 6}});
  const Symbol cells =
      RNN{.cell = StackedRNNCells{.cells = {LSTMCell{.units = 2}, LSTMCell{.units = 3}}}}(x);
  const Symbol heads = GroupQueryAttention{
      .head_dim = 2, .num_query_heads = 4, .num_key_value_heads = 2, .use_gate = true}({x, x});
  const Symbol parts =
      Pipeline{.layers = {Dense{.units = 2}, Dense{.units = 3, .name = "last"}}}(x);
  const Symbol spectral = SpectralNormalization{.layer = Dense{.units = 2}}(x);
  Model({x}, {cells, heads, parts, spectral}).save_weights(path);
  const io::Hdf5Group root = io::open_hdf5(path).root();
  for (const char* array :
       {"rnn/cell/cells/lstm_cell/vars/2", "rnn/cell/cells/lstm_cell_1/vars/2",
        "grouped_query_attention/_query_dense/vars/1", "grouped_query_attention/_gate_dense/vars/1",
        "grouped_query_attention/_output_dense/vars/1", "pipeline/layers/dense/vars/1",
        "pipeline/layers/dense_1/vars/1", "spectral_normalization/vars/0",
        "spectral_normalization/vars/1", "spectral_normalization/layer/vars/1"})
    EXPECT_NE(root.find_dataset(str("layers/", array)), nullptr) << array;
}

// Keras keeps the weights of tokens among its arrays, and cannot load a file without them.
TEST_F(WrappedModels, KeepWeightsOfTokensAsKerasDoes) {
  const std::string path = std::filesystem::path(testing::TempDir()) / "tokens.keras",
                    weights = std::filesystem::path(testing::TempDir()) / "tokens.weights.h5";
  const Model model = Sequential(
      {Input{.shape = {2}, .dtype = DType::i64},
       IntegerLookup{.vocabulary = {3, 5}, .idf_weights = {0.5, 0.25}, .output_mode = "tf_idf"},
       Dense{.units = 1, .kernel_initializer = "ones"}});
  model.save(path);
  model.save_weights(weights);
  const io::Hdf5File file = io::open_hdf5(weights);
  const io::Hdf5Dataset* found = file.root().find_dataset("layers/integer_lookup/vars/idf_weights");
  ASSERT_NE(found, nullptr);
  // What is unknown weighs as much as tokens do on average.
  EXPECT_EQ(file.read(*found), Literal::of<float>({0.375, 0.5, 0.25}));
  const Literal ids = Literal::of<int64_t>({{3, 5}, {3, 9}});
  EXPECT_EQ(load_model(path).predict(ids), Literal::of<float>({{0.75}, {0.875}}));
}

// Keras makes an optimizer's slots in the first step; a file of before it has none.
TEST_F(WrappedModels, ThatWereNotTrainedTrainOn) {
  Model model = load_model(saving_golden("wrapped_wrappers.keras"));
  const Literal x = test::array_of(answers["wrappers"]["inputs"].list()[0]);
  const Literal y = Literal::zeros(DType::f32, {2, 4, 2});
  EXPECT_NEAR(model.optimizer().learning_rate().item<float>(), 0.01f, 1e-9);
  const double first = model.fit(x, y, {.epochs = 1, .verbose = 0}).last("loss");
  EXPECT_LT(model.fit(x, y, {.epochs = 30, .verbose = 0}).last("loss"), first);
}

}  // namespace
}  // namespace systolic
