// A device of another machine, which runs `systolic serve`, as a client like any other.
#pragma once

#include <string>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace remote {

struct RemoteOptions {
  int cores = 0;               // wanted; 0: all that it has
  std::string token = {};      // the server's secret
  std::string authority = {};  // PEM of who signed its certificate: TLS
  double connect_seconds = 30;
};

// `address` is "host:8470". Commands are sent without waiting for their end: an error of a program
// is thrown where its results are read. Once the connection is lost every call is an Unavailable.
// Unimplemented in a build without gRPC.
runtime::ClientPtr open_remote(const std::string& address, const RemoteOptions& options);

// The options of this process: the token from the file that SYSTOLIC_TOKEN_FILE names, the
// authority from SYSTOLIC_TLS_AUTHORITY. NotFound where there is no such file.
RemoteOptions options_from_environment();

}  // namespace remote
}  // namespace systolic::inline v0
