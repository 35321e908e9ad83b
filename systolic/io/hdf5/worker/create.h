// The layout of a new file: all of it but the datasets' numbers.
#pragma once

#include <string>
#include <string_view>

namespace worker {

// Writes it into the open file `wire::file_number`, which is empty, with room for each dataset's
// numbers. Where that is, of each dataset in the tree's order.
std::string create_file(std::string_view tree);

}  // namespace worker
