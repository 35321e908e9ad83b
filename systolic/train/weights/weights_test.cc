// A model's weights: counted, set, and in files.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/ir/module.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

TEST(Weights, AreCounted) {
  EXPECT_EQ(small_model().count_params(), 6 * 8 + 8 + 8 * 3 + 3);
  const Model normalized = Sequential({Input{.shape = {5}}, BatchNormalization{}});
  EXPECT_EQ(normalized.count_params(), 4 * 5);  // the averages, which no gradient trains, too
}

TEST(Weights, OneThatDoesNotFitLeavesAllAsTheyWere) {
  Model model = small_model();
  const std::vector<Literal> before = model.get_weights();
  std::vector<Literal> others = before;
  for (Literal& other : others) other = Literal::filled(other.dtype(), other.shape(), 7);
  for (const auto& [dtype, size] : {std::pair{DType::f32, 5}, std::pair{DType::f64, 3}}) {
    others.back() = Literal::zeros(dtype, {size});
    const std::string message = message_of<InvalidArgument>([&] { model.set_weights(others); });
    const std::string given = to_string(ir::Type{dtype, {size}});
    EXPECT_CONTAINS(message, str("array 3 for 'dense_1/bias' is ", given, ", expected f32[3]"));
    EXPECT_CONTAINS(message, "weights_test.cc:");
    EXPECT_EQ(model.get_weights(), before);
  }
}

TEST(Weights, SurviveAFile) {
  const Arrays arrays = three_classes(30);
  Model model = small_model();
  model.fit(arrays.x, arrays.y, {.epochs = 1, .verbose = 0});
  const std::string path = testing::TempDir() + "model_test.safetensors";
  model.save_weights(path);
  set_seed(99);
  Model fresh = model.clone();
  for (const Variable& weight : fresh.weights())
    weight.set(Literal::zeros(weight.dtype(), weight.shape()));
  fresh.load_weights(path);
  EXPECT_EQ(fresh.predict(arrays.x), model.predict(arrays.x));
  std::remove(path.c_str());
}

TEST(Weights, OfADamagedFileChangeNothing) {
  for (const char* name : {"damaged.safetensors", "damaged.npz"}) {
    const std::string path = testing::TempDir() + name;
    small_model().save_weights(path);
    std::string bytes = io::read_file(path);
    // In the last bias, of zeros; before a ZIP archive's directory.
    const size_t last = bytes.rfind(std::string(8, '\0'), bytes.find("PK\x01\x02"));
    ASSERT_NE(last, std::string::npos);
    bytes[last + 3] ^= 1;
    io::write_file(path, bytes);
    Model model = small_model();
    for (const Variable& weight : model.weights())
      Variable(weight).set(Literal::filled(weight.dtype(), weight.shape(), 7));
    const std::vector<Literal> before = model.get_weights();
    EXPECT_THROW(model.load_weights(path), DataLoss) << name;
    EXPECT_EQ(model.get_weights(), before) << name;
    std::remove(path.c_str());
  }
}

TEST(Weights, ThatDoNotFitAreListedAndNothingIsLoaded) {
  Model model = small_model();
  const std::string path = testing::TempDir() + "misfit.safetensors";
  model.save_weights(path);
  Model other =
      Sequential({Input{.shape = {6}}, Dense{.units = 9}, Dense{.units = 3, .use_bias = false}});
  const std::vector<Literal> before = other.get_weights();
  const std::string message = message_of<InvalidArgument>([&] { other.load_weights(path); });
  expect_parts(message, {"load_weights: the weights in", "mismatched: dense/kernel",
                         "unexpected: dense_1/bias", "weights_test.cc:"});
  EXPECT_EQ(other.get_weights(), before);
  std::remove(path.c_str());
}

TEST(Weights, FilesOfOtherProgramsAreNamed) {
  const std::pair<std::string, std::string> table[] = {
      {std::string("\x89HDF\r\n\x1a\n and more", 17), "is an HDF5 file, as Keras writes .h5"},
      {std::string("PK\x03\x04 and more", 13), "is a ZIP archive, such as Keras's .keras"}};
  for (const auto& [bytes, wanted] : table) {
    const std::string path = testing::TempDir() + "of_another_program";
    std::ofstream(path, std::ios::binary) << bytes;
    Model model = small_model();
    expect_parts(message_of<InvalidArgument>([&] { model.load_weights(path); }),
                 {"load_weights: ", wanted, "expected a safetensors file", "weights_test.cc:"});
    std::remove(path.c_str());
  }
}

}  // namespace
}  // namespace systolic
