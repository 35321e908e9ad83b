#include "systolic/train/weights/keras_shards.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/read_range.h"
#include "systolic/nn/config/config.h"
#include "systolic/train/weights/weight_file.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr std::string_view map_ending = ".weights.json", shard_ending = ".weights.h5";
constexpr uint64_t most_map_bytes = 100'000'000;
constexpr size_t most_names = 100'000;

std::string shard_name(const std::string& base, size_t i) {
  const std::string digits = str(i);
  return str(base, "_", std::string(5 - std::min<size_t>(5, digits.size()), '0'), digits,
             shard_ending);
}

// "run/" and "model" of "run/model.weights.json".
struct ShardPlace {
  explicit ShardPlace(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos) prefix = path.substr(0, slash + 1);
    base = path.substr(prefix.size(), path.size() - prefix.size() - map_ending.size());
  }
  std::vector<std::string> names(SourceLocation location) const {
    return io::file_system(prefix, location)
        .list(prefix.empty() ? "." : prefix, most_names, location);
  }
  std::string prefix, base;
};

// Which array goes into which file.
class ShardPlan {
 public:
  explicit ShardPlan(double max_shard_size) : most_bytes_(max_shard_size * 1024 * 1024 * 1024) {}

  void add(const WeightGroup& group, SourceLocation location) {
    const std::string path = group.path.empty() ? "vars" : group.path + "/vars";
    shards.back().root.add_group(path).set("name", Literal::scalar(group.name));
    for (size_t i = 0; i < group.variables.size(); ++i)
      add_array(group.variables[i], path, str(path, "/", i), location);
  }

  std::vector<WeightFile> shards{1};
  std::map<std::string, std::vector<size_t>> places;  // of groups
  double total_bytes = 0;

 private:
  void add_array(const Variable& variable, const std::string& group, const std::string& path,
                 SourceLocation location) {
    const double bytes = double(variable.shape().elements()) * double(byte_width(variable.dtype()));
    if (bytes > most_bytes_) {
      raise<InvalidArgument>(
          {.what = str(variable.name(), " takes ", int64_t(bytes), " bytes"),
           .wanted = str("at most max_shard_size, ", int64_t(most_bytes_), " bytes, of one array"),
           .location = location});
    }
    if (bytes_ + bytes > most_bytes_) {
      shards.emplace_back();
      bytes_ = 0;
    }
    bytes_ += bytes;
    total_bytes += bytes;
    shards.back().add(path, variable);
    std::vector<size_t>& at = places[group];
    if (at.empty() || at.back() != shards.size() - 1) at.push_back(shards.size() - 1);
  }

  double most_bytes_, bytes_ = 0;
};

std::string map_text(const ShardPlan& plan, const std::string& base) {
  Config map{Config::Map{}}, metadata, all;
  for (const auto& [group, shards] : plan.places) {
    Config::List names;
    for (const size_t shard : shards) names.emplace_back(shard_name(base, shard));
    map.set("/" + group, names.size() == 1 ? names.front() : Config(names));
  }
  metadata.set("total_size", plan.total_bytes);
  all.set("metadata", std::move(metadata));
  all.set("weight_map", std::move(map));
  return all.text();
}

// The start of names that no file has yet: "model", else "model-2", "model-3", ...
std::string fresh_base(const std::string& base, size_t count,
                       const std::vector<std::string>& there) {
  const std::set<std::string> taken(there.begin(), there.end());
  for (size_t save = 1;; ++save) {
    const std::string name = save == 1 ? base : str(base, "-", save);
    bool fresh = true;
    for (size_t i = 0; i < count; ++i) fresh = fresh && taken.count(shard_name(name, i)) == 0;
    if (fresh) return name;
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "model-2" of "model-2_00001.weights.h5"; empty for another name.
std::string base_of(std::string_view name) {
  const size_t line = name.rfind('_');
  if (line == std::string_view::npos || !name.ends_with(shard_ending)) return {};
  const std::string_view number = name.substr(line + 1);
  const bool is_shard = is_number(number.substr(0, number.size() - shard_ending.size()));
  return is_shard ? std::string(name.substr(0, line)) : std::string();
}

// Files of earlier saves, whole or not. "model-2" may be another model's: then it has a map.
void remove_earlier(const ShardPlace& place, const std::string& written,
                    const std::vector<std::string>& there, SourceLocation location) {
  for (const std::string& name : there) {
    const std::string base = base_of(name);
    const bool is_later =
        base.starts_with(place.base + "-") &&
        is_number(std::string_view(base).substr(place.base.size() + 1)) &&
        std::find(there.begin(), there.end(), str(base, map_ending)) == there.end();
    if (base == written || (base != place.base && !is_later)) continue;
    const std::string path = place.prefix + name;
    if (name != shard_name(place.base, 0)) {
      io::file_system(path, location).remove(path, location);
      continue;
    }
    io::Hdf5Group root;
    root.add_group("vars");
    io::write_hdf5(path, root, nullptr, location);
  }
}

[[noreturn]] void damaged_map(const std::string& path, const std::string& what,
                              SourceLocation location) {
  raise<DataLoss>({.what = str("'", path, "': ", what),
                   .wanted = "the map of weights that Keras writes next to their files",
                   .location = location});
}

// The files of one group, by their names.
std::vector<std::string> files_of(const Config& value, const std::string& path,
                                  SourceLocation location) {
  const Config::List list = value.is_list() ? value.list() : Config::List{value};
  std::vector<std::string> names;
  for (const Config& one : list) {
    const std::string name = one.is_text() ? one.text_value() : "";
    const bool is_plain = !name.empty() && name != "." && name != ".." &&
                          name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
    if (!is_plain) damaged_map(path, "it names a file that lies not next to it", location);
    names.push_back(name);
  }
  return names;
}

Config read_map(const std::string& path, SourceLocation location) {
  const std::string text = io::read_file_of_at_most(path, most_map_bytes, location);
  try {
    Config all = Config::parse(text, location);
    const Config* map = all.is_map() ? all.find("weight_map") : nullptr;
    if (map != nullptr && map->is_map()) return *map;
  } catch (const InvalidArgument& error) {
    damaged_map(path, error.what(), location);
  }
  damaged_map(path, "it has no weight_map", location);
}

}  // namespace

void write_shards(const std::vector<WeightGroup>& groups, const std::string& path,
                  double max_shard_size, SourceLocation location) {
  ShardPlan plan(max_shard_size);
  for (const WeightGroup& group : groups) plan.add(group, location);
  const ShardPlace place(path);
  const std::string base = fresh_base(place.base, plan.shards.size(), place.names(location));
  for (size_t i = 0; i < plan.shards.size(); ++i) {
    const WeightFile& shard = plan.shards[i];
    io::write_hdf5(place.prefix + shard_name(base, i), shard.root, shard.values(location),
                   location);
  }
  io::write_file(path, map_text(plan, base), location);
  remove_earlier(place, base, place.names(location), location);
}

KerasArrays open_shards(const std::string& path, SourceLocation location) {
  const Config map = read_map(path, location);
  const ShardPlace place(path);
  std::map<std::string, io::Hdf5File> files;
  KerasArrays arrays{.path = path, .groups = {}, .links = {}};
  for (const auto& [name, value] : map.map()) {
    const std::string group = name.starts_with('/') ? name.substr(1) : name;
    for (const std::string& file : files_of(value, path, location)) {
      auto found = files.find(file);
      if (found == files.end())
        found = files.emplace(file, io::open_hdf5(place.prefix + file, {}, location)).first;
      const io::Hdf5Group* there = found->second.root().find_group(group);
      if (there == nullptr) {
        damaged_map(path, str("it says that ", file, " has ", group, ", which it does not"),
                    location);
      }
      add_keras_arrays(found->second, *there, group, arrays, location);
    }
  }
  return arrays;
}

}  // namespace saving
}  // namespace systolic::inline v0
