#include "systolic/monitor/profile/ask_for_profile.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/profile_socket.h"
#include "systolic/monitor/profile/xplane.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// A million spans are about 30 MB.
constexpr size_t most_bytes = size_t{1} << 30;
constexpr double patience = 60;  // seconds, for the process to make the profile

Descriptor connect_to(int64_t process, const std::string& folder_path) {
  const Descriptor folder = open_status_folder(folder_path, false);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  set_socket_address(address, folder, profile_socket_name(process));
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  if (!socket.is_open() || connect(socket.number(), at, sizeof address) != 0) {
    raise<NotFound>({.what = str("process ", process, " cannot be asked for a profile"),
                     .got = std::strerror(errno),
                     .wanted = "one of this user's in which a run has begun",
                     .hint = "SYSTOLIC_MONITOR=off in its environment prevents it"});
  }
  return socket;
}

std::string read_all(const Descriptor& socket, int64_t process) {
  std::string answer;
  std::array<char, 1 << 16> piece{};
  while (true) {
    const ssize_t got = recv(socket.number(), piece.data(), piece.size(), 0);
    if (got == 0) return answer;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      raise<Unavailable>(
          {.what = str("process ", process, " does not answer"), .got = std::strerror(errno)});
    }
    if (answer.size() > most_bytes) {
      raise<DataLoss>({.what = str("process ", process, " sends more than a profile has")});
    }
    answer.append(piece.data(), static_cast<size_t>(got));
  }
}

}  // namespace

Profile ask_for_profile(int64_t process, double seconds, const std::string& folder) {
  if (!(seconds > 0) || seconds > most_profile_seconds) {
    raise<InvalidArgument>({.what = str("a profile of ", seconds, " seconds"),
                            .wanted = str("above 0, at most ", most_profile_seconds)});
  }
  const Descriptor socket = connect_to(process, folder);
  set_socket_patience(socket, seconds + patience);
  send_all(socket, str("profile ", seconds, "\n"));
  const std::string answer = read_all(socket, process);
  constexpr std::string_view good = "ok\n", bad = "error ";
  if (answer.starts_with(good)) return from_xplane(std::string_view(answer).substr(good.size()));
  if (answer.starts_with(bad)) {
    raise<FailedPrecondition>({.what = str("process ", process, " gives no profile: ",
                                           trim(std::string_view(answer).substr(bad.size())))});
  }
  raise<Unavailable>({.what = str("process ", process, " ended before its profile was there")});
}

}  // namespace monitor
}  // namespace systolic::inline v0
