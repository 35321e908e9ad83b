#include "systolic/nn/embedding/table_config_values.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/config/fields.h"
#include "systolic/nn/embedding/distributed_embedding.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

using systolic::from_config, systolic::to_config;  // of numbers and texts

Config to_config(const ClipValue& limits) {
  return Config::List{to_config(limits.min), to_config(limits.max)};
}

void from_config(const Config& config, ClipValue& limits) {
  const Config::List& both = pair_of(config);
  from_config(both[0], limits.min);
  from_config(both[1], limits.max);
}

namespace {

template <class Rule>
auto own_fields() {
  if constexpr (std::is_same_v<Rule, Adagrad>) {
    return std::tuple(field("initial_accumulator_value", &Rule::initial_accumulator_value));
  } else if constexpr (std::is_same_v<Rule, AdagradMomentum>) {
    return std::tuple(field("momentum", &Rule::momentum),
                      field("use_nesterov", &Rule::use_nesterov),
                      field("exponent", &Rule::exponent), field("beta2", &Rule::beta2),
                      field("epsilon", &Rule::epsilon));
  } else if constexpr (std::is_same_v<Rule, FTRL>) {
    return std::tuple(
        field("learning_rate_power", &Rule::learning_rate_power),
        field("l1_regularization_strength", &Rule::l1_regularization_strength),
        field("l2_regularization_strength", &Rule::l2_regularization_strength),
        field("beta", &Rule::beta),
        field("initial_accumulator_value", &Rule::initial_accumulator_value),
        field("multiply_linear_by_learning_rate", &Rule::multiply_linear_by_learning_rate),
        field("allow_zero_accumulator", &Rule::allow_zero_accumulator));
  } else if constexpr (std::is_same_v<Rule, Adam>) {
    return std::tuple(field("beta_1", &Rule::beta_1), field("beta_2", &Rule::beta_2),
                      field("epsilon", &Rule::epsilon), field("lazy_adam", &Rule::lazy_adam),
                      field("sum_inside_sqrt", &Rule::sum_inside_sqrt));
  } else {
    return std::tuple<>();
  }
}

template <class Rule>
auto fields_of() {
  return std::tuple_cat(
      std::tuple(field("learning_rate", &Rule::learning_rate)), own_fields<Rule>(),
      std::tuple(field("use_gradient_accumulation", &Rule::use_gradient_accumulation),
                 field("clip_weight_min", &Rule::clip_weight_min),
                 field("clip_weight_max", &Rule::clip_weight_max),
                 field("weight_decay_factor", &Rule::weight_decay_factor),
                 field("multiply_weight_decay_factor_by_learning_rate",
                       &Rule::multiply_weight_decay_factor_by_learning_rate),
                 field("clipvalue", &Rule::clipvalue)));
}

template <class Rule>
Rule rule_from(const Config& config) {
  Rule rule;
  std::vector<std::string> names{"name"};
  std::apply([&](auto... one) { (names.emplace_back(one.name), ...); }, fields_of<Rule>());
  internal::check_known_entries(Rule::kind, config, names);
  const auto read = [&](auto one) {
    const Config* value = config.find(one.name);
    if (value == nullptr) return;
    const std::string place = internal::field_place(Rule::kind, one.name);
    const ErrorScope scope(place, ErrorScope::current_location());
    from_config(*value, rule.*one.member);
  };
  std::apply([&](auto... one) { (read(one), ...); }, fields_of<Rule>());
  return rule;
}

template <class... Rules>
bool read_rule(const std::string& name, const Config& config, std::variant<Rules...>& rule) {
  bool found = false;
  const auto read_if = [&](auto kind) {
    using Rule = decltype(kind);
    if (found || name != Rule::kind) return;
    rule = rule_from<Rule>(config);
    found = true;
  };
  (read_if(Rules{}), ...);
  return found;
}

}  // namespace

Config to_config(const EmbeddingOptimizer& rule) {
  return std::visit(
      [](const auto& own) {
        using Rule = std::decay_t<decltype(own)>;
        Config result;
        result.set("name", Rule::kind);
        std::apply([&](auto... one) { (result.set(one.name, to_config(own.*one.member)), ...); },
                   fields_of<Rule>());
        return result;
      },
      rule);
}

void from_config(const Config& config, EmbeddingOptimizer& rule) {
  const std::string& name = config["name"].text_value();
  if (read_rule(name, config, rule)) return;
  raise<InvalidArgument>({.what = str("a table's optimizer '", name, "'"),
                          .wanted = "SGD, Adagrad, AdagradMomentum, FTRL or Adam"});
}

namespace {

Config table_values_of(const TableConfig& table) {
  Config values;
  values.set("name", table.name);
  values.set("vocabulary_size", table.vocabulary_size.get());
  values.set("dim", table.dim.get());
  values.set("initializer", to_config(table.initializer));
  values.set("optimizer", table.optimizer ? to_config(*table.optimizer) : Config());
  values.set("combiner", to_config(table.combiner));
  return values;
}

TableConfig table_from(const Config& values) {
  internal::check_known_entries(
      "TableConfig", values,
      {"name", "vocabulary_size", "dim", "initializer", "optimizer", "combiner"});
  TableConfig table{.vocabulary_size = values["vocabulary_size"].integer(),
                    .dim = values["dim"].integer()};
  from_config(values["name"], table.name);
  from_config(values["initializer"], table.initializer);
  if (const Config& rule = values["optimizer"]; !rule.is_null())
    from_config(rule, table.optimizer.emplace());
  from_config(values["combiner"], table.combiner);
  return table;
}

std::vector<TableConfig> tables_from(const Config& config) {
  std::vector<TableConfig> tables;
  for (const Config& values : config["tables"].list()) tables.push_back(table_from(values));
  return tables;
}

const TableConfig& table_at(const std::vector<TableConfig>& tables, const Config& feature) {
  const int64_t place = feature["table"].integer();
  if (place >= 0 && place < static_cast<int64_t>(tables.size()))
    return tables[static_cast<size_t>(place)];
  raise<InvalidArgument>(
      {.what = str("a feature looks up table ", place), .wanted = str("one of ", tables.size())});
}

FeatureConfig feature_from(const Config& values, const std::vector<TableConfig>& tables) {
  internal::check_known_entries(
      "FeatureConfig", values,
      {"name", "table", "max_sequence_length", "validate_weights_and_indices", "ragged"});
  FeatureConfig feature{.table = table_at(tables, values)};
  from_config(values["name"], feature.name);
  from_config(values["max_sequence_length"], feature.max_sequence_length);
  from_config(values["validate_weights_and_indices"], feature.validate_weights_and_indices);
  from_config(values["ragged"], feature.ragged);
  return feature;
}

}  // namespace

Config to_config(const std::vector<FeatureConfig>& features) {
  const Tables all = tables_of(features, {});
  Config::List tables, list;
  for (const TableConfig& table : all.tables) tables.push_back(table_values_of(table));
  for (size_t i = 0; i < all.features.size(); ++i) {
    const FeatureConfig& feature = all.features[i];
    Config values;
    values.set("name", feature.name);
    values.set("table", all.table_of[i]);
    values.set("max_sequence_length", feature.max_sequence_length);
    values.set("validate_weights_and_indices", feature.validate_weights_and_indices);
    values.set("ragged", feature.ragged);
    list.push_back(std::move(values));
  }
  Config result;
  result.set("tables", std::move(tables));
  result.set("features", std::move(list));
  return result;
}

void from_config(const Config& config, std::vector<FeatureConfig>& features) {
  features.clear();
  const std::vector<TableConfig> tables = tables_from(config);
  for (const Config& values : config["features"].list())
    features.push_back(feature_from(values, tables));
}

}  // namespace tpu::experimental::embedding

namespace keras_rs::layers {

// Through the same tables: only the names differ.
Config to_config(const std::vector<FeatureConfig>& features) {
  return to_config(internal::with_tables(features, {}));
}

void from_config(const Config& config, std::vector<FeatureConfig>& features) {
  std::vector<tpu::experimental::embedding::FeatureConfig> read;
  from_config(config, read);
  features.clear();
  for (const auto& one : read) {
    const tpu::experimental::embedding::TableConfig& table = one.table;
    features.push_back({.name = one.name,
                        .table = TableConfig{.name = table.name,
                                             .vocabulary_size = table.vocabulary_size.get(),
                                             .embedding_dim = table.dim.get(),
                                             .initializer = table.initializer,
                                             .optimizer = table.optimizer,
                                             .combiner = table.combiner}});
  }
}

}  // namespace keras_rs::layers
}  // namespace systolic::inline v0
