// Feature vectors from SavedModels. tests/applications/check_hub.py compares with TensorFlow's.
#include "systolic/applications/hub.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "systolic/applications/applications.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/saving/saved_model.h"
#include "systolic/trace/ops/random.h"

namespace systolic {
namespace {

std::string hub_folder(const std::string& name) {
  const std::string folder = testing::TempDir() + "hub_test/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(Hub, AFeatureVectorIsALayer) {
  set_seed(1);
  const Model made = applications::MobileNetV3Small(
      {.include_top = false, .weights = "", .input_shape = {40, 40, 3}, .pooling = "avg"});
  const std::string folder = hub_folder("small");
  export_saved_model(made, folder);
  EXPECT_EQ(hub::architecture_in(folder), "MobileNetV3Small");
  const Layer layer = hub::KerasLayer(folder, {.input_shape = {40, 40, 3}});
  EXPECT_FALSE(layer.trainable());
  const Literal x = Literal::filled(DType::f32, {2, 40, 40, 3}, 100);
  const Literal got = layer(Tensor(x)).literal(), wanted = made.predict(x);
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5 + 1e-5 * std::abs(wanted.number_at(i)));
  Model model =
      Sequential({Input{.shape = {40, 40, 3}},
                  hub::KerasLayer(folder, {.trainable = true, .input_shape = {40, 40, 3}}),
                  Dense{.units = 5}});
  EXPECT_GT(model.network().trainable_variables().size(), 100u);
  EXPECT_EQ(model.predict(x).shape(), (Shape{2, 5}));
}

TEST(Hub, OthersAreRefusedWithWhatTheyAre) {
  const Model other = Sequential({Input{.shape = {3}}, Dense{.units = 2, .name = "score"}});
  const std::string folder = hub_folder("other");
  export_saved_model(other, folder);
  EXPECT_EQ(hub::architecture_in(folder), "");
  expect_parts(message_of<Unimplemented>([&] { hub::KerasLayer(folder); }),
               {"2 variables of 8 numbers", "a feature vector of one of: Xception"});
  EXPECT_THROW(hub::KerasLayer(hub_folder("empty")), NotFound);
}

}  // namespace
}  // namespace systolic
