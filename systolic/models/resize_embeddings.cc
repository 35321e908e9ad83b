#include "systolic/models/resize_embeddings.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "systolic/nn/layer_state.h"

namespace systolic::inline v0 {
namespace {

// [rows] or [rows, columns]: `into`, with what `from` has at the same places.
Literal with_common_part(const Literal& from, Literal into) {
  const auto columns = [](const Literal& x) { return x.rank() < 2 ? 1 : x.shape()[1]; };
  const int64_t rows = std::min(from.shape()[0], into.shape()[0]);
  const auto element = static_cast<int64_t>(byte_width(into.dtype()));
  const int64_t step = columns(from) * element, to_step = columns(into) * element;
  std::byte* to = into.mutable_raw();
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_step, from.raw() + row * step,
                static_cast<size_t>(std::min(step, to_step)));
  }
  return into;
}

Variable resized_variable(const Variable& fresh, const Variable& old) {
  if (fresh.shape() == old.shape()) return old;
  const auto initial = [value = with_common_part(
                            old.literal(), fresh.literal().convert(old.dtype()))] { return value; };
  return Variable(old.dtype(), fresh.shape(), initial,
                  {.name = old.name(), .trainable = old.trainable()});
}

// The element that bears this name; null where none does.
template <class T>
const T* named_in(const std::vector<T>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// `done` are those that were seen: the words' table is a layer of the body and of a head.
void take(LayerState& to, const LayerState& from, std::set<const LayerState*>& done) {
  if (!done.insert(&to).second) return;
  to.trainable = from.trainable;
  for (LayerState::Weight& weight : to.weights) {
    if (const LayerState::Weight* old = named_in(from.weights, weight.name))
      weight.variable = resized_variable(weight.variable, old->variable);
  }
  for (const LayerState::Child& child : to.children) {
    if (const LayerState::Child* old = named_in(from.children, child.name))
      take(*child.layer.state(), *old->layer.state(), done);
  }
}

}  // namespace

void take_weights(const Network& resized, const Network& network) {
  std::set<const LayerState*> done;
  take(*resized.state(), *network.state(), done);
  resized.state()->random_state = network.state()->random_state;
}

}  // namespace systolic::inline v0
