#include "systolic/nn/optimizers/common/multi_optimizer.h"

#include <regex>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/optimizer_state.h"

namespace systolic::inline v0 {
namespace {

// Which optimizer a variable goes to, by its name; the default stands after the others.
class OptimizerOfName {
 public:
  OptimizerOfName(const MultiOptimizer& spec, SourceLocation location) : location_(location) {
    for (const auto& [key, optimizer] : spec.optimizers) {
      try {
        keys_.emplace_back(key, std::regex(key));
      } catch (const std::regex_error& error) {
        raise<InvalidArgument>({.what = str("MultiOptimizer: the key '", key, "': ", error.what()),
                                .wanted = "a variable's name, or a regular expression",
                                .location = location});
      }
    }
  }

  size_t operator()(const Variable& variable) const {
    std::vector<size_t> matching;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].first == variable.name()) return i;
      if (std::regex_match(variable.name(), keys_[i].second)) matching.push_back(i);
    }
    if (matching.empty()) return keys_.size();
    if (matching.size() == 1) return matching.front();
    raise<InvalidArgument>(
        {.what = str("MultiOptimizer: variable '", variable.name(), "' matches '",
                     keys_[matching[0]].first, "' and '", keys_[matching[1]].first, "'"),
         .wanted = "one optimizer for each variable",
         .location = location_});
  }

 private:
  SourceLocation location_;
  std::vector<std::pair<std::string, std::regex>> keys_;
};

Config config_of_multi(const MultiOptimizer& spec) {
  Config map{Config::Map{}}, values, result;
  for (const auto& [key, optimizer] : spec.optimizers) map.set(key, optimizer.get_config());
  values.set("default_optimizer", spec.default_optimizer.get_config());
  values.set("optimizer_map", std::move(map));
  values.set("name", spec.name);
  result.set("class_name", MultiOptimizer::kind);
  result.set("config", std::move(values));
  return result;
}

}  // namespace

Optimizer::Optimizer(MultiOptimizer spec, SourceLocation location) {
  std::vector<Optimizer> inner;
  for (const auto& [key, optimizer] : spec.optimizers) inner.push_back(optimizer);
  inner.push_back(spec.default_optimizer);
  for (const Optimizer& one : inner) {
    if (!one.state()->dynamic_scale && !one.state()->inner_of) continue;
    raise<InvalidArgument>({.what = str("MultiOptimizer with ", one.name(), " inside"),
                            .wanted = "optimizers that wrap no others",
                            .location = location});
  }
  OptimizerRule rule{.name = spec.name, .learning_rate = 0};
  rule.config = [spec] { return config_of_multi(spec); };
  state_ = make_state(std::move(rule), location);
  state_->inner = std::move(inner);
  state_->inner_of = OptimizerOfName(spec, location);
}

}  // namespace systolic::inline v0
