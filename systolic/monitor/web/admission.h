// Who may ask a page's server: web pages of others may not, whatever names they give this machine.
#pragma once

#include <string>

#include "systolic/monitor/web/address.h"

namespace systolic::inline v0 {
namespace monitor {

// What a request says of where it comes from; "" where it does not say.
struct Visitor {
  std::string host = {};    // header Host
  std::string origin = {};  // header Origin
  std::string site = {};    // header Sec-Fetch-Site
  std::string token = {};   // ?token=
};

class Admission {
 public:
  // `bound`: with the port that it got. A server that other machines reach has a token, 128 random
  // bits, without which it answers nothing.
  explicit Admission(WebAddress bound);

  // "" where it is let in, else why not. On this machine the Host must be a name of it: a page of
  // another site that has its own name lead here (DNS rebinding) sends that name.
  // `secret`: it asks for something of the run, not for a part of the page that is the same for
  // all.
  std::string refusal(const Visitor& visitor, bool secret = true) const;

  const std::string& token() const { return token_; }  // "" where none is needed
  std::string url() const;                             // with the token

 private:
  WebAddress bound_;
  std::string token_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
