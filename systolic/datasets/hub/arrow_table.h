// Tables in Parquet and Arrow files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {

// The rows of one file after those of the other: all have the same columns. ".arrow" files may be
// files or streams, as save_to_disk writes them. Names of nested columns: see arrow/flat_columns.h.
// A text that is null is "", a number NaN; a column of integers with null becomes f64. Pictures and
// sounds are decoded when a row is asked for. ResourceExhausted where a table would take more than
// a hundred times the bytes of its files: stream them instead.
Table::Columns read_arrow_files(const std::vector<std::string>& paths,
                                const std::optional<std::vector<std::string>>& columns,
                                SourceLocation location);

// Their rows one after the other, batch by batch. An integer that is null is a DataLoss there.
data::Dataset stream_arrow_files(const std::vector<std::string>& paths,
                                 const std::optional<std::vector<std::string>>& columns,
                                 SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
