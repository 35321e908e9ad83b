// Files that PyTorch, safetensors and transformers wrote: golden/make_golden.py says how.
#include <cmath>
#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/torch/torch_file.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string golden(const std::string& name) {
  return test::source_path("systolic/io/golden/" + name);
}

// The recipe's tensor(dtype, shape).
Literal expected(DType dtype, const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const auto value = static_cast<double>(3 * i % 7 - 2);
    values.push_back(is_unsigned_integer(dtype) ? std::abs(value) : value);
  }
  return Literal::from(values, shape).convert(dtype);
}

void expect_as_in_recipe(const io::TensorFile& file, size_t count) {
  ASSERT_EQ(file.tensors().size(), count);
  for (size_t i = 0; i < count; ++i) {
    const io::TensorInfo& tensor = file.tensors()[i];
    EXPECT_EQ(file.read(i), expected(tensor.dtype, tensor.shape)) << tensor.name;
  }
}

void expect_as_in_recipe(const io::TensorFolder& checkpoint, size_t count) {
  EXPECT_EQ(checkpoint.tensors().size(), count);
  for (const io::TensorInfo& tensor : checkpoint.tensors())
    EXPECT_EQ(checkpoint.read(tensor.name), expected(tensor.dtype, tensor.shape)) << tensor.name;
}

TEST(TensorFolderGolden, EveryTypeOfTorch) {
  for (const char* name : {"types.bin", "protocol4.bin"}) {
    const auto file = io::open_torch_file(golden(name));
    expect_as_in_recipe(*file, 17);
    for (const io::TensorInfo& tensor : file->tensors())
      EXPECT_EQ(tensor.name, info(tensor.dtype).numpy_name);
  }
  expect_as_in_recipe(*io::open_torch_file(golden("types_before_1.6.bin")), 12);
}

TEST(TensorFolderGolden, EveryTypeOfSafetensors) {
  const auto file = io::open_safetensors(golden("types.safetensors"));
  expect_as_in_recipe(*file, 16);
  for (const io::TensorInfo& tensor : file->tensors())
    EXPECT_EQ(tensor.name, info(tensor.dtype).numpy_name);
  EXPECT_EQ(file->metadata(),
            (std::map<std::string, std::string>{{"by", "safetensors"}, {"format", "pt"}}));
}

Literal base_of(const std::function<float(int64_t row, int64_t column)>& f, const Shape& shape) {
  std::vector<float> values;
  for (int64_t row = 0; row < shape[0]; ++row) {
    for (int64_t column = 0; column < shape[1]; ++column) values.push_back(f(row, column));
  }
  return Literal::from(values, shape);
}

TEST(TensorFolderGolden, ViewsIntoOneStorage) {
  for (const char* name : {"views.bin", "views_before_1.6.bin"}) {
    const io::TensorFolder views = io::open_tensor_folder(golden(name));
    EXPECT_EQ(views.tensors().size(), 10u);
    const auto expect = [&](const char* tensor, const Literal& wanted) {
      EXPECT_EQ(views.read(str("model.", tensor)), wanted) << tensor << " of " << name;
    };
    expect("base", base_of([](auto i, auto j) { return 6 * i + j; }, {4, 6}));
    expect("transposed", base_of([](auto i, auto j) { return 6 * j + i; }, {6, 4}));
    expect("slice", base_of([](auto i, auto j) { return 6 * (i + 1) + j + 2; }, {2, 3}));
    expect("stepped", base_of([](auto i, auto j) { return 6 * i + 2 * j; }, {4, 3}));
    expect("expanded", base_of([](auto, auto j) { return j; }, {3, 6}));
    expect("scalar", Literal::scalar(15.0f));
    expect("empty", Literal::zeros(DType::f32, {0, 6}));
    expect("permuted",
           base_of([](auto i, auto j) { return 6 * j + i; }, {6, 4}).reshape({6, 2, 2}));
    expect("parameter", Literal::of<float>({6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(views.read("7"), Literal::of<float>({18, 19, 20, 21, 22, 23}));
    // Each has memory of its own, which a file that is rewritten does not change.
    EXPECT_NE(views.read("model.parameter").raw(), views.read("model.base").raw() + 24);
  }
}

TEST(TensorFolderGolden, ModelsOfTransformers) {
  const io::TensorFolder whole = io::open_tensor_folder(golden("bert.bin"));
  const io::TensorFolder shards = io::open_tensor_folder(golden("bert_shards"));
  const io::TensorFolder bins = io::open_tensor_folder(golden("bert_bin_shards"));
  EXPECT_EQ(whole.find("encoder.layer.0.intermediate.dense.weight")->shape, (Shape{12, 8}));
  EXPECT_EQ(shards.metadata().at("format"), "pt");
  for (const io::TensorFolder* checkpoint : {&whole, &shards, &bins})
    expect_as_in_recipe(*checkpoint, whole.tensors().size());
  EXPECT_EQ(bins.read("embeddings.word_embeddings.weight", DType::bf16),
            expected(DType::bf16, {11, 8}));
}

}  // namespace
}  // namespace systolic
