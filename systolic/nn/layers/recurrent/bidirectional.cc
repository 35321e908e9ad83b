#include "systolic/nn/layers/recurrent/bidirectional.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

bool flag(const Config& config, std::string_view name) {
  const Config* value = config["config"].find(name);
  if (value != nullptr) return value->boolean();
  raise<InvalidArgument>(
      {.what = str("a layer of kind ", config["class_name"].text_value(), " in Bidirectional"),
       .wanted = "a recurrent layer, such as LSTM"});
}

// A map with one entry changed.
Config with_entry(const Config& map, const std::string& name, const Config& value) {
  Config result{Config::Map{}};
  for (const auto& [key, old] : map.map()) result.set(key, key == name ? value : old);
  return result;
}

struct Direction {
  Config config;
  std::string prefix;
};

// One like it: the same at each call, as it is found again by its name.
Layer layer_of(const Direction& direction, const Layer& like) {
  const std::string own = like.name().empty() ? snake_case(like.kind()) : like.name();
  Config values = direction.config["config"];
  values = with_entry(values, "name",
                      own.rfind(direction.prefix, 0) == 0 ? own : direction.prefix + own);
  // Where outputs are joined, a masked step must not repeat another.
  values = with_entry(values, "zero_output_for_mask", flag(direction.config, "return_sequences"));
  return layer_from_config(with_entry(direction.config, "config", values));
}

void check_pair(const Config& forward, const Config& backward) {
  if (flag(forward, "go_backwards") == flag(backward, "go_backwards")) {
    raise<InvalidArgument>(
        {.what = "both layers go the same way", .wanted = "go_backwards in one of them"});
  }
  for (const char* name : {"return_sequences", "return_state", "stateful"}) {
    if (flag(forward, name) == flag(backward, name)) continue;
    raise<InvalidArgument>({.what = str("the two layers differ in ", name)});
  }
}

std::vector<Tensor> merged_outputs(const Tensor& y, const Tensor& back, MergeMode mode) {
  if (mode.is("none")) return {y, back};
  if (mode.is("concat")) return {concat({y, back}, -1)};
  if (mode.is("mul")) return {y * back};
  return {mode.is("sum") ? y + back : (y + back) / 2};
}

}  // namespace

std::vector<Tensor> Bidirectional::call(const std::vector<Tensor>& xs, CallContext& context) const {
  check_inputs(xs, 1);
  const Layer& like = layer->layer();
  const Layer& back_like = backward_layer ? backward_layer->layer() : like;
  const Direction forward{like.get_config(), "forward_"};
  Direction backward{back_like.get_config(), "backward_"};
  if (!backward_layer) {
    backward.config = with_entry(backward.config, "config",
                                 with_entry(backward.config["config"], "go_backwards",
                                            !flag(backward.config, "go_backwards")));
  }
  check_pair(forward.config, backward.config);
  // The states, if any: one half for each.
  const auto half = static_cast<std::ptrdiff_t>((xs.size() - 1) / 2);
  if ((xs.size() - 1) % 2 != 0) {
    raise<InvalidArgument>({.what = str("called with ", xs.size() - 1, " first states"),
                            .wanted = "as many for each direction"});
  }
  std::vector<Tensor> first(xs.begin(), xs.begin() + 1 + half), second(xs.begin(), xs.begin() + 1);
  second.insert(second.end(), xs.begin() + 1 + half, xs.end());
  const std::vector<Tensor> y = context.call(layer_of(forward, like), first, true);
  std::vector<Tensor> back = context.call(layer_of(backward, back_like), second, true);
  const bool sequences = flag(forward.config, "return_sequences");
  // A layer that was to go backwards from the start is the one to turn.
  if (sequences) back[0] = flip(back[0], {1});
  std::vector<Tensor> results = merged_outputs(y[0], back[0], merge_mode);
  if (sequences) {
    for (const Tensor& result : results) context.set_step_mask(result, context.step_mask(xs[0]));
  }
  results.insert(results.end(), y.begin() + 1, y.end());
  results.insert(results.end(), back.begin() + 1, back.end());
  return results;
}

KerasForm Bidirectional::keras_form() {
  return {.inside = {{"forward_*", "forward_layer"}, {"backward_*", "backward_layer"}}};
}

SYSTOLIC_DEFINE_LAYER(Bidirectional)

}  // namespace systolic::inline v0
