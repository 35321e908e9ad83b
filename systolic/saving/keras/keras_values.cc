#include "systolic/saving/keras/keras_values.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr std::string_view initializers = "keras.initializers", regularizers = "keras.regularizers",
                           constraints = "keras.constraints";

// An entry's text, or "" where there is none.
std::string text_in(const Config& map, std::string_view entry) {
  const Config* value = map.find(entry);
  return value != nullptr && value->is_text() ? value->text_value() : std::string();
}

[[noreturn]] void raise_code(const std::string& class_name) {
  raise<Unimplemented>({.what = str("the file holds code ('", class_name, "'), which is not run"),
                        .hint = "load the weights into a model that is built in C++"});
}

Config without_nulls(const Config& values, const LayerReader& layer) {
  Config result{Config::Map{}};
  for (const auto& [name, value] : values.map()) {
    if (!value.is_null()) result.set(name, from_keras_value(value, layer));
  }
  return result;
}

Config from_orthogonal(const Config& values) {
  const bool rows = values["mode"] == Config("rows");
  Config result{Config::Map{}};
  result.set(rows ? "orthogonal_rows" : "orthogonal_columns", values["factor"]);
  return result;
}

Config from_regularizer(const Config& object) {
  if (text_in(object, "class_name") == "OrthogonalRegularizer")
    return from_orthogonal(object["config"]);
  Config result{Config::Map{}};
  for (const auto& [name, value] : object["config"].map()) {
    if (name != "l1" && name != "l2") {
      raise<Unimplemented>({.what = str("the regularizer ", object["class_name"].text())});
    }
    result.set(name, value);
  }
  return result;
}

Config from_object(const Config& object, const LayerReader& layer) {
  const std::string class_name = text_in(object, "class_name"), module = text_in(object, "module");
  if (class_name == "__lambda__" || class_name == "Lambda") raise_code(class_name);
  if (class_name == "DTypePolicy") return dtype_policy_name(object);
  if (class_name == "__tuple__") {
    Config::List items;
    for (const Config& item : object["config"].list())
      items.push_back(from_keras_value(item, layer));
    return items;
  }
  if (class_name == "function") return object["config"];  // an activation's name
  if (module == regularizers) return from_regularizer(object);
  if (module == initializers || module == constraints) {
    Config result;
    result.set("class_name", class_name);
    result.set("config", without_nulls(object["config"], layer));
    return result;
  }
  return layer(object);
}

}  // namespace

Config keras_object(std::string_view module, std::string_view class_name, Config config) {
  if (config.is_null()) config = Config::Map{};
  Config object;
  object.set("module", module);
  object.set("class_name", class_name);
  object.set("config", std::move(config));
  object.set("registered_name", {});
  return object;
}

namespace {

Config regularizer_to_keras(const Config& value) {
  for (const char* mode : {"rows", "columns"}) {
    const Config* factor = value.find(str("orthogonal_", mode));
    if (factor == nullptr) continue;
    const bool alone =
        value.map().size() == 3 && value["l1"].number() == 0 && value["l2"].number() == 0;
    if (!alone) raise<Unimplemented>({.what = "an orthogonal regularizer beside another in one"});
    Config values;
    values.set("factor", *factor);
    values.set("mode", mode);
    return keras_object(regularizers, "OrthogonalRegularizer", std::move(values));
  }
  return keras_object(regularizers, "L1L2", value);
}

// One axis is a number there.
Config constraint_to_keras(const Config& value) {
  Config values{Config::Map{}};
  for (const auto& [name, entry] : value["config"].map()) {
    const bool one_axis = name == "axis" && entry.is_list() && entry.list().size() == 1;
    values.set(name, one_axis ? entry.list().front() : entry);
  }
  return keras_object(constraints, value["class_name"].text_value(), std::move(values));
}

}  // namespace

Config to_keras_value(std::string_view field, const Config& value, const LayerWriter& layer) {
  if (value.is_list()) {
    Config::List items;
    for (const Config& item : value.list()) items.push_back(to_keras_value(field, item, layer));
    return items.empty() ? Config() : Config(std::move(items));
  }
  if (field == "output_shape" && value == Config(-1)) return {};  // a size that is not known
  if (!value.is_map()) return value;
  if (field.ends_with("initializer"))
    return keras_object(initializers, value["class_name"].text_value(), value["config"]);
  if (field.ends_with("regularizer")) return regularizer_to_keras(value);
  if (field.ends_with("constraint")) return constraint_to_keras(value);
  if (value.find("class_name") == nullptr) return value;  // of a layer that Keras does not have
  return layer(value);
}

Config from_keras_value(const Config& value, const LayerReader& layer) {
  if (value.is_list()) {
    Config::List items;
    // Null among sizes is one that is not known.
    for (const Config& item : value.list())
      items.push_back(item.is_null() ? Config(-1) : from_keras_value(item, layer));
    return items;
  }
  if (value.is_map() && value.find("class_name") != nullptr) return from_object(value, layer);
  return value;
}

std::string dtype_policy_name(const Config& value) {
  return value.is_text() ? value.text_value() : value["config"]["name"].text_value();
}

}  // namespace saving
}  // namespace systolic::inline v0
