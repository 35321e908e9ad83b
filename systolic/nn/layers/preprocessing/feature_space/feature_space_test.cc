// FeatureSpace against Keras's (golden/make_feature_space.py).
#include "systolic/nn/layers/preprocessing/feature_space/feature_space.h"

#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/test_golden.h"
#include "systolic/preprocessing/array_utilities.h"

namespace systolic {
namespace {

Config golden_space() { return golden_json(__FILE__, "feature_space.json"); }

// The columns of a table, by their names.
Example golden_table(const Config& json) {
  Example::Components columns;
  for (const char* name : {"age", "height", "weekday", "city"}) {
    const Config& one = json[name];
    if (const Config* texts = one.find("texts")) {
      std::vector<std::string> strings;
      from_config(*texts, strings);
      columns.emplace_back(name, Literal::strings(strings));
    } else {
      const bool is_integer = one["kind"].text_value() == "integers";
      columns.emplace_back(name, golden_doubles(one).convert(is_integer ? DType::i32 : DType::f32));
    }
  }
  return Example(std::move(columns));
}

// Rows from `begin` on; one of them without an axis of rows where `count` is 0.
Example part_of(const Example& table, int64_t begin, int64_t count) {
  Example::Components columns;
  for (size_t i = 0; i < table.size(); ++i) {
    const Literal& all = table.value(i);
    if (count == 0) {
      columns.emplace_back(table.name(i), all.row(begin));
      continue;
    }
    std::vector<std::string> texts;
    std::vector<double> numbers;
    for (int64_t row = begin; row < std::min(begin + count, all.shape()[0]); ++row) {
      if (all.dtype() == DType::string)
        texts.emplace_back(all.string_at(row));
      else
        numbers.push_back(all.number_at(row));
    }
    columns.emplace_back(
        table.name(i),
        all.dtype() == DType::string
            ? Literal::strings(texts)
            : Literal::from(numbers, {static_cast<int64_t>(numbers.size())}).convert(all.dtype()));
  }
  return Example(std::move(columns));
}

std::vector<Example> parts_of(const Example& table, int64_t count) {
  std::vector<Example> parts;
  for (int64_t begin = 0; begin < table.value(0).shape()[0]; begin += std::max<int64_t>(count, 1))
    parts.push_back(part_of(table, begin, count));
  return parts;
}

FeatureSpace space_of(const std::string& name) {
  using Space = FeatureSpace;
  if (name == "named")
    return {.features = {{"age", "float_normalized"},
                         {"height", "float"},
                         {"weekday", "integer_categorical"},
                         {"city", "string_categorical"}}};
  if (name == "discretized")
    return {.features = {{"age", Space::float_discretized({.num_bins = 4})},
                         {"height", "float_discretized"}},
            .num_discretization_bins = 6};
  if (name == "rescaled")
    return {.features = {{"height", Space::float_rescaled({.scale = 0.01, .offset = -1.0})}}};
  if (name == "hashed")
    return {.features = {{"weekday", "integer_hashed"},
                         {"city", Space::string_hashed({.num_bins = 5})}},
            .hashing_dim = 7};
  if (name == "few tokens")
    return {
        .features = {{"city", Space::string_categorical({.max_tokens = 3, .num_oov_indices = 2})},
                     {"weekday", Space::integer_categorical({.max_tokens = 4})}}};
  if (name == "crosses")
    return {.features = {{"city", "string_categorical"}, {"weekday", "integer_categorical"}},
            .crosses = {{"city", "weekday"}},
            .crossing_dim = 9};
  return {
      .features = {{"city", Space::string_categorical({.output_mode = "int"})}, {"age", "float"}}};
}

void expect_is(const Literal& got, const Config& wanted_json) {
  const Literal wanted = golden_doubles(wanted_json);
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.number_at(i), wanted.number_at(i), 2e-6 * std::abs(wanted.number_at(i)) + 2e-6);
}

const char* const names[] = {"named",      "discretized", "rescaled", "hashed",
                             "few tokens", "crosses",     "numbers"};

TEST(FeatureSpace, GivesWhatKerasGives) {
  const Config golden = golden_space();
  const Example table = golden_table(golden["table"]), fresh = golden_table(golden["new"]);
  for (const char* name : names) {
    for (const auto& [form, batch] : {std::pair("rows", 0), {"batches", 40}}) {
      SCOPED_TRACE(str(name, ", ", form));
      FeatureSpace space = space_of(name);
      space.adapt(parts_of(table, batch));
      const Config& wanted = golden["cases"][str(name, ", ", form)];
      if (name == std::string("numbers")) {
        const Example each = space.each(fresh);
        expect_is(each["city"], wanted["city"]);
        expect_is(each["age"], wanted["age"]);
        continue;
      }
      const Literal all = space(fresh);
      expect_is(all, wanted);
      EXPECT_EQ(all.shape()[1], space.size());
      // One row has no axis of rows.
      EXPECT_EQ(space(part_of(fresh, 1, 0)), all.row(1));
    }
  }
}

TEST(FeatureSpace, LearnsOfColumnsAsOfTheirRows) {
  const Example table = golden_table(golden_space()["table"]);
  for (const char* name : {"named", "discretized", "few tokens"}) {
    FeatureSpace by_rows = space_of(name), by_columns = space_of(name);
    by_rows.adapt(parts_of(table, 0));
    by_columns.adapt(table);
    EXPECT_EQ(by_rows(table), by_columns(table)) << name;
  }
}

// Keras's own FeatureSpace cannot be adapted with boundaries.
TEST(FeatureSpace, GivenBoundariesNeedNoData) {
  const FeatureSpace space{
      .features = {{"age", FeatureSpace::float_discretized({.bin_boundaries = {20.0, 40.0}})}}};
  const Literal all = space(Example{{"age", std::vector<float>{3, 20, 39, 50}}});
  EXPECT_EQ(all, to_categorical(Literal::of<int64_t>({0, 1, 1, 2}), 3));
}

TEST(FeatureSpace, CrossesHaveOptionsOfTheirOwn) {
  const FeatureSpace space{
      .features = {{"a", "integer_hashed"}, {"b", "integer_hashed"}},
      .crosses = {FeatureSpace::cross({"b", "a"}, {.crossing_dim = 4, .output_mode = "int"})}};
  const Example row{{"a", 3}, {"b", 4}};
  const Example each = space.each(row);
  EXPECT_EQ(each["b_X_a"].size(), 1);
  EXPECT_LT(each["b_X_a"].number_at(0), 4);
  EXPECT_EQ(each["a"].shape(), (Shape{32}));
  EXPECT_EQ(space.size(), 65);
  EXPECT_THROW(space(row), InvalidArgument);  // the cross is left as a number
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(FeatureSpace, SaysWhatIsWrong) {
  const Example row{{"a", 3}};
  FeatureSpace empty{.features = {{"a", "integer_categorical"}}};
  FeatureSpace wide{.features = {{"a", "float_normalized"}}};
  wide.adapt(Example{{"a", std::vector<float>{1, 2, 3}}});
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"has learnt nothing", [&] { empty(row); }},
      {"found no", [&] { empty.adapt(std::vector<Example>{}); }},
      {"'flot' is not known", [] { Feature("flot"); }},
      {"without features", [&] { FeatureSpace{}(row); }},
      {"is there 2 times",
       [&] {
         FeatureSpace{.features = {{"a", "float"}, {"a", "float"}}}(row);
       }},
      {"which is no feature",
       [&] {
         FeatureSpace{.features = {{"a", "float"}}, .crosses = {{"a", "b"}}}(row);
       }},
      {"b",
       [&] {
         FeatureSpace{.features = {{"b", "float"}}}(row);
       }},
      {"1 in each row",
       [&] {
         wide(Example{{"a", Literal::zeros(DType::f32, {2, 3})}});
       }},
      {"strings or integers",
       [&] {
         FeatureSpace{.features = {{"a", "float"}, {"b", "float"}},
                      .crosses = {{"a", "b"}}}(Example{{"a", 1.0f}, {"b", 2.0f}});
       }},
  };
  for (const auto& [wanted, call] : cases) {
    const std::string error = refusal_of(call);
    EXPECT_NE(error.find(wanted), std::string::npos) << wanted << "\n" << error;
  }
}

}  // namespace
}  // namespace systolic
