#include "examples/common/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <optional>
#include <random>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/parse_example.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace examples {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

using Colour = std::array<double, 3>;

// Petals stand around a disc; colours of two kinds are alike on purpose.
struct Kind {
  const char* name;
  int petals;
  double depth;   // how far notches between petals go in
  double centre;  // the disc's part of the radius
  Colour petal, disc;
};
constexpr std::array<Kind, 5> kinds{{{"daisy", 13, 0.45, 0.28, {235, 235, 225}, {225, 185, 40}},
                                     {"dandelion", 40, 0.15, 0.1, {235, 200, 40}, {215, 170, 30}},
                                     {"roses", 5, 0.12, 0.2, {190, 40, 60}, {140, 20, 40}},
                                     {"sunflowers", 18, 0.35, 0.5, {235, 190, 30}, {90, 55, 25}},
                                     {"tulips", 3, 0.3, 0.12, {200, 60, 110}, {220, 190, 60}}}};

class Random {
 public:
  explicit Random(uint64_t seed) : generator_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 generator_;
};

struct Flower {
  double x, y, radius, turn, tilt, shade;
};

// The colour at an angle and a distance of 1 at the petals' tips; nothing beyond the flower.
const Colour* colour_at(const Kind& kind, double angle, double distance) {
  if (distance < kind.centre) return &kind.disc;
  const double edge = 1 - kind.depth * std::abs(std::cos(0.5 * kind.petals * angle));
  return distance < edge ? &kind.petal : nullptr;
}

// Nothing for a file that is left out.
std::optional<std::string> picture_in(const std::string& path, bool skip_damaged) {
  try {
    return datasets::read_picture_file(path);
  } catch (const Error& error) {
    if (!skip_damaged) throw;
    log_warning(str("left out: ", error.what()));
    return std::nullopt;
  }
}

}  // namespace

Literal draw_flower(int kind_number, uint64_t number) {
  const Kind& kind = kinds[static_cast<size_t>(kind_number)];
  Random random(number * kinds.size() + static_cast<uint64_t>(kind_number));
  const auto height = static_cast<int64_t>(random(72, 104));
  const auto width = static_cast<int64_t>(random(72, 128));
  const double size = static_cast<double>(std::min(height, width));
  const Flower flower{.x = static_cast<double>(width) * random(0.4, 0.6),
                      .y = static_cast<double>(height) * random(0.4, 0.6),
                      .radius = size * random(0.3, 0.45),
                      .turn = random(0, 2 * std::numbers::pi),
                      .tilt = random(0.7, 1),
                      .shade = random(0.65, 1.1)};
  const Colour meadow{random(30, 110), random(70, 150), random(20, 90)};
  Literal picture(DType::u8, Shape{height, width, 3});
  uint8_t* to = picture.mutable_data<uint8_t>().data();
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      const double right = (static_cast<double>(column) - flower.x) / flower.radius;
      const double down = (static_cast<double>(row) - flower.y) / flower.radius / flower.tilt;
      const double distance = std::hypot(right, down);
      const Colour* found = colour_at(kind, std::atan2(down, right) + flower.turn, distance);
      const Colour& colour = found != nullptr ? *found : meadow;
      const double light = found != nullptr ? flower.shade * (1.1 - 0.3 * distance) : 1;
      for (const double part : colour) {
        *to++ = static_cast<uint8_t>(std::clamp(part * light + random(-18, 18), 0.0, 255.0));
      }
    }
  }
  return picture;
}

void draw_flowers(const std::string& folder, int64_t pictures_per_class) {
  for (int kind = 0; kind < static_cast<int>(kinds.size()); ++kind) {
    const std::string own = folder + "/" + kinds[static_cast<size_t>(kind)].name;
    io::make_folder(own);
    for (int64_t i = 0; i < pictures_per_class; ++i) {
      const std::string path = str(own, "/", 10'000 + i, ".jpg");
      if (io::exists(path)) continue;
      io::write_file(
          path, image::encode_jpeg(draw_flower(kind, static_cast<uint64_t>(i)), {.quality = 90}));
    }
  }
}

FlowerRecords write_records(const std::string& folder, const std::string& cache,
                            bool skip_damaged) {
  if (!fs::is_directory(folder)) {
    raise<NotFound>({.what = str("there is no folder '", folder, "'"),
                     .got = io::exists(folder) ? "a file" : "",
                     .wanted = "a folder with a folder of pictures for each class"});
  }
  const datasets::ClassFolders pictures = datasets::list_class_folders(folder);
  FlowerRecords records;
  records.classes = pictures.classes;
  io::make_folder(cache);
  const std::string train_path = cache + "/train-00000-of-00001.tfrec";
  const std::string test_path = cache + "/test-00000-of-00001.tfrec";
  io::TFRecordWriter train(train_path), test(test_path);
  int64_t number = 0, last_label = -1;  // of the picture in its class
  for (const auto& [path, label] : pictures.files) {
    if (std::exchange(last_label, label) != label) number = 0;
    const bool for_test = number++ % 5 == 4;
    const std::optional<std::string> bytes = picture_in(path, skip_damaged);
    if (!bytes) continue;
    (for_test ? test : train)
        .write(Example{{"file", Literal::scalar(path)},
                       {"image", Literal::scalar(*bytes)},
                       {"label", Literal::scalar(label)}});
    ++(for_test ? records.test_samples : records.train_samples);
  }
  train.close();
  test.close();
  if (records.test_samples == 0 || records.classes.size() < 2) {
    raise<InvalidArgument>(
        {.what = str("there is too little to learn in '", folder, "'"),
         .got = str("folders with pictures: ", records.classes.size(),
                    ", pictures in all: ", records.train_samples + records.test_samples),
         .wanted = "a folder for each of two classes or more, with at least five pictures in one "
                   "of them"});
  }
  records.train = train_path;
  records.test = test_path;
  return records;
}

data::Dataset read_records(const std::string& pattern) {
  const auto parse = data::parse_example({{"file", FixedLenFeature{.dtype = DType::string}},
                                          {"image", FixedLenFeature{.dtype = DType::string}},
                                          {"label", FixedLenFeature{.dtype = DType::i64}}});
  return data::tfrecords(io::glob(pattern)).map(parse);
}

FlowerRecords flower_records(const std::string& folder, const std::string& cache,
                             int64_t pictures_per_class, bool skip_damaged) {
  const std::string drawn = cache + "/drawn";
  if (folder.empty()) draw_flowers(drawn, pictures_per_class);
  FlowerRecords files = write_records(folder.empty() ? drawn : folder, cache, skip_damaged);
  std::cout << "data: " << (folder.empty() ? "flowers drawn by this program" : folder) << ", "
            << files.classes.size() << " classes, " << files.train_samples << " training and "
            << files.test_samples << " test pictures" << std::endl;
  return files;
}

}  // namespace examples
