// How the library and a worker (worker_process.h) speak: small messages through a socket, and what
// is longer through memory that both have mapped, the window, piece by piece.
//
// A worker is compiled by itself, and knows of the library only such headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace io::worker_wire {

// Open files that the worker is started with.
inline constexpr int socket_number = 3, file_number = 4, window_number = 5;

enum class Kind : uint32_t {
  // Asked of the worker; the formats say what a, b and the answer's pieces are:
  list,    // what is in the file
  read,    // some of its values
  create,  // the layout of a new file; its tree are the first a bytes of the window
  go_on,   // the piece was taken; or a bytes of what was fetched are in the window
  // Answered:
  piece,    // a bytes are in the window, and more will come
  done,     // all was sent
  damaged,  // the file cannot be read: a bytes of text are in the window
  fetch,    // wanted: b bytes of the file from byte a on, which only the library can reach
};

struct Message {
  Kind kind{};
  uint32_t unused = 0;
  uint64_t a = 0, b = 0;
};

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

}  // namespace io::worker_wire
}  // namespace systolic::inline v0
