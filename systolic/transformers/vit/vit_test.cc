// What is ViT's and DeiT's alone; outputs and losses stand in ../pretrained_test.cc.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

TEST(ViTTest, PicturesOfAnotherSizeAreNamed) {
  const Golden golden("vit");
  const PretrainedModel model = AutoModelForImageClassification::from_pretrained(golden.folder());
  for (const Shape& shape : {Shape{2, 20, 12, 3}, Shape{2, 3, 12, 20}, Shape{2, 12, 20, 1}}) {
    expect_parts(message_of([&] { model.predict(Literal::zeros(DType::f32, shape)); }),
                 {"pixel_values", str(shape), "12", "20"});
  }
  // Positions of another size of picture are no other positions.
  const std::string message = message_of([&] {
    AutoModelForImageClassification::from_pretrained(golden.folder(),
                                                     {.config = {{"image_size", 16}}});
  });
  expect_parts(message, {"mismatched", "vit.embeddings.position_embeddings is f16[1,16,32]",
                         "f32[1,17,32]"});
}

// Each line is said once in a program.
TEST(ViTTest, PicturesThatNobodyNormalizedAreWarnedOf) {
  const Golden golden("vit");
  const PretrainedModel model = AutoModelForImageClassification::from_pretrained(golden.folder());
  const auto said = [&](const Literal& pictures) {
    const CaughtLog log;
    model.predict(data::from_tensor_slices(pictures).batch(2));
    return log.lines();
  };
  const Shape shape{2, 12, 20, 3};
  EXPECT_CONTAINS(said(Literal::filled(DType::u8, shape, 7)),
                  "is u8, and the model wants normalized pictures: AutoImageProcessor");
  EXPECT_CONTAINS(said(Literal::filled(DType::f32, shape, 200)),
                  "is f32 from 0 to 255, as it seems");
  EXPECT_EQ(said(Literal::filled(DType::f32, shape, -2.5)), "");
}

TEST(ViTTest, ReadsTheNamesOfTheModules) {
  const Golden golden("vit");
  const auto renamed = [](std::string name) {
    const auto replace = [&](const std::string& from, const std::string& to) {
      const size_t at = name.find(from);
      if (at != std::string::npos) name.replace(at, from.size(), to);
    };
    replace("encoder.layer.", "layers.");
    replace("attention.attention.query", "attention.q_proj");
    replace("attention.attention.key", "attention.k_proj");
    replace("attention.attention.value", "attention.v_proj");
    replace("attention.output.dense", "attention.o_proj");
    replace("intermediate.dense", "mlp.fc1");
    if (name.find("_proj") == std::string::npos) replace("output.dense", "mlp.fc2");
    return name;
  };
  Example tensors;
  for (const auto& [name, value] :
       io::read_safetensors(golden.folder() + "/model.safetensors").tensors)
    tensors.set(renamed(name), value);
  EXPECT_TRUE(tensors.contains("vit.layers.1.mlp.fc2.weight"));
  const TemporaryFolder folder;
  io::write_file(folder / "config.json", io::read_file(golden.folder() + "/config.json"));
  io::write_safetensors(folder / "model.safetensors", tensors);
  const CaughtLog log;
  const PretrainedModel model = ViTModel::from_pretrained(folder / "");
  const Example outputs = model.predict_outputs(golden.inputs(model.input_names()));
  for (const auto& [name, value] : outputs)
    EXPECT_LT(largest_difference(value, golden.value(Task::features, name)), output_tolerance)
        << name;
}

TEST(ViTTest, AutoClassTakesTheClassifierThatTheFileNames) {
  const Golden golden("deit");
  const CaughtLog log;
  const TemporaryFolder folder;
  const auto class_of = [&] {
    return AutoModelForImageClassification::from_pretrained(folder / "").class_name();
  };
  DeiTForImageClassificationWithTeacher::from_pretrained(golden.folder())
      .save_pretrained(folder / "");
  EXPECT_EQ(class_of(), "DeiTForImageClassificationWithTeacher");
  EXPECT_EQ(DeiTForImageClassification::from_pretrained(folder / "").class_name(),
            "DeiTForImageClassification");
  DeiTForImageClassification::from_pretrained(golden.folder()).save_pretrained(folder / "");
  EXPECT_EQ(class_of(), "DeiTForImageClassification");
}

TEST(ViTTest, AFreshHeadOnABodyThatStays) {
  const Golden golden("vit");
  const CaughtLog log;
  PretrainedModel model = AutoModelForImageClassification::from_pretrained(
      golden.folder(), {.num_labels = 5, .ignore_mismatched_sizes = true});
  model.freeze();
  EXPECT_EQ(model.trainable_variables().size(), 2U);
  EXPECT_EQ(model.predict(golden.inputs(model.input_names())["pixel_values"]).shape(),
            Shape({3, 5}));
  EXPECT_THROW(ViTForImageClassification::from_config({.image_size = 8}), InvalidArgument);
  EXPECT_THROW(ViTModel::from_config({.num_attention_heads = 7}), InvalidArgument);
  EXPECT_THROW(AutoModelForMaskedLM::from_config(ViTConfig{}), Unimplemented);
}

}  // namespace
}  // namespace systolic
