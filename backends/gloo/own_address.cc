#include "backends/gloo/own_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace gloo_peers {
namespace {

struct CloseSocket {
  int number;
  ~CloseSocket() { ::close(number); }
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

std::string own_address(const std::string& coordinator) {
  const std::string host = cluster::without_port(coordinator);
  const std::string port = coordinator.substr(coordinator.rfind(':') + 1);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::string why = fault != 0 ? ::gai_strerror(fault) : "no way to it";
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    // Connecting a datagram socket sends nothing: it finds the route.
    const CloseSocket socket{::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (socket.number < 0) continue;
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    std::array<char, NI_MAXHOST> text{};
    if (::connect(socket.number, each->ai_addr, each->ai_addrlen) != 0 ||
        ::getsockname(socket.number, reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) != 0) {
      why = std::strerror(errno);
      continue;
    }
    return text.data();
  }
  raise<Unavailable>({.what = str("the coordinator at ", coordinator, " cannot be reached: ", why),
                      .hint = "set SYSTOLIC_COORDINATOR_ADDRESS to process 0's host:port"});
}

}  // namespace gloo_peers
}  // namespace systolic::inline v0
