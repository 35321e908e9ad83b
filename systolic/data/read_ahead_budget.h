// What all remote files of a pipeline may read ahead of their readers, dealt out in even parts: the
// first one must not leave the others waiting for their server at each read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace systolic::inline v0 {
namespace data {

// All functions may be called by several threads, those of one Part by one at a time.
class ReadAheadBudget {
 public:
  explicit ReadAheadBudget(int64_t bytes) : bytes_(bytes) {}

  // One file's.
  class Part {
   public:
    explicit Part(ReadAheadBudget& budget) : budget_(budget) {}
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    // Whether the file may hold this many bytes in all; always true for no more than before.
    bool hold(size_t bytes);

   private:
    ReadAheadBudget& budget_;
    bool counts_ = false;  // from the first hold() on: local files read nothing ahead
    int64_t held_ = 0;
  };

  // What the parts hold, and what is kept for them: nothing as long as no file reads ahead.
  struct Use {
    int64_t held = 0, kept = 0;
  };
  Use use() const;

 private:
  const int64_t bytes_;
  mutable std::mutex mutex_;
  int64_t held_ = 0, parts_ = 0;
};

}  // namespace data
}  // namespace systolic::inline v0
