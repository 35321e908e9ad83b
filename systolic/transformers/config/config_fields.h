// The fields of a config.json, read into a struct or written from it by one function.
//
//   void BertConfig::transfer(ConfigFields& fields)
//   {
//     fields.integer("hidden_size", hidden_size, 1, 1 << 20);
//     fields.number("layer_norm_eps", layer_norm_eps, 0, 1);
//   }
//
// A field that the file lacks keeps the struct's value: the architecture's documented default.
// InvalidArgument for one of another kind or outside of its bounds, naming the file, the field, the
// value and the allowed ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/config.h"
#include "systolic/nn/config/size2.h"

namespace systolic::inline v0 {

// A JSON file, of a bounded size. InvalidArgument, naming the file, for one that is not JSON.
Config read_config_file(const std::string& path, SourceLocation location);

class ConfigFields {
 public:
  // Reads from `entries`, a map; `file` is for errors.
  ConfigFields(Config entries, std::string file, SourceLocation location);
  // The same, with some entries given by the caller as the option .config: errors say which.
  ConfigFields(const Config& entries, const Config::Map& given, std::string file,
               SourceLocation location);
  // Writes: entries() then holds what transfer() named.
  ConfigFields() = default;

  void integer(const char* name, int64_t& value, int64_t least, int64_t most);
  // null: none.
  void integer(const char* name, std::optional<int64_t>& value, int64_t least, int64_t most);
  void number(const char* name, double& value, double least, double most);
  void number(const char* name, std::optional<double>& value, double least, double most);
  void boolean(const char* name, bool& value);
  void boolean(const char* name, std::optional<bool>& value);
  void text(const char* name, std::string& value);
  // One of `choices`.
  void choice(const char* name, std::string& value, const std::vector<std::string>& choices);

  // Any value, which the caller checks.
  void json(const char* name, Config& value);

  // A field with only one implemented value: Unimplemented for any other in a file. It is not a
  // field of the struct, and is written where the file had it.
  void only(const char* name, const Config& value);

  // A field that must be missing, null, or empty: Unimplemented, with that hint, for any other in a
  // file. Kept like one of only().
  void none(const char* name, const char* hint);

  // A number for height and width, or a list of both.
  void size(const char* name, Size2& value, int64_t least, int64_t most);
  // A list of numbers, or one. Null: as it is.
  void numbers(const char* name, std::vector<double>& values, double least, double most);
  void integers(const char* name, std::vector<int64_t>& values, int64_t least, int64_t most);

  // A list of texts, each one of `choices`. Null: as it is.
  void texts(const char* name, std::vector<std::string>& values,
             const std::vector<std::string>& choices);

  // An object: `transfer` names its fields. Unimplemented for a field in a file that it does not
  // name. Missing or null: as it is.
  void object(const char* name, const std::function<void(ConfigFields&)>& transfer);

  // The same, whose fields that `transfer` does not name are of no use and not kept.
  void part(const char* name, const std::function<void(ConfigFields&)>& transfer);

  // Heads share the width evenly.
  void check_heads(const char* width_name, int64_t width, const char* heads_name, int64_t heads);

  bool reads() const { return reads_; }
  const Config& entries() const { return entries_; }
  // All names that transfer() named so far.
  const std::vector<std::string>& names() const { return names_; }
  // Those that only() named.
  const std::vector<std::string>& only_names() const { return only_names_; }
  const std::string& file() const { return file_; }
  SourceLocation location() const { return location_; }
  // An error in the form of the fields' errors; `got` and `wanted` complete it.
  [[noreturn]] void fail(std::string_view name, std::string got, std::string wanted) const;

 private:
  // The entry to read; null where it is missing, or where this writes.
  const Config* entry(const char* name);
  int64_t integer_of(const char* name, const Config& entry, int64_t least, int64_t most) const;
  double number_of(const char* name, const Config& entry, double least, double most) const;
  void object_of(const char* name, const std::function<void(ConfigFields&)>& transfer,
                 bool names_all);
  // Unimplemented for a field that was not named.
  void refuse_unnamed() const;
  template <class Read, class T>
  void list(const char* name, std::vector<T>& values, const char* what, const Read& read);

  // "config.json: field 'hidden_size'"
  std::string described(std::string_view name) const;

  bool reads_ = false;
  Config entries_, given_{Config::Map{}};
  std::vector<std::string> names_, only_names_;
  std::string file_;
  SourceLocation location_ = {};
};

}  // namespace systolic::inline v0
