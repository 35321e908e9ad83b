// Reading JSON files of tokenizers: every access checks, and its error names the path in the file.
//
//   auto json = JsonFile::parse(text, "tokenizer.json");
//   json->root().at("model").at("unk_token").string();
//
// Files nest at most 64 levels, so that reading them recursively is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/base/function_ref.h"

namespace systolic::inline v0 {
namespace text {

// A value inside a JsonFile, which must outlive it.
class JsonView {
 public:
  JsonView(const void* value, std::string path) : value_(value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool is_null() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  bool is_number() const;

  std::string string() const;
  int64_t integer() const;
  // A token's id: 0 to 2^31 - 1.
  int32_t id() const;
  double number() const;
  bool boolean() const;
  // One character.
  char32_t character() const;

  // For an object: whether it has a member that is not null; the member, which must be there.
  bool has(std::string_view name) const;
  JsonView at(std::string_view name) const;
  std::string string_or(std::string_view name, std::string_view missing) const;
  bool boolean_or(std::string_view name, bool missing) const;
  int64_t integer_or(std::string_view name, int64_t missing) const;
  void for_each_member(FunctionRef<void(const std::string& name, const JsonView& value)> f) const;

  // For an array.
  size_t size() const;
  JsonView operator[](size_t i) const;

  // The value as JSON text.
  std::string dump() const;
  [[noreturn]] void raise_not(std::string_view wanted) const;

 private:
  const void* value_;
  std::string path_;
};

class JsonFile {
 public:
  // Errors call it `name`. DataLoss where it is not JSON or nests too deep.
  static std::shared_ptr<const JsonFile> parse(std::string_view text, const std::string& name);
  ~JsonFile();
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;
  JsonView root() const;

 private:
  JsonFile();
  struct Value;
  std::unique_ptr<Value> value_;
  std::string name_;
};

// The text between quotes, as JSON writes it.
std::string json_quoted(std::string_view text);

}  // namespace text
}  // namespace systolic::inline v0
