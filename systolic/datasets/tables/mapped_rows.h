// What a function makes of the rows of a table, kept in a file where that is asked for.
#pragma once

#include <vector>

#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {

// One element a row, all with the same names: else an InvalidArgument that names the row.
std::vector<Example> mapped_rows(const Table& table, data::ElementFunction function,
                                 const FunctionIdentity& identity, const TableMapOptions& options,
                                 SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
