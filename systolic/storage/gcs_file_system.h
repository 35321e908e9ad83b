// gs://bucket/object: Google Cloud Storage over its JSON API.
//
// A bucket has no folders: "gs://b/a/" is whatever starts like that. Reading keeps to the
// generation that was opened, and checks the CRC-32C of the whole; writing is a resumable upload
// whose object appears at commit(), unless somebody else has written it meanwhile (then
// FailedPrecondition).
#pragma once

#include <memory>

#include "systolic/io/files/file_system.h"
#include "systolic/storage/gcs_client.h"

namespace systolic::inline v0 {
namespace storage {

std::shared_ptr<io::FileSystem> gcs_file_system(GcsOptions options = {});

}  // namespace storage
}  // namespace systolic::inline v0
