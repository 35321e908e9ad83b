#include "plugin/processes/host_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// Connecting a datagram socket sends nothing: it finds the way. Empty where there is none.
std::string source_address(const addrinfo& target) {
  const int number = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (number < 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  std::array<char, NI_MAXHOST> text{};
  const bool found = ::connect(number, target.ai_addr, target.ai_addrlen) == 0 &&
                     ::getsockname(number, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                     ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(),
                                   text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(number);
  return found ? text.data() : "";
}

std::string source_address(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return "";
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const std::string address = source_address(*each);
    if (!address.empty()) return address;
  }
  return "";
}

}  // namespace

// The kernel's number of this start, and the network namespace: two containers have two.
std::string host_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat network = {};
  if (::stat("/proc/self/ns/net", &network) != 0) return boot;
  return str(boot, "/", network.st_ino);
}

std::string address_towards(const std::string& coordinator) {
  if (const char* said = std::getenv("SYSTOLIC_HOST_ADDRESS")) return said;
  const size_t colon = coordinator.rfind(':');
  if (colon != std::string::npos) {
    std::string host = coordinator.substr(0, colon);
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    const std::string address = source_address(host, coordinator.substr(colon + 1));
    if (!address.empty()) return address;
  }
  const std::string address = source_address("192.0.2.1", "9");  // RFC 5737: nobody's
  return address.empty() ? "127.0.0.1" : address;
}

}  // namespace plugin
}  // namespace systolic::inline v0
