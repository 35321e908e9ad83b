// Text into a file from a signal handler: no allocation, no locale, nothing but write(2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

// Writes from the file's start; what was there before is cut off at the end. A disk that is full
// takes what it can.
class SafeText {
 public:
  explicit SafeText(int file) : file_(file) {}
  SafeText(const SafeText&) = delete;
  SafeText& operator=(const SafeText&) = delete;
  ~SafeText();

  // Control characters, as of a name that somebody else chose, become spaces.
  SafeText& operator<<(std::string_view text);
  SafeText& operator<<(const char* text) { return *this << std::string_view(text); }
  SafeText& operator<<(int64_t number);
  SafeText& operator<<(int number) { return *this << static_cast<int64_t>(number); }
  // Seven digits: "1.5", "-4.375e-1", "nan".
  SafeText& operator<<(double number);
  SafeText& time(double seconds);          // "1790000000.125"
  SafeText& hexadecimal(uint64_t number);  // "0x7f12"
  SafeText& end_line();

  // Writes what is left and cuts the file there; false where not all could be written. The
  // destructor does, too.
  bool finish();

 private:
  void put(char character);
  void flush();

  int file_;
  int64_t written_ = 0;
  size_t used_ = 0;
  bool whole_ = true;
  std::array<char, 4096> buffer_{};
};

}  // namespace monitor
}  // namespace systolic::inline v0
