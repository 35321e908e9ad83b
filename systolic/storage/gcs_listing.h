// The names in a bucket, from the pages that Google's JSON API returns.
#pragma once

#include <string>
#include <vector>

#include "systolic/storage/gcs_client.h"

namespace systolic::inline v0 {
namespace storage {

struct GcsListing {
  std::vector<std::string> objects, folders;  // full names within the bucket
};

// Adds a page, the JSON that a server answered with; returns the token of the next one, empty after
// the last. Unavailable for what is not a JSON object; other entries that do not fit are skipped.
std::string add_gcs_page(const std::string& body, GcsListing& result, const GcsPurpose& purpose);

}  // namespace storage
}  // namespace systolic::inline v0
