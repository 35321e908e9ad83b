// When a request is sent again: faults that pass by themselves, after waits that grow
// (cloud.google.com/storage/docs/retry-strategy).
#pragma once

#include "systolic/base/function_ref.h"
#include "systolic/storage/http_client.h"

namespace systolic::inline v0 {
namespace storage {

struct RetryOptions {
  int most_attempts = 7;
  double first_wait_seconds = 0.5;  // doubled each time, and shortened by chance up to a half
  double longest_wait_seconds = 32;
};

// No answer, or one cut off; 408, 429, 500, 502, 503, 504. Not an answer that is longer than
// requested, nor a fault that would be the same the next time: a machine without a network says so
// at once.
bool may_pass(const HttpResponse& response);

// Waits before attempt `attempt` (counted from 1), longer where the server says Retry-After.
void wait_before_attempt(int attempt, const HttpResponse& previous, const RetryOptions& options);

// Sends an idempotent request by `send` until its answer is not a passing fault, or that often. The
// answer may be a server error.
HttpResponse send_retrying(const RetryOptions& options, FunctionRef<HttpResponse()> send);
HttpResponse send_retrying(const std::shared_ptr<HttpClient>& client, const HttpRequest& request,
                           const RetryOptions& options);

// "503 Service Unavailable: the server's message", or why there was no answer.
std::string describe(const HttpResponse& response);
// What to do where no answer came, or one that may be different later; else nothing.
std::string remedy_for(const HttpResponse& response);

}  // namespace storage
}  // namespace systolic::inline v0
