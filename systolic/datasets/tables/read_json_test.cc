// Wanted values: what datasets 5.2 makes of the same texts, with its lists of objects as columns.
#include "systolic/datasets/tables/read_json.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using datasets::Column;

// "a: i64 1 2; b: string[1] x | "
std::string shown(const std::vector<std::pair<std::string, Column>>& columns) {
  std::string text;
  for (const auto& [name, column] : columns) {
    text += str(text.empty() ? "" : "; ", name, ":");
    for (int64_t i = 0; i < column.size(); ++i) {
      const Literal row = column[i];
      text += " ";
      if (row.rank() == 1) text += "[";
      for (int64_t j = 0; j < row.size(); ++j) {
        if (j > 0) text += ",";
        text += row.dtype() == DType::string ? "'" + std::string(row.string_at(j)) + "'"
                                             : str(row.number_at(j));
      }
      if (row.rank() == 1) text += "]";
    }
  }
  return text;
}

struct JsonCase {
  const char *text, *field, *wanted;
};

TEST(ReadJson, RecordsAsDatasetsReadsThem) {
  const JsonCase cases[] = {
      {R"({"l": null})"
       "\n"
       R"({"l": ["x"]})",
       "", "l: [] ['x']"},
      {R"({"a": 1})"
       "\n"
       R"({"b": "x"})",
       "", "a: 1 nan; b: '' 'x'"},
      {R"([{"a": 1}, {"a": 2, "b": true}])", "", "a: 1 2; b: nan 1"},
      {"\n[\n {\"a\": 1.5},\n {\"a\": 2}\n]\n", "", "a: 1.5 2"},
      {R"({"version": 2, "data": [{"a": 1}, {"a": 2}]})", "data", "a: 1 2"},
      {R"({"messages": [{"role": "u", "content": "x"}, {"role": "a"}]})"
       "\n"
       R"({"messages": []})"
       "\n"
       R"({"messages": null})",
       "", "messages.role: ['u','a'] [] []; messages.content: ['x',''] [] []"},
      {R"({"a": {"b": 1}})"
       "\n"
       R"({"a": {"c": 2}})"
       "\n"
       R"({"a": null})",
       "", "a.b: 1 nan nan; a.c: nan 2 nan"},
      {R"({"a": [[1], [], [2, 3]]})"
       "\n"
       R"({"a": []})",
       "", "a_row_splits: [0,1,1,3] [0]; a: [1,2,3] []"},
      {R"({"m": [{"r": "u", "calls": [{"f": 1, "g": 2}, {"f": 3, "g": 4}]}, {"r": "a"}]})", "",
       "m.r: ['u','a']; m.calls_row_splits: [0,2,2]; m.calls.f: [1,3]; m.calls.g: [2,4]"},
      {R"({"a": [[[1], [2, 3]], []]})", "",
       "a_row_splits_0: [0,2,2]; a_row_splits_1: [0,1,3]; a: [1,2,3]"},
      {R"({"": 1, "b": null})", "", ": 1; b: nan"},
  };
  for (const JsonCase& each : cases) {
    SCOPED_TRACE(each.text);
    EXPECT_EQ(shown(datasets::read_json("x.json", each.text, each.field)), each.wanted);
  }
}

TEST(ReadJson, WhatIsNoTableIsSaid) {
  const JsonCase cases[] = {
      {R"({"data": [{"a": 1}]})", "rows", "record 0: there is no 'rows', expected one of: data"},
      {R"({"data": 3})", "data", "'data' is no list, expected a list of objects"},
      {R"([[1]])", "", "record 0: a list of JSON"},
      {R"([])", "", "record 0: no record"},
      {R"({"a": 1})"
       "\n"
       R"({"a": "x"})",
       "", "line 2: 'a' holds numbers and texts, expected one of them"},
  };
  for (const JsonCase& each : cases)
    EXPECT_CONTAINS(error_of([&] { datasets::read_json("x.json", each.text, each.field); }),
                    each.wanted);
}

TEST(ReadJson, NamesThatMostRecordsLackHaveABound) {
  std::string text = "{";
  for (int i = 0; i < 4000; ++i) text += str(i == 0 ? "" : ",", "\"k", i, "\":1");
  text += "}\n";
  for (int i = 0; i < 20'000; ++i) text += "{}\n";
  EXPECT_CONTAINS(error_of([&] { datasets::read_json("x.jsonl", text); }),
                  "ResourceExhausted: 'x.jsonl' has 4000 names in 20001 records");
}

}  // namespace
}  // namespace systolic
