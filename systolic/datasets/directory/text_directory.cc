// Texts of a directory.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/directory/directory_files.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {

DirectoryDataset text_dataset_from_directory(const std::string& directory,
                                             const TextDirectoryOptions& options,
                                             SourceLocation location) {
  if (options.max_length && *options.max_length < 0) {
    raise<InvalidArgument>({.what = str("max_length is ", *options.max_length),
                            .wanted = "0 or more",
                            .location = location});
  }
  DirectoryDataset result =
      datasets::directory_files(directory, datasets::rules_of(options), {".txt"}, location);
  const auto read = [most = options.max_length](const std::string& path) {
    std::string text = io::read_file(path);
    if (most) text.resize(std::min(text.size(), static_cast<size_t>(*most)));
    return Literal::scalar(std::string_view(text));
  };
  result.dataset = datasets::read_files(result.dataset, "text", read);
  if (options.batch_size) result.dataset = result.dataset.batch(*options.batch_size);
  result.dataset = result.dataset.prefetch(data::autotune);
  return result;
}

}  // namespace systolic::inline v0
