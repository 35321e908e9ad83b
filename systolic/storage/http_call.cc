#include "systolic/storage/http_call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace storage {

namespace {

constexpr size_t most_header_bytes = 1 << 18;
using Call = HttpClient::Call;

// libcurl is C: nothing may be thrown through it. What can fail there is memory.
template <class Body>
size_t guarded(Call& call, const Body& body) noexcept {
  try {
    return body(call);
  } catch (...) {
    call.out_of_memory = true;
    return 0;
  }
}

// The size that the server announces; 0 where it does not.
uint64_t stated_bytes(const Call& call) {
  int64_t length = 0;
  parse_number(call.response.header("content-length"), length);
  return static_cast<uint64_t>(std::max<int64_t>(length, 0));
}

size_t take_body(Call& call, const char* data, size_t count) {
  constexpr uint64_t most_believed = uint64_t{1} << 23;
  HttpResponse& response = call.response;
  if (call.cancelled) return 0;
  // A longer answer shows by its announced size: it may never arrive.
  const uint64_t stated = response.body.empty() ? stated_bytes(call) : 0;
  if (std::max<uint64_t>(stated, response.body.size() + count) > call.request.most_body_bytes) {
    response.too_long = true;
    return 0;
  }
  // No growing, no moving.
  if (stated > 0) response.body.reserve(std::min(stated, most_believed));
  response.body.append(data, count);
  return count;
}

size_t on_body(char* data, size_t, size_t count, void* context) {
  return guarded(*static_cast<Call*>(context),
                 [&](Call& call) { return take_body(call, data, count); });
}

size_t take_header(Call& call, const char* data, size_t count) {
  const std::string_view line(data, count);
  call.header_bytes += count;
  if (call.header_bytes > most_header_bytes) return 0;
  if (line.rfind("HTTP/", 0) == 0) {  // of this answer, not of the redirection before it
    call.response.headers.clear();
    call.response.body.clear();
    return count;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return count;
  std::string name(trim(line.substr(0, colon)));
  std::transform(name.begin(), name.end(), name.begin(), ascii_lower);
  call.response.headers[name] = std::string(trim(line.substr(colon + 1)));
  return count;
}

size_t on_header(char* data, size_t, size_t count, void* context) {
  return guarded(*static_cast<Call*>(context),
                 [&](Call& call) { return take_header(call, data, count); });
}

size_t on_upload(char* data, size_t size, size_t count, void* context) {
  auto& call = *static_cast<Call*>(context);
  const std::string& body = call.request.body;
  const size_t piece = std::min(size * count, body.size() - call.sent);
  std::copy_n(body.data() + call.sent, piece, data);
  call.sent += piece;
  return piece;
}

// The connection that was kept had been closed by the server: curl sends the body once more.
int on_rewind(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Call*>(context)->sent = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// The environment's list of hosts without a proxy, and those that can only be near.
const std::string& hosts_without_proxy() {
  static const std::string hosts = [] {
    std::string list = "localhost,127.0.0.1,::1,metadata.google.internal,169.254.169.254";
    for (const char* name : {"no_proxy", "NO_PROXY"}) {
      const char* more = std::getenv(name);
      if (more != nullptr && *more != '\0') list += str(",", more);
    }
    return list;
  }();
  return hosts;
}

const char* certificates() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* file = std::getenv(name);
    if (file != nullptr && *file != '\0') return file;
  }
  return nullptr;
}

void set_protocols(CURL* easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
#else
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  ::curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTPS);
#endif
}

void set_body(Call& call) {
  CURL* easy = call.easy;
  const std::string& method = call.request.method;
  const auto size = static_cast<curl_off_t>(call.request.body.size());
  if (method == "POST") {
    ::curl_easy_setopt(easy, CURLOPT_POST, 1L);
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
  } else if (method == "PUT") {
    ::curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    ::curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, size);
  } else if (method == "HEAD") {
    ::curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (method != "GET") {
    ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
  ::curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_upload);
  ::curl_easy_setopt(easy, CURLOPT_READDATA, &call);
  ::curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_rewind);
  ::curl_easy_setopt(easy, CURLOPT_SEEKDATA, &call);
}

void set_limits(CURL* easy, const HttpRequest& request) {
  const auto milliseconds = [](double seconds) { return static_cast<long>(1000 * seconds); };
  ::curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connect_seconds));
  ::curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(request.deadline_seconds));
  ::curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(HttpClient::least_rate));
  ::curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                     std::max(1L, static_cast<long>(request.stall_seconds)));
  ::curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request.follow_redirects ? 1L : 0L);
  ::curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
}

bool is_of_certificates(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR;
}

bool is_lasting(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT ||
         code == CURLE_TOO_MANY_REDIRECTS;
}

}  // namespace

void prepare(Call& call) {
  call.easy = ::curl_easy_init();
  if (call.easy == nullptr) raise<ResourceExhausted>({.what = "no memory for an HTTP request"});
  CURL* easy = call.easy;
  ::curl_easy_setopt(easy, CURLOPT_URL, call.request.url.c_str());
  ::curl_easy_setopt(easy, CURLOPT_PRIVATE, &call);
  ::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call.curl_error);
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  const long version =
      call.request.http2_at_once ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS;
  ::curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
  // libcurl 7.88 loses requests on such a connection that it uses once more.
  ::curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, call.request.http2_at_once ? 1L : 0L);
  ::curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, call.request.http2_at_once ? 1L : 0L);
  ::curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, static_cast<long>(HttpClient::buffer_bytes));
  ::curl_easy_setopt(easy, CURLOPT_USERAGENT, "systolic/0.1");
  ::curl_easy_setopt(easy, CURLOPT_NOPROXY, hosts_without_proxy().c_str());
  if (certificates() != nullptr) ::curl_easy_setopt(easy, CURLOPT_CAINFO, certificates());
  ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, &call);
  ::curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  ::curl_easy_setopt(easy, CURLOPT_HEADERDATA, &call);
  for (const std::string& header : call.request.headers) {
    call.headers = ::curl_slist_append(call.headers, header.c_str());
  }
  // No "100 Continue" to wait for.
  call.headers = ::curl_slist_append(call.headers, "Expect:");
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call.headers);
  set_protocols(easy);
  set_body(call);
  set_limits(easy, call.request);
}

void set_fault(HttpResponse& response, const char* fault) noexcept {
  try {
    response.fault = fault;
  } catch (...) {
    response.fault = "no memory";  // short enough to need none
  }
}

void complete(Call& call, CURLcode code) noexcept {
  long status = 0;
  ::curl_easy_getinfo(call.easy, CURLINFO_RESPONSE_CODE, &status);
  call.response.status = static_cast<int>(status);
  call.response.untrusted = is_of_certificates(code);
  call.response.lasting = call.response.untrusted || is_lasting(code);
  if (code == CURLE_OK) return;
  const char* reason = call.curl_error[0] != '\0' ? call.curl_error : ::curl_easy_strerror(code);
  if (call.out_of_memory) reason = "no memory for the answer";
  set_fault(call.response, reason);
  if (!call.response.too_long) return;
  char text[80];
  std::snprintf(text, sizeof(text), "the answer is longer than %llu bytes",
                static_cast<unsigned long long>(call.request.most_body_bytes));
  set_fault(call.response, text);
}

}  // namespace storage
}  // namespace systolic::inline v0
