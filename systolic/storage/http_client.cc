#include "systolic/storage/http_client.h"

#include <curl/curl.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace storage {

struct HttpClient::Call {
  HttpRequest request;
  HttpResponse response;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  char curl_error[CURL_ERROR_SIZE] = {};
  size_t sent = 0;
  size_t header_bytes = 0;

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::atomic<bool> cancelled{false};
  bool out_of_memory = false;  // only the thread's; says so in the answer's fault

  ~Call() {
    if (easy != nullptr) ::curl_easy_cleanup(easy);
    ::curl_slist_free_all(headers);
  }
  void finish() {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
};

namespace {

constexpr size_t most_header_bytes = 1 << 18;
using Call = HttpClient::Call;

// libcurl is C: nothing may be thrown through it. What fails there is no memory.
template <class Body>
size_t guarded(Call& call, const Body& body) noexcept {
  try {
    return body(call);
  } catch (...) {
    call.out_of_memory = true;
    return 0;
  }
}

size_t take_body(Call& call, const char* data, size_t count) {
  HttpResponse& response = call.response;
  if (call.cancelled) return 0;
  if (response.body.size() + count > call.request.most_body_bytes) {
    response.too_long = true;
    return 0;
  }
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
  ::curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  ::curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                     std::max(1L, static_cast<long>(request.stall_seconds)));
  ::curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, request.follow_redirects ? 1L : 0L);
  ::curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
}

void prepare(Call& call) {
  call.easy = ::curl_easy_init();
  if (call.easy == nullptr) raise<ResourceExhausted>({.what = "no memory for an HTTP request"});
  CURL* easy = call.easy;
  ::curl_easy_setopt(easy, CURLOPT_URL, call.request.url.c_str());
  ::curl_easy_setopt(easy, CURLOPT_PRIVATE, &call);
  ::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call.curl_error);
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  ::curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024);
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

// `fault` as the reason, or none where there is no memory for it: what came is cut off in any case.
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
  call.response.unknown_host =
      code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
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

}  // namespace

struct HttpClient::State {
  CURLM* multi = nullptr;
  std::mutex mutex;
  std::vector<std::shared_ptr<Call>> incoming;
  bool stopping = false;
  std::vector<std::shared_ptr<Call>> running;  // only the thread's
  std::thread thread;

  void add_incoming() {
    std::vector<std::shared_ptr<Call>> calls;
    {
      const std::lock_guard lock(mutex);
      running.reserve(running.size() + incoming.size());
      calls.swap(incoming);
    }
    for (auto& call : calls) {
      if (const CURLMcode code = ::curl_multi_add_handle(multi, call->easy); code != CURLM_OK) {
        set_fault(call->response, ::curl_multi_strerror(code));
        call->finish();
      } else {
        running.push_back(std::move(call));
      }
    }
  }

  // Ends those that have not begun.
  void refuse_incoming(const char* fault) noexcept {
    const std::lock_guard lock(mutex);
    for (const auto& call : incoming) {
      set_fault(call->response, fault);
      call->finish();
    }
    incoming.clear();
  }

  // Takes those out that fit, with their connections where they are not done.
  template <class Condition>
  void remove_where(const Condition& condition) {
    const auto kept = std::partition(running.begin(), running.end(),
                                     [&](const auto& call) { return !condition(*call); });
    for (auto call = kept; call != running.end(); ++call) {
      ::curl_multi_remove_handle(multi, (*call)->easy);
      if (!(*call)->done && (*call)->response.fault.empty() && (*call)->cancelled) {
        set_fault((*call)->response, "called off");
      }
      (*call)->finish();
    }
    running.erase(kept, running.end());
  }

  void take_finished() {
    int left = 0;
    while (const CURLMsg* message = ::curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      Call* call = nullptr;
      ::curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
      complete(*call, code);
      remove_where([&](const Call& other) { return &other == call; });
    }
  }

  bool should_stop() {
    const std::lock_guard lock(mutex);
    return stopping;
  }

  // The thread's. Nothing is thrown out of it: who waits hears of it.
  void run() noexcept {
    constexpr int wait_milliseconds = 1000;
    while (!should_stop()) {
      try {
        add_incoming();
      } catch (const std::bad_alloc&) {
        refuse_incoming("no memory for more requests");
      }
      int active = 0;
      ::curl_multi_perform(multi, &active);
      take_finished();
      remove_where([](const Call& call) { return call.cancelled.load(); });
      ::curl_multi_poll(multi, nullptr, 0, wait_milliseconds, nullptr);
    }
    constexpr const char* closed = "the HTTP client was closed";
    refuse_incoming(closed);
    remove_where([](Call& call) {
      set_fault(call.response, closed);
      return true;
    });
  }
};

HttpClient::HttpClient() : state_(std::make_unique<State>()) {
  static const CURLcode initialized = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  ensure(initialized == CURLE_OK, "libcurl does not start");
  state_->multi = ::curl_multi_init();
  if (state_->multi == nullptr) raise<ResourceExhausted>({.what = "no memory for HTTP"});
  ::curl_multi_setopt(state_->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 32L);
  ::curl_multi_setopt(state_->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 128L);
  ::curl_multi_setopt(state_->multi, CURLMOPT_MAXCONNECTS, 64L);
  // Signals are for the program's own threads; a closed connection's SIGPIPE is for nobody.
  sigset_t all, previous;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &previous);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
  ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

std::shared_ptr<HttpClient> HttpClient::create() {
  return std::shared_ptr<HttpClient>(new HttpClient);
}

HttpClient::~HttpClient() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  ::curl_multi_wakeup(state_->multi);
  state_->thread.join();
  ::curl_multi_cleanup(state_->multi);
}

HttpClient::Pending HttpClient::start(const std::shared_ptr<HttpClient>& client,
                                      HttpRequest request) {
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  prepare(*call);
  {
    const std::lock_guard lock(client->state_->mutex);
    client->state_->incoming.push_back(call);
  }
  ::curl_multi_wakeup(client->state_->multi);
  return {client, std::move(call)};
}

HttpClient::Pending::Pending(std::shared_ptr<HttpClient> client, std::shared_ptr<Call> call)
    : client_(std::move(client)), call_(std::move(call)) {}

HttpClient::Pending& HttpClient::Pending::operator=(Pending&& other) noexcept {
  std::swap(client_, other.client_);
  std::swap(call_, other.call_);
  return *this;
}

HttpClient::Pending::~Pending() {
  if (call_ == nullptr) return;
  call_->cancelled = true;
  ::curl_multi_wakeup(client_->state_->multi);
}

HttpResponse HttpClient::Pending::wait() {
  if (call_ == nullptr) {
    raise<FailedPrecondition>({.what = "nobody waits for the answer of an HTTP request that is not "
                                       "on its way, or was answered already"});
  }
  std::unique_lock lock(call_->mutex);
  call_->changed.wait(lock, [this] { return call_->done; });
  HttpResponse response = std::move(call_->response);
  lock.unlock();
  call_.reset();
  return response;
}

std::string HttpResponse::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF", kept = "-._~";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kept.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += '%';
      result += digits[byte >> 4];
      result += digits[byte & 15u];
    }
  }
  return result;
}

}  // namespace storage
}  // namespace systolic::inline v0
