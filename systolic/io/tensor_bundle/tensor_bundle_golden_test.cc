// Checkpoints that TensorFlow wrote: golden/make_bundles.py says how.
#include <algorithm>
#include <cmath>

#include "systolic/base/test_errors.h"
#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::shared_ptr<const io::TensorBundle> golden(const std::string& name) {
  return io::open_tensor_bundle(test::source_path("systolic/io/tensor_bundle/golden/" + name));
}

// The recipe's tensor(dtype, shape).
Literal recipe(DType dtype, const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const auto value = static_cast<double>(3 * i % 7 - 2);
    values.push_back(dtype == DType::pred         ? value == 0
                     : is_unsigned_integer(dtype) ? std::abs(value)
                                                  : value);
  }
  return Literal::from(values, shape).convert(dtype);
}

Literal read(const io::TensorBundle& bundle, std::string_view name) {
  const auto& tensors = bundle.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return bundle.read(i);
  }
  throw std::runtime_error("no tensor " + std::string(name));
}

TEST(TensorBundleGolden, AllTypes) {
  const auto bundle = golden("types");
  ASSERT_EQ(bundle->tensors().size(), 21u);
  int numbers = 0;
  for (size_t i = 0; i < bundle->tensors().size(); ++i) {
    const io::TensorInfo& tensor = bundle->tensors()[i];
    if (tensor.dtype == DType::string) continue;
    ++numbers;
    EXPECT_EQ(bundle->read(i), recipe(tensor.dtype, tensor.shape)) << tensor.name;
    const bool named = tensor.shape != Shape{2, 3} || info(tensor.dtype).numpy_name == tensor.name;
    EXPECT_TRUE(named) << tensor.name << " is " << to_string(tensor.dtype);
  }
  EXPECT_EQ(numbers, 19);
  const std::vector<std::string> texts = {"", "a", std::string(300, 'b'), std::string("\0\xff", 2)};
  EXPECT_EQ(read(*bundle, "strings"), Literal::strings(texts).reshape({2, 2}));
  EXPECT_EQ(read(*bundle, "text"), Literal::scalar("one"));
}

TEST(TensorBundleGolden, ManyNames) {
  const auto bundle = golden("many.index");
  ASSERT_EQ(bundle->tensors().size(), 500u);
  for (size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(bundle->tensors()[i].name.substr(6, 4), std::to_string(10000 + i).substr(1));
    EXPECT_EQ(bundle->read(i), recipe(DType::i8, {static_cast<int64_t>(i) % 3}));
  }
}

TEST(TensorBundleGolden, SeveralFiles) {
  const auto bundle = golden("shards");
  EXPECT_EQ(read(*bundle, "first"), recipe(DType::f32, {4}));
  EXPECT_EQ(read(*bundle, "second"), recipe(DType::f64, {3}));
  EXPECT_EQ(read(*bundle, "third"), recipe(DType::i64, {2, 2}));
}

TEST(TensorBundleGolden, VariablesSavedInParts) {
  const auto bundle = golden("parts");
  ASSERT_EQ(bundle->tensors().size(), 2u);
  EXPECT_EQ(read(*bundle, "rows"), recipe(DType::f32, {200, 3}));
  EXPECT_EQ(read(*bundle, "tiles"), recipe(DType::i32, {4, 6}));
}

TEST(TensorBundleGolden, ObjectsOfAModel) {
  const auto bundle = golden("objects");
  const std::vector<std::string> iterator = {"iterator/.ATTRIBUTES/ITERATOR_STATE"};
  EXPECT_EQ(bundle->left_out(), iterator);
  const io::ObjectGraph graph = io::read_object_graph(*bundle);
  const auto kernel = graph.find("model/layer_with_weights-0/kernel");
  ASSERT_TRUE(kernel);
  ASSERT_EQ(graph.nodes[*kernel].attributes.size(), 1u);
  const io::ObjectGraph::Attribute& attribute = graph.nodes[*kernel].attributes[0];
  EXPECT_EQ(attribute.name, "VARIABLE_VALUE");
  EXPECT_EQ(attribute.full_name, "hidden/kernel");
  EXPECT_EQ(read(*bundle, attribute.checkpoint_key), recipe(DType::f32, {3, 2}));
  EXPECT_EQ(read(*bundle, "step/.ATTRIBUTES/VARIABLE_VALUE"), Literal::scalar<int64_t>(7));

  const auto& slots = graph.nodes[graph.find("model/optimizer").value()].slots;
  const auto slot = std::find_if(slots.begin(), slots.end(), [&](const auto& each) {
    return each.variable == *kernel && each.name == "v";
  });
  ASSERT_NE(slot, slots.end());
  EXPECT_EQ(graph.nodes[slot->value].attributes.at(0).full_name, "Adam/hidden/kernel/v");
  EXPECT_FALSE(graph.find("model/layer_with_weights-2"));

  const std::string written = io::encode_object_graph(graph);
  const io::ObjectGraph again = io::parse_object_graph(written, "again");
  EXPECT_EQ(io::encode_object_graph(again), written);
  EXPECT_EQ(again.nodes.size(), graph.nodes.size());
}

}  // namespace
}  // namespace systolic
