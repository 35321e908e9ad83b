// JSON files of records: an object in each line (jsonlines.org), a list of objects, or an object
// with such a list as one of its members.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

// The columns of all records; see read_table.h. With `field`, the file is one object, and its
// member of that name the list of them ({"version": 1, "data": [...]}).
std::vector<std::pair<std::string, Column>> read_json(const std::string& path,
                                                      std::string_view text,
                                                      const std::string& field = "");

}  // namespace datasets
}  // namespace systolic::inline v0
