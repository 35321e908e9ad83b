#include "systolic/text/patterns/punctuation_class.h"

#include <string_view>

namespace systolic::inline v0 {
namespace text {
namespace {

struct Row {
  std::string_view name, instead;
};
constexpr Row rows[] = {{"[:punct:]", "\\p{P}\\p{S}"}, {"[:^punct:]", "[^\\p{P}\\p{S}]"}};

// The row whose name begins there; null where none does.
const Row* row_at(std::string_view rest) {
  for (const Row& row : rows) {
    if (rest.starts_with(row.name)) return &row;
  }
  return nullptr;
}

// What begins a class there, with a bracket that is one of its letters: "[", "[^", "[]", "[^]".
size_t size_of_opening(std::string_view rest) {
  size_t size = 1;
  if (size < rest.size() && rest[size] == '^') ++size;
  if (size < rest.size() && rest[size] == ']') ++size;
  return size;
}

}  // namespace

std::string with_known_punctuation(const std::string& pattern) {
  std::string result;
  int classes = 0;  // open ones: they may nest
  for (size_t at = 0; at < pattern.size();) {
    const std::string_view rest = std::string_view(pattern).substr(at);
    const Row* row = classes > 0 ? row_at(rest) : nullptr;
    size_t size = 1;
    if (row != nullptr) {
      result += row->instead;
      at += row->name.size();
      continue;
    }
    if (rest[0] == '\\') {
      size = 2;
    } else if (rest[0] == '[') {
      ++classes;
      size = size_of_opening(rest);
    } else if (rest[0] == ']' && classes > 0) {
      --classes;
    }
    result += rest.substr(0, size);
    at += size;
  }
  return result;
}

}  // namespace text
}  // namespace systolic::inline v0
