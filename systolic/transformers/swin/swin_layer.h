// A layer of Swin: attention within windows of a map of features, which every second layer shifts
// by half a window.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/nn/layer.h"
#include "systolic/transformers/swin/swin_config.h"

namespace systolic::inline v0 {

// x [batch, height, width, channels] -> the same. InvalidArgument for a map without room for one
// window.
struct SwinLayer {
  static constexpr const char* kind = "SwinLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  SwinConfig config;
  int64_t heads = 1;
  bool shifts = false;
  double drop_path = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

 private:
  Tensor in_windows(const Tensor& x, CallContext& context) const;
  Tensor attended(const Tensor& windows, const Tensor* seen, CallContext& context) const;
};

}  // namespace systolic::inline v0
