// Files that earlier versions wrote are read for ever: each folder VERSION beside this file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "systolic/io/files/test_files.h"
#include "systolic/io/hdf5/worker_image.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"
#include "systolic/io/tensors/torch/torch_file.h"
#include "tests/formats/written_files.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::vector<std::string> versions() {
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_path("tests/formats"))) {
    if (entry.is_directory()) found.push_back(entry.path().filename().string());
  }
  return found;
}

class FilesOfVersion : public testing::TestWithParam<std::string> {
 protected:
  std::string path(const std::string& name) const {
    return test::source_path("tests/formats/" + GetParam() + "/" + name);
  }
};
std::string test_name(const testing::TestParamInfo<std::string>& version) {
  std::string name = version.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Formats, FilesOfVersion, testing::ValuesIn(versions()), test_name);

void expect_arrays(const Example& read) {
  for (const auto& [name, array] : formats::arrays()) {
    ASSERT_NE(read.find(name), nullptr) << name;
    EXPECT_EQ(read[name], array) << name;
  }
}

Example all_of(const io::TensorFolder& folder) {
  Example read;
  for (const io::TensorInfo& tensor : folder.tensors())
    read.set(tensor.name, folder.read(tensor.name));
  return read;
}

Example all_of(const io::TensorFile& file) {
  Example read;
  for (size_t i = 0; i < file.tensors().size(); ++i) read.set(file.tensors()[i].name, file.read(i));
  return read;
}

TEST_P(FilesOfVersion, Arrays) {
  EXPECT_EQ(io::read_npy(path("matrix.npy")), formats::arrays()["matrix"]);
  EXPECT_EQ(io::read_idx(path("matrix.idx")), formats::arrays()["matrix"]);
  expect_arrays(io::read_npz(path("arrays.npz")));
  expect_arrays(io::read_safetensors(path("arrays.safetensors")).tensors);
  expect_arrays(all_of(io::open_tensor_folder(path("shards"))));
  expect_arrays(all_of(*io::open_torch_file(path("arrays.bin"))));
  expect_arrays(all_of(*io::open_tensor_bundle(path("bundle"))));
}

TEST_P(FilesOfVersion, Records) {
  const auto parse =
      data::parse_example({{"id", FixedLenFeature{.dtype = DType::i64}},
                           {"text", FixedLenFeature{.dtype = DType::string}},
                           {"values", FixedLenFeature{.shape = {3}, .dtype = DType::f32}}});
  for (const auto& [name, compression] :
       {std::pair("records.tfrec", io::Compression::none), {"records.gz", io::Compression::gzip}}) {
    SCOPED_TRACE(name);
    int64_t count = 0;
    for (const Example& read :
         data::tfrecords({path(name)}, {.compression = compression}).map(parse)) {
      for (const auto& [field, wanted] : formats::record(count)) EXPECT_EQ(read[field], wanted);
      ++count;
    }
    EXPECT_EQ(count, formats::records);
  }
}

void expect_pipeline(const data::Dataset& read) {
  std::vector<Example> wanted;
  for (const Example& each : formats::pipeline()) wanted.push_back(each);
  size_t count = 0;
  for (const Example& each : read) {
    ASSERT_LT(count, wanted.size());
    for (const auto& [name, array] : wanted[count]) EXPECT_EQ(each[name], array) << name;
    ++count;
  }
  EXPECT_EQ(count, wanted.size());
}

TEST_P(FilesOfVersion, Datasets) {
  expect_pipeline(data::load(path("dataset")));
  expect_pipeline(formats::pipeline().cache(path("cache")));
}

TEST_P(FilesOfVersion, Weights) {
  Model model = formats::model();
  const std::vector<Literal> wanted = model.get_weights();
  for (const Variable& weight : model.weights())
    weight.assign(Literal::zeros(DType::f32, weight.shape()));
  model.load_weights(path("weights.safetensors"));
  EXPECT_EQ(model.get_weights(), wanted);
}

TEST_P(FilesOfVersion, WeightsInSeveralFiles) {
  if (io::worker_image().empty()) return;  // a build without HDF5 says so when it is asked
  Model model = formats::model();
  const std::vector<Literal> wanted = model.get_weights();
  for (const Variable& weight : model.weights())
    weight.assign(Literal::zeros(DType::f32, weight.shape()));
  model.load_weights(path("sharded.weights.json"));
  EXPECT_EQ(model.get_weights(), wanted);
}

TEST_P(FilesOfVersion, KerasModels) {
  if (io::worker_image().empty()) return;  // a build without HDF5 says so when it is asked
  const Model model = load_model(path("model.keras"));
  EXPECT_EQ(model.get_weights(), formats::model().get_weights());
  const Literal read = model.predict(formats::Batches{}.x);
  const Literal written = io::read_npz(path("predictions.npz"))["model"];
  ASSERT_EQ(read.shape(), written.shape());
  for (int64_t i = 0; i < read.size(); ++i)
    EXPECT_NEAR(read.number_at(i), written.number_at(i),
                1e-5 + 1e-5 * std::abs(written.number_at(i)));
}

// A run that was ended after two epochs under that version goes on with the third.
void expect_goes_on(const Example& after, FitOptions options) {
  Model model = formats::model();
  std::vector<int> epochs;
  const formats::Batches data;
  const auto compare = [&] {
    for (const Variable& weight : model.weights())
      EXPECT_EQ(weight.literal(), after[weight.name()]) << weight.name();
    EXPECT_EQ(model.optimizer().iterations().item<int64_t>(),
              formats::epochs_done * formats::steps_an_epoch);
  };
  options.epochs = formats::epochs_done + 1;
  options.batch_size = 4;
  options.verbose = 0;
  options.callbacks.push_back(LambdaCallback{
      .on_train_begin = compare, .on_epoch_begin = [&](int k) { epochs.push_back(k); }});
  model.fit(data.x, data.y, options);
  EXPECT_EQ(epochs, std::vector<int>{formats::epochs_done});
}

TEST_P(FilesOfVersion, BackupsOfRuns) {
  const TemporaryFolder scratch;
  std::filesystem::copy(path("run"), scratch / "run");
  expect_goes_on(io::read_npz(path("run/after.npz")),
                 {.callbacks = {BackupAndRestore{.backup_dir = scratch / "run"}}});
}

TEST_P(FilesOfVersion, CheckpointsOfSteps) {
  const TemporaryFolder scratch;
  std::filesystem::copy(path("steps"), scratch / "steps", std::filesystem::copy_options::recursive);
  EXPECT_EQ(step_checkpoints(scratch / "steps").size(), size_t{formats::epochs_done});
  expect_goes_on(
      io::read_npz(path("steps/after.npz")),
      {.callbacks = {TrainingCheckpoint{.directory = scratch / "steps"}}, .resume = "auto"});
}

TEST_P(FilesOfVersion, PretrainedFolders) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(path("bert"));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(formats::texts()[0]).ids), formats::texts()[0]);
  const auto bert = BertModel::from_pretrained(path("bert"));
  EXPECT_EQ(bert.weights().front().shape()[-1], 4);
}

}  // namespace
}  // namespace systolic
