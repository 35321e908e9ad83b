// Pictures a second on one thread from JPEG files of 500 × 375 to 224 × 224 floats, normalized, as
// benchmarks/peers/image_jpeg.py measures TensorFlow and Pillow.
//
//   image_jpeg [--dir build/bench/pictures] [--form equal|scaled|antialias] [--threads 1]
//   [--seconds 3]
//
// --form equal gives TensorFlow's pixels, scaled uses scaled decoding, antialias is Pillow's way to
// resize. The pictures are drawn once, to --dir. The last line is JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/data/dataset.h"
#include "systolic/image/augment/draws.h"
#include "systolic/image/codecs/decode_and_resize.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/image/convert.h"
#include "systolic/io/files/file.h"

namespace systolic {
namespace {

struct Arguments {
  std::string dir = "build/bench/pictures", form = "equal";
  double seconds = 3, threads = 1;
};

Arguments arguments(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    double* number = name == "--seconds"   ? &result.seconds
                     : name == "--threads" ? &result.threads
                                           : nullptr;
    if (name == "--dir") {
      result.dir = value;
    } else if (name == "--form" &&
               (value == "equal" || value == "scaled" || value == "antialias")) {
      result.form = value;
    } else if (number == nullptr || !parse_number(value, *number)) {
      raise<InvalidArgument>(
          {.what = str("argument ", name, " ", value),
           .wanted = "--dir, --form equal|scaled|antialias, --threads, --seconds"});
    }
  }
  return result;
}

// Discs of many sizes on a slope, with noise: edges and texture as photographs have, 50 KB.
std::string drawn_jpeg(uint64_t seed) {
  constexpr int height = 375, width = 500;
  image::Draws draws(seed);
  std::vector<float> canvas(size_t{3} * height * width);
  for (size_t i = 0; i < canvas.size(); ++i) {
    canvas[i] = 60 + 0.2f * static_cast<float>(i / 3 % width + i / 3 / width);
  }
  for (int disc = 0; disc < 60; ++disc) {
    const double x = draws.uniform(0, width), y = draws.uniform(0, height);
    const double radius = 4 * std::exp(draws.uniform(0, 3));
    const double colour[] = {draws.uniform(20, 235), draws.uniform(20, 235),
                             draws.uniform(20, 235)};
    for (int v = 0; v < height; ++v) {
      for (int u = 0; u < width; ++u) {
        if (std::hypot(u - x, v - y) > radius) continue;
        for (size_t c = 0; c < 3; ++c) {
          canvas[3 * static_cast<size_t>(v * width + u) + c] = static_cast<float>(colour[c]);
        }
      }
    }
  }
  Literal picture(DType::u8, Shape{height, width, 3});
  for (size_t i = 0; i < canvas.size(); ++i) {
    const double value = canvas[i] + 7 * draws.normal();
    picture.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
  }
  return image::encode_jpeg(picture, {.quality = 85});
}

std::vector<std::string> files_in(const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (uint64_t i = 0; i < 64; ++i) {
    const std::string path = str(folder, "/", i, ".jpg");
    if (!io::exists(path)) io::write_file(path, drawn_jpeg(i));
  }
  std::vector<std::string> files;
  for (const std::string& path : io::glob(folder + "/*.jpg")) files.push_back(io::read_file(path));
  return files;
}

image::DecodeAndResizeOptions options_of(const std::string& form) {
  return {.dct = form == "antialias" ? image::Dct::accurate : image::Dct::fast,
          .scaled_decoding = form == "scaled",
          .antialias = form == "antialias",
          .normalization = {.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}}};
}

// For pictures from 0 to 1, against those without scaled decoding.
double psnr_of_scaling(const std::vector<std::string>& files) {
  double squares = 0, count = 0;
  for (const std::string& file : files) {
    const Literal whole = image::decode_and_resize(file, 224, 224, {.antialias = true});
    const Literal scaled = image::decode_and_resize(file, 224, 224, {.scaled_decoding = true});
    for (size_t i = 0; i < static_cast<size_t>(whole.size()); ++i) {
      squares += std::pow(whole.data<float>()[i] - scaled.data<float>()[i], 2);
    }
    count += static_cast<double>(whole.size());
  }
  return -10 * std::log10(squares / count);
}

void run(const Arguments& given) {
  const std::vector<std::string> files = files_in(given.dir);
  const auto options = options_of(given.form);
  Literal bytes = Literal::strings(files);
  const auto threads = static_cast<int>(given.threads);
  auto pictures = data::from_tensor_slices({bytes})
                      .repeat()
                      .map(
                          [options](const Literal& file) {
                            return image::decode_and_resize(file.bytes(), 224, 224, options);
                          },
                          {.num_parallel_calls = threads})
                      .batch(32)
                      .prefetch(2);
  data::Iterator batches = pictures.iterator();
  for (int i = 0; i < 4; ++i) batches.next();
  const Stopwatch watch;
  double count = 0;
  for (; watch.seconds() < given.seconds; count += 32) batches.next();
  const double rate = count / watch.seconds();
  const double psnr = given.form == "scaled" ? psnr_of_scaling(files) : 0;
  std::printf(
      "{\"work\": \"image_jpeg_%s\", \"who\": \"systolic\", \"pictures_per_second\": %.1f, "
      "\"psnr\": %.1f}\n",
      given.form.c_str(), rate, psnr);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  try {
    systolic::run(systolic::arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
