// Tables in text files: a name and an array for each column.
//
//   for (const auto& [name, column] : read_table_file("train.tsv", {})) …
//
// ".tsv": tabs, no quotes (as in GLUE's files). ".csv": RFC 4180. ".jsonl", ".ndjson" and ".json":
// an object a line, a list of objects, or the list that is the member `json_field` of an object. An
// object in one is not a column, but its members are ("answers.text", "messages.role"); see
// json_columns.h. Whole numbers become i64, numbers f64 (an empty field, null and a missing name
// are NaN), others strings ("" where null or missing); lists in JSON become arrays of one axis.
// Integers beyond 2^53 in a column with an empty field, or beyond 64 bits, stay strings, and in a
// column with a JSON null are refused: f64 would round them. DataLoss, with file and line, for
// damage.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

// The columns' names where the first line does not say them, by how many there are; "" drops a
// column.
using ColumnNames = std::vector<std::vector<std::string>>;

// Whether the ending is one that read_table_file knows.
bool is_table_file(std::string_view path);

std::vector<std::pair<std::string, Column>> read_table_file(
    const std::string& path, const ColumnNames& without_header,
    SourceLocation location = SourceLocation::current(), const std::string& json_field = "");

// The content of a file of tab-separated or comma-separated fields; `path` is for errors.
std::vector<std::pair<std::string, Column>> read_fields(const std::string& path,
                                                        std::string_view text, bool tabs,
                                                        const ColumnNames& without_header);

}  // namespace datasets
}  // namespace systolic::inline v0
