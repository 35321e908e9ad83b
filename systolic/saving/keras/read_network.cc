#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/graph_spec.h"
#include "systolic/nn/network/layer_kinds.h"
#include "systolic/saving/keras/implicit_masks.h"
#include "systolic/saving/keras/keras_values.h"
#include "systolic/saving/keras/network_config.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr size_t most_layers = 10'000;  // in one network; no model comes near
constexpr int deepest = 50;             // networks in each other

// Entries of any layer that say nothing at these values (JSON), where the layer has no such field.
const KerasForm::Names& silent_entries() {
  static const KerasForm::Names entries{{"trainable", "*"},   {"data_format", "\"channels_last\""},
                                        {"groups", "1"},      {"sparse", "false"},
                                        {"ragged", "false"},  {"optional", "false"},
                                        {"autocast", "true"}, {"synchronized", "false"},
                                        {"invert", "false"},  {"build_config", "*"}};
  return entries;
}

bool says_nothing(const std::string& entry, const Config& value, const KerasForm& form) {
  for (const KerasForm::Names* names : {&form.silent, &silent_entries()}) {
    for (const auto& [name, silent] : *names) {
      if (name == entry && (silent == "*" || silent == value.text())) return true;
    }
  }
  return false;
}

[[noreturn]] void raise_broken(const std::string& what) {
  raise<InvalidArgument>({.what = str("the configuration of a network is damaged: ", what)});
}

// What layers that look up or hash are said to compute in; here it is not a policy.
bool is_of_integers(const std::string& policy) {
  return policy.starts_with("int") || policy.starts_with("uint") || policy == "string";
}

bool is_network(const Config& layer) {
  const std::string& kind = layer["class_name"].text_value();
  return kind == "Sequential" || kind == "Functional" || kind == "Model";
}

// A layer that is not a network, as this library's configurations have it.
Config layer_from_keras(const Config& object) {
  const std::string& kind = object["class_name"].text_value();
  if (kind == "Lambda") from_keras_value(object, nullptr);  // refused there
  const LayerKind known = layer_kind(kind);
  Config values;
  for (const auto& [entry, value] : object["config"].map()) {
    std::string field = entry;
    for (const auto& [ours, keras] : known.keras.renamed) {
      if (keras == entry) field = ours;
    }
    const bool has_field =
        std::find(known.fields.begin(), known.fields.end(), field) != known.fields.end();
    if (value.is_null() || (!has_field && says_nothing(entry, value, known.keras))) continue;
    if (field == "dtype" && is_of_integers(dtype_policy_name(value))) continue;
    values.set(field, field == "dtype" ? Config(dtype_policy_name(value))
                                       : from_keras_value(value, layer_from_keras));
  }
  Config result;
  result.set("class_name", kind);
  result.set("config", values.is_null() ? Config(Config::Map{}) : std::move(values));
  return result;
}

std::string name_of(const Config& layer) {
  const Config* name = layer.find("name");
  if (name == nullptr) name = layer["config"].find("name");
  if (name == nullptr || !name->is_text() || name->text_value().empty())
    raise_broken("a layer without a name");
  return name->text_value();
}

// The shape of one example, and the size of the batch where it is fixed.
Symbol input_from(const Config& layer, const std::string& name) {
  const Config& values = layer["config"];
  const Config* shape = values.find("batch_shape");
  if (shape == nullptr) shape = &values["batch_input_shape"];
  const Config::List& sizes = shape->list();
  if (sizes.empty()) raise_broken("an input without a batch axis");
  std::vector<int64_t> example;
  for (size_t i = 1; i < sizes.size(); ++i)
    example.push_back(sizes[i].is_null() ? -1 : sizes[i].integer());
  InputOptions options{.shape = Shape(example), .name = name};
  if (!sizes.front().is_null()) options.batch_size = sizes.front().integer();
  if (const Config* dtype = values.find("dtype")) {
    if (!dtype->is_null()) options.dtype = parse_dtype(dtype_policy_name(*dtype));
  }
  return input(std::move(options));
}

class NetworkReader {
 public:
  explicit NetworkReader(int depth) : depth_(depth) {
    if (depth > deepest) raise_broken(str("more than ", deepest, " networks in each other"));
  }

  Network network(const Config& object) {
    const Config& values = object["config"];
    const Config::List& layers = values["layers"].list();
    if (layers.size() > most_layers) {
      raise_broken(str(layers.size(), " layers in one network (at most ", most_layers, ")"));
    }
    NetworkOptions options;
    if (const Config* name = values.find("name"); name != nullptr && !name->is_null())
      options.name = name->text_value();
    Network made = object["class_name"].text_value() == "Sequential"
                       ? chain(values, layers, std::move(options))
                       : graph(values, layers, std::move(options));
    freeze(object, Layer(made.state()));
    return made;
  }

 private:
  Layer layer(const Config& object) {
    const std::string name = name_of(object);
    if (name.find('/') != std::string::npos) raise_broken(str("a layer named '", name, "'"));
    const ErrorScope scope(name, ErrorScope::current_location());
    if (is_network(object)) return Layer(NetworkReader(depth_ + 1).network(object).state());
    Config ours = layer_from_keras(object);
    Layer made = layer_from_config(ours, ErrorScope::current_location());
    freeze(object, made);
    return made;
  }
  static void freeze(const Config& object, const Layer& layer) {
    const Config* trainable = object["config"].find("trainable");
    if (trainable != nullptr && trainable->is_boolean() && !trainable->boolean())
      layer.set_trainable(false);
  }

  Network chain(const Config& values, const Config::List& entries, NetworkOptions options) {
    std::vector<Layer> layers;
    std::map<std::string, bool> names;
    for (const Config& entry : entries) {
      const std::string name = name_of(entry);
      if (!names.emplace(name, true).second) raise_broken(str("two layers named '", name, "'"));
      if (entry["class_name"].text_value() == "InputLayer") {
        if (!layers.empty()) raise_broken("an input after a layer");
        layers.push_back(input_spec(input_from(entry, name), name));
      } else {
        layers.push_back(layer(entry));
      }
    }
    const Config* shape = values.find("build_input_shape");
    const bool has_input =
        !entries.empty() && entries.front()["class_name"] == Config("InputLayer");
    if (!has_input && shape != nullptr && shape->is_list()) {
      Config input_values, entry;
      input_values.set("batch_shape", *shape);
      entry.set("config", std::move(input_values));
      layers.insert(layers.begin(), input_spec(input_from(entry, "input_layer"), "input_layer"));
    }
    return Network(layers, std::move(options));
  }
  static Layer input_spec(const Symbol& symbol, const std::string& name) {
    std::vector<int64_t> example(symbol.shape().begin() + 1, symbol.shape().end());
    Input spec{.shape = Shape(example), .dtype = symbol.dtype(), .name = name};
    if (symbol.shape()[0] >= 0) spec.batch_size = symbol.shape()[0];
    return spec;
  }

  struct Made {
    const Config* entry = nullptr;
    std::optional<Layer> layer;                // none: an input
    std::vector<std::vector<Symbol>> results;  // of the calls that were made
  };
  struct Call {
    Made* of = nullptr;
    const Config* arguments = nullptr;
  };

  Network graph(const Config& values, const Config::List& entries, NetworkOptions options) {
    const ImplicitMasks masks(entries, values["output_layers"]);
    masks_ = &masks;
    std::deque<Call> waiting;
    for (const Config& entry : entries) {
      if (!masks.only_makes_masks(entry)) add(entry, waiting);
    }
    // Each round makes those whose inputs are there; a round that makes none has found a cycle, or
    // names what there is not.
    for (size_t failed = 0; !waiting.empty();) {
      const Call call = waiting.front();
      waiting.pop_front();
      if (make(call)) {
        failed = 0;
        continue;
      }
      waiting.push_back(call);
      if (++failed > waiting.size() || ++postponed_ > 100 * entries.size()) {
        raise_broken(str("the inputs of layer '", name_of(*call.of->entry), "' are nowhere made"));
      }
    }
    Network made(ports(values["input_layers"]), ports(values["output_layers"]), std::move(options));
    std::vector<std::string>& names = static_cast<GraphSpec&>(*made.state()->spec).listed_names;
    for (const Config& entry : entries) names.push_back(name_of(entry));
    return made;
  }

  void add(const Config& entry, std::deque<Call>& waiting) {
    const std::string name = name_of(entry);
    Made& made = made_[name];
    if (made.entry != nullptr) raise_broken(str("two layers named '", name, "'"));
    made.entry = &entry;
    if (entry["class_name"].text_value() == "InputLayer") {
      made.results.push_back({input_from(entry, name)});
      return;
    }
    made.layer = layer(entry);
    for (const Config& call : entry["inbound_nodes"].list()) waiting.push_back({&made, &call});
  }

  // Where the network's own inputs and outputs are said, calls of a functional model inside are
  // counted from 1, elsewhere from 0.
  static int first_call(const Made& made, bool of_network) {
    return of_network && made.layer && made.layer->kind() == "Functional" ? 1 : 0;
  }
  // Null where the call that makes it was not made yet.
  const Symbol* symbol_of(const Config::List& history, bool of_network) const {
    if (history.size() < 3) raise_broken("a tensor that says no layer, call and output");
    const auto found = made_.find(history[0].text_value());
    if (found == made_.end()) raise_broken(str("no layer '", history[0].text_value(), "'"));
    const int64_t call = history[1].integer() - first_call(found->second, of_network);
    if (call < 0) raise_broken("a call before the first");
    if (static_cast<size_t>(call) >= found->second.results.size()) return nullptr;
    const auto& outputs = found->second.results[static_cast<size_t>(call)];
    const int64_t output = history[2].integer();
    if (output < 0 || static_cast<size_t>(output) >= outputs.size())
      raise_broken(
          str("output ", output, " of layer '", found->first, "', which has ", outputs.size()));
    return &outputs[static_cast<size_t>(output)];
  }

  // The arrays among the arguments, in order; false where one is not there yet. Other arguments
  // must say nothing, or what the layer's fields say.
  bool collect(const Config& value, const std::string& argument,
               std::vector<Symbol>& arrays) const {
    if (value.is_list()) {
      for (const Config& item : value.list()) {
        if (!collect(item, argument, arrays)) return false;
      }
      return true;
    }
    if (value.is_map()) {
      const std::string kind = value["class_name"].text_value();
      if (kind == "__tuple__") return collect(value["config"], argument, arrays);
      if (kind != "__keras_tensor__")
        raise_broken(str("an argument ", argument, " that is ", kind));
      const Symbol* symbol = symbol_of(value["config"]["keras_history"].list(), false);
      if (symbol != nullptr) arrays.push_back(*symbol);
      return symbol != nullptr;
    }
    const bool silent = value.is_null() || argument == "training" || value == Config(false);
    if (!silent) {
      raise<Unimplemented>({.what = str("a layer called with ", argument, " = ", value.text())});
    }
    return true;
  }

  bool make(const Call& call) {
    std::vector<Symbol> arrays;
    const std::string name = name_of(*call.of->entry);
    const ErrorScope scope(name, ErrorScope::current_location());
    const Config& arguments = *call.arguments;
    if (!collect(arguments["args"], "of a position", arrays)) return false;
    const KerasForm form = form_of(*call.of->layer);
    for (const auto& [argument, value] : arguments["kwargs"].map()) {
      if (std::count(form.call_fields.begin(), form.call_fields.end(), argument) > 0) {
        const Config stands = call.of->layer->get_config()["config"][argument];
        if (!(stands == value)) refit(*call.of, argument, value);
        continue;
      }
      if (argument == "mask") {
        masks_->check(value);
        continue;
      }
      if (!collect(value, argument, arrays)) return false;
    }
    call.of->results.push_back(call.of->layer->outputs(arrays));
    return true;
  }
  static KerasForm form_of(const Layer& layer) {
    const std::string kind = layer.kind();
    return is_layer_kind(kind) ? layer_kind(kind).keras : KerasForm{};
  }
  // What Keras gives in the call is a field here, of a layer that was not called yet.
  static void refit(Made& made, const std::string& field, const Config& value) {
    if (!made.results.empty()) {
      raise<Unimplemented>({.what = str("calls of one layer with different ", field)});
    }
    Config ours = made.layer->get_config(), values;
    for (const auto& [name, old] : ours["config"].map()) {
      const bool keeps_default = old.is_null() || (name == "dtype" && old == Config(""));
      if (name != field && !keeps_default) values.set(name, old);
    }
    values.set(field, value);
    Config changed;
    changed.set("class_name", ours["class_name"]);
    changed.set("config", std::move(values));
    const bool trainable = made.layer->trainable();
    made.layer = layer_from_config(changed, ErrorScope::current_location());
    made.layer->set_trainable(trainable);
  }

  // One place, or a list of them, or a map.
  std::vector<Symbol> ports(const Config& value) const {
    std::vector<Symbol> symbols;
    if (value.is_map()) {
      for (const auto& entry : value.map()) {
        for (const Symbol& symbol : ports(entry.second)) symbols.push_back(symbol);
      }
    } else if (!value.list().empty() && value.list().front().is_text()) {
      const Symbol* symbol = symbol_of(value.list(), true);
      if (symbol == nullptr) raise_broken("an input or output that no layer makes");
      symbols.push_back(*symbol);
    } else {
      for (const Config& item : value.list()) {
        for (const Symbol& symbol : ports(item)) symbols.push_back(symbol);
      }
    }
    return symbols;
  }

  int depth_;
  size_t postponed_ = 0;
  std::map<std::string, Made> made_;
  const ImplicitMasks* masks_ = nullptr;  // of the graph that is read
};

}  // namespace

Network network_from_keras(const Config& config, SourceLocation location) {
  const ErrorScope scope("config.json", location);
  if (!is_network(config)) {
    raise<Unimplemented>(
        {.what = str("a model of class ", config["class_name"].text()),
         .wanted = "a Sequential or functional model",
         .hint = "a subclassed model's file does not say its layers: load its weights"});
  }
  return NetworkReader(0).network(config);
}

Config layer_config_from_keras(const Config& object) { return layer_from_keras(object); }

}  // namespace saving
}  // namespace systolic::inline v0
