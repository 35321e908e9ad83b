// JSON lines (jsonlines.org): an object in each line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

// A column for each name of the first object; see read_table.h.
std::vector<std::pair<std::string, Column>> read_json_lines(const std::string& path,
                                                            std::string_view text);

}  // namespace datasets
}  // namespace systolic::inline v0
