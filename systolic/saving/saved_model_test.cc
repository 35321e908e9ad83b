// SavedModels. That TensorFlow runs them is checked by tests/saving/call_saved_model.py.
#include "systolic/saving/saved_model.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

TEST(SavedModel, HoldsAProgramOfAnyBatchAndTheWeights) {
  const TemporaryFolder folder;
  const Symbol x = input({.shape = {6, 6, 2}, .name = "pictures"});
  Symbol y = Conv2D{.filters = 3, .kernel_size = 3, .padding = "same"}(x);
  y = BatchNormalization{}(y);
  y = Flatten{}(MaxPooling2D{}(y));
  const Model model(x, Dense{.units = 4, .activation = "softmax", .name = "classes"}(y));
  export_saved_model(model, folder / "saved");
  const std::string bytes = io::read_file(folder / "saved/saved_model.pb");
  EXPECT_CONTAINS(bytes, "tensor<?x6x6x2xf32>");
  EXPECT_CONTAINS(bytes, "tensor<?x4xf32>");
  EXPECT_CONTAINS(bytes, "stablehlo.dynamic_reshape");
  EXPECT_CONTAINS(bytes, "serving_default");
  Model twin = model.clone();
  for (const Variable& weight : twin.weights())
    weight.set(Literal::filled(weight.dtype(), weight.shape(), 0.5));
  twin.load_weights(folder / "saved");
  EXPECT_EQ(twin.get_weights(), model.get_weights());
}

TEST(SavedModel, RefusesWhatItCannotHold) {
  const TemporaryFolder folder;
  Model open = Sequential({Dense{.units = 2}});
  message_of<FailedPrecondition>([&] { export_saved_model(open, folder / "open"); });
  EXPECT_FALSE(io::exists(folder / "open/saved_model.pb"));
}

}  // namespace
}  // namespace systolic
