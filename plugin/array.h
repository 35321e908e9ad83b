// An array on the engine, held once for all devices that hold parts of it.
//
// A program over N devices computes whole arrays. Its results stay whole here, and each device's
// buffer is a number of a part; a later program that wants the same parts gets the whole array
// without a copy.
#pragma once

#include <memory>
#include <mutex>

#include "systolic/ir/module.h"
#include "systolic/runtime/client.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

class Array {
 public:
  // `stacked`: each core has an array of its own, `parts` says its size; else `whole` is cut into
  // `parts`.
  Array(runtime::ClientPtr engine, runtime::BufferPtr whole, stablehlo::Parts parts, bool stacked)
      : engine_(std::move(engine)),
        whole_(std::move(whole)),
        parts_(std::move(parts)),
        stacked_(stacked) {}

  const runtime::ClientPtr& engine() const { return engine_; }
  const stablehlo::Parts& parts() const { return parts_; }
  bool stacked() const { return stacked_; }
  // Each core holds the same.
  bool replicated() const { return !stacked_ && parts_.whole(type().shape); }

  const ir::Type& type() const { return whole_->type(); }
  const runtime::BufferPtr& whole() const { return whole_; }
  Literal part(size_t core) const;

 private:
  runtime::ClientPtr engine_;
  runtime::BufferPtr whole_;
  stablehlo::Parts parts_;
  bool stacked_;
};
using ArrayPtr = std::shared_ptr<const Array>;

}  // namespace plugin
}  // namespace systolic::inline v0
