// Ports of this machine.
#pragma once

namespace systolic::inline v0 {
namespace cluster {

// A TCP port of 127.0.0.1 that nobody listens on now. Unavailable where there is none.
int find_free_port();

}  // namespace cluster
}  // namespace systolic::inline v0
