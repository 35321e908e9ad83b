#include "systolic/monitor/web/remote_status.h"

#include <httplib.h>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

std::unique_ptr<RunStatus> RemoteStatusReader::read() const {
  constexpr int good = 200, forbidden = 403, nothing_yet = 503;
  constexpr time_t patience_seconds = 5;
  // One that sends without end is cut off.
  constexpr size_t most_bytes = 2 * (sizeof(RunStatus) + 64);
  httplib::Client client(host_, port_);
  client.set_connection_timeout(patience_seconds);
  client.set_read_timeout(patience_seconds);
  const Stopwatch watch;
  std::string bytes;
  const std::string path = str("/status.raw", token_.empty() ? "" : "?token=", token_);
  const httplib::Result answer = client.Get(path.c_str(), [&](const char* data, size_t size) {
    bytes.append(data, size);
    return bytes.size() <= most_bytes;
  });
  if (answer && answer->status == good) return status_of_bytes(bytes);
  if (answer && answer->status == nothing_yet) return nullptr;
  if (answer && answer->status == forbidden) {
    raise<PermissionDenied>({.what = str("the run at ", host_, ":", port_,
                                         " shows itself to nobody "
                                         "without its token"),
                             .hint = "give the whole address that the program has printed"});
  }
  // One that hangs up has the same error, and takes no time.
  const bool waited = watch.milliseconds() >= 1000.0 * (patience_seconds - 1);
  if (answer.error() == httplib::Error::Read && waited) {
    raise<DeadlineExceeded>(
        {.what = str("the run at ", host_, ":", port_, " listens, but does not answer"),
         .got = str("nothing in ", patience_seconds, " s"),
         .hint = "its process is stopped (SIGSTOP, Ctrl-Z: kill -CONT has it go on), or starved"});
  }
  raise<Unavailable>(
      {.what = str("no run is shown at ", host_, ":", port_),
       .got = answer ? str("status ", answer->status)
                     : str("no answer (", httplib::to_string(answer.error()), ")"),
       .hint = "a run shows itself with .monitor = \":8080\" or SYSTOLIC_MONITOR=:8080"});
}

}  // namespace monitor
}  // namespace systolic::inline v0
