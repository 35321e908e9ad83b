// What `systolic tfrecord write` makes records of: any of them at any time, by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "tools/systolic/tfrecord/text_file.h"

namespace tool::tfrecord {

// tfds's features.json: what a feature is, by name.
using FeaturesJson = nlohmann::ordered_json;

struct Source {
  int64_t records = 0;
  uint64_t bytes = 0;  // about as many as the records will have
  std::function<systolic::Example(int64_t)> at;
  FeaturesJson features = FeaturesJson::object();
  std::vector<std::string> class_names;  // of the feature "label", where it has names
  bool supervised = false;               // by "image" and "label"
};

// A folder with a folder of .jpg, .jpeg or .png files for each class: {image, label,
// image/filename}. Files are stored as they are.
Source images_source(const std::string& folder);
// IDX files of equally long first axes, the images before the labels: {image, label}; or one file:
// {image}.
Source idx_source(const std::vector<std::string>& files);
// Each line that is not empty: {text}.
Source text_source(const std::string& file);
// Each line that is not empty, as a tokenizer's folder has it encoded with special tokens:
// {input_ids}, of any length, neither cut nor padded.
Source token_source(const std::string& file, const std::string& tokenizer_folder);
// RFC 4180 with a line of names. A column of whole numbers is int64, of numbers float32, else text.
// DataLoss, with the line and the column, where the file is not such a CSV.
Source csv_source(const std::string& file);
// An object a line, of numbers, texts, booleans (int64) and lists of them, with the same names and
// kinds in all lines; a column with a fraction anywhere is float32. Else a DataLoss with the line.
Source json_lines_source(const std::string& file);

FeaturesJson text_feature();
// A value of the kind, or a list of any length of them.
FeaturesJson feature_of(Kind kind, bool list);
FeaturesJson tensor_feature(const std::string& dtype, const std::vector<int64_t>& shape);

}  // namespace tool::tfrecord
