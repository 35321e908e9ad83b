// Writes the opcodes of Python's pickle protocol 2 that PyTorch's files need (pickletools.py
// describes them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace io {

class PickleWriter {
 public:
  PickleWriter() : bytes_("\x80\x02") {}

  void mark() { bytes_ += '('; }
  void tuple() { bytes_ += 't'; }  // of what follows the mark
  void empty_tuple() { bytes_ += ')'; }
  void empty_dictionary() { bytes_ += '}'; }
  void set_items() { bytes_ += 'u'; }  // keys and values that follow the mark
  void reduce() { bytes_ += 'R'; }     // calls a global with a tuple
  void new_object() { bytes_ += '\x81'; }
  void build() { bytes_ += 'b'; }
  void persistent() { bytes_ += 'Q'; }
  void boolean(bool value) { bytes_ += value ? '\x88' : '\x89'; }
  void global(std::string_view module, std::string_view name);
  void text(std::string_view value);
  void integer(int64_t value);
  // The whole pickle.
  std::string finish() { return bytes_ + '.'; }

 private:
  void number(uint64_t value, int bytes);
  std::string bytes_;
};

}  // namespace io
}  // namespace systolic::inline v0
