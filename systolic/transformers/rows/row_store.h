// Rows of numbers of four bytes, of different lengths: in memory, or in a file of a scratch folder,
// of which memory holds what was read last. Internal to prepare_dataset.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systolic/io/files/scratch_file.h"

namespace systolic::inline v0 {

class RowStore {
 public:
  // In memory where no folder is named.
  explicit RowStore(const std::string& scratch_folder = {}, SourceLocation location = {});

  void add(std::span<const int32_t> row);
  // After the last row: from here on they can be read.
  void finish();
  int64_t rows() const { return static_cast<int64_t>(ends_.size()); }
  // For a row that was added, finished or not.
  int64_t length(int64_t row) const { return ends_[static_cast<size_t>(row)] - begin(row); }
  std::span<const int32_t> row(int64_t row) const;

 private:
  // Rows that lie in memory together; none continues in the next one. A single growing block would
  // move, and take twice its size meanwhile.
  struct Block {
    int64_t begin = 0;  // among all numbers
    std::vector<int32_t> numbers;
  };

  int64_t begin(int64_t row) const { return row == 0 ? 0 : ends_[static_cast<size_t>(row - 1)]; }
  int64_t numbers() const { return ends_.empty() ? 0 : ends_.back(); }
  Block& block_with_room(size_t numbers);
  void write(Block& block);

  std::vector<int64_t> ends_;  // of each row, among all numbers
  std::vector<Block> blocks_;  // of a file, the one that is not written yet
  std::unique_ptr<io::ScratchFile> file_;
  std::shared_ptr<const io::MappedFile> mapped_;
};

}  // namespace systolic::inline v0
