#include "systolic/monitor/web/admission.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// From the system's source of random numbers.
std::string random_token() {
  constexpr int digits = 32;
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::random_device device;
  std::string token;
  for (int i = 0; i < digits; ++i) token += hexadecimal[device() % hexadecimal.size()];
  return token;
}

// Takes as long wherever the two differ.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Admission::Admission(WebAddress bound)
    : bound_(std::move(bound)), token_(is_of_this_machine(bound_) ? "" : random_token()) {}

std::string Admission::refusal(const Visitor& visitor, bool secret) const {
  if (secret && !token_.empty() && !same_secret(visitor.token, token_)) {
    return "the address must have the token that the program printed";
  }
  const std::string names[] = {str("127.0.0.1:", bound_.port), str("localhost:", bound_.port),
                               str("[::1]:", bound_.port)};
  const bool known = std::find(std::begin(names), std::end(names), visitor.host) != std::end(names);
  if (token_.empty() && !known) return "the request names another host";
  const bool foreign = !visitor.origin.empty() && visitor.origin != "http://" + visitor.host;
  const bool foreign_site = visitor.site == "cross-site" || visitor.site == "same-site";
  if (foreign || foreign_site) return "the request comes from another page";
  return "";
}

std::string Admission::url() const {
  return str("http://", bound_, "/", token_.empty() ? "" : str("?token=", token_));
}

}  // namespace monitor
}  // namespace systolic::inline v0
