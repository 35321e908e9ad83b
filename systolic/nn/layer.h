// A layer: a shared handle on a spec and its weights.
//
// A spec is a plain aggregate whose fields are Keras's arguments, with
//   Tensor call(const Tensor& x, CallContext& context) const                   one input, or
//   Tensor call(const std::vector<Tensor>& xs, CallContext& context) const     several
// (a std::vector<Tensor> as result where it has several outputs). Everything else is optional:
//   static constexpr const char* kind = "Dense";        its name in errors, summaries and files;
//                                                        without it that of the C++ type
//   static constexpr bool supports_masking = true;       each output has the step mask of the input
//                                                        in its place (nn/step_mask.h)
//   static constexpr LayerTraits traits = {};            what fit must know before a step is traced
//   std::vector<LookupLimit> lookups() const;          which integers it looks up, with traits
//   std::optional<SeenInput> moved(const SeenInput& x) const;
//                                                        how it moves elements, with that trait
//   std::string name;                                    of this one layer
//   DTypePolicy dtype;                                   instead of the global policy
//   SourceLocation location = SourceLocation::current(); the last field: where the user wrote it
//   static constexpr auto fields()                       for get_config (nn/config/fields.h)
//
// A spec copied makes another layer each time; a Layer copied is the same layer:
//
//   Layer shared = Dense{.units = 3};
//   Symbol a = shared(x), b = shared(y);       // one kernel, used twice
//   Symbol c = Dense{.units = 3}(x);           // another
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "systolic/nn/call_context.h"
#include "systolic/nn/config/fields.h"
#include "systolic/nn/seen_input.h"
#include "systolic/nn/symbol.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

// A layer's spec whose `call` takes one Tensor.
template <class Spec>
concept SingleInputSpec = requires(const Spec& spec, const Tensor& x, CallContext& context) {
  spec.call(x, context);
};
// A layer's spec whose `call` takes a vector of Tensors.
template <class Spec>
concept ManyInputsSpec =
    !SingleInputSpec<Spec> &&
    requires(const Spec& spec, const std::vector<Tensor>& xs, CallContext& context) {
  spec.call(xs, context);
};
// What a Layer can be made from: a spec of either kind.
template <class Spec>
concept LayerSpec = SingleInputSpec<Spec> || ManyInputsSpec<Spec>;
// Has a `call`, but none that a layer could use: most often the `const` is missing.
template <class Spec>
concept MistakenLayerSpec = !LayerSpec<Spec> && requires {
  &Spec::call;
};

// Integers that a layer looks up in a table: fit checks those that are in the batches.
struct LookupLimit {
  size_t input = 0;        // of the layer
  int64_t limit = 0;       // they must lie in [0, limit)
  std::string layer = {};  // the path of the table's layer inside this one; empty: the layer itself
};

// What fit must know of a layer before it traces a step. A layer that declares its traits is not
// called to find them out; one that does not, and the model around it, is called once on a trace
// that is thrown away.
struct LayerTraits {
  // Only moves the elements of its one input, as Reshape does, or takes a part of them: what a
  // layer after it looks up is looked up of its input. Its `moved` says how (nn/seen_input.h); a
  // model with a layer that has none is called once.
  bool moves_elements = false;
  // Adds a loss (CallContext::add_loss) without leaving out, by sample_mask(), rows that only pad:
  // fit then does not pad.
  bool adds_batch_loss = false;
};

// A spec of any type, as Layer keeps it.
class AnySpec {
 public:
  virtual ~AnySpec() = default;
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs,
                                   CallContext& context) const = 0;
  virtual std::string kind() const = 0;
  virtual std::string name() const { return {}; }
  virtual DTypePolicy dtype() const { return {}; }
  virtual SourceLocation location() const { return {}; }
  // Floating inputs are cast to the compute type first.
  virtual bool casts_inputs() const { return true; }
  // Each output is masked where the input in its place is (nn/step_mask.h).
  virtual bool supports_masking() const { return false; }
  // Nothing where the spec does not declare them.
  virtual std::optional<LayerTraits> traits() const { return {}; }
  virtual std::vector<LookupLimit> lookups() const { return {}; }
  virtual bool says_how_it_moves() const { return false; }
  // Nothing where that is not known of its inputs.
  virtual std::optional<SeenInput> moved(const SeenInput&) const { return {}; }
  // Networks do not stand in the paths of the layers inside when they are the outermost.
  virtual bool is_network() const { return false; }
  // Unimplemented where the spec has no fields().
  virtual Config config() const = 0;
  virtual std::unique_ptr<AnySpec> clone() const = 0;
};

class Layer {
 public:
  template <LayerSpec Spec>
  Layer(Spec spec);  // NOLINT
  template <MistakenLayerSpec Spec>
  Layer(const Spec&) {  // NOLINT
    static_assert(LayerSpec<Spec>,
                  "a layer's call must read `Tensor call(const Tensor& x, CallContext& context) "
                  "const` (or take a `const std::vector<Tensor>& xs`): with both arguments, and "
                  "const after them");
  }
  explicit Layer(std::shared_ptr<LayerState> state) : state_(std::move(state)) {}
  // A handle that was moved from still holds on: moving copies.
  Layer(const Layer&) = default;
  Layer& operator=(const Layer&) = default;

  std::string kind() const;
  // As given; "" where the network will number it ("dense_1").
  const std::string& name() const;
  SourceLocation location() const;
  // Whether its weights are trained: false freezes the layer and what lies in it.
  bool trainable() const;
  void set_trainable(bool trainable) const;

  // Records a step of the functional API.
  Symbol operator()(const Symbol& x, SourceLocation location = SourceLocation::current()) const;
  Symbol operator()(const std::vector<Symbol>& xs,
                    SourceLocation location = SourceLocation::current()) const;
  std::vector<Symbol> outputs(const std::vector<Symbol>& xs,
                              SourceLocation location = SourceLocation::current()) const;
  // Inside another layer's call.
  Tensor operator()(const Tensor& x, CallContext& context) const;
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context) const;
  // By itself, with weights of its own.
  Tensor operator()(const Tensor& x, CallOptions options = {}) const;
  Tensor operator()(const std::vector<Tensor>& xs, CallOptions options = {}) const;

  // Weights in the order in which they were made: those of the layer, then of the layers inside.
  // None before the first call.
  std::vector<Variable> weights() const;
  // {"class_name": ..., "config": {...}}
  Config get_config() const;
  // What it looks up of its inputs, as far as it declares that.
  std::vector<LookupLimit> lookups() const;

  const std::shared_ptr<LayerState>& state() const { return state_; }
  friend bool operator==(const Layer& a, const Layer& b) { return a.state_ == b.state_; }
  friend auto trace_key(const Layer& layer) { return layer.state_; }

 private:
  static std::shared_ptr<LayerState> make_state(std::unique_ptr<AnySpec> spec);
  std::shared_ptr<LayerState> state_;
};

// A layer of a kind that from_config knows; an unknown class_name is a NotFound with the closest.
Layer layer_from_config(const Config& config, SourceLocation location = SourceLocation::current());

// Makes a kind of one's own known to layer_from_config, under Spec::kind.
void register_layer(std::string kind, std::vector<std::string> fields,
                    Layer (*from_fields)(const Config& values));
template <class Spec>
requires HasFields<Spec> && LayerSpec<Spec>
void register_layer() {
  register_layer(Spec::kind, field_names<Spec>(),
                 [](const Config& values) { return Layer(spec_from<Spec>(values)); });
}

// `Dense{.units = 3}(x)`: what specs define as their operator() on a temporary. With a context it
// is a layer inside another, the same one at each call.
template <class Spec, class... Arguments>
requires(!(std::same_as<std::remove_cvref_t<Arguments>, CallContext> ||
           ...)) auto call_once(Spec&& spec, Arguments&&... arguments) {
  const SourceLocation line = [&] {
    if constexpr (requires {
                    { spec.location } -> std::convertible_to<SourceLocation>;
                  }) {
      return SourceLocation(spec.location);
    } else {
      return SourceLocation{};
    }
  }();
  const Layer layer(std::forward<Spec>(spec));
  if constexpr (requires { layer(std::forward<Arguments>(arguments)..., line); }) {
    return layer(std::forward<Arguments>(arguments)..., line);
  } else {
    return layer(std::forward<Arguments>(arguments)...);
  }
}
template <class Spec>
Tensor call_once(Spec&& spec, const Tensor& x, CallContext& context) {
  return context.call(Layer(std::forward<Spec>(spec)), {x}, true).at(0);
}
template <class Spec>
Tensor call_once(Spec&& spec, const std::vector<Tensor>& xs, CallContext& context) {
  return context.call(Layer(std::forward<Spec>(spec)), xs, true).at(0);
}

// How a spec becomes a Layer.
namespace internal {

inline std::vector<Tensor> as_list(Tensor tensor) { return {std::move(tensor)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> tensors) { return tensors; }

// "Linear" of `struct (anonymous namespace)::Linear`; "Layer" of a type without a name.
std::string type_name(const std::type_info& type);
[[noreturn]] void raise_no_config(const std::string& kind);
// Raises unless there is exactly one.
const Tensor& only_input(const std::vector<Tensor>& inputs);

template <class Spec>
class SpecHolder : public AnySpec {
 public:
  explicit SpecHolder(Spec spec) : spec_(std::move(spec)) {}

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, CallContext& context) const override {
    if constexpr (SingleInputSpec<Spec>) {
      return as_list(spec_.call(only_input(inputs), context));
    } else {
      return as_list(spec_.call(inputs, context));
    }
  }
  std::string kind() const override {
    if constexpr (requires {
                    { Spec::kind } -> std::convertible_to<std::string>;
                  }) {
      return Spec::kind;
    } else {
      return type_name(typeid(Spec));
    }
  }
  std::string name() const override {
    if constexpr (requires {
                    { spec_.name } -> std::convertible_to<std::string>;
                  }) {
      return spec_.name;
    } else {
      return {};
    }
  }
  DTypePolicy dtype() const override {
    if constexpr (requires {
                    { spec_.dtype } -> std::convertible_to<DTypePolicy>;
                  }) {
      return spec_.dtype;
    } else {
      return {};
    }
  }
  SourceLocation location() const override {
    if constexpr (requires {
                    { spec_.location } -> std::convertible_to<SourceLocation>;
                  }) {
      return spec_.location;
    } else {
      return {};
    }
  }
  bool casts_inputs() const override {
    if constexpr (requires { Spec::casts_inputs; }) return Spec::casts_inputs;
    return true;
  }
  bool supports_masking() const override {
    if constexpr (requires { Spec::supports_masking; }) return Spec::supports_masking;
    return false;
  }
  std::optional<LayerTraits> traits() const override {
    if constexpr (requires {
                    { Spec::traits } -> std::convertible_to<LayerTraits>;
                  }) {
      return Spec::traits;
    } else {
      return {};
    }
  }
  std::vector<LookupLimit> lookups() const override {
    if constexpr (requires { spec_.lookups(); }) return spec_.lookups();
    return {};
  }
  bool says_how_it_moves() const override {
    return requires(const SeenInput& x) { spec_.moved(x); };
  }
  std::optional<SeenInput> moved(const SeenInput& x) const override {
    if constexpr (requires { spec_.moved(x); }) return spec_.moved(x);
    return {};
  }
  Config config() const override {
    if constexpr (HasFields<Spec>) return config_of(spec_);
    raise_no_config(kind());
  }
  std::unique_ptr<AnySpec> clone() const override { return std::make_unique<SpecHolder>(spec_); }
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

}  // namespace internal

template <LayerSpec Spec>
Layer::Layer(Spec spec)
    : state_(make_state(std::make_unique<internal::SpecHolder<Spec>>(std::move(spec)))) {}

}  // namespace systolic::inline v0
