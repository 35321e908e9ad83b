// Numbers of a run as people read them.
#pragma once

#include <string>

namespace systolic::inline v0 {
namespace monitor {

std::string percent_text(double percent);  // "0.0007", "0.42", "98.1", "-" where it is not known
std::string time_text(double seconds);     // "0.10 s", "42 s", "1:02:03"
std::string rate_text(double per_second);  // "10.2", "2,040"
std::string clock_text(double time);       // "13:04:05", of seconds since 1970, here

}  // namespace monitor
}  // namespace systolic::inline v0
