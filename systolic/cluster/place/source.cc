#include "systolic/cluster/place/source.h"

#include <algorithm>
#include <charconv>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace cluster {

std::string Variables::text(const std::string& name) const {
  auto value = find(name);
  if (!value) {
    raise<InvalidArgument>(
        {.what = str(source_, " started this process, but ", name, " is not set"),
         .hint = str("set ", name, ", or none of ", source_, "'s variables")});
  }
  return *std::move(value);
}

int Variables::parse(const std::string& name, const std::string& value, int least) const {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, fault] = std::from_chars(value.data(), end, number);
  if (fault != std::errc() || rest != end || number < least) {
    raise<InvalidArgument>({.what = str(source_, "'s ", name, " is no number"),
                            .got = str("'", value.substr(0, 100), "'"),
                            .wanted = str("a whole number, at least ", least)});
  }
  return number;
}

int Variables::number(const std::string& name, int least) const {
  return parse(name, text(name), least);
}

int Variables::number_or(const std::string& name, int otherwise, int least) const {
  const auto value = find(name);
  return value ? parse(name, *value, least) : otherwise;
}

runtime::Processes Variables::processes(const std::string& count, const std::string& index) const {
  return checked_processes(*this, number(count, 1), number(index), index);
}

runtime::Processes checked_processes(const Variables& variables, int count, int index,
                                     const std::string& index_name) {
  if (index >= count) {
    raise<InvalidArgument>({.what = str(variables.source(), "'s ", index_name, " is ", index,
                                        " of ", count, " processes"),
                            .wanted = str("0 to ", count - 1)});
  }
  return {.count = count, .index = index};
}

std::string with_port(const std::string& host, int port) {
  const bool bracketed = host.rfind('[', 0) == 0;
  const auto colons = std::count(host.begin(), host.end(), ':');
  if (!bracketed && colons > 1) return str("[", host, "]:", port);
  const bool has_port = bracketed ? host.find("]:") != std::string::npos : colons == 1;
  return has_port ? host : str(host, ":", port);
}

std::string without_port(const std::string& address) {
  if (address.rfind('[', 0) == 0) {
    const size_t end = address.find(']');
    return address.substr(1, end == std::string::npos ? end : end - 1);
  }
  const size_t colon = address.find(':');
  if (colon == std::string::npos || address.find(':', colon + 1) != std::string::npos) {
    return address;  // no port, or an IPv6 address without one
  }
  return address.substr(0, colon);
}

}  // namespace cluster
}  // namespace systolic::inline v0
