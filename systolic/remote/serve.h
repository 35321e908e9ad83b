// Serves this machine's device to programs on others: what a program that names it
// "grpc://host:8470" runs on.
//
//   auto server = remote::serve(runtime::open_client(), {.address = "127.0.0.1:8470"});
//   server->wait();
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace remote {

struct ServeOptions {
  std::string address = "127.0.0.1:8470";  // port 0: a free one
  std::string token = {};                  // a secret that programs must know
  std::string certificate = {};            // PEM, with `key`: TLS
  std::string key = {};
  int64_t most_bytes = int64_t{1} << 40;  // of the arrays of one client
};

class Served {
 public:
  virtual ~Served() = default;  // ends all sessions
  virtual int port() const = 0;
  virtual void wait() = 0;
  virtual void stop() = 0;
};

// Every client has arrays of its own, freed when it goes; compiled programs are shared.
// PermissionDenied for an address that others reach without a token and TLS; Unavailable where the
// port is taken; Unimplemented in a build without gRPC.
std::unique_ptr<Served> serve(runtime::ClientPtr client, const ServeOptions& options);

}  // namespace remote
}  // namespace systolic::inline v0
