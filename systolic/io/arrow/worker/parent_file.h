// The file, as Arrow reads it: by its open number, or by asking the library for its bytes.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include "systolic/io/worker/program/channel.h"

namespace worker {

class ParentFile : public arrow::io::RandomAccessFile {
 public:
  ParentFile(const Channel& channel, int64_t bytes, bool local)
      : channel_(channel), bytes_(bytes), local_(local) {}

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override;
  arrow::Result<int64_t> Read(int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override;
  arrow::Result<int64_t> GetSize() override { return bytes_; }
  arrow::Result<int64_t> Tell() const override { return at_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Status Close() override;
  bool closed() const override { return closed_; }

 private:
  // Whatever is asked for, at most what lies in the file.
  int64_t within(int64_t position, int64_t count) const;

  const Channel& channel_;
  const int64_t bytes_;
  const bool local_;
  int64_t at_ = 0;
  bool closed_ = false;
};

}  // namespace worker
