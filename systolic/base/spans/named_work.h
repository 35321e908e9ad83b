// A work that the program has one of.
//
//   constinit spans::NamedWork callbacks{spans::WorkKind::host, "callbacks"};
//   const spans::Span span(callbacks);
#pragma once

#include <atomic>

#include "systolic/base/spans/spans.h"

namespace systolic::inline v0 {
namespace spans {

class NamedWork {
 public:
  constexpr NamedWork(WorkKind kind, const char* name) : kind_(kind), name_(name) {}

  WorkId operator()() const {
    WorkId id = id_.load(std::memory_order_relaxed);
    if (id == no_work) id_ = id = id_of({.kind = kind_, .name = name_});
    return id;
  }

 private:
  const WorkKind kind_;
  const char* const name_;
  mutable std::atomic<WorkId> id_{no_work};
};

}  // namespace spans
}  // namespace systolic::inline v0
