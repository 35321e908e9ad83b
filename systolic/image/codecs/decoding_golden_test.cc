// What TensorFlow and Pillow read from small files of every format, against what we read.
#include <gtest/gtest.h>

#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/image/codecs/decode_png.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

Literal decode(const std::string& format, const std::string& file, const nlohmann::json& options) {
  const int channels = options.value("channels", 0);
  if (format == "jpeg") {
    return decode_jpeg(
        file, {.channels = channels,
               .dct = options.value("dct", "accurate") == "fast" ? Dct::fast : Dct::accurate,
               .fancy_upscaling = options.value("fancy_upscaling", true),
               .ratio = options.value("ratio", 1)});
  }
  if (format != "png") return decode_image(file, {.channels = channels});
  return decode_png(file,
                    {.channels = channels, .dtype = parse_dtype(options.value("dtype", "uint8"))});
}

TEST(DecodingGolden, AllFilesAreReadAlike) {
  for (const auto& entry : read_golden("decoding.json")) {
    const std::string format = entry["format"];
    const std::string file = from_base64(entry["file"].get<std::string>());
    for (const auto& read : entry["reads"]) {
      SCOPED_TRACE(format + " " + entry["name"].get<std::string>() + " by " +
                   read["oracle"].get<std::string>() + " " + read["options"].dump());
      const Literal expected = golden_literal(read["image"]);
      const Literal got = decode(format, file, read["options"]);
      EXPECT_EQ(got.shape(), expected.shape());
      EXPECT_EQ(largest_difference(got, expected), 0);
    }
  }
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
