#include "systolic/train/callbacks/checks/given_options.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

template <class Rule>
Config config_or_name(const Rule& rule) {
  try {
    return rule.get_config();
  } catch (const Unimplemented&) {
    return Config(rule.name());
  }
}

Config without_rate(const Config& optimizer) {
  const Config* options = optimizer.is_map() ? optimizer.find("config") : nullptr;
  if (options == nullptr || !options->is_map()) return optimizer;
  Config::Map kept;
  for (const auto& [name, value] : options->map()) {
    if (name != "learning_rate" || !value.is_number()) kept.emplace_back(name, value);
  }
  Config::Map result;
  for (const auto& [name, value] : optimizer.map()) {
    result.emplace_back(name, name == "config" ? Config(kept) : value);
  }
  return Config(std::move(result));
}

class Differences {
 public:
  void compare(const std::string& path, const Config& before, const Config& now) {
    if (before == now) return;
    if (before.is_map() && now.is_map()) {
      compare_maps(path, before, now);
    } else if (before.is_list() && now.is_list() && before.list().size() == now.list().size()) {
      const bool single = before.list().size() == 1;
      for (size_t i = 0; i < before.list().size(); ++i) {
        compare(single ? path : str(path, "[", i, "]"), before.list()[i], now.list()[i]);
      }
    } else {
      lines_.push_back(str(path, ": ", before.text(), ", now ", now.text()));
    }
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void compare_maps(const std::string& path, const Config& before, const Config& now) {
    const Config *was = before.find("class_name"), *is = now.find("class_name");
    if (was != nullptr && is != nullptr && !(*was == *is)) {
      lines_.push_back(str(path, ": ", was->text(), ", now ", is->text()));
      return;
    }
    for (const auto& [name, value] : before.map()) {
      const Config* other = now.find(name);
      const std::string inner = name == "config" || path.empty() ? path : str(path, ".", name);
      compare(path.empty() ? name : inner, value, other == nullptr ? Config() : *other);
    }
    for (const auto& [name, value] : now.map()) {
      if (before.find(name) == nullptr) compare(str(path, ".", name), Config(), value);
    }
  }

  std::vector<std::string> lines_;
};

}  // namespace

Config given_options(const Compiled& compiled) {
  Config::List losses, weights, metrics;
  for (const auto& loss : compiled.losses) {
    losses.push_back(loss ? config_or_name(*loss) : Config());
  }
  for (double weight : compiled.loss_weights) weights.emplace_back(weight);
  for (const OutputMetric& each : compiled.metrics) {
    metrics.push_back(config_or_name(each.metric));
  }
  Config result((Config::Map()));
  if (compiled.optimizer) {
    result.set("optimizer", without_rate(config_or_name(*compiled.optimizer)));
  }
  result.set("loss", Config(std::move(losses)));
  result.set("loss_weights", Config(std::move(weights)));
  result.set("metrics", Config(std::move(metrics)));
  return result;
}

std::vector<std::string> other_options(const Config& before, const Config& now, size_t most) {
  Differences differences;
  differences.compare("", before, now);
  std::vector<std::string> lines = differences.take();
  if (lines.size() > most) {
    const size_t left = lines.size() - most;
    lines.resize(most);
    lines.push_back(str(left, " more"));
  }
  return lines;
}

}  // namespace systolic::inline v0
