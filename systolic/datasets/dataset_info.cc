#include "systolic/datasets/dataset_info.h"

#include <algorithm>
#include <cstdio>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/datasets/features_json.h"
#include "systolic/datasets/json_document.h"
#include "systolic/io/files/byte_source.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_shards = 99'999;  // the names of shards have five digits

template <class Item>
const Item& find(const std::vector<Item>& items, std::string_view wanted, std::string_view what,
                 const std::string& dataset, SourceLocation location) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    if (item.name == wanted) return item;
    names.push_back(item.name);
  }
  raise<NotFound>({.what = str("data set '", dataset, "' has no ", what, " '", wanted, "'"),
                   .wanted = str("one of: ", join(names)),
                   .location = location});
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.';
  });
}

// <feature>.labels.txt has a line for each class; the file of "objects/label" is that of
// "objects-label".
void read_class_names(const std::string& folder, FeatureInfo& feature, SourceLocation location) {
  std::string name = feature.name;
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string path = str(folder, "/", name, ".labels.txt");
  if (feature.kind != FeatureInfo::Kind::class_label || !is_plain_name(name) ||
      !io::exists(path, location))
    return;
  std::vector<std::string> names =
      split(trim(io::read_possibly_gzipped(path, most_json_bytes, location)), '\n');
  if (static_cast<int64_t>(names.size()) == feature.num_classes)
    feature.class_names = std::move(names);
}

// "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}" filled in.
std::string file_name(std::string name, const std::string& dataset, const std::string& split,
                      size_t shard, size_t shards) {
  char number[24], of[24];
  std::snprintf(number, sizeof number, "%05zu", shard);
  std::snprintf(of, sizeof of, "%05zu", shards);
  const std::pair<const char*, std::string> parts[] = {
      {"{DATASET}", dataset},    {"{SPLIT}", split},   {"{FILEFORMAT}", "tfrecord"},
      {"{SHARD_INDEX}", number}, {"{NUM_SHARDS}", of}, {"{SHARD_X_OF_Y}", str(number, "-of-", of)}};
  for (const auto& [part, value] : parts) {
    const size_t at = name.find(part);
    if (at != std::string::npos) name.replace(at, std::string_view(part).size(), value);
  }
  return name;
}

SplitInfo read_split(const JsonDocument& document, const Json& json, const std::string& folder,
                     const std::string& dataset) {
  SplitInfo split{.name = document.text(json, "name")};
  if (!is_plain_name(split.name)) document.damaged("the name of a split");
  const std::string form = json.contains("filepathTemplate")
                               ? document.text(json, "filepathTemplate")
                               : "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";
  const Json& lengths = document.member(json, "shardLengths");
  if (!lengths.is_array() || lengths.size() > most_shards) document.damaged("shardLengths");
  for (size_t shard = 0; shard < lengths.size(); ++shard) {
    const int64_t length = document.integer(lengths[shard], "a shard's length");
    if (length < 0 || length > INT64_MAX - split.num_examples) document.damaged("a shard's length");
    split.num_examples += length;
    split.shard_lengths.push_back(length);
    const std::string file = file_name(form, dataset, split.name, shard, lengths.size());
    if (!is_plain_name(file) || (shard > 0 && split.files.back() == str(folder, "/", file)))
      document.damaged(str("the filepathTemplate '", form, "'"));
    split.files.push_back(str(folder, "/", file));
  }
  return split;
}

std::vector<std::string> read_supervised_keys(const JsonDocument& document) {
  const Json& root = document.root();
  std::vector<std::string> keys;
  if (!root.contains("supervisedKeys") || !root["supervisedKeys"].is_object()) return keys;
  const Json& given = root["supervisedKeys"];
  if (given.contains("tuple")) {
    for (const Json& item : document.member(given["tuple"], "items"))
      keys.push_back(document.text(item, "featureKey"));
  } else if (given.contains("input")) {
    keys = {document.text(given, "input"), document.text(given, "output")};
  }
  return keys;
}

}  // namespace

const SplitInfo& DatasetInfo::split(std::string_view split_name, SourceLocation location) const {
  return find(splits, split_name, "split", name, location);
}
const FeatureInfo& DatasetInfo::feature(std::string_view feature_name,
                                        SourceLocation location) const {
  return find(features, feature_name, "feature", name, location);
}

std::vector<std::string> FeatureInfo::row_split_names() const {
  if (sequence_rank < 2) return {};
  const std::string base = name + "_row_splits";
  if (sequence_rank == 2) return {base};
  std::vector<std::string> names;
  for (int i = 0; i < sequence_rank - 1; ++i) names.push_back(str(base, "_", i));
  return names;
}

DatasetInfo read_dataset_info(const std::string& folder, SourceLocation location) {
  const JsonDocument document(folder + "/dataset_info.json", location);
  const Json& root = document.root();
  DatasetInfo info{.name = document.text(root, "name"), .version = document.text(root, "version")};
  if (!is_plain_name(info.name)) document.damaged("its name");
  const std::string format =
      root.contains("fileFormat") ? document.text(root, "fileFormat") : "tfrecord";
  if (format != "tfrecord") {
    raise<Unimplemented>({.what = str("the data set in '", folder, "' has files of '", format, "'"),
                          .wanted = "tfrecord",
                          .hint = "`tfds build --file_format=tfrecord` prepares them"});
  }
  for (const Json& split : document.member(root, "splits"))
    info.splits.push_back(read_split(document, split, folder, info.name));
  info.supervised_keys = read_supervised_keys(document);
  const JsonDocument features(folder + "/features.json", location);
  info.features = read_features(features);
  for (FeatureInfo& feature : info.features) read_class_names(folder, feature, location);
  return info;
}

}  // namespace datasets
}  // namespace systolic::inline v0
