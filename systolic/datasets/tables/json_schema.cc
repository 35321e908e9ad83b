#include "systolic/datasets/tables/json_schema.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/tables/json_bounds.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Kind = JsonField::Kind;

// For names that are made of others, each of which stands in a line once.
constexpr size_t most_name_bytes = 1024;

Kind kind_of(const Json& value, const std::string& name, const JsonPlace& place) {
  if (value.is_array()) return Kind::list;
  if (value.is_object()) return Kind::object;
  if (value.is_string()) return Kind::text;
  if (value.is_boolean() || value.is_number_integer()) {
    const bool large = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
    if (large) place.damaged(str("'", name, "' is beyond int64"));
    return Kind::integer;
  }
  return value.is_number() ? Kind::number : Kind::unknown;
}

bool is_number(Kind kind) { return kind == Kind::integer || kind == Kind::number; }

std::string described(Kind kind) {
  return kind == Kind::text     ? "texts"
         : kind == Kind::list   ? "lists"
         : kind == Kind::object ? "objects"
                                : "numbers";
}

Kind joined(Kind first, Kind second, const std::string& name, const JsonPlace& place) {
  if (first == second || second == Kind::unknown) return first;
  if (first == Kind::unknown) return second;
  if (is_number(first) && is_number(second)) return Kind::number;
  const auto [low, high] = std::minmax(first, second);
  place.damaged(str("'", name, "' holds ", described(low), " and ", described(high)),
                "one of them");
}

// The field of a member: usually all objects have one order.
JsonField& member_of(JsonField& object, const std::string& name, size_t& next,
                     const JsonPlace& place) {
  std::vector<JsonField>& members = object.members;
  if (next < members.size() && members[next].name == name) return members[next++];
  const auto found = std::ranges::find(members, name, &JsonField::name);
  if (found != members.end()) {
    next = static_cast<size_t>(found - members.begin()) + 1;
    return *found;
  }
  if (members.size() == most_json_members)
    place.damaged(str("more than ", most_json_members, " names"));
  members.push_back({.name = name});
  next = members.size();
  return members.back();
}

void note_members(JsonField& field, const Json& value, const std::string& name,
                  const JsonPlace& place) {
  ++field.objects;
  size_t next = 0;
  for (const auto& [key, member] : value.items()) {
    const std::string path = name.empty() ? key : str(name, ".", key);
    JsonField& inner = member_of(field, key, next, place);
    ++inner.values;
    note_value(inner, member, path, place);
  }
}

}  // namespace

void JsonPlace::damaged(const std::string& what, const std::string& wanted) const {
  raise<DataLoss>(
      {.what = str("'", path_, "', ", unit_, " ", number_, ": ", what), .wanted = wanted});
}

void note_value(JsonField& field, const Json& value, const std::string& name,
                const JsonPlace& place) {
  field.has_null = field.has_null || value.is_null();
  field.kind = joined(field.kind, kind_of(value, name, place), name, place);
  if (value.is_object()) return note_members(field, value, name, place);
  if (name.size() > most_name_bytes)
    place.damaged(str("a name of ", name.size(), " bytes"), str("at most ", most_name_bytes));
  if (!value.is_array()) return;
  if (!field.item) field.item = std::make_unique<JsonField>();
  for (const Json& item : value) note_value(*field.item, item, name, place);
}

void note_missing(JsonField& field) {
  if (field.item) note_missing(*field.item);
  for (JsonField& member : field.members) {
    // Also where the object itself is null.
    member.has_null = member.has_null || member.values < field.objects || field.has_null;
    note_missing(member);
  }
}

}  // namespace datasets
}  // namespace systolic::inline v0
