// Weights alone, in each form that save_weights and load_weights know.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/saving/load_model.h"
#include "systolic/saving/model_file_info.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

class WeightsForms : public NeedsHdf5 {};

constexpr const char* all_forms[] = {"w.weights.h5", "w.h5", "w.npz", "w.safetensors"};

std::string golden_file(const std::string& name) {
  return test::source_path("systolic/saving/golden/" + name);
}

void set_all(const Model& model, double value) {
  for (const Variable& weight : model.weights())
    weight.set(Literal::filled(weight.dtype(), weight.shape(), value));
}

TEST_F(WeightsForms, KeepAllWeights) {
  const TemporaryFolder folder;
  const Model model = load_model(golden_file("shared.keras"));
  std::vector<std::string> names(std::begin(all_forms), std::end(all_forms));
  for (const char* of_several_files : {"w.ckpt", "w.weights.json"})
    names.emplace_back(of_several_files);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    model.save_weights(folder / name);
    Model twin = model.clone();
    set_all(twin, 0.5);
    twin.load_weights(folder / name);
    EXPECT_EQ(twin.get_weights(), model.get_weights());
  }
}

TEST_F(WeightsForms, OfKeras) {
  const Model model = load_model(golden_file("frozen.keras"), {.compile = false});
  Model twin = model.clone();
  set_all(twin, 0.5);
  twin.load_weights(golden_file("frozen.weights.h5"));
  EXPECT_EQ(twin.get_weights(), model.get_weights());
  const Model pictures = load_model(golden_file("keras2_pictures.h5"), {.compile = false});
  for (const char* name : {"keras2_pictures_weights.h5", "keras2_pictures.h5"}) {
    Model other = pictures.clone();
    set_all(other, 0.5);
    other.load_weights(golden_file(name));
    EXPECT_EQ(other.get_weights(), pictures.get_weights());
  }
}

TEST_F(WeightsForms, OfKeras3KeepTheOptimizer) {
  const TemporaryFolder folder;
  Model model = load_model(golden_file("frozen.keras"));
  model.save_weights(folder / "w.weights.h5");
  Model twin = model.clone();
  twin.compile({.optimizer = Adagrad{.learning_rate = 0.5},
                .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  twin.load_weights(folder / "w.weights.h5");
  EXPECT_EQ(twin.optimizer().iterations().item<int32_t>(), 2);
  // Another optimizer's stays out.
  twin.compile({.optimizer = Adam{}, .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  twin.load_weights(folder / "w.weights.h5");
  EXPECT_EQ(twin.optimizer().iterations().item<int32_t>(), 0);
}

std::vector<std::string> names_in(const std::string& folder) {
  return io::file_system(folder).list(folder, 100);
}

// Each save has files of its own until the map is replaced; the first name stays for Keras.
TEST_F(WeightsForms, OfKeras3InSeveralFiles) {
  const TemporaryFolder folder;
  const Model model = load_model(golden_file("frozen.keras"));
  const auto save = [&](double kib) {
    model.save_weights(folder / "w.weights.json", {.max_shard_size = kib / 1024 / 1024});
  };
  const auto check = [&] {
    Model twin = model.clone();
    twin.compile({.optimizer = Adagrad{.learning_rate = 0.5},
                  .loss = SparseCategoricalCrossentropy{.from_logits = true}});
    set_all(twin, 0.5);
    twin.load_weights(folder / "w.weights.json");
    EXPECT_EQ(twin.get_weights(), model.get_weights());
    EXPECT_EQ(twin.optimizer().iterations().item<int32_t>(), 2);
  };
  save(1024);
  EXPECT_EQ(names_in(folder / ""),
            (std::vector<std::string>{"w.weights.json", "w_00000.weights.h5"}));
  check();
  put_file(folder / "w-2_00000.weights.h5", "another model's");
  put_file(folder / "w-2.weights.json", "another model's");
  for (int i = 0; i < 3; ++i) {
    set_all(model, i);
    save(i == 0 ? 0.25 : 1024);
    check();
    EXPECT_TRUE(io::exists(folder / "w_00000.weights.h5"));
    EXPECT_EQ(io::read_file(folder / "w-2_00000.weights.h5"), "another model's");
  }
  EXPECT_EQ(names_in(folder / "").size(), 5u);
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { save(0.001); }), "at most max_shard_size");
  check();
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model.save_weights(folder / "w.h5", SaveWeightsOptions{.max_shard_size = 1});
                  }),
                  "a path that ends in .weights.json");
  EXPECT_CONTAINS(message_of<FailedPrecondition>(
                      [&] { model.save_weights(folder / "w.weights.json", {.overwrite = false}); }),
                  "is there already");
}

TEST_F(WeightsForms, InSeveralFilesOfKeras) {
  const Model model = load_model(golden_file("frozen.keras"), {.compile = false});
  Model twin = model.clone();
  set_all(twin, 0.5);
  twin.load_weights(golden_file("frozen_shards/frozen.weights.json"));
  EXPECT_EQ(twin.get_weights(), model.get_weights());
}

TEST_F(WeightsForms, MapsOfSeveralFilesThatLie) {
  const TemporaryFolder folder;
  Model model = load_model(golden_file("frozen.keras"));
  const std::vector<Literal> before = model.get_weights();
  const std::string path = folder / "w.weights.json";
  model.save_weights(path);
  struct Case {
    std::string map;
    const char* wanted;
  };
  const Case table[] = {
      {"", "not JSON"},
      {"[]", "has no weight_map"},
      {R"({"weight_map": []})", "has no weight_map"},
      {R"({"weight_map": {}})", "missing: layers"},
      {R"({"weight_map": {"/layers/dense/vars": 1}})", "not next to it"},
      {R"({"weight_map": {"/layers/dense/vars": "../w_00000.weights.h5"}})", "not next to it"},
      {R"({"weight_map": {"/layers/dense/vars": "x.h5"}})", "x.h5"},
      {R"({"weight_map": {"/layers/nowhere/vars": "w_00000.weights.h5"}})", "which it does not"},
      {R"({"weight_map": {"/layers/dense/vars": ["w_00000.weights.h5", "w_00000.weights.h5"]}})",
       "another file of the same weights"}};
  for (const Case& one : table) {
    put_file(path, one.map);
    EXPECT_CONTAINS(message_of<Error>([&] { model.load_weights(path); }), one.wanted);
    EXPECT_EQ(model.get_weights(), before);
  }
}

TEST_F(WeightsForms, LinksAreNotFollowed) {
  const TemporaryFolder folder;
  const std::string path = folder / "links.weights.h5";
  put_file(path, io::read_file(test::source_path("tests/fuzz/corpus/h5/links")));
  Model model = load_model(golden_file("frozen.keras"));
  const std::string message = message_of<InvalidArgument>([&] { model.load_weights(path); });
  EXPECT_CONTAINS(message, "it is a soft link");
  EXPECT_CONTAINS(message, "it is a link to another file");
}

// Two layers; the second differs.
Model two_layers(int64_t units, const std::string& second) {
  return Sequential({Input{.shape = {4}}, Dense{.units = 3, .name = "first"},
                     Dense{.units = units, .name = second}});
}

TEST_F(WeightsForms, ByName) {
  const TemporaryFolder folder;
  for (const char* name : {"w.h5", "w.npz", "w.safetensors"}) {
    SCOPED_TRACE(name);
    const Model from = two_layers(2, "second");
    from.save_weights(folder / name);
    Model to = Sequential({Input{.shape = {4}}, Dense{.units = 3, .name = "first"},
                           Dense{.units = 5, .name = "third"}, Dense{.units = 1, .name = "last"}});
    const std::vector<Literal> before = to.get_weights();
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { to.load_weights(folder / name); }),
                    "nothing was loaded");
    EXPECT_EQ(to.get_weights(), before);
    to.load_weights(folder / name, {.by_name = true});
    EXPECT_EQ(to.get_weights()[0], from.get_weights()[0]);
    EXPECT_EQ(to.get_weights()[2], before[2]);
  }
  Model model = two_layers(2, "second");
  model.save_weights(folder / "w.weights.h5");
  EXPECT_CONTAINS(message_of<InvalidArgument>(
                      [&] { model.load_weights(folder / "w.weights.h5", {.by_name = true}); }),
                  "by their places");
}

TEST_F(WeightsForms, SkipWhatHasAnotherShape) {
  const TemporaryFolder folder;
  for (const char* name : all_forms) {
    SCOPED_TRACE(name);
    const Model from = two_layers(2, "second");
    from.save_weights(folder / name);
    Model to = two_layers(7, "second");
    const std::vector<Literal> before = to.get_weights();
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { to.load_weights(folder / name); }),
                    "mismatched: ");
    EXPECT_EQ(to.get_weights(), before);
    to.load_weights(folder / name, {.skip_mismatch = true});
    EXPECT_EQ(to.get_weights()[0], from.get_weights()[0]);
    EXPECT_EQ(to.get_weights()[2], before[2]);
  }
}

// Cut files, and such of another form: an error that names the file, and the weights stay.
TEST_F(WeightsForms, ThatAreDamagedChangeNothing) {
  const TemporaryFolder folder;
  Model model = two_layers(2, "second");
  const std::vector<Literal> before = model.get_weights();
  for (const char* name : all_forms) {
    SCOPED_TRACE(name);
    model.save_weights(folder / name);
    const std::string bytes = io::read_file(folder / name);
    for (const size_t size : {size_t{0}, size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
      const std::string path = folder / (std::string("cut_") + name);
      put_file(path, bytes.substr(0, size));
      EXPECT_CONTAINS(message_of<Error>([&] { model.load_weights(path); }), path);
      EXPECT_CONTAINS(message_of<Error>([&] { model_file_info(path); }), path);
    }
    EXPECT_EQ(model.get_weights(), before);
  }
}

TEST_F(WeightsForms, SayWhatTheyAre) {
  const ModelFileInfo keras = model_file_info(golden_file("chain.keras"));
  EXPECT_TRUE(keras.has_model);
  EXPECT_EQ(keras.written_by, "Keras 3.15.0");
  const ModelFileInfo old = model_file_info(golden_file("keras2_pictures.h5"));
  EXPECT_TRUE(old.has_model);
  EXPECT_EQ(old.written_by, "Keras 2.21.0 on tensorflow");
  const ModelFileInfo weights = model_file_info(golden_file("keras2_pictures_weights.h5"));
  EXPECT_FALSE(weights.has_model);
  EXPECT_EQ(weights.arrays.size(), 10u);
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { model_file_info("model.bin"); }),
                  "does not say the form");
  EXPECT_CONTAINS(
      message_of<InvalidArgument>([&] { load_model(golden_file("keras2_pictures_weights.h5")); }),
      "weights alone");
}

}  // namespace
}  // namespace systolic
