// How much a template may still do. Internal to text.
//
// A template is not trusted. Each step, element of a list and 64 bytes of a text that it makes or
// reads are a unit, so that its time and memory are bounded, whatever it is made of.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace text {

// While it lives, what this thread spends is counted: InvalidArgument beyond `units`.
class TemplateWork {
 public:
  explicit TemplateWork(int64_t units);
  ~TemplateWork();
  TemplateWork(const TemplateWork&) = delete;
  TemplateWork& operator=(const TemplateWork&) = delete;

  static void spend(uint64_t units);
  static void spend_bytes(uint64_t bytes) { spend(1 + bytes / 64); }

 private:
  int64_t left_;
  TemplateWork* outer_;
};

}  // namespace text
}  // namespace systolic::inline v0
