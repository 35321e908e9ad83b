// Where the time of programs goes: SYSTOLIC_PROFILE=1 prints, when the process ends, the time of
// each kind of step, longest first, with the mean and the fastest run: in the first run of a
// program its memory is touched for the first time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace systolic::inline v0 {
namespace cpu {

struct Step;
class Frame;

class Profile {
 public:
  // Null unless the environment asks for a profile.
  static Profile* active();

  // Runs the step and adds its time.
  void run(const Step& step, const Frame& frame);
  ~Profile();

 private:
  struct Line {
    int64_t calls = 0;
    double seconds = 0, fastest = 1e30;
    double flops = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
