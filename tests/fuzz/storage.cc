// What servers answer, and the paths by which they are asked.
#include "systolic/storage/credentials.h"
#include "systolic/storage/gcs_client.h"
#include "systolic/storage/gcs_listing.h"
#include "systolic/storage/retry.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {

using namespace systolic;

void answer(std::string_view bytes) {
  const std::string text(bytes);
  attempt([&] { storage::parse_gcs_object(text, "gs://bucket/object"); });
  attempt([&] {
    storage::GcsListing listing;
    storage::add_gcs_page(text, listing, {"cannot list", "gs://bucket", "", "", {}});
  });
  for (const int status : {200, 404, 503}) {
    attempt(
        [&] { storage::describe({.status = status, .headers = {}, .body = text, .fault = ""}); });
  }
  static const auto client = storage::HttpClient::create();
  attempt([&] { storage::credentials_from_json(client, text, "key.json"); });
}

void remote_path(const std::string& path) {
  attempt([&] {
    const storage::GcsPath parsed = storage::parse_gcs_path(path, {});
    if (parsed.bucket.empty()) throw std::logic_error("an object in no bucket");
    storage::percent_encoded(parsed.object);
  });
}

}  // namespace fuzz
