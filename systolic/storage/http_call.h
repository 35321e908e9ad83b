// One request in flight, as libcurl sees it.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "systolic/storage/http_client.h"

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

// Makes the request ready for libcurl.
void prepare(HttpClient::Call& call);
// Its status and what went wrong, once libcurl is done with it.
void complete(HttpClient::Call& call, CURLcode code) noexcept;
// `fault` as the reason, or none where there is no memory for it: what came is cut off in any case.
void set_fault(HttpResponse& response, const char* fault) noexcept;

}  // namespace storage
}  // namespace systolic::inline v0
