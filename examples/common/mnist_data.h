// MNIST-like data as TFRecords: from IDX files, or rendered digits where there are none.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"

namespace examples {

struct MnistFiles {
  std::string kind;         // "mnist" or "digits"
  std::string train, test;  // glob patterns of TFRecord shards
  int64_t train_samples = 0;
  int64_t test_samples = 0;
};

// Reads the four IDX files of MNIST from `folder` (plain or .gz; they may hold fewer images) and
// writes them as TFRecord shards under `cache`, once. With no folder, or "digits": digits are drawn
// (digits.h) and written the same way. Files that are missing, damaged or of another shape are
// errors that name the file.
MnistFiles mnist_files(const std::string& folder, const std::string& cache);

// Batches of {"image": u8 [batch, 28, 28, 1], "label": i64 [batch]}: as bytes they are a quarter of
// the way to the device, where Rescaling makes floats of them.
systolic::data::Dataset training_batches(const MnistFiles& files, int64_t batch, uint64_t seed);
systolic::data::Dataset test_batches(const MnistFiles& files, int64_t batch);

}  // namespace examples
