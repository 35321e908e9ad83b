// Coordination of a process that is alone: nobody to wait for, no network.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "systolic/cluster/coordination.h"

namespace systolic::inline v0 {
namespace cluster {

class Alone final : public Coordination {
 public:
  explicit Alone(Place place) : place_(std::move(place)) {}
  const Place& place() const override { return place_; }
  void put(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key, double seconds) override;
  std::optional<std::string> try_get(const std::string& key) override;
  void barrier(const std::string&, double) override {}
  void agree(const std::string&, const std::string&, double) override {}
  std::vector<std::string> gather(const std::string&, const std::string& value, double) override {
    return {value};
  }
  void give_notice(const std::string& reason) override;
  bool stops_at(int64_t step) override;
  bool leave(double) override { return true; }
  void announce_failure(const std::string&) override {}
  void fail(const std::string& reason) override;
  std::optional<std::string> failure() const override;

 private:
  Place place_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, std::string> values_;
  int64_t step_ = 0, stop_step_ = -1;
  std::string failure_;
};

}  // namespace cluster
}  // namespace systolic::inline v0
