#include "systolic/transformers/images/image_processor.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

// golden/make_image_processor.py. Equal to the last bit: resized pictures are bytes by Pillow's
// fixed-point arithmetic, and what a byte becomes is rounded as NumPy rounds it.
TEST(ImageProcessorTest, PixelValuesAreThoseOfTransformers) {
  const std::string folder = golden_folder("image_processor");
  const Example arrays = io::read_safetensors(folder + "/expected.safetensors").tensors;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const ImageProcessor processor = AutoImageProcessor::from_pretrained(entry.path().string());
    for (int number = 0; number < 3; ++number, ++compared) {
      const std::string name = str(entry.path().filename().string(), ".", number);
      EXPECT_EQ(processor(arrays[str("picture.", number)]), arrays[name]) << name;
    }
  }
  EXPECT_EQ(compared, 42);
}

TEST(ImageProcessorTest, WhatIsSavedIsReadAgain) {
  const std::string folder = golden_folder("image_processor");
  const Literal picture =
      io::read_safetensors(folder + "/expected.safetensors").tensors["picture.0"];
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const TemporaryFolder saved;
    const ImageProcessor processor = ImageProcessor::from_pretrained(entry.path().string());
    processor.save_pretrained(saved / "");
    EXPECT_EQ(ImageProcessor::from_pretrained(saved / "")(picture), processor(picture)) << entry;
  }
}

TEST(ImageProcessorTest, TakesFilesAndPixels) {
  const Literal grey = Literal::filled(DType::u8, {20, 30, 1}, 51);
  const std::string file = image::encode_jpeg(grey);
  const ImageProcessor processor{.size = {.height = 8, .width = 6}};
  const Literal expected = processor(image::decode_jpeg(file, {.channels = 3}));
  EXPECT_EQ(expected.shape(), Shape({8, 6, 3}));
  EXPECT_EQ(processor(file), expected);
  EXPECT_EQ(processor(Literal::scalar(file)), expected);
  const ImageProcessor for_grey{.do_resize = false, .image_mean = {0.2}, .image_std = {0.5}};
  EXPECT_NEAR(for_grey(grey).number_at(7), 0, 1e-7);
}

// As the guide resizes: tf.image.resize(image, image_size).
TEST(ImageProcessorTest, ItsSizeResizesPictures) {
  const Literal picture = Literal::filled(DType::u8, {20, 30, 3}, 51);
  const ImageProcessor processor{.size = {.height = 8, .width = 6}};
  EXPECT_EQ(image::resize(picture, processor.size), image::resize(picture, 8, 6));
  try {
    image::resize(picture, ImageSize{.shortest_edge = 9});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("whose shorter edge is 9"), std::string::npos)
        << error.what();
  }
}

struct Fields {
  const char* text;
  Shape shape;  // of what a picture of 40 × 60 becomes
};

TEST(ImageProcessorTest, ReadsWhatEarlierVersionsWrote) {
  const std::vector<Fields> cases = {
      {R"({"feature_extractor_type": "ViTFeatureExtractor", "size": 24})", {24, 24, 3}},
      {R"({"image_processor_type": "ViTImageProcessorFast", "size": {"height": 5, "width": 7},
           "crop_size": null, "do_center_crop": null, "do_pad": null})",
       {5, 7, 3}},
      {R"({"feature_extractor_type": "DeiTFeatureExtractor", "size": 26, "crop_size": 22})",
       {22, 22, 3}},
      {R"({"image_processor_type": "ViTImageProcessor", "size": [9, 8]})", {9, 8, 3}},
      {R"({"image_processor_type": "ViTImageProcessor", "size": 20, "default_to_square": false})",
       {20, 30, 3}},
      {R"({"image_processor_type": "DeiTImageProcessor"})", {224, 224, 3}},
      {R"({"feature_extractor_type": "CLIPFeatureExtractor", "size": 30, "crop_size": 28})",
       {28, 28, 3}},
      {R"({"feature_extractor_type": "ConvNextFeatureExtractor", "size": 30})", {30, 30, 3}},
      {R"({"image_processor_type": "ConvNextImageProcessor"})", {384, 384, 3}},
  };
  const TemporaryFolder folder;
  for (const Fields& one : cases) {
    put_file(folder / "preprocessor_config.json", one.text);
    const ImageProcessor processor = ImageProcessor::from_pretrained(folder / "");
    const Literal pixels = processor(Literal::filled(DType::u8, {40, 60, 3}, 7));
    EXPECT_EQ(pixels.shape(), one.shape) << one.text;
  }
}

struct BadFields {
  std::string text;
  std::vector<std::string> message;  // parts of it
};

std::string with(const std::string& fields) {
  return R"({"image_processor_type": "ViTImageProcessor", )" + fields + "}";
}

TEST(ImageProcessorTest, WhatCannotBeReadIsNamed) {
  const std::vector<BadFields> cases = {
      {"{}", {"'image_processor_type'", "got none"}},
      {R"({"image_processor_type": "SamImageProcessor"})", {"\"SamImageProcessor\"", "DeiT"}},
      {with(R"("crop_pct": 0)"), {"'crop_pct'", "from 0.01 to 1"}},
      {R"({"image_processor_type": 3})", {"'image_processor_type'", "got 3"}},
      {with(R"("size": {"height": 0, "width": 3})"), {"'height'", "got 0", "from 1 to 8192"}},
      {with(R"("size": {"height": 100000000000, "width": 3})"), {"'height'", "from 1 to 8192"}},
      {with(R"("size": {"height": 3})"), {"'size'", "shortest_edge"}},
      {with(R"("size": {"shortest_edge": 3, "longest_edge": 4})"), {"'size'", "longest_edge"}},
      {with(R"("size": "large")"), {"'size'", "\"large\""}},
      {with(R"("size": [1, 2, 3])"), {"'size'", "a list of two"}},
      {with(R"("crop_size": {"shortest_edge": 3})"), {"'crop_size'", "shortest_edge"}},
      {with(R"("resample": 6)"), {"'resample'", "from 0 to 5"}},
      {with(R"("resample": -1)"), {"'resample'", "from 0 to 5"}},
      {with(R"("do_resize": 1)"), {"'do_resize'", "true or false"}},
      {with(R"("do_pad": true)"), {"'do_pad'"}},
      {with(R"("rescale_factor": 1e300)"), {"'rescale_factor'"}},
      {with(R"("image_std": [0.5, 0, 0.5])"), {"'image_std'", "got 0"}},
      {with(R"("image_mean": [])"), {"'image_mean'", "1 to 1024 numbers"}},
      {with(R"("image_mean": ["0.5"])"), {"'image_mean'", "\"0.5\""}},
      {"[1]", {"an object of fields"}},
      {"{", {"not JSON"}},
      {std::string(100'000, '['), {"nested deeper"}},
  };
  const TemporaryFolder folder;
  for (const BadFields& one : cases) {
    put_file(folder / "preprocessor_config.json", one.text);
    try {
      ImageProcessor::from_pretrained(folder / "");
      ADD_FAILURE() << "read " << one.text.substr(0, 200);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("preprocessor_config.json"), std::string::npos) << message;
      for (const std::string& part : one.message)
        EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    }
  }
}

TEST(ImageProcessorTest, NamesAreNoFolders) {
  try {
    ImageProcessor::from_pretrained("google/vit-base-patch16-224");
    ADD_FAILURE() << "read";
  } catch (const NotFound& error) {
    const std::string message = error.what();
    for (const char* part : {"no image processor in 'google/vit-base-patch16-224'",
                             "downloaded first", "image_processor_test.cc:"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(ImageProcessorTest, WrongPicturesAreNamed) {
  const ImageProcessor processor;
  const auto of = [&](float value) {
    return message_of<InvalidArgument>([&] {
      processor(Literal::filled(DType::f32, {8, 8, 3}, value));
    });
  };
  EXPECT_CONTAINS(of(0.5f), "of 0 to 1 image::to_bytes(picture) makes bytes");
  EXPECT_CONTAINS(of(200), "for 0 to 255 picture.convert(DType::u8) makes bytes");
  EXPECT_THROW(processor(Literal::zeros(DType::u8, {8, 8})), InvalidArgument);
  EXPECT_THROW(processor(Literal::zeros(DType::u8, {0, 8, 3})), InvalidArgument);
  EXPECT_THROW(processor(Literal::zeros(DType::u8, {8, 8, 4})), InvalidArgument);
  EXPECT_THROW(processor("no picture"), InvalidArgument);
  EXPECT_THROW(ImageProcessor{.image_std = {0}}(Literal::zeros(DType::u8, {8, 8, 3})),
               InvalidArgument);
  const ImageProcessor narrow{.size = {.shortest_edge = 8192}};
  EXPECT_THROW(narrow(Literal::zeros(DType::u8, {1, 100'000, 3})), InvalidArgument);
}

}  // namespace
}  // namespace systolic
