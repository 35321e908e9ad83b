// The generated messages of coordination.proto, under the name that this folder uses.
#pragma once

#include "coordination.pb.h"

namespace systolic::inline v0 {
namespace cluster {

namespace wire = ::systolic_coordination;

}  // namespace cluster
}  // namespace systolic::inline v0
