// What is CLIP's and SigLIP's alone; outputs and losses stand in ../pretrained_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

TEST(CLIPTest, HalvesComeFromAFolderOfBoth) {
  const Golden golden("clip");
  const CaughtLog log;
  const PretrainedModel read = CLIPTextModel::from_pretrained(golden.folder());
  EXPECT_EQ(read.class_name(), "CLIPTextModel");
  EXPECT_EQ(read.input_names(), (std::vector<std::string>{"input_ids", "attention_mask"}));
  EXPECT_THROW(BertModel::from_pretrained(golden.folder()), InvalidArgument);
}

// But for their length.
TEST(CLIPTest, AHalfGivesTheVectorsOfTheWhole) {
  const Golden golden("siglip");
  const CaughtLog log;
  const PretrainedModel see = SiglipVisionModel::from_pretrained(golden.folder());
  const Literal seen = see.predict_outputs(golden.inputs({"pixel_values"}))["pooler_output"];
  const Literal& wanted = golden.value(Task::features, "image_embeds");
  for (int64_t row = 0; row < seen.shape()[0]; ++row) {
    double length = 0;
    const int64_t size = seen.shape()[1];
    for (int64_t i = 0; i < size; ++i) length += std::pow(seen.number_at(row * size + i), 2);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at = row * size + i;
      EXPECT_NEAR(seen.number_at(at) / std::sqrt(length), wanted.number_at(at), output_tolerance);
    }
  }
  const TemporaryFolder folder;
  see.save_pretrained(folder / "");
  EXPECT_EQ(AutoModel::from_pretrained(folder / "").class_name(), "SiglipVisionModel");
}

struct Refused {
  const char* what;
  std::string fields;
  std::vector<std::string> parts;
};

TEST(CLIPTest, WhatCannotBeReadIsNamed) {
  const std::vector<Refused> cases = {
      {"heads",
       R"("text_config": {"hidden_size": 10, "num_attention_heads": 3})",
       {"'text_config'", "'hidden_size'", "a multiple of 3"}},
      {"halves", R"("text_config": [3])", {"'text_config'", "an object of fields"}},
      {"ends", R"("text_config": {"eos_token_id": [1, 2]})", {"'eos_token_id'", "[1, 2]"}},
      {"patches",
       R"("vision_config": {"image_size": 8, "patch_size": 16})",
       {"'patch_size'", "(16, 16)", "at most image_size"}},
      {"sizes",
       R"("vision_config": {"image_size": 100000000})",
       {"'image_size'", "from 1 to 8192"}},
  };
  const TemporaryFolder folder;
  for (const Refused& one : cases) {
    put_file(folder / "config.json", R"({"model_type": "clip", )" + one.fields + "}");
    expect_parts(message_of([&] { CLIPModel::from_pretrained(folder / ""); }), one.parts);
  }
  put_file(folder / "config.json",
           R"({"model_type": "siglip", "text_config": {"hidden_size": 24}})");
  expect_parts(message_of([&] { SiglipModel::from_pretrained(folder / ""); }),
               {"'text_config'", "24 numbers", "768"});
}

// As files before transformers 4.27 have it: what is said twice counts there.
TEST(CLIPTest, OlderFilesSayAHalfTwice) {
  const TemporaryFolder folder;
  put_file(folder / "config.json",
           R"({"model_type": "clip", "text_config": {"vocab_size": 5, "hidden_size": 64},
               "text_config_dict": {"hidden_size": 128}, "vision_config_dict": null})");
  const PretrainedConfig config = PretrainedConfig::from_pretrained(folder / "");
  const Config text = *config.entries(Task::features).find("text_config");
  EXPECT_EQ(text.find("hidden_size")->integer(), 128);
  EXPECT_EQ(text.find("vocab_size")->integer(), 49408);
  EXPECT_EQ(config.entries(Task::features).find("text_config_dict"), nullptr);
}

TEST(CLIPTest, TextsThatAreTooLongAreNamed) {
  const Golden golden("clip_text_model");
  const PretrainedModel model = CLIPTextModel::from_pretrained(golden.folder());
  expect_parts(message_of([&] {
                 model.predict(Literal::filled(DType::i32, {1, 25}, 7));
               }),
               {"sequences of 25 tokens", "at most 24"});
}

TEST(CLIPTest, OtherSizesAreForModelsOfPictures) {
  expect_parts(message_of([] {
                 BertModel::from_config({.num_hidden_layers = 0},
                                        {.interpolate_pos_encoding = true});
               }),
               {"interpolate_pos_encoding = true of a bert model", "ViT"});
}

}  // namespace
}  // namespace systolic
