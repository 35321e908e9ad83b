#include "systolic/saving/keras/host_layers.h"

#include <map>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/config/fields.h"
#include "systolic/nn/layers/preprocessing/hashed_crossing.h"
#include "systolic/nn/layers/preprocessing/hashing.h"
#include "systolic/nn/layers/preprocessing/string_lookup.h"
#include "systolic/nn/layers/preprocessing/text_vectorization.h"
#include "systolic/saving/keras/keras_values.h"
#include "systolic/saving/keras/network_config.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

using HostCall = std::function<Literal(const std::vector<Literal>& xs)>;

template <class Spec>
HostCall call_of_one(const Config& values) {
  return [layer = spec_from<Spec>(values)](const std::vector<Literal>& xs) {
    if (xs.size() != 1) {
      raise<InvalidArgument>(
          {.what = str(Spec::kind, " called on ", xs.size(), " arrays"), .wanted = "one"});
    }
    return layer(xs.front());
  };
}

HostCall call_of_crossing(const Config& values) {
  return [layer = spec_from<HashedCrossing>(values)](const std::vector<Literal>& xs) {
    return layer(xs);
  };
}

struct HostKind {
  std::string_view kind;
  HostCall (*call_of)(const Config& values);
};
constexpr HostKind host_kinds[] = {
    {TextVectorization::kind, call_of_one<TextVectorization>},
    {StringLookup::kind, call_of_one<StringLookup>},
    {Hashing::kind, call_of_one<Hashing>},
    {HashedCrossing::kind, call_of_crossing},
};

const std::string& host_kind_of(const Config& entry) { return entry["class_name"].text_value(); }

std::string host_name_of(const Config& entry) {
  const Config* name = entry["config"].find("name");
  return name != nullptr && name->is_text() ? name->text_value() : host_kind_of(entry);
}

HostCall host_call_of(const Config& entry) {
  for (const HostKind& one : host_kinds) {
    if (one.kind == host_kind_of(entry))
      return one.call_of(layer_config_from_keras(entry)["config"]);
  }
  raise<Unimplemented>(
      {.what =
           str("layer '", host_name_of(entry), "' of kind ", host_kind_of(entry), " takes strings"),
       .wanted = "TextVectorization, StringLookup, Hashing or HashedCrossing, outside of networks "
                 "that stand in the model"});
}

Config with_replaced(const Config& map, std::string_view entry, const Config& value) {
  Config::Map result;
  for (const auto& [name, old] : map.map()) result.emplace_back(name, name == entry ? value : old);
  return Config(std::move(result));
}

bool holds_strings(const Config& tensor_values) {
  const Config* dtype = tensor_values.find("dtype");
  return dtype != nullptr && !dtype->is_null() && dtype_policy_name(*dtype) == "string";
}

// {"class_name": "InputLayer", ...} of that name, as a functional model's file has it.
Config host_input_entry(const std::string& name, const Config& shape, const Config& dtype) {
  Config values, entry;
  values.set("batch_shape", shape);
  values.set("dtype", dtype);
  values.set("name", name);
  entry.set("class_name", "InputLayer");
  entry.set("config", std::move(values));
  entry.set("name", name);
  entry.set("inbound_nodes", Config::List{});
  return entry;
}

HostInput host_input(const Config& entry) {
  return {host_name_of(entry), entry["config"]["batch_shape"].list().size()};
}

[[noreturn]] void raise_no_text() {
  raise<InvalidArgument>(
      {.what = "a model without an input of strings", .hint = "load_model loads it"});
}

// ---- Sequential

// What the layer gives for one text: its shape with a free batch, null where a text's length
// decides.
Config output_shape(const Config& entry, const Literal& result) {
  Config::List shape{Config()};
  const Config* length = entry["config"].find("output_sequence_length");
  const Config* mode = entry["config"].find("output_mode");
  const bool by_length = host_kind_of(entry) == TextVectorization::kind && mode != nullptr &&
                         *mode == Config("int") && (length == nullptr || length->is_null());
  for (int axis = 1; axis < result.rank(); ++axis) {
    const bool is_free = by_length && axis == result.rank() - 1;
    shape.push_back(is_free ? Config() : Config(result.shape()[axis]));
  }
  return shape;
}

HostSplit split_chain(const Config& network) {
  const Config::List& entries = network["config"]["layers"].list();
  if (entries.empty() || host_kind_of(entries.front()) != "InputLayer" ||
      !holds_strings(entries.front()["config"]))
    raise_no_text();
  HostSplit split;
  std::string before = host_name_of(entries.front());
  split.inputs.push_back(host_input(entries.front()));
  Literal text = Literal::strings({"a"});
  if (split.inputs.front().rank > 1) text = text.reshape({1, 1});
  size_t next = 1;
  Config shape;
  for (; next < entries.size() && text.dtype() == DType::string; ++next) {
    const Config& entry = entries[next];
    const std::string name = host_name_of(entry);
    const ErrorScope scope(name, ErrorScope::current_location());
    split.layers.push_back({name, {before}, host_call_of(entry)});
    text = split.layers.back().call({text});
    shape = output_shape(entry, text);
    before = name;
  }
  Config::List rest{host_input_entry(before, shape, to_config(text.dtype()))};
  rest.insert(rest.end(), entries.begin() + static_cast<std::ptrdiff_t>(next), entries.end());
  if (text.dtype() == DType::string || rest.size() == 1) {
    raise<Unimplemented>({.what = "a model of nothing but layers that take text",
                          .hint = "load_layer reads them one by one"});
  }
  Config values = with_replaced(network["config"], "layers", std::move(rest));
  if (values.find("build_input_shape") != nullptr)
    values = with_replaced(values, "build_input_shape", shape);
  split.device_network = with_replaced(network, "config", values);
  return split;
}

// ---- functional

class GraphSplitter {
 public:
  explicit GraphSplitter(const Config& network) : network_(network) {
    for (const Config& entry : network["config"]["layers"].list()) {
      entries_[host_name_of(entry)] = &entry;
      if (host_kind_of(entry) == "InputLayer" && holds_strings(entry["config"]))
        texts_.insert(host_name_of(entry));
    }
  }

  HostSplit split() {
    if (texts_.empty()) raise_no_text();
    find_host_layers();
    find_borders();
    HostSplit result;
    result.layers = std::move(layers_);
    result.inputs = inputs_of_file();
    result.device_network = device_network();
    return result;
  }

 private:
  static bool is_tensor(const Config& value) {
    return value.is_map() && value.find("class_name") != nullptr &&
           value["class_name"] == Config("__keras_tensor__");
  }
  // ["words", 0, 0]
  static const std::string& layer_of(const Config& place) {
    if (!place.list().empty()) return place.list().front().text_value();
    raise<InvalidArgument>({.what = "the configuration of a network is damaged: an empty place"});
  }
  static const std::string& source_of(const Config& tensor) {
    return layer_of(tensor["config"]["keras_history"]);
  }
  template <class Visit>
  static void visit_tensors(const Config& value, const Visit& visit, int depth = 0) {
    if (depth > 50) return;
    if (is_tensor(value)) return visit(value);
    if (value.is_list()) {
      for (const Config& item : value.list()) visit_tensors(item, visit, depth + 1);
    } else if (value.is_map()) {
      for (const auto& item : value.map()) visit_tensors(item.second, visit, depth + 1);
    }
  }
  static std::vector<std::string> sources_of(const Config& entry) {
    std::vector<std::string> sources;
    visit_tensors(entry["inbound_nodes"],
                  [&](const Config& tensor) { sources.push_back(source_of(tensor)); });
    return sources;
  }
  bool is_on_host(const std::string& name) const {
    return texts_.count(name) > 0 || host_.count(name) > 0;
  }
  // A layer of which an input is an array of strings.
  static bool takes_strings(const Config& entry) {
    bool found = false;
    visit_tensors(entry["inbound_nodes"],
                  [&](const Config& tensor) { found = found || holds_strings(tensor["config"]); });
    return found;
  }

  // In the file's order a layer may stand before those whose results it takes.
  void find_host_layers() {
    std::vector<const Config*> waiting;
    for (const Config& entry : network_["config"]["layers"].list()) {
      if (host_kind_of(entry) != "InputLayer" && takes_strings(entry)) waiting.push_back(&entry);
    }
    while (!waiting.empty()) {
      const size_t count = waiting.size();
      std::erase_if(waiting, [&](const Config* entry) { return add(*entry); });
      if (waiting.size() < count) continue;
      raise<Unimplemented>(
          {.what = str("layer '", host_name_of(*waiting.front()),
                       "' takes strings that no input or layer on the host gives")});
    }
  }
  bool add(const Config& entry) {
    const std::vector<std::string> sources = sources_of(entry);
    for (const std::string& source : sources) {
      const bool is_input =
          entries_.count(source) > 0 && host_kind_of(*entries_[source]) == "InputLayer";
      if (!is_on_host(source) && !is_input) return false;
    }
    const std::string name = host_name_of(entry);
    const ErrorScope scope(name, ErrorScope::current_location());
    if (entry["inbound_nodes"].list().size() != 1)
      raise<Unimplemented>({.what = "a layer that takes strings and is called several times"});
    layers_.push_back({name, sources, host_call_of(entry)});
    samples_[name] = layers_.back().call(samples_of(sources));
    host_.insert(name);
    return true;
  }

  // One row for each of a layer's inputs, to see what it gives: the shapes that the file has for
  // encoded texts are not those that Keras computes.
  std::vector<Literal> samples_of(const std::vector<std::string>& sources) {
    std::vector<Literal> samples;
    for (const std::string& source : sources) {
      const auto made = samples_.find(source);
      const bool is_text = texts_.count(source) > 0;
      const size_t rank = made == samples_.end() ? host_input(*entries_[source]).rank : 1;
      const Literal one = is_text ? Literal::strings({"a"}) : Literal::zeros(DType::i64, {1});
      samples.push_back(made != samples_.end() ? made->second
                                               : one.reshape(Shape(std::vector<int64_t>(rank, 1))));
    }
    return samples;
  }

  // Arrays that the device takes from the host become inputs.
  void find_borders() {
    for (const auto& [name, entry] : entries_) {
      if (is_on_host(name)) continue;
      visit_tensors((*entry)["inbound_nodes"], [&](const Config& tensor) {
        const std::string& source = source_of(tensor);
        if (host_.count(source) == 0) return;
        const Literal& sample = samples_.at(source);
        borders_.emplace(source, host_input_entry(source, output_shape(*entries_[source], sample),
                                                  to_config(sample.dtype())));
      });
    }
  }

  // [["words", 0, 0], ...] of one place, of a list, or of a map.
  static Config::List places_of(const Config& value) {
    if (value.is_list())
      return !value.list().empty() && value.list().front().is_text() ? Config::List{value}
                                                                     : value.list();
    Config::List places;
    for (const auto& place : value.map()) places.push_back(place.second);
    return places;
  }
  std::vector<HostInput> inputs_of_file() const {
    std::vector<HostInput> inputs;
    for (const Config& place : places_of(network_["config"]["input_layers"])) {
      const auto found = entries_.find(layer_of(place));
      if (found != entries_.end()) inputs.push_back(host_input(*found->second));
    }
    return inputs;
  }
  Config device_network() const {
    Config::List layers, inputs;
    for (const auto& [name, entry] : borders_) {
      layers.push_back(entry);
      inputs.push_back(Config::List{name, 0, 0});
    }
    for (const Config& entry : network_["config"]["layers"].list()) {
      if (!is_on_host(host_name_of(entry))) layers.push_back(entry);
    }
    for (const Config& place : places_of(network_["config"]["input_layers"])) {
      if (texts_.count(layer_of(place)) == 0) inputs.push_back(place);
    }
    for (const Config& place : places_of(network_["config"]["output_layers"])) {
      if (!is_on_host(layer_of(place))) continue;
      raise<Unimplemented>(
          {.what = str("layer '", layer_of(place), "' on the host is an output of the model"),
           .hint = "load_layer reads it by itself"});
    }
    Config values = with_replaced(network_["config"], "layers", std::move(layers));
    values = with_replaced(values, "input_layers", std::move(inputs));
    return with_replaced(network_, "config", values);
  }

  const Config& network_;
  std::map<std::string, const Config*> entries_;
  std::set<std::string> texts_, host_;  // inputs of strings, and layers that run on the host
  std::vector<HostLayer> layers_;
  std::map<std::string, Literal> samples_;  // what they give for a row
  std::map<std::string, Config> borders_;
};

}  // namespace

HostSplit split_host_layers(const Config& network) {
  return host_kind_of(network) == "Sequential" ? split_chain(network)
                                               : GraphSplitter(network).split();
}

}  // namespace saving
}  // namespace systolic::inline v0
