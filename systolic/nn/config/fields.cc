#include "systolic/nn/config/fields.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

Config to_config(DType value) { return info(value).numpy_name; }
Config to_config(DTypePolicy value) { return value.name(); }

Config to_config(const Shape& value) {
  Config::List list;
  for (const int64_t size : value) list.push_back(size);
  return list;
}

Config to_config(Size2 value) { return Config::List{value.height, value.width}; }

void from_config(const Config& config, int64_t& value) {
  const bool one_of_a_list = config.is_list() && config.list().size() == 1;
  value = one_of_a_list ? config.list().front().integer() : config.integer();
}

void from_config(const Config& config, int& value) {
  const int64_t wide = config.integer();
  if (wide != static_cast<int>(wide)) {
    raise<InvalidArgument>(
        {.what = str("configuration holds ", wide), .wanted = "a 32-bit integer"});
  }
  value = static_cast<int>(wide);
}

void from_config(const Config& config, DType& value) { value = parse_dtype(config.text_value()); }

void from_config(const Config& config, DTypePolicy& value) {
  value = config.is_null() ? DTypePolicy() : DTypePolicy::parse(config.text_value());
}

void from_config(const Config& config, Shape& value) {
  std::vector<int64_t> sizes;
  for (const Config& size : config.list()) sizes.push_back(size.is_null() ? -1 : size.integer());
  value = Shape(sizes);
}

void from_config(const Config& config, Size2& value) {
  const Config::List& parts = pair_of(config);
  value = Size2(parts[0].integer(), parts[1].integer());
}

const Config::List& pair_of(const Config& config) {
  if (config.list().size() != 2) {
    raise<InvalidArgument>(
        {.what = str("configuration holds ", config.text()), .wanted = "a list of two"});
  }
  return config.list();
}

namespace internal {

void check_known_entries(const char* kind, const Config& values,
                         const std::vector<std::string>& fields) {
  for (const auto& entry : values.map()) {
    const std::string& name = entry.first;
    if (std::find(fields.begin(), fields.end(), name) != fields.end()) continue;
    const std::vector<std::string> closest = closest_names(name, fields);
    raise<InvalidArgument>(
        {.what = str(kind, " has no field '", name, "'"),
         .wanted = str("one of: ", join(fields, " ")),
         .hint = closest.empty() ? std::string() : str("did you mean '", closest.front(), "'")});
  }
}

std::string field_place(const char* kind, const char* field) { return str(kind, ", ", field); }

void raise_missing_entry(const char* kind, const char* field) {
  raise<InvalidArgument>({.what = str("the configuration of ", kind, " lacks '", field, "'")});
}

void raise_without_fields(const char* what, const std::string& name) {
  raise<Unimplemented>(
      {.what =
           str("the ", what, " '", name, "' is the program's own code: no text says what it is"),
       .hint = str("a file can hold a ", what,
                   " of this library; one of your own is given to compile() after loading")});
}

}  // namespace internal

}  // namespace systolic::inline v0
