// Recordings of a directory.
#include "systolic/base/error.h"
#include "systolic/datasets/directory/decode_wav.h"
#include "systolic/datasets/directory/directory_files.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {

DirectoryDataset audio_dataset_from_directory(const std::string& directory,
                                              const AudioDirectoryOptions& options,
                                              SourceLocation location) {
  DirectoryDataset result =
      datasets::directory_files(directory, datasets::rules_of(options), {".wav"}, location);
  const auto read = [options](const std::string& path) {
    const ErrorScope scope(path, {});
    const DecodedAudio audio = decode_wav(io::read_file(path), options.output_sequence_length);
    if (options.sampling_rate && audio.sampling_rate != *options.sampling_rate) {
      raise<Unimplemented>({.what = str("a sampling rate of ", audio.sampling_rate),
                            .wanted = str(*options.sampling_rate, ": files are not resampled")});
    }
    return audio.samples;
  };
  result.dataset = datasets::read_files(result.dataset, "audio", read);
  if (options.batch_size) {
    result.dataset = options.output_sequence_length
                         ? result.dataset.batch(*options.batch_size)
                         : result.dataset.padded_batch(*options.batch_size);
  }
  result.dataset = result.dataset.prefetch(data::autotune);
  return result;
}

}  // namespace systolic::inline v0
