// Pictures and texts against transformers' pipeline: golden/make_zero_shot_images.py.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/pipelines/pipeline.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

constexpr double close_scores = 1e-4;
const std::vector<std::string> boat_or_sea = {"a boat", "the sea"};

Literal picture_of_place(int64_t height, int64_t width) {
  Literal picture(DType::u8, {height, width, 3});
  for (int64_t i = 0; i < picture.size(); ++i) {
    const int64_t row = i / (3 * width), column = i / 3 % width, channel = i % 3;
    picture.mutable_data<uint8_t>()[static_cast<size_t>(i)] =
        static_cast<uint8_t>((row * 13 + column * 7 + channel * 40) % 256);
  }
  return picture;
}

class ZeroShotImageTest : public testing::TestWithParam<const char*> {
 protected:
  const std::string folder_ = golden_folder(GetParam());
  const ZeroShotImageClassificationPipeline classify_{folder_};
};

TEST_P(ZeroShotImageTest, AnswersAsTransformersDoes) {
  const Config answers = read_config_file(folder_ + "/answers.json", {});
  for (const Config& row : answers.list()) {
    std::vector<std::string> labels;
    for (const Config& label : row["labels"].list()) labels.push_back(label.text_value());
    ZeroShotImageOptions options;
    if (const Config* given = row.find("template"))
      options.hypothesis_template = given->text_value();
    const Literal picture = picture_of_place(row["height"].integer(), row["width"].integer());
    const std::vector<ClassScore> got = classify_(picture, labels, options);
    const Config::List& wanted = row["answer"].list();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].label, wanted[i]["label"].text_value()) << options.hypothesis_template;
      EXPECT_NEAR(got[i].score, wanted[i]["score"].number(), close_scores) << got[i].label;
    }
  }
}

TEST_P(ZeroShotImageTest, PicturesTogetherAreAnsweredAsOneByOne) {
  const std::vector<Literal> pictures = {picture_of_place(17, 23), picture_of_place(30, 14)};
  const std::vector<std::vector<ClassScore>> together = classify_(pictures, boat_or_sea);
  ASSERT_EQ(together.size(), 2U);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(together[i][0].score, classify_(pictures[i], boat_or_sea)[0].score);
  EXPECT_TRUE(classify_(std::span<const Literal>(), boat_or_sea).empty());
}

TEST_P(ZeroShotImageTest, WhatCannotBeAnsweredIsNamed) {
  const Literal picture = picture_of_place(12, 12);
  expect_parts(error_of([&] { classify_(picture, {}); }), {"0 candidate_labels", "one label"});
  expect_parts(error_of([&] { classify_(picture, {"boat"}, {.hypothesis_template = "a photo"}); }),
               {"\"a photo\"", "{}"});
  EXPECT_THROW(classify_(std::string(), boat_or_sea), InvalidArgument);
  EXPECT_THROW(classify_(std::string("no picture"), boat_or_sea), InvalidArgument);
  EXPECT_THROW(classify_(Literal(DType::u8, {0, 0, 3}), boat_or_sea), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(All, ZeroShotImageTest,
                         testing::Values("clip_zero_shot", "siglip_zero_shot"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ZeroShotImagePipeline, TextsThatAreTooLongForClipAreNamed) {
  const auto classify = pipeline<"zero-shot-image-classification">(golden_folder("clip_zero_shot"));
  expect_parts(error_of([&] { classify(picture_of_place(12, 12), {std::string(80, 'x')}); }),
               {"at most 64"});
}

TEST(ZeroShotImagePipeline, OtherModelsAreNamed) {
  const PretrainedModel vit =
      PretrainedModel::from_pretrained(golden_folder("vit"), Task::features, {}, {});
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(golden_folder("clip_zero_shot"));
  expect_parts(error_of([&] {
                 ZeroShotImageClassificationPipeline classify(vit, tokenizer, ImageProcessor{});
               }),
               {"ViTModel", "CLIPModel or a SiglipModel"});
}

}  // namespace
}  // namespace systolic
