#include "systolic/monitor/profile/profile_socket.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

std::string profile_socket_name(int64_t process) { return str(process, ".profile"); }

void set_socket_address(sockaddr_un& address, const Descriptor& folder, const std::string& name) {
  address = {};
  address.sun_family = AF_UNIX;
  const std::string path = str("/proc/self/fd/", folder.number(), "/", name);
  ensure(path.size() < sizeof address.sun_path, "a short path");
  path.copy(address.sun_path, path.size());
}

void set_socket_patience(const Descriptor& socket, double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  timeval time{};
  time.tv_sec = whole;
  time.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6);
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

bool send_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace monitor
}  // namespace systolic::inline v0
