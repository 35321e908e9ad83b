// Pictures and sounds that lie in a table as the bytes of their files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/datasets/tables/column.h"

namespace systolic::inline v0 {
namespace datasets {

// `files`: strings [rows], the bytes of a picture each. Rows are u8 [height, width, channels].
Column picture_column(Literal files);
Literal decoded_picture_file(const Literal& file);

// Two columns of sounds (WAV): `name`, f32 [samples, channels] from -1 to 1, and
// "name.sampling_rate", i64 [].
std::vector<std::pair<std::string, Column>> sound_columns(const std::string& name,
                                                          const Literal& files);
Literal decoded_sound_file(const Literal& file);
Literal sampling_rate_of(const Literal& file);

}  // namespace datasets
}  // namespace systolic::inline v0
