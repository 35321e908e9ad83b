// How the library and its HDF5 worker (worker/main.cc) speak: small messages through a socket, and
// what is longer through memory that both have mapped, the window, piece by piece.
//
// The worker is compiled by itself, and knows of the library only this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace io::hdf5_wire {

// Open files that the worker is started with.
inline constexpr int socket_number = 3, file_number = 4, window_number = 5;

inline constexpr uint64_t least_window_bytes = uint64_t{1} << 24;

enum class Kind : uint32_t {
  // Asked of the worker:
  list,    // what is in the file from byte a on, b bytes in all: answered by pieces of a tree
  read,    // the numbers of the dataset a of the list, row-major: answered by pieces
  create,  // the layout of a new file; its tree are the first a bytes of the window: answered by
           // pieces that hold where each dataset lies
  go_on,   // the piece was taken
  // Answered:
  piece,    // a bytes are in the window, and more will come
  done,     // all was sent
  damaged,  // the file cannot be read: a bytes of text are in the window
};

struct Message {
  Kind kind{};
  uint32_t unused = 0;
  uint64_t a = 0, b = 0;
};

// A tree is written in the order in which it is read: a group's head, its attributes, its children,
// end.
//
//   group    name, attributes
//   dataset  name, type, dims, place, size, unreadable, attributes
//   link     name, why it is not followed
//   end
//
// Attributes: their number, then name, type, dims and, of each, the bytes (of strings, each one's
// length and bytes). Types are spelled as DType prints: "f32", "string".
enum class Item : uint8_t { group, dataset, link, end };

inline constexpr uint64_t no_place = UINT64_MAX;  // of numbers that do not lie in the file as such

// The most that a tree may hold, whoever made it.
inline constexpr size_t most_depth = 200, most_objects = 200'000;
inline constexpr uint64_t most_attribute_bytes = uint64_t{1} << 26;  // in all

class Writer {
 public:
  void byte(uint8_t value) { bytes_ += static_cast<char>(value); }
  void number(uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Nothing is read beyond the end: what is missing is 0 or empty, and is_whole() false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  uint8_t byte() { return take(1).empty() ? 0 : static_cast<uint8_t>(last_[0]); }
  uint64_t number() {
    uint64_t value = 0;
    if (!take(sizeof(value)).empty()) std::memcpy(&value, last_.data(), sizeof(value));
    return value;
  }
  std::string_view text() { return take(number()); }
  std::string_view take(uint64_t size) {
    last_ = {};
    if (size > bytes_.size()) {
      whole_ = false;
      bytes_ = {};
      return last_;
    }
    last_ = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return last_;
  }
  bool at_end() const { return bytes_.empty(); }
  bool is_whole() const { return whole_; }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_, last_;
  bool whole_ = true;
};

}  // namespace io::hdf5_wire
}  // namespace systolic::inline v0
