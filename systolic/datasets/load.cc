#include "systolic/datasets/load.h"

#include "systolic/base/error.h"
#include "systolic/datasets/find_source.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// The feature of that name, or those of the group.
std::vector<FeatureInfo> features_of(const DatasetInfo& info, const std::string& name,
                                     SourceLocation location) {
  std::vector<FeatureInfo> group;
  for (const FeatureInfo& feature : info.features) {
    if (feature.name == name) return {feature};
    if (feature.name.compare(0, name.size() + 1, name + "/") == 0) group.push_back(feature);
  }
  if (group.empty()) group.push_back(info.feature(name, location));
  return group;
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
  for (const std::string& key : info.supervised_keys) {
    const std::vector<FeatureInfo> named = features_of(info, key, location);
    features.insert(features.end(), named.begin(), named.end());
  }
  return features;
}

// The file of a record, where it says it.
std::string file_of(const Example& record) {
  for (const char* name : {"path", "image/filename", "filename"}) {
    const Literal* value = record.find(name);
    if (value != nullptr && value->dtype() == DType::string && value->rank() == 0)
      return str("'", value->bytes(), "'");
  }
  return "";
}

Example decoded(Example element, const std::vector<FeatureInfo>& features, const Example& record) {
  for (const FeatureInfo& feature : features) {
    const Literal* value = element.find(feature.name);
    if (value == nullptr) continue;
    try {
      element.set(feature.name, decoded_feature(feature, *value));
    } catch (const Error& error) {
      const std::string file = file_of(record);
      error.rethrow_within(file.empty() ? file_of(element) : file);
    }
  }
  return element;
}

}  // namespace

LoadedDataset load(std::string_view name, const LoadOptions& options, SourceLocation location) {
  Source source = find_source(name,
                              {.data_dir = options.data_dir,
                               .num_parallel_reads = options.num_parallel_reads,
                               .try_gcs = options.try_gcs,
                               .download = options.download},
                              location);
  const std::vector<FeatureInfo> features = wanted_features(source.info, options, location);
  const data::Dataset stored = stored_elements(source, options.split,
                                               {.shuffled = options.shuffle_files,
                                                .seed = options.shuffle_seed,
                                                .threads = options.num_parallel_reads},
                                               location);
  const data::ElementFunction read = source.reader(features);
  data::Dataset dataset = stored.map(
      [read, features](const Example& record) { return decoded(read(record), features, record); },
      {}, location);
  return {std::move(dataset), std::move(source.info)};
}

}  // namespace datasets
}  // namespace systolic::inline v0
