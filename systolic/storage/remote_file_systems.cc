// The one file that io knows of this folder, by open_remote_file_system.
#include "systolic/io/files/file_system.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/https_file_system.h"

namespace systolic::inline v0 {
namespace io {

std::shared_ptr<FileSystem> open_remote_file_system(std::string_view scheme) {
  if (scheme == "gs") return storage::gcs_file_system();
  if (scheme == "https" || scheme == "http") return storage::https_file_system();
  return nullptr;
}

}  // namespace io
}  // namespace systolic::inline v0
