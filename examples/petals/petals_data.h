// The competition's data, "Petals to the Metal": TFRecords of JPEG pictures in three folders.
//
//   tfrecords-jpeg-192x192/train/00-192x192-798.tfrec    {"id", "image", "class"}
//                          val/…                         the same
//                          test/…                        {"id", "image"}
//
// The last number of a name says how many pictures it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"

namespace examples {

struct PetalFiles {
  std::vector<std::string> train, validation, test;
  int64_t classes = 0;
  int64_t size = 0;  // height and width of the pictures, from the folder's name
};

// The shards below `folder`, on the disk or at gs://…. A folder without them is a NotFound that
// says what was looked for.
PetalFiles find_petals(const std::string& folder, int64_t size, int64_t classes);

// Draws five kinds of flowers into shards of that form below `folder`, unless they are there.
PetalFiles draw_petals(const std::string& folder, int64_t size, int64_t pictures);

// How many pictures the files hold, by their names.
int64_t count_petals(const std::vector<std::string>& files);

struct PetalBatches {
  int64_t batch = 128;
  int64_t size = 192;       // of the pictures
  std::string application;  // whose preprocess_input scales the pixels
  uint64_t seed = 1;
};

// Shuffled, repeated, cropped and flipped at random: {"image" [batch, size, size, 3], "class"}.
systolic::data::Dataset training_petals(const std::vector<std::string>& files,
                                        const PetalBatches& batches);
// Once, in order.
systolic::data::Dataset validation_petals(const std::vector<std::string>& files,
                                          const PetalBatches& batches);
// Once, in order: {"image"}; and the pictures' names in the same order.
systolic::data::Dataset test_petals(const std::vector<std::string>& files,
                                    const PetalBatches& batches);
std::vector<std::string> petal_ids(const std::vector<std::string>& files);

}  // namespace examples
