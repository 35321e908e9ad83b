#include "systolic/transformers/sentences/sentence_modules.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/limits.h"

namespace systolic::inline v0 {
namespace {

// By how config.json of a pooling names them, in the order in which they are put side by side.
struct PoolingRow {
  const char *flag, *name;
  SentencePooling pooling;
};
constexpr PoolingRow pooling_rows[] = {
    {"pooling_mode_cls_token", "cls", SentencePooling::cls},
    {"pooling_mode_max_tokens", "max", SentencePooling::max},
    {"pooling_mode_mean_tokens", "mean", SentencePooling::mean},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", SentencePooling::mean_sqrt_len},
};

// The entry of newer versions: a name, or a list of names.
std::vector<std::string> named_poolings(const Config& entries, ConfigFields& fields) {
  const Config* entry = entries.is_map() ? entries.find("pooling_mode") : nullptr;
  std::vector<std::string> names;
  if (entry == nullptr) return names;
  const std::vector<Config> all = entry->is_list() ? entry->list() : std::vector<Config>{*entry};
  for (const Config& one : all) {
    const std::string name = one.is_text() ? one.text_value() : one.text();
    const bool is_known =
        std::ranges::any_of(pooling_rows, [&](auto& row) { return row.name == name; });
    if (!is_known) fields.fail("pooling_mode", name, "cls, max, mean or mean_sqrt_len_tokens");
    names.push_back(name);
  }
  return names;
}

std::vector<SentencePooling> read_poolings(const std::string& file, SourceLocation location) {
  const Config entries = read_config_file(file, location);
  ConfigFields fields(entries, file, location);
  for (const char* other : {"pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"})
    fields.only(other, false);
  const std::vector<std::string> names = named_poolings(entries, fields);
  std::vector<SentencePooling> result;
  for (const PoolingRow& row : pooling_rows) {
    bool is_chosen = std::ranges::count(names, row.name) > 0;
    fields.boolean(row.flag, is_chosen);
    if (is_chosen) result.push_back(row.pooling);
  }
  if (result.empty()) fields.fail("pooling_mode", "none", "cls, max, mean or mean_sqrt_len_tokens");
  return result;
}

// A folder below the model's.
std::string folder_of(const std::string& folder, const std::string& path, SourceLocation location) {
  if (path.empty()) return folder;
  if (path.starts_with('/') || path.find("..") != std::string::npos)
    raise<InvalidArgument>({.what = str(folder, "/modules.json: path '", path.substr(0, 80), "'"),
                            .wanted = "a folder below its own",
                            .location = location});
  return folder + "/" + path;
}

void read_module(SentenceModules& modules, const std::string& folder, const Config& module,
                 SourceLocation location) {
  std::string type = module["type"].text_value();
  if (const size_t dot = type.rfind('.'); dot != std::string::npos) type = type.substr(dot + 1);
  const std::string path = folder_of(folder, module["path"].text_value(), location);
  if (type == "Transformer") {
    modules.transformer = path;
  } else if (type == "Pooling") {
    modules.poolings = read_poolings(path + "/config.json", location);
  } else if (type == "Normalize") {
    modules.normalizes = true;
  } else {
    raise<Unimplemented>({.what = str(folder, "/modules.json: a module '", type.substr(0, 80), "'"),
                          .wanted = "Transformer, Pooling and Normalize",
                          .location = location});
  }
}

}  // namespace

SentenceModules read_sentence_modules(const std::string& folder, SourceLocation location) {
  SentenceModules modules;
  modules.transformer = folder;
  const std::string file = folder + "/modules.json";
  if (io::exists(file, location)) {
    const Config list = read_config_file(file, location);
    for (const Config& module : list.list()) read_module(modules, folder, module, location);
  }
  const std::string settings = modules.transformer + "/sentence_bert_config.json";
  if (!io::exists(settings, location)) return modules;
  ConfigFields fields(read_config_file(settings, location), settings, location);
  std::optional<int64_t> most;
  fields.integer("max_seq_length", most, 1, limits::positions);
  fields.only("do_lower_case", false);
  modules.max_seq_length = most.value_or(0);
  return modules;
}

}  // namespace systolic::inline v0
