// SavedModels as whole models: those of tf_keras, and ours. That TensorFlow runs ours:
// tests/saving/call_saved_model.py.
#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/saving/load_model.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

const std::string of_tf_keras = test::source_path("systolic/saving/golden/tf_keras_saved");

TEST(SavedModelFile, OfTfKerasPredictsAndGoesOn) {
  const Example expected =
      io::read_npz(test::source_path("systolic/saving/golden/expected_saved_model.npz"));
  Model model = load_model(of_tf_keras);
  const Literal found = model.predict(expected["images"]), wanted = expected["classes"];
  ASSERT_EQ(found.shape(), wanted.shape());
  for (int64_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.number_at(i), wanted.number_at(i), 1e-5) << i;
  const History history = model.fit(expected["images"], expected["labels"],
                                    {.epochs = 2, .batch_size = 8, .shuffle = false, .verbose = 0});
  ASSERT_EQ(history.step_losses.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(history.step_losses[i], expected["next_losses"].number_at(static_cast<int64_t>(i)),
                1e-4)
        << i;
  }
  EXPECT_CONTAINS(message_of<FailedPrecondition>([&] {
                    Model twin = load_model(of_tf_keras, {.compile = false});
                    twin.fit(expected["images"], expected["labels"], {.verbose = 0});
                  }),
                  "compile");
}

TEST(SavedModelFile, OursIsReadBack) {
  const TemporaryFolder folder;
  const Model model = small_model();
  model.save(folder / "saved");
  EXPECT_TRUE(io::exists(folder / "saved/saved_model.pb"));
  const Model again = load_model(folder / "saved");
  EXPECT_EQ(again.get_weights(), model.get_weights());
  const Literal x = three_classes(4).x;
  EXPECT_EQ(again.predict(x), model.predict(x));
  EXPECT_CONTAINS(
      message_of<FailedPrecondition>([&] { model.save(folder / "saved", {.overwrite = false}); }),
      "is there already");
}

TEST(SavedModelFile, OfOthersIsNotRunAndDamageIsSaid) {
  const TemporaryFolder folder;
  small_model().save(folder / "saved");
  std::filesystem::remove_all(folder / "saved/assets.extra");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { load_model(folder / "saved"); }),
                  "its graph is never run");
  EXPECT_THROW(load_model(folder / "none"), Error);
  const std::string good = io::read_file(of_tf_keras + "/keras_metadata.pb");
  std::filesystem::copy(of_tf_keras, folder / "cut", std::filesystem::copy_options::recursive);
  for (size_t size = 0; size < good.size(); size += 1 + size / 3) {
    put_file(folder / "cut/keras_metadata.pb", good.substr(0, size));
    EXPECT_THROW(load_model(folder / "cut"), Error) << size;
  }
  std::string other = good;
  other.replace(other.find("_tf_keras_network"), 17, "_tf_keras_modelXX");
  put_file(folder / "cut/keras_metadata.pb", other);
  EXPECT_CONTAINS(message_of<Unimplemented>([&] { load_model(folder / "cut"); }),
                  "a class of its program's own");
}

}  // namespace
}  // namespace systolic
