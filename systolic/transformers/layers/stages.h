// What bodies in stages share, whose maps get smaller. Internal to transformers.
#pragma once

#include "systolic/transformers/layers/asked_body.h"

namespace systolic::inline v0 {

// Unimplemented where attention is asked for: such bodies keep the states of their stages alone.
void refuse_attentions(const AskedOutputs* asked, const char* model_type);

}  // namespace systolic::inline v0
