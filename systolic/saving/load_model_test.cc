// Models that Keras saved (golden/make_keras_files.py), and what Model::save writes, read again.
#include "systolic/saving/load_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/train/callbacks/saving/model_checkpoint.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

class SavedModels : public NeedsHdf5 {};

std::string keras_file(const std::string& name) {
  return test::source_path("systolic/saving/golden/" + name);
}

double largest_difference(const Literal& a, const Literal& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(a.number_at(i) - b.number_at(i)));
  return largest;
}

ModelArrays inputs_of(const Example& expected, const std::string& name) {
  const Literal first = expected[name + "_x0"];
  const Literal* second = expected.find(name + "_x1");
  return second == nullptr ? ModelArrays(first) : ModelArrays({first, *second});
}

// After two steps of Keras's, and one more here and there.
void expect_same_as_keras(const std::string& file, const Example& expected) {
  SCOPED_TRACE(file);
  const std::string name = file.substr(0, file.find('.'));
  Model model = load_model(keras_file(file));
  const ModelArrays x = inputs_of(expected, name);
  EXPECT_LT(largest_difference(model.predict(x), expected[name + "_predictions"]), 1e-5);
  EXPECT_EQ(model.optimizer().iterations().item<int32_t>(), 2);
  const History history = model.fit(
      x, expected[name + "_y"], {.epochs = 1, .batch_size = 12, .shuffle = false, .verbose = 0});
  EXPECT_NEAR(history.last("loss"), expected[name + "_loss"].number_at(0), 1e-4);
  EXPECT_LT(largest_difference(model.predict(x), expected[name + "_after"]), 1e-4);
}

TEST_F(SavedModels, OfKerasComputeAndTrainAsInKeras) {
  const Example expected = io::read_npz(keras_file("expected.npz"));
  for (const char* file : {"conv_model.keras", "chain.keras", "shared.keras", "attention.keras",
                           "frozen.keras", "conv_model.h5", "shared.h5", "frozen.h5"})
    expect_same_as_keras(file, expected);
  const Example of_keras2 = io::read_npz(keras_file("expected_keras2.npz"));
  for (const char* file : {"keras2_pictures.h5", "keras2_chain.h5"})
    expect_same_as_keras(file, of_keras2);
}

TEST_F(SavedModels, AreTheSameAfterOtherFiles) {
  const Example expected = io::read_npz(keras_file("expected.npz"));
  const TemporaryFolder folder;
  for (const std::string name : {"conv_model", "chain", "shared", "attention", "frozen"}) {
    SCOPED_TRACE(name);
    Model model = load_model(keras_file(name + ".keras"));
    const ModelArrays x = inputs_of(expected, name);
    const std::string path = folder / "again.h5", last = folder / "last.keras";
    model.save(path);
    load_model(path).save(last);
    Model again = load_model(last);
    EXPECT_EQ(again.predict(x), model.predict(x));
    const FitOptions options{.epochs = 2, .batch_size = 12, .shuffle = false, .verbose = 0};
    const Literal& y = expected[name + "_y"];
    EXPECT_EQ(again.fit(x, y, options).step_losses, model.fit(x, y, options).step_losses);
  }
}

TEST_F(SavedModels, AreTheSameLayersAfterJson) {
  for (const std::string name : {"conv_model", "shared", "attention"}) {
    SCOPED_TRACE(name);
    const Model model = load_model(keras_file(name + ".keras"), {.compile = false});
    const Model twin = model_from_json(model.to_json());
    EXPECT_EQ(twin.to_json(), model.to_json());
    EXPECT_EQ(twin.summary_text(88), model.summary_text(88));
    EXPECT_EQ(twin.get_config().text(), model.to_json());
  }
}

TEST_F(SavedModels, AreWhatModelCheckpointWrites) {
  const TemporaryFolder folder;
  const Arrays arrays = three_classes(24);
  const auto step = [&](Model model) {
    return model
        .fit(arrays.x, arrays.y, {.epochs = 1, .batch_size = 24, .shuffle = false, .verbose = 0})
        .last("loss");
  };
  for (const char* name : {"model.keras", "model.h5"}) {
    SCOPED_TRACE(name);
    Model model = small_model();
    model.fit(
        arrays.x, arrays.y,
        {.epochs = 3,
         .batch_size = 8,
         .callbacks = {ModelCheckpoint{.filepath = folder / (std::string("{epoch}_") + name)}},
         .verbose = 0});
    const Model first = load_model(folder / (std::string("1_") + name));
    EXPECT_EQ(first.optimizer().iterations().item<int32_t>(), 3);
    const Model last = load_model(folder / (std::string("3_") + name));
    EXPECT_EQ(last.get_weights(), model.get_weights());
    EXPECT_NE(first.get_weights(), model.get_weights());
    EXPECT_EQ(step(last), step(model));
  }
  // Weights alone, or with what the optimizer knows, where the ending says so.
  Model model = small_model();
  model.fit(arrays.x, arrays.y,
            {.epochs = 1,
             .batch_size = 8,
             .callbacks = {ModelCheckpoint{.filepath = folder / "w.h5", .save_weights_only = true},
                           ModelCheckpoint{.filepath = folder / "w.ckpt"}},
             .verbose = 0});
  for (const char* name : {"w.h5", "w.ckpt"}) {
    Model twin = small_model();
    twin.load_weights(folder / name);
    EXPECT_EQ(twin.get_weights(), model.get_weights());
  }
  EXPECT_THROW(load_model(folder / "w.h5"), InvalidArgument);
}

}  // namespace
}  // namespace systolic
