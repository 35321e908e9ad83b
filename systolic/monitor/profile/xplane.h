// A profile as TensorFlow's XSpace, which TensorBoard's profile plugin (xprof) opens.
//
// Source: tsl/profiler/protobuf/xplane.proto. The plane "/host:CPU" has a line for each thread; a
// plane "/device:TPU:N" has the lines "Steps", "XLA Modules" and "XLA Ops" of a core, or, as N = 0,
// of all cores that run together. Works are metadata of events, with the stats "layer" and "tf_op"
// (the layer), "source" (file:line), "flops", "bytes_accessed", "kind" and "hlo_category".
#pragma once

#include <string>
#include <string_view>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

std::string to_xplane(const Profile& profile);

// What to_xplane() wrote, from the plane "/host:CPU". Anything else is a DataLoss; control
// characters of texts, which a terminal would obey, become spaces.
Profile from_xplane(std::string_view bytes);

}  // namespace monitor
}  // namespace systolic::inline v0
