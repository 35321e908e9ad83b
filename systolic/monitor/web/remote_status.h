// Reads the status of a run from the server of its page: of another machine, say.
//
//   RemoteStatusReader reader("10.0.0.5:8080?token=4f...");
//   std::unique_ptr<RunStatus> status = reader.read();
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

// "127.0.0.1:8080", ":8080", or the address that the program prints: with "http://" and the token.
// Anything else is an InvalidArgument.
class RemoteStatusReader {
 public:
  explicit RemoteStatusReader(std::string_view address);

  // The last status, made safe; null where no run has begun. Unavailable where nobody listens,
  // DeadlineExceeded where whoever does answers nothing, as a process that is stopped;
  // PermissionDenied without the token; DataLoss for what is not a status; FailedPrecondition for
  // that of another version of the library; Unimplemented in a build without cpp-httplib.
  std::unique_ptr<RunStatus> read() const;

  const std::string& host() const { return host_; }
  int port() const { return port_; }

 private:
  std::string host_, token_;
  int port_ = 0;
};

// Whether it names a server, and not a process.
bool is_remote_address(std::string_view text);

// A status as /status.raw gives it: the header and the bytes of shared memory.
std::string status_bytes(const RunStatus& status);
// As read() raises.
std::unique_ptr<RunStatus> status_of_bytes(std::string_view bytes);

}  // namespace monitor
}  // namespace systolic::inline v0
