// An array on the engine, held once for all devices that hold parts of it.
//
// A program over N devices computes whole arrays. Its results stay whole here, and each device's
// buffer is the number of a part; a later program that wants the same parts gets the whole array
// without a copy. Devices are numbered as in the run: partition by partition, replica after
// replica.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "plugin/processes/share.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/client.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

class Array {
 public:
  // `whole` is cut into `parts`, for the devices of one replica and again for those of the next.
  // Where each of the engine's cores has such an array, `devices_per_copy` devices share one;
  // otherwise 0.
  // `number`: the same in all processes that hold it, where several do; see exchange.h.
  // `piece`: what `whole` is, where each process computes its share alone.
  Array(runtime::ClientPtr engine, runtime::BufferPtr whole, stablehlo::Parts parts,
        size_t devices_per_copy, uint64_t number = 0, const Piece& piece = {})
      : engine_(std::move(engine)),
        whole_(std::move(whole)),
        parts_(std::move(parts)),
        devices_per_copy_(devices_per_copy),
        number_(number),
        piece_(piece) {}

  const runtime::ClientPtr& engine() const { return engine_; }
  const stablehlo::Parts& parts() const { return parts_; }
  size_t devices_per_copy() const { return devices_per_copy_; }
  uint64_t number() const { return number_; }
  const Piece& piece() const { return piece_; }
  // Each device holds the same.
  bool replicated() const {
    return devices_per_copy_ == 0 && !piece_.is_cut() && parts_.whole(type().shape);
  }

  const ir::Type& type() const { return whole_->type(); }
  const runtime::BufferPtr& whole() const { return whole_; }
  Literal part(size_t device) const;

 private:
  runtime::ClientPtr engine_;
  runtime::BufferPtr whole_;
  stablehlo::Parts parts_;
  size_t devices_per_copy_;
  uint64_t number_;
  Piece piece_;
};
using ArrayPtr = std::shared_ptr<const Array>;

}  // namespace plugin
}  // namespace systolic::inline v0
