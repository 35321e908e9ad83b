// TFRecord files of MNIST's size with random pixels, and how they are parsed: what the input
// benchmarks share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {

// The files in `folder`; writes `count` records into 16 of them if there are none.
inline std::vector<std::string> mnist_record_files(const std::string& folder, int64_t count) {
  std::filesystem::create_directories(folder);
  constexpr int shards = 16;
  uint32_t state = 1;
  for (int shard = 0; shard < shards; ++shard) {
    const std::string path =
        str(folder, "/train-", shard < 10 ? "0000" : "000", shard, "-of-00016.tfrec");
    if (io::exists(path)) continue;
    io::TFRecordWriter writer(path);
    for (int64_t i = 0; i < count / shards; ++i) {
      std::string pixels(784, '\0');
      for (char& pixel : pixels)
        pixel = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
      writer.write(
          Example{{"image", Literal::scalar(pixels)}, {"label", Literal::scalar<int64_t>(i % 10)}});
    }
    writer.close();
  }
  return io::glob(folder + "/*.tfrec");
}

// One record or a batch of them: pixels from 0 to 1 and an int32 label.
inline Example parse_mnist(const Example& records) {
  static const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
                                                 {"label", FixedLenFeature{.dtype = DType::i64}}});
  const Example parsed = parse(records);
  const Literal pixels = data::decode_raw(parsed["image"], DType::u8);
  const bool batched = pixels.rank() == 2;
  return {{"image", data::reshape(data::cast(pixels, DType::f32) / 255,
                                  batched ? Shape{-1, 28, 28, 1} : Shape{28, 28, 1})},
          {"label", data::cast(parsed["label"], DType::i32)}};
}

}  // namespace systolic
