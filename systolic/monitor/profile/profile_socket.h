// The socket at which a process is asked for a profile: "PID.profile" in the folder of status
// files, which this user alone can open. Internal to profile.
//
// The asker writes "profile SECONDS\n"; the process records for that long and answers "ok\n" and an
// XSpace (xplane.h), or "error TEXT\n", and closes. Closing before that ends the recording.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/monitor/shared_memory/status_folder.h"

struct sockaddr_un;

namespace systolic::inline v0 {
namespace monitor {

inline constexpr double most_profile_seconds = 600;

std::string profile_socket_name(int64_t process);
// The address of a name in the folder, however long the folder's path is.
void set_socket_address(sockaddr_un& address, const Descriptor& folder, const std::string& name);

// All of it, or false where the other side is gone or does not read for ten seconds.
bool send_all(const Descriptor& socket, std::string_view bytes);
void set_socket_patience(const Descriptor& socket, double seconds);

}  // namespace monitor
}  // namespace systolic::inline v0
