// write: a data set in the form of TensorFlow Datasets.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <ostream>
#include <random>

#include "systolic/base/error.h"
#include "systolic/base/process/interrupt.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_advice.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "tools/systolic/tfrecord/commands.h"
#include "tools/systolic/tfrecord/files.h"
#include "tools/systolic/tfrecord/progress.h"
#include "tools/systolic/tfrecord/source.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

using Json = nlohmann::ordered_json;

bool ends_in(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

std::string format_of(const WriteOptions& options) {
  if (!options.format.empty()) return options.format;
  const std::string& first = options.sources.at(0);
  std::error_code ignored;
  if (std::filesystem::is_directory(first, ignored)) return "images";
  if (io::scheme_of(first).empty() && !io::exists(first)) {
    io::raise_file_error("cannot open", first, ENOENT);
  }
  if (ends_in(first, ".csv")) return "csv";
  if (ends_in(first, ".txt")) return "text";
  if (ends_in(first, ".jsonl") || ends_in(first, ".json")) return "jsonl";
  if (first.find("-ubyte") != std::string::npos) return "idx";
  raise<InvalidArgument>({.what = str("'", first, "' has a name that says no format"),
                          .wanted = "--format images, csv, text, idx or jsonl"});
}

Source open_source(const WriteOptions& options) {
  const std::string format = format_of(options);
  if (!options.tokenizer.empty() && format != "text") {
    raise<InvalidArgument>({.what = str("--tokenizer with ", format), .wanted = "lines of text"});
  }
  if (format == "idx") return idx_source(options.sources);
  if (options.sources.size() != 1) {
    raise<InvalidArgument>({.what = str(options.sources.size(), " sources of ", format),
                            .wanted = "one, or images and labels of idx"});
  }
  const std::string& path = options.sources[0];
  if (format == "images") return images_source(path);
  if (format == "csv") return csv_source(path);
  if (format == "text" && !options.tokenizer.empty()) return token_source(path, options.tokenizer);
  if (format == "text") return text_source(path);
  if (format == "jsonl") return json_lines_source(path);
  raise<InvalidArgument>(
      {.what = str("--format ", format), .wanted = "images, csv, text, idx or jsonl"});
}

// The order in which records lie in the files: the same for a seed, whatever the machine.
std::vector<int64_t> order_of(int64_t records, const WriteOptions& options) {
  std::vector<int64_t> order(static_cast<size_t>(records));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!options.shuffle) return order;
  std::mt19937_64 random(static_cast<uint64_t>(options.seed));
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

std::string shard_path(const WriteOptions& options, const std::string& folder, int64_t shard,
                       int64_t shards) {
  return shard_name(str(folder, "/", options.name, "-", options.split, ".tfrecord"), shard, shards,
                    "");
}

// Those that are whole have a length.
void remove_shards(const WriteOptions& options, const std::string& folder,
                   const std::vector<int64_t>& lengths) {
  const auto shards = static_cast<int64_t>(lengths.size());
  for (int64_t i = 0; i < shards; ++i) {
    if (lengths[static_cast<size_t>(i)] == 0) continue;
    const std::string path = shard_path(options, folder, i, shards);
    io::file_system(path, {}).remove(path, {});
  }
}

// Shard s holds an equal share, one after the other; returns how many records each has. Ctrl-C
// leaves no shard, and no lengths.
std::vector<int64_t> write_shards(const Source& source, const WriteOptions& options,
                                  const std::string& folder, int64_t shards) {
  const std::vector<int64_t> order = order_of(source.records, options);
  std::vector<int64_t> lengths(static_cast<size_t>(shards));
  const InterruptGuard interrupt(InterruptGuard::Catches::unless_ignored);
  Progress progress("records", static_cast<uint64_t>(source.records), Progress::Log::lines);
  parallel(shards, processors(), [&](int64_t shard) {
    const int64_t begin = source.records * shard / shards;
    const int64_t end = source.records * (shard + 1) / shards;
    io::TFRecordWriter writer(shard_path(options, folder, shard, shards), {}, {});
    for (int64_t i = begin; i < end; ++i) {
      if (interrupt.requested()) return writer.discard();
      writer.write(source.at(order[static_cast<size_t>(i)]));
      progress.add(1);
    }
    writer.close();
    lengths[static_cast<size_t>(shard)] = end - begin;
  });
  if (!interrupt.requested()) return lengths;
  remove_shards(options, folder, lengths);
  return {};
}

Json split_json(const WriteOptions& options, const std::string& folder,
                const std::vector<int64_t>& lengths) {
  Json texts = Json::array();
  uint64_t bytes = 0;
  const auto shards = static_cast<int64_t>(lengths.size());
  for (int64_t i = 0; i < shards; ++i) {
    texts.push_back(str(lengths[static_cast<size_t>(i)]));
    bytes += bytes_of(shard_path(options, folder, i, shards));
  }
  return {{"name", options.split},
          {"filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"},
          {"numBytes", str(bytes)},
          {"shardLengths", texts}};
}

// The splits that were written before, without the one that is to be written.
Json other_splits(const WriteOptions& options, const std::string& path) {
  Json others = Json::array();
  if (!io::exists(path)) return others;
  const Json before = Json::parse(io::read_file(path, {}), nullptr, false);
  if (!before.is_object() || !before.contains("splits") || !before["splits"].is_array()) {
    raise<DataLoss>({.what = str("'", path, "' exists and is not the description of a data set")});
  }
  for (const Json& other : before["splits"]) {
    const bool named = other.is_object() && other.contains("name");
    if (!named || other["name"] != options.split) others.push_back(other);
  }
  return others;
}

Json dataset_info(const WriteOptions& options, const Source& source, const Json& splits) {
  Json info = {{"name", options.name},
               {"version", options.version},
               {"fileFormat", "tfrecord"},
               {"splits", splits}};
  if (source.supervised) {
    info["supervisedKeys"] = {
        {"tuple", {{"items", {{{"featureKey", "image"}}, {{"featureKey", "label"}}}}}}};
  }
  return info;
}

std::string features_text(const Source& source) {
  const Json features = {
      {"pythonClassName", "tensorflow_datasets.core.features.features_dict.FeaturesDict"},
      {"featuresDict", {{"features", source.features}}}};
  try {
    return features.dump(4) + "\n";
  } catch (const Json::type_error&) {
    raise<DataLoss>({.what = "a feature's name is no UTF-8"});
  }
}

// All splits of a data set have the same features and classes.
void check_same(const std::string& path, const std::string& text, const Json& others) {
  if (others.empty() || (text.empty() && !io::exists(path))) return;
  if (io::exists(path) && io::read_file(path, {}) == text) return;
  raise<InvalidArgument>({.what = str("'", path, "' has other features than the source"),
                          .wanted = "those of the splits that are there",
                          .hint = "give the data set another --name or --version"});
}

// What an earlier run left of this split: files under their names, and what a killed one left.
void make_room(const WriteOptions& options, const std::string& folder) {
  const std::string begin = str(options.name, "-", options.split, ".tfrecord-");
  io::FileSystem& files = io::file_system(folder, {});
  for (const std::string& name : files.list(folder, size_t{1} << 20, {})) {
    if (name.rfind(begin, 0) != 0) continue;
    const std::string path = str(folder, "/", name);
    if (!options.force) {
      const bool unfinished = name.find(".tmp-") != std::string::npos;
      raise<FailedPrecondition>({.what = str("'", path, "' ",
                                             unfinished ? "was left by a run that was cut off, or "
                                                          "is being written"
                                                        : "is there already"),
                                 .wanted = str("no files of the split '", options.split, "'"),
                                 .hint = "--force replaces them"});
    }
    files.remove(path, {});
  }
}

void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) io::raise_file_error("cannot make the folder", folder, failed.value());
}

void check_name(const std::string& what, const std::string& name) {
  const bool good =
      !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.';
      });
  if (good) return;
  raise<InvalidArgument>(
      {.what = str(what, " '", name, "'"), .wanted = "letters, digits, '_' and '.'"});
}

}  // namespace

int write(const WriteOptions& options, std::ostream& out) {
  check_name("--name", options.name);
  check_name("--version", options.version);
  check_name("--split", options.split);
  const Source source = open_source(options);
  if (source.records == 0) {
    raise<InvalidArgument>({.what = str("'", options.sources[0], "' has no records")});
  }
  const int64_t shards =
      std::min(source.records, options.shards > 0 ? options.shards
                                                  : io::advised_files(source.bytes, options.cores));
  const std::string folder = str(options.output, "/", options.name, "/", options.version);
  const std::string path = folder + "/dataset_info.json";
  const std::string features = features_text(source);
  const std::string classes =
      source.class_names.empty() ? "" : join(source.class_names, "\n") + "\n";
  if (io::scheme_of(folder).empty()) make_folder(folder);
  Json splits = other_splits(options, path);
  check_same(folder + "/features.json", features, splits);
  check_same(folder + "/label.labels.txt", classes, splits);
  if (options.force && io::exists(path)) {  // what is not whole is not described
    io::write_file(path, dataset_info(options, source, splits).dump(2) + "\n", {});
  }
  make_room(options, folder);
  const std::vector<int64_t> lengths = write_shards(source, options, folder, shards);
  if (lengths.empty()) {
    std::cerr << "Interrupted: the split '" << options.split << "' is not written.\n";
    return interrupted_exit_code();
  }
  io::write_file(folder + "/features.json", features, {});
  if (!classes.empty()) io::write_file(folder + "/label.labels.txt", classes, {});
  // The last, so that a data set that is described is whole.
  splits.push_back(split_json(options, folder, lengths));
  io::write_file(path, dataset_info(options, source, splits).dump(2) + "\n", {});
  out << counted(source.records, "record") << " in " << counted(shards, "file") << ", "
      << shard_path(options, folder, 0, shards) << (shards == 1 ? "\n" : " ...\n");
  return 0;
}

}  // namespace tool::tfrecord
