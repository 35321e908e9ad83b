#include "systolic/saving/keras/learned_states.h"

#include <charconv>
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr int most_depth = 50;  // of networks in each other

bool is_lookup(const std::string& kind) {
  return kind == "StringLookup" || kind == "IntegerLookup" || kind == "TextVectorization";
}

bool is_missing(const Config& values, std::string_view entry) {
  const Config* found = values.find(entry);
  return found == nullptr || found->is_null();
}

Config token_of(const std::string& line, bool is_integer, const std::string& path) {
  if (!is_integer) return line;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error == std::errc() && end == line.data() + line.size()) return number;
  raise<DataLoss>({.what = str(path, " holds '", line, "'"), .wanted = "an integer in each line"});
}

// A token a line; empty lines at the end are none.
Config tokens_of(const std::string& text, bool is_integer, const std::string& path) {
  Config::List tokens;
  size_t last = 0, begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool is_empty = line.empty();
    // Empty lines in between are tokens; "" stands for no text.
    tokens.push_back(is_empty ? Config("") : token_of(line, is_integer, path));
    if (!is_empty) last = tokens.size();
    begin = end + 1;
  }
  tokens.resize(last);
  return tokens;
}

Config numbers_of(const Literal& array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.size(); ++i) values.push_back(array.number_at(i));
  return to_config(values);
}

class StateFiller {
 public:
  StateFiller(const LearnedStates& states, bool statistics)
      : states_(states), statistics_(statistics) {}

  Config network(const Config& object, const std::string& path, int depth) const {
    const Config& values = object["config"];
    const Config* layers = values.find("layers");
    if (layers == nullptr || !layers->is_list() || depth > most_depth) return object;
    std::map<std::string, int> used;
    Config::List filled;
    for (const Config& layer : layers->list()) filled.push_back(inside(layer, path, used, depth));
    return with_entry(object, "layers", std::move(filled));
  }

 private:
  Config inside(const Config& layer, const std::string& path, std::map<std::string, int>& used,
                int depth) const {
    const Config* kind = layer.find("class_name");
    const Config* values = layer.find("config");
    if (kind == nullptr || !kind->is_text() || values == nullptr || !values->is_map()) return layer;
    const std::string name = snake_case(kind->text_value());
    const int turn = used[name]++;
    const std::string own = str(path, name, turn == 0 ? std::string() : str("_", turn));
    if (values->find("layers") != nullptr) return network(layer, own + "/layers/", depth + 1);
    return layer_with_state(layer, kind->text_value(), own);
  }

  Config layer_with_state(const Config& layer, const std::string& kind,
                          const std::string& path) const {
    Config result = layer;
    const auto add_array = [&](const char* entry, const std::string& name) {
      if (!is_missing(layer["config"], entry)) return;
      if (const auto array = states_.array(str(path, "/vars/", name)))
        result = with_entry(result, entry, numbers_of(*array));
    };
    if (is_lookup(kind) && is_missing(layer["config"], "vocabulary")) {
      const std::string asset = str("assets/", path, "/vocabulary.txt");
      if (const auto text = states_.text(asset)) {
        result = with_entry(result, "vocabulary", tokens_of(*text, kind == "IntegerLookup", asset));
        add_array("idf_weights", "idf_weights");
      }
    }
    if (kind == "Normalization" && statistics_) {
      add_array("mean", "0");
      add_array("variance", "1");
    }
    return result;
  }

  // An object whose configuration has this entry, in the place of one of that name.
  static Config with_entry(const Config& object, const char* entry, Config value) {
    return replaced(object, "config", replaced(object["config"], entry, std::move(value)));
  }
  static Config replaced(const Config& values, std::string_view entry, Config value) {
    Config::Map result;
    for (const auto& [name, old] : values.map()) {
      if (name != entry) result.emplace_back(name, old);
    }
    result.emplace_back(entry, std::move(value));
    return Config(std::move(result));
  }

  const LearnedStates& states_;
  bool statistics_;
};

}  // namespace

Config with_learned_states(const Config& network, const LearnedStates& states, bool statistics) {
  return StateFiller(states, statistics).network(network, "layers/", 0);
}

}  // namespace saving
}  // namespace systolic::inline v0
