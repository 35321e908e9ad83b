#include "systolic/storage/http_client.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/base/threads/start_thread.h"
#include "systolic/storage/http_call.h"

namespace systolic::inline v0 {
namespace storage {

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

  // Runs on the thread. Nothing is thrown out of it: whoever waits learns of it.
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
  auto thread = try_start_thread([state = state_.get()] { state->run(); });
  ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (!thread) {
    ::curl_multi_cleanup(state_->multi);
    raise<ResourceExhausted>({.what = "no thread for HTTP: the system gives no more",
                              .hint = "raise the limit of processes (ulimit -u)"});
  }
  state_->thread = std::move(*thread);
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

namespace {

// What follows it may hold a signature.
std::string host_of(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return url.substr(0, url.find_first_of("/?#", begin));
}

}  // namespace

HttpResponse HttpClient::Pending::wait() {
  if (call_ == nullptr) {
    raise<FailedPrecondition>({.what = "nobody waits for the answer of an HTTP request that is not "
                                       "on its way, or was answered already"});
  }
  std::unique_lock lock(call_->mutex);
  constexpr std::chrono::seconds without_a_word(5);
  const auto done = [this] { return call_->done; };
  if (!call_->changed.wait_for(lock, without_a_word, done)) {
    log_info(str("waiting for ", call_->request.method, " ", host_of(call_->request.url)));
    call_->changed.wait(lock, done);
  }
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
