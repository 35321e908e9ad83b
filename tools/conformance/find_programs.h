// The test programs of a folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tool {

// Files under `folder` with one of these endings (".mlir") and `only` in their path, in order. No
// folder, and no such file in it, is NotFound.
std::vector<std::filesystem::path> find_programs(const std::string& folder, const std::string& only,
                                                 const std::vector<std::string_view>& endings);

}  // namespace tool
