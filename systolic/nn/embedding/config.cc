#include "systolic/nn/embedding/config.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {
namespace {

template <class Config>
bool has_name(const std::vector<Config>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Config& one) { return one.name == name; });
}

// The name that was given, if no other has it; without one `kind`, numbered.
template <class Config>
std::string free_name(const std::vector<Config>& all, const Config& one, const char* kind,
                      SourceLocation location) {
  if (!one.name.empty()) {
    if (!has_name(all, one.name)) return one.name;
    raise<InvalidArgument>({.what = str("two ", kind, "s are named '", one.name, "'"),
                            .hint = "copies of one TableConfig are one table",
                            .location = location});
  }
  std::string name = kind;
  for (int number = 1; has_name(all, name); ++number) name = str(kind, "_", number);
  return name;
}

void check_sizes(const TableConfig& table, SourceLocation location) {
  constexpr int64_t most = int64_t{1} << 31;
  if (table.vocabulary_size >= 1 && table.vocabulary_size < most - 8 && table.dim >= 1) return;
  raise<InvalidArgument>({.what = str("table '", table.name, "' has vocabulary_size = ",
                                      table.vocabulary_size.get(), " and dim = ", table.dim.get()),
                          .wanted = "at least 1 of each, and ids that fit i32",
                          .location = location});
}

size_t position_of(Tables& all, TableConfig table, SourceLocation location) {
  for (size_t i = 0; i < all.tables.size(); ++i) {
    if (all.tables[i].identity == table.identity) return i;
  }
  table.name = free_name(all.tables, table, "table", location);
  check_sizes(table, location);
  all.tables.push_back(std::move(table));
  return all.tables.size() - 1;
}

}  // namespace

Tables tables_of(const std::vector<FeatureConfig>& features, SourceLocation location) {
  if (features.empty()) {
    raise<InvalidArgument>({.what = "feature_config has no features", .location = location});
  }
  Tables all;
  for (FeatureConfig feature : features) {
    feature.name = free_name(all.features, feature, "feature", location);
    if (feature.max_sequence_length < 0) {
      raise<InvalidArgument>({.what = str("feature '", feature.name, "' has max_sequence_length = ",
                                          feature.max_sequence_length),
                              .wanted = "0, which combines, or more",
                              .location = location});
    }
    all.table_of.push_back(position_of(all, feature.table, location));
    feature.table = all.tables[all.table_of.back()];
    all.features.push_back(std::move(feature));
  }
  return all;
}

int64_t table_rows(int64_t vocabulary_size) { return (vocabulary_size + 1 + 7) / 8 * 8; }

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
