#include "systolic/data/datasets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/file.h"
#include "systolic/io/png.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

std::string default_data_dir() {
  if (const char* given = std::getenv("TFDS_DATA_DIR")) return given;
  const char* home = std::getenv("HOME");
  return str(home == nullptr ? "." : home, "/tensorflow_datasets");
}

// "3.0.1" as numbers; nothing for other names.
std::optional<std::array<int64_t, 3>> version_of(const std::string& name) {
  const std::vector<std::string> parts = split(name, '.');
  std::array<int64_t, 3> version{};
  if (parts.size() != version.size()) return {};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parse_number(parts[i], version[i]) || version[i] < 0) return {};
  }
  return version;
}

[[noreturn]] void raise_no_folder(const std::string& folder, const std::vector<std::string>& there,
                                  SourceLocation location) {
  raise<NotFound>(
      {.what = str("no data set in '", folder, "'"),
       .got = there.empty() ? std::string("nothing there") : str("there: ", join(there)),
       .wanted = "a folder named after a version, such as 3.0.1, with dataset_info.json",
       .hint = "`tfds build` in Python prepares one; .data_dir or TFDS_DATA_DIR names the folder",
       .location = location});
}

// The folder of the wanted version, or the newest one.
std::string version_folder(std::string_view name, const LoadOptions& options,
                           SourceLocation location) {
  const std::string root = options.data_dir.empty() ? default_data_dir() : options.data_dir;
  const size_t colon = name.find(':');
  const std::string folder = str(root, "/", name.substr(0, colon));
  if (colon != std::string_view::npos) {
    const std::string wanted = str(folder, "/", name.substr(colon + 1));
    if (!io::exists(wanted + "/dataset_info.json")) raise_no_folder(wanted, {}, location);
    return wanted;
  }
  std::vector<std::string> there;
  std::pair<std::array<int64_t, 3>, std::string> newest;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    there.push_back(entry.path().filename().string());
    const auto version = version_of(there.back());
    if (version && io::exists(entry.path().string() + "/dataset_info.json"))
      newest = std::max(newest, {*version, entry.path().string()});
  }
  std::sort(there.begin(), there.end());
  if (newest.second.empty()) raise_no_folder(folder, there, location);
  return newest.second;
}

[[noreturn]] void raise_bad_split(std::string_view text, SourceLocation location) {
  raise<InvalidArgument>({.what = str("split '", text, "'"),
                          .wanted = "such as \"train\", \"train[:80%]\", \"train[100:-100]\", "
                                    "\"train+test\"",
                          .location = location});
}

// "80%", "-100" or nothing, as a position in [0, count].
int64_t boundary(std::string_view text, int64_t count, int64_t otherwise, std::string_view split,
                 SourceLocation location) {
  text = trim(text);
  if (text.empty()) return otherwise;
  const bool percent = text.back() == '%';
  int64_t number = 0;
  if (!parse_number(percent ? text.substr(0, text.size() - 1) : text, number))
    raise_bad_split(split, location);
  if (percent) {
    if (number < -100 || number > 100) raise_bad_split(split, location);
    // To the nearest, as tfds does by default.
    number = static_cast<int64_t>(
        std::nearbyint(static_cast<double>(number) * static_cast<double>(count) / 100));
  }
  if (number < 0) number += count;
  return std::clamp<int64_t>(number, 0, count);
}

// One term of a split: "train" or "train[:80%]".
data::Dataset records_of(std::string_view term, const DatasetInfo& info, const LoadOptions& options,
                         SourceLocation location) {
  const size_t bracket = term.find('[');
  const SplitInfo& split = info.split(trim(term.substr(0, bracket)), location);
  for (const std::string& file : split.files) {
    if (io::exists(file)) continue;
    raise<NotFound>({.what = str("'", file, "' is missing"),
                     .wanted = str(split.files.size(), " files for split '", split.name, "'"),
                     .hint = "prepare or copy the data set again",
                     .location = location});
  }
  if (split.files.empty()) raise_bad_split(term, location);
  const data::Dataset all =
      data::tfrecords(split.files, {.num_parallel_reads = options.num_parallel_reads}, location)
          .assert_cardinality(split.num_examples, location);
  if (bracket == std::string_view::npos) return all;
  const std::string_view slice = trim(term.substr(bracket));
  const size_t colon = slice.find(':');
  if (slice.back() != ']' || colon == std::string_view::npos) raise_bad_split(term, location);
  const int64_t count = split.num_examples;
  const int64_t begin = boundary(slice.substr(1, colon - 1), count, 0, term, location);
  const int64_t end =
      boundary(slice.substr(colon + 1, slice.size() - colon - 2), count, count, term, location);
  return all.skip(begin).take(std::max<int64_t>(end - begin, 0));
}

FeatureSpec stored_form(const FeatureInfo& feature) {
  if (feature.kind != FeatureInfo::Kind::tensor) {
    const bool label = feature.kind == FeatureInfo::Kind::class_label;
    return {feature.name, FixedLenFeature{.dtype = label ? DType::i64 : DType::string}};
  }
  const DType stored = feature.dtype == DType::string ? DType::string
                       : is_float(feature.dtype)      ? DType::f32
                                                      : DType::i64;
  const std::vector<int64_t> sizes = feature.shape.to_vector();
  if (std::find(sizes.begin(), sizes.end(), -1) == sizes.end())
    return {feature.name, FixedLenFeature{.shape = feature.shape, .dtype = stored}};
  if (sizes.size() == 1) return {feature.name, VarLenFeature{.dtype = stored}};
  raise<Unimplemented>({.what = str("feature '", feature.name, "' of shape ", feature.shape),
                        .wanted = "tensors with one unknown axis at most, if it is the only one",
                        .hint = "read the files by data::tfrecords and data::parse_example"});
}

Literal decoded(const FeatureInfo& feature, const Literal& stored) {
  if (feature.kind == FeatureInfo::Kind::tensor) return stored.convert(feature.dtype);
  if (feature.kind != FeatureInfo::Kind::image) return stored;
  const int rank = feature.shape.rank();
  const int64_t channels = rank == 3 ? std::max<int64_t>(feature.shape[2], 0) : 0;
  const Literal image = data::decode_png(stored, static_cast<int>(channels));
  for (int axis = 0; axis < rank && rank == 3; ++axis) {
    if (feature.shape[axis] == -1 || feature.shape[axis] == image.shape()[axis]) continue;
    raise<DataLoss>(
        {.what = str("feature '", feature.name, "' is an image of shape ", image.shape()),
         .wanted = str(feature.shape)});
  }
  return image;
}

std::vector<FeatureInfo> wanted_features(const DatasetInfo& info, const LoadOptions& options,
                                         SourceLocation location) {
  if (!options.as_supervised) return info.features;
  if (info.supervised_keys.empty()) {
    raise<InvalidArgument>({.what = str("as_supervised: data set '", info.name,
                                        "' does not say what its input and label are"),
                            .hint = "leave as_supervised out and map() to the features you want",
                            .location = location});
  }
  std::vector<FeatureInfo> features;
  for (const std::string& key : info.supervised_keys)
    features.push_back(info.feature(key, location));
  return features;
}

}  // namespace

LoadedDataset load(std::string_view name, const LoadOptions& options, SourceLocation location) {
  DatasetInfo info = read_dataset_info(version_folder(name, options, location), location);
  const std::vector<FeatureInfo> features = wanted_features(info, options, location);
  std::vector<FeatureSpec> stored;
  for (const FeatureInfo& feature : features) stored.push_back(stored_form(feature));
  std::optional<data::Dataset> records;
  for (const std::string& term : split(options.split, '+')) {
    const data::Dataset part = records_of(term, info, options, location);
    records = records ? records->concatenate(part) : part;
  }
  if (!records) raise_bad_split(options.split, location);
  const data::ParseExample parse = data::parse_example(std::move(stored), location);
  data::Dataset dataset = records->map(
      [parse, features](const Example& record) -> Example {
        Example element = parse(record);
        for (const FeatureInfo& feature : features)
          element.set(feature.name, decoded(feature, element[feature.name]));
        return element;
      },
      {}, location);
  return {std::move(dataset), std::move(info)};
}

}  // namespace datasets

namespace data {

Literal decode_png(const Literal& bytes, int channels, SourceLocation location) {
  if (bytes.dtype() != DType::string || bytes.size() != 1) {
    raise<InvalidArgument>(
        {.what = str("decode_png of ", to_string(bytes.dtype()), " of shape ", bytes.shape()),
         .wanted = "the bytes of one image: a string scalar",
         .hint = "decode before batch()",
         .location = location});
  }
  return io::decode_png(bytes.bytes(), channels);
}

}  // namespace data
}  // namespace systolic::inline v0
