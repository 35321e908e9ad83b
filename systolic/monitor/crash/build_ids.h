// Which builds of the program and its libraries this process runs, so that whoever reads its stacks
// later does not take the names of another build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

// The build's number in the notes of an ELF file, hexadecimal; "" where there is none.
std::string build_id_of_notes(std::string_view notes);

// Notes those of all that is loaded now. Not in a signal handler.
void note_build_ids();

// That of what lay between two addresses when it was noted; "": not known. Safe in handlers.
const char* build_id_between(uintptr_t begin, uintptr_t end);

}  // namespace monitor
}  // namespace systolic::inline v0
