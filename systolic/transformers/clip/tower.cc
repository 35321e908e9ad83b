#include "systolic/transformers/clip/tower.h"

#include <utility>

#include "systolic/base/text.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// {x [batch, tokens, hidden_size], mask pred, where there is one} -> {as x}.
struct TowerLayer {
  static constexpr const char* kind = "TowerLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  TowerSizes sizes;
  bool causal = false;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor attended(const std::vector<Tensor>& xs, const Tensor& x, CallContext& context) const {
    const auto projected = [&](const char* layer) {
      return inner(context, tower_dense(sizes.hidden_size, sizes.initializers.projections, layer),
                   {x});
    };
    AttentionOptions options{.causal = causal};
    if (xs.size() > 1) options.mask = xs[1];
    const Tensor mixed = attention(projected("self_attn.q_proj"), projected("self_attn.k_proj"),
                                   projected("self_attn.v_proj"), sizes.heads,
                                   sizes.attention_dropout, std::move(options), context);
    return inner(
        context,
        tower_dense(sizes.hidden_size, sizes.initializers.attention_output, "self_attn.out_proj"),
        {mixed});
  }

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const {
    const auto normalized = [&](const Tensor& x, const char* norm) {
      return layer_norm(x, sizes.layer_norm_epsilon, norm, context);
    };
    const Tensor middle = xs[0] + attended(xs, normalized(xs[0], "layer_norm1"), context);
    return middle + tower_network(normalized(middle, "layer_norm2"), sizes, "mlp", context);
  }
};

}  // namespace

Layer tower_dense(int64_t units, const Initializer& initializer, std::string name,
                  const std::string& activation, bool use_bias) {
  return Dense{.units = units,
               .activation = hidden_activation(activation),
               .use_bias = use_bias,
               .kernel_initializer = initializer,
               .name = std::move(name)};
}

Tensor tower_network(const Tensor& x, const TowerSizes& sizes, const std::string& name,
                     CallContext& context) {
  const Tensor wide = inner(context,
                            tower_dense(sizes.intermediate_size, sizes.initializers.inner,
                                        name + ".fc1", sizes.activation),
                            {x});
  return inner(context, tower_dense(sizes.hidden_size, sizes.initializers.output, name + ".fc2"),
               {wide});
}

Tensor tower_encoded(Tensor x, const TowerSizes& sizes, const AttentionOptions& options,
                     CallContext& context) {
  for (int64_t i = 0; i < sizes.layers; ++i) {
    std::vector<Tensor> inputs{x};
    if (options.mask) inputs.push_back(*options.mask);
    x = through_layer(
        TowerLayer{.sizes = sizes, .causal = options.causal, .name = str("encoder.layers.", i)},
        inputs, context);
  }
  return x;
}

}  // namespace systolic::inline v0
