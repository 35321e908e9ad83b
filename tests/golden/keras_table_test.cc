// The tables of docs/keras.md name each public name of Keras once, and what they say is here is.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

struct TableRow {
  std::string module, what;
  std::vector<std::string> names;
};

std::vector<TableRow> rows_of_page() {
  std::ifstream page(test::source_path("docs/keras.md"));
  const std::regex row("\\| `([a-z.]+)` \\| (.*) \\| (`.*`) \\|"), name("`([^`]+)`");
  std::vector<TableRow> rows;
  bool in_tables = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("<!-- ", 0) == 0) in_tables = line.find("end of") == std::string::npos;
    std::smatch match;
    if (!in_tables || !std::regex_match(line, match, row)) continue;
    TableRow made{match[1], match[2], {}};
    const std::string names = match[3];
    for (auto at = std::sregex_iterator(names.begin(), names.end(), name);
         at != std::sregex_iterator(); ++at)
      made.names.push_back((*at)[1]);
    rows.push_back(made);
  }
  return rows;
}

TEST(KerasTable, NamesEachNameOnce) {
  std::map<std::string, std::vector<std::string>> told;
  for (const TableRow& row : rows_of_page()) {
    std::vector<std::string>& names = told[row.module];
    names.insert(names.end(), row.names.begin(), row.names.end());
  }
  const Json listing = golden_file("keras_names");
  for (const auto& [module, wanted] : listing.items()) {
    if (module == "made_by") continue;
    std::vector<std::string> names = told[module];
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, wanted.get<std::vector<std::string>>()) << module;
  }
}

TEST(KerasTable, SaysWhyANameIsNotHere) {
  for (const TableRow& row : rows_of_page()) {
    EXPECT_FALSE(row.what.empty()) << row.module;
    for (const std::string& name : row.names)
      EXPECT_NE(row.what, "not yet") << row.module << " " << name;
  }
}

TEST(KerasTable, LayersThatAreHereAreInTheList) {
  const std::vector<std::string> kinds = layer_kinds(AllLayers{});
  size_t found = 0;
  for (const TableRow& row : rows_of_page()) {
    if (row.module != "layers" || row.what != "here") continue;
    // Other names, such as MaxPool2D, are aliases.
    for (const std::string& name : row.names)
      found += static_cast<size_t>(std::count(kinds.begin(), kinds.end(), name));
  }
  EXPECT_GT(found, 80u);
}

}  // namespace
}  // namespace systolic
