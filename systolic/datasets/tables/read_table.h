// Tables in text files: a name and an array for each column.
//
//   for (const auto& [name, column] : read_table_file("train.tsv", {})) …
//
// ".tsv": tabs, no quotes (as GLUE's files have it). ".csv": RFC 4180. ".jsonl", ".ndjson" and
// ".json": an object a line, with the same names in all lines; an object in it is no column, but
// its members are ("answers.text"). Whole numbers become i64, numbers f64 (an empty field and null
// are NaN), else strings; lists of JSON arrays of one axis. Integers beyond 2^53 beside an empty
// field, or beyond 64 bits, stay strings, and beside a JSON null are refused: f64 would round them.
// Damage is a DataLoss with file and line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

// The columns' names where the first line does not say them, by how many there are; "" leaves a
// column out.
using ColumnNames = std::vector<std::vector<std::string>>;

// Whether the ending is one that read_table_file knows.
bool is_table_file(std::string_view path);

std::vector<std::pair<std::string, Column>> read_table_file(
    const std::string& path, const ColumnNames& without_header,
    SourceLocation location = SourceLocation::current());

// The content of a file of tab-separated or comma-separated fields; `path` is for errors.
std::vector<std::pair<std::string, Column>> read_fields(const std::string& path,
                                                        std::string_view text, bool tabs,
                                                        const ColumnNames& without_header);

}  // namespace datasets
}  // namespace systolic::inline v0
