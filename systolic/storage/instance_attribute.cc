#include "systolic/storage/instance_attribute.h"

#include "systolic/base/error.h"
#include "systolic/storage/http_client.h"
#include "systolic/storage/retry.h"

namespace systolic::inline v0 {
namespace storage {

std::optional<std::string> instance_attribute(const std::string& name, const std::string& host) {
  const HttpRequest request{.url = str("http://", host, "/computeMetadata/v1/instance/attributes/",
                                       percent_encoded(name)),
                            .headers = {"Metadata-Flavor: Google"},
                            .most_body_bytes = uint64_t{1} << 20,
                            .connect_seconds = 3,
                            .deadline_seconds = 20};
  const RetryOptions few{.most_attempts = 4};
  const auto client = HttpClient::create();
  const HttpResponse response = send_retrying(few, [&] {
    HttpResponse answer = HttpClient::send(client, request);
    answer.lasting = answer.lasting || answer.status == 0;  // nobody is there
    return answer;
  });
  if (response.status == 0 || response.status == 404) return std::nullopt;
  if (!response.complete() || response.status != 200) {
    raise<Unavailable>({.what = str("metadata server ", host, ": ", name),
                        .got = describe(response),
                        .hint = remedy_for(response)});
  }
  return response.body;
}

}  // namespace storage
}  // namespace systolic::inline v0
