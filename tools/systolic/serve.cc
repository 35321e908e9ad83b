#include "systolic/remote/serve.h"

#include <ostream>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/runtime/open_client.h"
#include "tools/systolic/commands.h"

namespace tool {

using namespace systolic;

namespace {

// What a file holds, without the end of its last line.
std::string secret_of(const std::string& path) {
  if (path.empty()) return "";
  const std::string text = io::read_file(path);
  const std::string secret(trim(text));
  if (secret.empty()) {
    raise<InvalidArgument>({.what = str("'", path, "' holds no token"), .wanted = "a secret text"});
  }
  return secret;
}

std::string whole_file(const std::string& path) { return path.empty() ? "" : io::read_file(path); }

}  // namespace

int serve(const ServeOptions& options, std::ostream& out) {
  const runtime::ClientPtr client =
      runtime::open_client({.tpu = options.tpu, .cores = options.cores, .announce = true});
  const bool is_ipv6 = options.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? str("[", options.host, "]") : options.host;
  const auto server = remote::serve(client, {.address = str(host, ":", options.port),
                                             .token = secret_of(options.token_file),
                                             .certificate = whole_file(options.certificate_file),
                                             .key = whole_file(options.key_file)});
  out << "serving " << client->platform() << " " << client->kind().name << ", " << client->cores()
      << " cores: grpc://" << host << ":" << server->port() << std::endl;
  server->wait();
  return 0;
}

}  // namespace tool
