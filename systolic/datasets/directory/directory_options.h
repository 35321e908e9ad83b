// Data sets from folders of files, with Keras's names (keras.utils.image_dataset_from_directory and
// its like).
//
//   const DirectoryDataset train = image_dataset_from_directory(
//       "flowers", {.image_size = {180, 180}, .seed = 1, .validation_split = 0.2,
//                   .subset = Subset::training});
//   model.fit(train.dataset);                          // train.class_names: the folders
//
// A folder for each class, whose files, and those of folders in it, are of the class; in order of
// their names, and then shuffled with `seed` as Keras shuffles them, so that the same seed splits
// the same files. Hidden folders are none.
//
// InvalidArgument: no files of the kind, a split without a subset or with shuffling and no seed,
// labels of another number than the files, binary labels of other than two classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/data/dataset.h"
#include "systolic/image/resize/resize.h"

namespace systolic::inline v0 {

enum class LabelMode : uint8_t {
  integer,      // i32
  categorical,  // f32 [classes], 1 in the place of the class
  binary,       // f32 [1], 0 or 1
  none,         // elements have no label
};
// The files before the last part, validation_split of them, or that part.
enum class Subset : uint8_t { all, training, validation };

struct DirectoryDataset {
  data::Dataset dataset;
  std::vector<std::string> class_names = {};  // none with LabelMode::none
  std::vector<std::string> file_paths = {};   // before the shuffle of each epoch
};

// 3, 4 or 1 channels.
enum class ColorMode : uint8_t { rgb, rgba, grayscale };

// Elements {"image": f32 [batch, height, width, channels] from 0 to 255, "label"}.
struct ImageDirectoryOptions {
  LabelMode label_mode = LabelMode::integer;  // what labels are
  // One for each file in order; the classes are then their different values, and folders none.
  std::optional<std::vector<int64_t>> labels = {};
  std::vector<std::string> class_names = {};  // the folders, in another order or not all of them
  ColorMode color_mode = ColorMode::rgb;      // channels
  std::optional<int64_t> batch_size = 32;     // without one, elements are single pictures
  image::Size image_size = {256, 256};        // rows and columns
  bool shuffle = true;                        // else in order of the names
  std::optional<uint32_t> seed = {};          // of the shuffle
  double validation_split = 0;                // the share of the last files
  Subset subset = Subset::all;                // which of them
  image::Resize interpolation = image::Resize::bilinear;  // how they are resized
  bool crop_to_aspect_ratio = false;  // the middle is resized, so that nothing is stretched
  bool pad_to_aspect_ratio = false;   // black is added instead
};
DirectoryDataset image_dataset_from_directory(const std::string& directory,
                                              const ImageDirectoryOptions& options = {},
                                              SourceLocation location = SourceLocation::current());

// Elements {"text": strings [batch], "label"} of .txt files.
struct TextDirectoryOptions {
  LabelMode label_mode = LabelMode::integer;        // what labels are
  std::optional<std::vector<int64_t>> labels = {};  // one for each file in order, not by folders
  std::vector<std::string> class_names = {};        // folders, in this order
  std::optional<int64_t> batch_size = 32;           // without one, single elements
  std::optional<int64_t> max_length = {};           // of a text, in bytes
  bool shuffle = true;                              // else in order of the names
  std::optional<uint32_t> seed = {};                // of the shuffle
  double validation_split = 0;                      // the share of the last files
  Subset subset = Subset::all;                      // which of them
};
DirectoryDataset text_dataset_from_directory(const std::string& directory,
                                             const TextDirectoryOptions& options = {},
                                             SourceLocation location = SourceLocation::current());

// Elements {"audio": f32 [batch, samples, channels] from -1 to 1, "label"} of .wav files; shorter
// ones end in zeros. A file whose sampling rate is another than `sampling_rate` is an
// Unimplemented.
struct AudioDirectoryOptions {
  LabelMode label_mode = LabelMode::integer;           // what labels are
  std::optional<std::vector<int64_t>> labels = {};     // one for each file in order, not by folders
  std::vector<std::string> class_names = {};           // folders, in this order
  std::optional<int64_t> batch_size = 32;              // without one, single elements
  std::optional<int64_t> sampling_rate = {};           // samples a second
  std::optional<int64_t> output_sequence_length = {};  // the longest of the batch
  bool shuffle = true;                                 // else in order of the names
  std::optional<uint32_t> seed = {};                   // of the shuffle
  double validation_split = 0;                         // the share of the last files
  Subset subset = Subset::all;                         // which of them
};
DirectoryDataset audio_dataset_from_directory(const std::string& directory,
                                              const AudioDirectoryOptions& options = {},
                                              SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
