#include "systolic/text/templates/work.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

thread_local TemplateWork* current_work = nullptr;

}  // namespace

TemplateWork::TemplateWork(int64_t units) : left_(units), outer_(current_work) {
  current_work = this;
}
TemplateWork::~TemplateWork() { current_work = outer_; }

void TemplateWork::spend(uint64_t units) {
  if (current_work == nullptr) return;
  if (static_cast<uint64_t>(current_work->left_) < units)
    raise<InvalidArgument>({.what = "it takes too many steps",
                            .wanted = "a template whose loops, lists and texts are shorter"});
  current_work->left_ -= static_cast<int64_t>(units);
}

}  // namespace text
}  // namespace systolic::inline v0
