// The kinds of layers that configurations may name, with what is known of each. Internal to nn and
// saving.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct LayerKind {
  Layer (*from_fields)(const Config& values) = nullptr;
  std::vector<std::string> fields;  // their names
  KerasForm keras = {};
};

// An unknown one is a NotFound that names the closest.
LayerKind layer_kind(const std::string& kind, SourceLocation location = SourceLocation::current());
bool is_layer_kind(const std::string& kind);

}  // namespace systolic::inline v0
