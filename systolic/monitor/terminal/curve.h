// A curve of Braille dots, two columns and four rows of them in a character.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace monitor {

// `rows` lines of `columns` characters, from the top. The values from `low` to `high`; those that
// are not known leave a gap. More values than dots: neighbours become their mean.
std::vector<std::string> curve(std::span<const float> values, int columns, int rows, float low,
                               float high);

}  // namespace monitor
}  // namespace systolic::inline v0
