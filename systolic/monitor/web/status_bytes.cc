#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/shared_memory/status_layout.h"
#include "systolic/monitor/web/address.h"
#include "systolic/monitor/web/remote_status.h"

namespace systolic::inline v0 {
namespace monitor {

bool is_remote_address(std::string_view text) { return text.find(':') != text.npos; }

RemoteStatusReader::RemoteStatusReader(std::string_view address) {
  constexpr std::string_view scheme = "http://", token = "?token=";
  if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  const size_t query = address.find(token);
  if (query != address.npos) {
    token_ = address.substr(query + token.size());
    address = address.substr(0, query);
  }
  if (address.ends_with('/')) address.remove_suffix(1);
  const WebAddress parsed = parse_web_address(address);
  host_ = parsed.host;
  port_ = parsed.port;
}

std::string status_bytes(const RunStatus& status) {
  StatusHeader header;
  header.sequence = 2;
  std::string bytes(sizeof header + sizeof status, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, static_cast<const void*>(&status), sizeof status);
  return bytes;
}

std::unique_ptr<RunStatus> status_of_bytes(std::string_view bytes) {
  StatusHeader header;
  const StatusHeader wanted;
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (bytes.size() < sizeof header || header.magic != wanted.magic) {
    raise<DataLoss>({.what = "what answers there shows no run of Systolic"});
  }
  if (header.version != wanted.version || header.bytes != wanted.bytes) {
    raise<FailedPrecondition>({.what = "the run was built with another version of Systolic",
                               .hint = "use the `systolic` that was built with it"});
  }
  if (bytes.size() != sizeof header + sizeof(RunStatus)) {
    raise<DataLoss>({.what = "the status is cut short", .got = str(bytes.size(), " bytes")});
  }
  auto status = std::make_unique<RunStatus>();
  std::memcpy(static_cast<void*>(status.get()), bytes.data() + sizeof header, sizeof *status);
  make_safe(*status);
  return status;
}

}  // namespace monitor
}  // namespace systolic::inline v0
