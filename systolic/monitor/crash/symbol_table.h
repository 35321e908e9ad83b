// The names of the functions in a program or a library, for the stacks of runs that died.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

// Reads a file in the form ELF, 64 bits, little-endian. One that is something else, is cut, lies
// about itself, or belongs to neither this user nor the system has no names; nothing is thrown.
class SymbolTable {
 public:
  explicit SymbolTable(const std::string& path);

  // "systolic::cpu::run_steps" of the function around an offset in the file; "" where none is
  // known.
  std::string name_at(uint64_t offset) const;
  // That the linker gave it, hexadecimal: another build has another. "": none.
  const std::string& build_id() const { return build_id_; }

 private:
  struct Segment {
    uint64_t offset = 0, bytes = 0, address = 0;
  };
  struct Function {
    uint64_t address = 0, bytes = 0;
    uint32_t name = 0;  // in the table of names
  };
  void read_segments(uint64_t table, uint16_t count);
  void read_build_id(uint64_t offset, uint64_t bytes);
  void read_functions(uint64_t table, uint16_t count);
  std::string text_at(uint64_t offset) const;

  Descriptor file_;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  // by their addresses
  uint64_t names_ = 0;               // where the names begin
  std::string build_id_;
};

// "systolic::Model::fit" of "systolic::v0::Model::fit(systolic::v0::data::Dataset const&)": without
// what stands in brackets.
std::string short_function_name(std::string_view demangled);

}  // namespace monitor
}  // namespace systolic::inline v0
