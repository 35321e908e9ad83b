// The columns of JSON records, with the names and forms of arrow/flat_columns.h: a member of an
// object is "object.member", also in lists of objects, whose rows have an axis; of lists in lists
// the values come one after the other, next to "name_row_splits".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"
#include "systolic/datasets/tables/json_schema.h"

namespace systolic::inline v0 {
namespace datasets {

// `record` is the object that all records are. Texts that are null or missing are "", numbers NaN
// (f64), lists empty. `end` names the place for errors of whole columns.
std::vector<std::pair<std::string, Column>> json_columns(const JsonField& record,
                                                         const std::vector<Json>& records,
                                                         const JsonPlace& end);

}  // namespace datasets
}  // namespace systolic::inline v0
