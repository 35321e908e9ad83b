#include "systolic/monitor/profile/profile_server.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/spans/recording.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/profile_socket.h"
#include "systolic/monitor/profile/record_profile.h"
#include "systolic/monitor/profile/xplane.h"
#include "systolic/monitor/sampler/process_start.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr std::string_view request_word = "profile ", socket_ending = ".profile";
constexpr double patience = 10;  // seconds, for the asker to read or write

void remove_abandoned(const Descriptor& folder) {
  DIR* entries = fdopendir(dup(folder.number()));
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(socket_ending)) continue;
    int64_t process = 0;
    const bool is_ours = parse_number(name.substr(0, name.size() - socket_ending.size()), process);
    if (is_ours && process_start(process) < 0) unlinkat(folder.number(), entry->d_name, 0);
  }
  closedir(entries);
}

Descriptor listen_at(const Descriptor& folder, const std::string& name) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  unlinkat(folder.number(), name.c_str(), 0);  // of a process that had our number
  sockaddr_un address{};
  set_socket_address(address, folder, name);
  const bool listens =
      socket.is_open() &&
      bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(socket.number(), 4) == 0;
  if (!listens) {
    raise<Unavailable>(
        {.what = "no socket at which a profile can be asked for", .got = std::strerror(errno)});
  }
  return socket;
}

bool is_ours(const Descriptor& asker) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(asker.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == getuid();
}

// The first line; "" where none comes.
std::string read_line(const Descriptor& asker) {
  std::array<char, 64> text{};
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = recv(asker.number(), text.data() + size, text.size() - size, 0);
    if (got <= 0) return "";
    size += static_cast<size_t>(got);
    const std::string_view so_far(text.data(), size);
    if (so_far.find('\n') != so_far.npos) return std::string(so_far.substr(0, so_far.find('\n')));
  }
  return "";
}

bool parse_request(const std::string& line, double& seconds) {
  return line.starts_with(request_word) &&
         parse_number(std::string_view(line).substr(request_word.size()), seconds) && seconds > 0 &&
         seconds <= most_profile_seconds;
}

}  // namespace

ProfileServer::ProfileServer(const std::string& folder)
    : folder_(open_status_folder(folder, true)), name_(profile_socket_name(getpid())) {
  remove_abandoned(folder_);
  socket_ = listen_at(folder_, name_);
  end_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this] { run(); });
}

ProfileServer::~ProfileServer() {
  const uint64_t one = 1;
  static_cast<void>(!write(end_.number(), &one, sizeof one));
  thread_.join();
  unlinkat(folder_.number(), name_.c_str(), 0);
}

void ProfileServer::run() const {
  while (true) {
    std::array<pollfd, 2> both = {{{socket_.number(), POLLIN, 0}, {end_.number(), POLLIN, 0}}};
    if (poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    if ((both[0].revents & POLLIN) == 0) continue;
    const Descriptor asker(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!asker.is_open() || !is_ours(asker)) continue;
    set_socket_patience(asker, patience);
    try {
      answer(asker);
    } catch (const std::exception& error) {
      send_all(asker, str("error ", error.what(), "\n"));
    }
  }
}

void ProfileServer::answer(const Descriptor& asker) const {
  double seconds = 0;
  if (!parse_request(read_line(asker), seconds)) {
    send_all(asker,
             str("error expected \"profile SECONDS\", at most ", most_profile_seconds, "\n"));
    return;
  }
  spans::Recording recording;
  if (!wait(asker, seconds)) return;
  const std::string space = to_xplane(profile_of_this_process(recording.finish()));
  if (send_all(asker, "ok\n")) send_all(asker, space);
}

bool ProfileServer::wait(const Descriptor& asker, double seconds) const {
  // Whoever has asked says nothing more; what comes is the end.
  std::array<pollfd, 2> both = {{{asker.number(), POLLRDHUP, 0}, {end_.number(), POLLIN, 0}}};
  return poll(both.data(), both.size(), static_cast<int>(seconds * 1000)) == 0;
}

}  // namespace monitor
}  // namespace systolic::inline v0
