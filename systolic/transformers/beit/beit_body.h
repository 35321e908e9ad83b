// The body of BEiT: ViT's, with numbers for each distance between patches and scaled layers.
// Internal to transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/nn/layer.h"
#include "systolic/transformers/beit/beit_config.h"

namespace systolic::inline v0 {

// {x [batch, tokens, hidden_size], where layers share one a bias of scores [1, heads, tokens,
// tokens], and where each has its own what says how far tokens are apart} -> as x.
struct BeitLayer {
  static constexpr const char* kind = "BeitLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  BeitConfig config;
  double drop_path = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor attended(const Tensor& x, const std::vector<Tensor>& xs, CallContext& context) const;
  // What a part gives, as it is added: scaled, and dropped for some pictures.
  Tensor scaled(const Tensor& y, const char* scale, const char* drop, CallContext& context) const;
};

// pixel_values [batch, height, width, channels] -> {last_hidden_state, pooler_output where it
// pools}.
struct BeitBody {
  static constexpr const char* kind = "BeitBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  BeitConfig config;
  bool pools = true;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  // `patches_of` receives how many patches the pictures have.
  Tensor embedded(const Tensor& pixels, Size2& patches_of, CallContext& context) const;
  void check_patches(Size2 grid, CallContext& context) const;
};

}  // namespace systolic::inline v0
