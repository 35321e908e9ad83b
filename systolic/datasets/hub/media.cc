#include "systolic/datasets/hub/media.h"

#include "systolic/datasets/directory/decode_wav.h"
#include "systolic/image/codecs/decode_image.h"

namespace systolic::inline v0 {
namespace datasets {

Literal decoded_picture_file(const Literal& file) {
  return image::decode_image(file.bytes(), {.channels = 0}, {});
}

Column picture_column(Literal files) { return Column(std::move(files), decoded_picture_file); }

Literal decoded_sound_file(const Literal& file) { return decode_wav(file.bytes()).samples; }

Literal sampling_rate_of(const Literal& file) {
  return Literal::scalar<int64_t>(decode_wav(file.bytes(), 0).sampling_rate);
}

std::vector<std::pair<std::string, Column>> sound_columns(const std::string& name,
                                                          const Literal& files) {
  return {{name, Column(files, decoded_sound_file)},
          {name + ".sampling_rate", Column(files, sampling_rate_of)}};
}

}  // namespace datasets
}  // namespace systolic::inline v0
