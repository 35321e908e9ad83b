// TFRecord files that come without a description, as Kaggle's "tfrecords-jpeg-512x512" do: the
// features are those of the first records.
#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/datasets/forms/record_reader.h"
#include "systolic/datasets/source.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tf_example.h"
#include "systolic/io/records/tfrecord_reader.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_names = 1'000'000;
constexpr int records_looked_at = 8;

bool is_record_file(std::string_view name) {
  return name.ends_with(".tfrec") || name.ends_with(".tfrecord") || name.ends_with(".tfrecords");
}

// "00-512x512-798.tfrec" says 798 records; 0 for names that do not say it. A number of shards,
// "-of-00010", and one with zeros in front, "train-00003", count no records.
int64_t records_in_name(std::string_view name) {
  const size_t dash = name.rfind('-'), dot = name.rfind('.');
  int64_t count = 0;
  if (dash == std::string_view::npos || dot == std::string_view::npos || dash > dot) return 0;
  const std::string_view number = name.substr(dash + 1, dot - dash - 1);
  if (number.empty() || number[0] == '0' || name.substr(0, dash).ends_with("-of")) return 0;
  return parse_number(number, count) && count > 0 ? count : 0;
}

// What the names of the files say together. Where they are numbered consecutively, train-1,
// train-2, ..., the numbers are the files' own.
int64_t records_in_names(const std::vector<std::string>& files) {
  std::set<int64_t> numbers;
  int64_t sum = 0;
  for (const std::string& file : files) {
    const int64_t count = records_in_name(std::string_view(file).substr(file.rfind('/') + 1));
    if (count == 0 || __builtin_add_overflow(sum, count, &sum)) return data::unknown_cardinality;
    numbers.insert(count);
  }
  const auto last = static_cast<int64_t>(files.size());
  const bool counted_through =
      last > 1 && numbers.size() == files.size() && *numbers.rbegin() == last;
  return counted_through ? data::unknown_cardinality : sum;
}

// Files of a folder, sorted, as splits by the folder's name or the beginnings of theirs.
void add_files(const std::string& folder, const std::string& split, std::vector<SplitInfo>& splits,
               SourceLocation location) {
  for (const std::string& name : io::file_system(folder).list(folder, most_names, location)) {
    if (!is_record_file(name)) continue;
    std::string of = split;
    for (const char* known : {"train", "test", "validation", "valid", "val"}) {
      if (of.empty() && name.compare(0, std::string_view(known).size(), known) == 0)
        of = split_name_of(known);
    }
    if (of.empty()) of = "train";
    auto found = std::find_if(splits.begin(), splits.end(),
                              [&](const SplitInfo& each) { return each.name == of; });
    if (found == splits.end()) found = splits.insert(splits.end(), SplitInfo{.name = of});
    found->files.push_back(str(folder, "/", name));
  }
}

std::vector<SplitInfo> splits_of(const std::string& folder, SourceLocation location) {
  std::vector<SplitInfo> splits;
  add_files(folder, "", splits, location);
  if (!splits.empty()) return splits;
  for (const char* name : {"train", "val", "validation", "test"})
    add_files(str(folder, "/", name), split_name_of(name), splits, location);
  return splits;
}

// The folder "tfrecords-jpeg-512x512" in `folder`, if there is one and no other size of it.
std::string folder_of_size(const std::string& folder, SourceLocation location) {
  std::vector<std::string> sizes;
  for (const std::string& name : io::file_system(folder).list(folder, most_names, location)) {
    if (name.compare(0, 10, "tfrecords-") == 0) sizes.push_back(name);
  }
  if (sizes.size() > 1) {
    raise<InvalidArgument>({.what = str("'", folder, "' has several sizes: ", join(sizes)),
                            .hint = str("name one: .data_dir = \"", folder, "/", sizes[0], "\""),
                            .location = location});
  }
  return sizes.empty() ? "" : str(folder, "/", sizes[0]);
}

FeatureInfo feature_of(const std::string& name, const Literal& value) {
  const int64_t count = value.size();
  if (value.dtype() == DType::string && count == 1) {
    const bool picture = image::format_of(value.bytes()) != image::Format::unknown;
    if (picture) return {name, FeatureInfo::Kind::image, DType::u8, {-1, -1, 3}};
    return {name, FeatureInfo::Kind::text, DType::string};
  }
  const bool label =
      value.dtype() == DType::i64 && count == 1 && (name == "label" || name == "class");
  if (label) return {name, FeatureInfo::Kind::class_label, DType::i64};
  return {name, FeatureInfo::Kind::tensor, value.dtype(), count == 1 ? Shape{} : Shape{count}};
}

std::vector<FeatureInfo> features_of(const std::string& file, SourceLocation location) {
  io::TFRecordReader reader(file, {}, location);
  std::vector<FeatureInfo> features;
  std::string_view record;
  for (int i = 0; i < records_looked_at && reader.next(record); ++i) {
    const Example example = io::decode_example(record);
    for (const auto& [name, value] : example) {
      const FeatureInfo feature = feature_of(name, value);
      const auto known = std::find_if(features.begin(), features.end(),
                                      [&](const auto& each) { return each.name == feature.name; });
      if (known == features.end()) {
        features.push_back(feature);
      } else if (known->shape != feature.shape && known->kind == FeatureInfo::Kind::tensor) {
        known->shape = {-1};
      }
    }
  }
  return features;
}

std::vector<std::string> supervised_keys_of(const std::vector<FeatureInfo>& features) {
  std::string picture, label;
  for (const FeatureInfo& feature : features) {
    if (feature.kind == FeatureInfo::Kind::image && picture.empty()) picture = feature.name;
    if (feature.kind == FeatureInfo::Kind::class_label && label.empty()) label = feature.name;
  }
  if (picture.empty() || label.empty()) return {};
  return {picture, label};
}

}  // namespace

std::optional<Source> tfrecords_source(const std::string& folder, const SourceQuery& query) {
  std::vector<SplitInfo> splits = splits_of(folder, query.location);
  if (splits.empty()) {
    const std::string size = folder_of_size(folder, query.location);
    if (!size.empty()) splits = splits_of(size, query.location);
  }
  if (splits.empty()) return {};
  for (SplitInfo& split : splits) {
    split.num_examples = records_in_names(split.files);
    split.counted = false;
  }
  Source source{.info = {.name = query.name, .version = ""}};
  source.info.features = features_of(splits.front().files.front(), query.location);
  source.info.supervised_keys = supervised_keys_of(source.info.features);
  source.info.splits = std::move(splits);
  source.stored = [query](const SplitInfo& split) {
    return data::tfrecords(split.files, {.num_parallel_reads = query.num_parallel_reads},
                           query.location);
  };
  source.of_file = [query](const std::string& file) {
    return data::tfrecords(file, {}, query.location);
  };
  source.reader = [query](const auto& features) { return record_reader(features, query.location); };
  return source;
}

}  // namespace datasets
}  // namespace systolic::inline v0
