#include "systolic/transformers/weights/resize_embeddings.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "systolic/nn/layer_state.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/weights/mean_vectors.h"

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

// A table [tokens, size], a head's [size, tokens] or its bias [tokens] with more of them, which lie
// near the mean of those that there are.
Literal grown_near_mean(const Literal& old, const Shape& wanted) {
  const Tensor before(old);
  const int axis = old.shape()[0] == wanted[0] ? 1 : 0;
  const int64_t count = wanted[axis] - old.shape()[axis];
  if (old.rank() == 1) return concat({before, near_mean_numbers(before, count)}, 0).literal();
  if (axis == 0) return concat({before, near_mean_vectors(before, count)}, 0).literal();
  return concat({before, transpose(near_mean_vectors(transpose(before), count))}, 1).literal();
}

Variable resized_variable(const Variable& fresh, const Variable& old, bool near_mean) {
  if (fresh.shape() == old.shape()) return old;
  const bool grows = fresh.shape().elements() > old.shape().elements();
  const auto initial =
      [value = grows && near_mean
                   ? grown_near_mean(old.literal(), fresh.shape())
                   : with_common_part(old.literal(), fresh.literal().convert(old.dtype()))] {
        return value;
      };
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

bool has_matrix(const LayerState& layer) {
  return std::any_of(layer.weights.begin(), layer.weights.end(),
                     [](const auto& weight) { return weight.variable.shape().rank() == 2; });
}

class WeightsTaken {
 public:
  explicit WeightsTaken(bool near_mean) : near_mean_(near_mean) {}

  void take(LayerState& to, const LayerState& from) {
    if (!done_.insert(&to).second) return;
    to.trainable = from.trainable;
    // The new numbers of a bias alone are 0: a tied head's, and what an untied one keeps for it.
    const bool near_mean = near_mean_ && has_matrix(to);
    for (LayerState::Weight& weight : to.weights) {
      if (const LayerState::Weight* old = named_in(from.weights, weight.name))
        weight.variable = resized_variable(weight.variable, old->variable, near_mean);
    }
    for (const LayerState::Child& child : to.children) {
      if (const LayerState::Child* old = named_in(from.children, child.name))
        take(*child.layer.state(), *old->layer.state());
    }
  }

 private:
  bool near_mean_;
  std::set<const LayerState*> done_;  // the words' table is a layer of the body and of a head
};

}  // namespace

void take_weights(const Network& resized, const Network& network, bool near_mean) {
  WeightsTaken(near_mean).take(*resized.state(), *network.state());
  resized.state()->random_state = network.state()->random_state;
}

}  // namespace systolic::inline v0
