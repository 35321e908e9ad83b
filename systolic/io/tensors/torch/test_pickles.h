// Pickles put together from their opcodes, for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systolic::pickles {

// Little endian; bytes beyond the eighth are 0.
inline std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value);
  return text;
}
inline std::string text(std::string_view value) {
  return "X" + number(value.size(), 4) + std::string(value);
}
inline std::string integer(int64_t value) {
  return "\x8a\x08" + number(static_cast<uint64_t>(value), 8);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(std::initializer_list<std::string> items) {
  std::string result = "(";
  for (const std::string& item : items) result += item;
  return result + "t";
}
inline std::string integers(const std::vector<int64_t>& values) {
  std::string result = "(";
  for (const int64_t value : values) result += integer(value);
  return result + "t";
}
inline const std::string empty_ordered_dict = global("collections", "OrderedDict") + ")R";

inline std::string storage(const std::string& type, const std::string& key, int64_t count) {
  return tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(count)}) +
         "Q";
}
inline std::string tensor(const std::string& storage, int64_t offset,
                          const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                          const std::string& more = "") {
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple({storage, integer(offset), integers(shape), integers(strides), "\x89",
                empty_ordered_dict, more}) +
         "R";
}
// A dictionary, not yet a whole pickle.
inline std::string dictionary(std::initializer_list<std::pair<std::string, std::string>> entries) {
  std::string result = "}(";
  for (const auto& [key, value] : entries) result += text(key) + value;
  return result + "u";
}
inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }

}  // namespace systolic::pickles
