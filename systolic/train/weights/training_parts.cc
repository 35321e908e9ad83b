#include "systolic/train/weights/training_parts.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *parts_field = "parts", *run_field = "run";
constexpr std::string_view ending = ".safetensors";
constexpr int most_parts = 1 << 16;

int64_t bytes_of(const Variable& variable) {
  return variable.shape().elements() * static_cast<int64_t>(byte_width(variable.dtype()));
}

std::string value_of(const std::map<std::string, std::string>& metadata, const char* field) {
  const auto found = metadata.find(field);
  return found == metadata.end() ? std::string() : found->second;
}

[[noreturn]] void raise_other(const std::string& path, const std::string& got,
                              const std::string& wanted, SourceLocation location) {
  raise<DataLoss>({.what = str(path, " does not belong to the other parts of its checkpoint"),
                   .got = got,
                   .wanted = wanted,
                   .location = location});
}

void add_part(StoredFile& file, std::set<std::string>& names, const std::string& path,
              SourceLocation location) {
  const StoredFile part = open_checked(path, location);
  for (const char* field : {"step", run_field}) {
    const std::string got = value_of(part.metadata, field), wanted = value_of(file.metadata, field);
    if (got != wanted) raise_other(path, str(field, " ", got), str(field, " ", wanted), location);
  }
  for (const StoredArray& one : part.arrays) {
    if (!names.insert(one.name).second)
      raise_other(path, str("'", one.name, "' twice"), "once", location);
    file.arrays.push_back(one);
  }
}

}  // namespace

std::string part_path(const std::string& path, const TrainingPart& part) {
  if (part.index == 0) return path;
  const std::string stem =
      path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path;
  char number[32];
  std::snprintf(number, sizeof(number), "-%05d-of-%05d", part.index, part.count);
  return str(stem, number, ending);
}

std::vector<NamedVariable> variables_of_part(const std::vector<NamedVariable>& all,
                                             const TrainingPart& part) {
  int64_t total = 0, before = 0;
  for (const NamedVariable& one : all) total += bytes_of(one.variable);
  std::vector<NamedVariable> own;
  for (const NamedVariable& one : all) {
    const int64_t bytes = bytes_of(one.variable);
    const double middle = static_cast<double>(before) + 0.5 * static_cast<double>(bytes);
    const double share = total == 0 ? 0 : middle / static_cast<double>(total);
    if (std::min(static_cast<int>(share * part.count), part.count - 1) == part.index)
      own.push_back(one);
    before += bytes;
  }
  return own;
}

void note_parts(std::map<std::string, std::string>& metadata, const TrainingPart& part) {
  if (part.count == 1) return;
  if (part.index == 0) metadata[parts_field] = str(part.count);
  metadata[run_field] = part.run;
}

void add_other_parts(StoredFile& file, const std::string& path, SourceLocation location) {
  const std::string text = value_of(file.metadata, parts_field);
  if (text.empty()) return;
  int64_t count = 0;
  if (!parse_number(text, count) || count < 1 || count > most_parts)
    raise_other(path, str(text.substr(0, 20), " parts"), str("1 to ", most_parts), location);
  std::set<std::string> names;
  for (const StoredArray& one : file.arrays) names.insert(one.name);
  for (int i = 1; i < static_cast<int>(count); ++i)
    add_part(file, names, part_path(path, {.index = i, .count = static_cast<int>(count)}),
             location);
}

}  // namespace systolic::inline v0
