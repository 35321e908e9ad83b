#include "systolic/datasets/tables/json_columns.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/datasets/tables/exact_integer.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Kind = JsonField::Kind;

// One step from a record to the values of a column: into a member, or into each item of a list.
struct Step {
  bool is_list = true;
  std::string member = {};
};

struct Leaf {
  std::string name;
  std::vector<Step> steps;
  std::vector<std::string> lists;  // the names of those on the way
  Kind kind = Kind::unknown;
  bool has_null = false;
  size_t told = 1;  // how many of them have their row splits by a column before, or need none
};

void add_leaves(const JsonField& field, Leaf way, std::vector<Leaf>& leaves) {
  if (field.kind == Kind::list) {
    way.steps.push_back({});
    way.lists.push_back(way.name);
    return add_leaves(*field.item, std::move(way), leaves);
  }
  if (field.kind != Kind::object) {
    way.kind = field.kind;
    way.has_null = field.has_null;
    leaves.push_back(std::move(way));
    return;
  }
  for (const JsonField& member : field.members) {
    Leaf inner = way;
    if (&member != &field.members.front()) inner.told = std::max<size_t>(way.lists.size(), 1);
    inner.name += inner.name.empty() ? member.name : "." + member.name;
    inner.steps.push_back({.is_list = false, .member = member.name});
    add_leaves(member, std::move(inner), leaves);
  }
}

// The values of one row, and for each list within a list where its rows begin.
struct Row {
  std::vector<const Json*> values;  // null: none is there
  std::vector<std::vector<int64_t>> splits;
};

class Gatherer {
 public:
  explicit Gatherer(const Leaf& leaf) : leaf_(leaf) {
    row_.splits.assign(leaf.lists.empty() ? 0 : leaf.lists.size() - 1, {0});
  }
  Row gather(const Json& record) {
    walk(&record, 0, 0);
    return std::move(row_);
  }

 private:
  void walk(const Json* value, size_t step, size_t list) {
    if (step == leaf_.steps.size()) {
      row_.values.push_back(value != nullptr && value->is_null() ? nullptr : value);
      return;
    }
    const Step& next = leaf_.steps[step];
    if (!next.is_list) {
      const bool has = value != nullptr && value->is_object() && value->contains(next.member);
      return walk(has ? &(*value)[next.member] : nullptr, step + 1, list);
    }
    if (value != nullptr && value->is_array()) {
      for (const Json& item : *value) walk(&item, step + 1, list + 1);
    }
    if (list > 0) row_.splits[list - 1].push_back(ends_of(list));
  }
  // How many rows the next inner list has by now, or values.
  int64_t ends_of(size_t list) const {
    return list < row_.splits.size() ? static_cast<int64_t>(row_.splits[list].size()) - 1
                                     : static_cast<int64_t>(row_.values.size());
  }

  const Leaf& leaf_;
  Row row_;
};

double number_of(const Json* value) {
  if (value == nullptr) return std::nan("");
  return value->is_boolean() ? (value->get<bool>() ? 1 : 0) : value->get<double>();
}

int64_t integer_of(const Json* value) {
  if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
  return value->get<int64_t>();
}

Literal array_of(const std::vector<const Json*>& values, Kind kind, const Shape& shape) {
  if (kind == Kind::text) {
    std::vector<std::string_view> texts;
    for (const Json* value : values)
      texts.push_back(value == nullptr ? std::string_view()
                                       : std::string_view(*value->get_ptr<const std::string*>()));
    return Literal::strings(texts, shape);
  }
  if (kind == Kind::integer) {
    std::vector<int64_t> numbers;
    for (const Json* value : values) numbers.push_back(integer_of(value));
    return Literal::from(numbers, shape);
  }
  std::vector<double> numbers;
  for (const Json* value : values) numbers.push_back(number_of(value));
  return Literal::from(numbers, shape);
}

// No integer says "nothing", but a floating-point number does.
Kind stored_kind(const Leaf& leaf, const std::vector<Row>& rows, const JsonPlace& end) {
  if (!leaf.has_null || leaf.kind != Kind::integer) return leaf.kind;
  for (const Row& row : rows) {
    for (const Json* value : row.values) {
      if (value == nullptr || is_exact_in_double(integer_of(value))) continue;
      end.damaged(str("'", leaf.name, "' holds null and ", integer_of(value)),
                  "integers that double precision holds, where some are null");
    }
  }
  return Kind::number;
}

void add_columns(const Leaf& leaf, const std::vector<Json>& records, const JsonPlace& end,
                 std::vector<std::pair<std::string, Column>>& columns) {
  std::vector<Row> rows;
  for (const Json& record : records) rows.push_back(Gatherer(leaf).gather(record));
  const size_t untold = leaf.lists.size() - std::min(leaf.told, leaf.lists.size());
  for (size_t i = 0; i < untold; ++i) {
    const size_t list = leaf.told + i;
    std::vector<Literal> places;
    for (const Row& row : rows) {
      const std::vector<int64_t>& splits = row.splits[list - 1];
      places.push_back(Literal::from(splits, {std::ssize(splits)}));
    }
    const std::string ending = untold == 1 ? "_row_splits" : str("_row_splits_", i);
    columns.emplace_back(leaf.lists[list] + ending, Column(std::move(places)));
  }
  const Kind kind = stored_kind(leaf, rows, end);
  std::vector<Literal> values;
  for (const Row& row : rows) {
    const Shape shape = leaf.lists.empty() ? Shape{} : Shape{std::ssize(row.values)};
    values.push_back(array_of(row.values, kind, shape));
  }
  columns.emplace_back(leaf.name, Column(std::move(values)));
}

}  // namespace

std::vector<std::pair<std::string, Column>> json_columns(const JsonField& record,
                                                         const std::vector<Json>& records,
                                                         const JsonPlace& end) {
  std::vector<Leaf> leaves;
  add_leaves(record, {}, leaves);
  std::unordered_set<std::string> names;
  for (const Leaf& leaf : leaves) {
    if (!names.insert(leaf.name).second)
      end.damaged(str("the name '", excerpt(leaf.name, 100), "' twice"));
  }
  if (leaves.empty()) end.damaged("records without values", "objects that hold something");
  std::vector<std::pair<std::string, Column>> columns;
  for (const Leaf& leaf : leaves) add_columns(leaf, records, end, columns);
  return columns;
}

}  // namespace datasets
}  // namespace systolic::inline v0
