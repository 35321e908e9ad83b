// Adapters: a small layer beside a kernel that stays as it is, trained in its place (Houlsby et al.
// 2019, arXiv 1902.00751; low-rank ones: transformers/peft/peft_model.h).
//
// The adapter of a layer is called on {x [batch, ..., in], kernel [in, units], x · kernel [batch,
// ..., units]} and gives what stands in the place of the product, before a bias and an activation.
// It lies in the layer, after its other parts: its weights are among those of the network, under
// "dense/lora/...".
#pragma once

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

// Whether a layer asks for its adapter: a Dense does, once it is built.
bool takes_adapter(const Layer& layer);
// Makes the weights that an adapter has for this layer. It is not the layer's own yet.
void build_adapter(const Layer& layer, const Layer& adapter);
// Makes them where there are none, and has the layer compute by the adapter. In the place of one
// that there is: InvalidArgument, also for a layer that takes none. Programs that are compiled
// already do not see it.
void add_adapter(const Layer& layer, const Layer& adapter);
void remove_adapter(const Layer& layer);
// Whether any layer of the network has one.
bool has_adapters(const Network& network);

}  // namespace systolic::inline v0
