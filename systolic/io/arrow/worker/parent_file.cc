#include "systolic/io/arrow/worker/parent_file.h"

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "systolic/io/arrow/wire.h"

namespace worker {
namespace {

int64_t read_open_file(int64_t position, int64_t count, char* out) {
  int64_t done = 0;
  while (done < count) {
    const ssize_t came = pread(systolic::io::arrow_wire::file_number, out + done,
                               static_cast<size_t>(count - done), position + done);
    if (came < 0 && errno == EINTR) continue;
    if (came <= 0) break;
    done += came;
  }
  return done;
}

}  // namespace

int64_t ParentFile::within(int64_t position, int64_t count) const {
  if (position < 0 || position >= bytes_ || count <= 0) return 0;
  return std::min(count, bytes_ - position);
}

arrow::Result<int64_t> ParentFile::ReadAt(int64_t position, int64_t count, void* out) {
  count = within(position, count);
  char* const bytes = static_cast<char*>(out);
  if (local_) return read_open_file(position, count, bytes);
  int64_t done = 0;
  while (done < count) {
    const std::string_view came =
        channel_.fetch(static_cast<uint64_t>(position + done), static_cast<uint64_t>(count - done));
    if (came.empty()) break;
    std::memcpy(bytes + done, came.data(), came.size());
    done += static_cast<int64_t>(came.size());
  }
  return done;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ParentFile::ReadAt(int64_t position, int64_t count) {
  count = within(position, count);
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        arrow::AllocateResizableBuffer(count, arrow::system_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(const int64_t came, ReadAt(position, count, buffer->mutable_data()));
  ARROW_RETURN_NOT_OK(buffer->Resize(came));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<int64_t> ParentFile::Read(int64_t count, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t came, ReadAt(at_, count, out));
  at_ += came;
  return came;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ParentFile::Read(int64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, count));
  at_ += buffer->size();
  return buffer;
}

arrow::Status ParentFile::Seek(int64_t position) {
  if (position < 0) return arrow::Status::IOError("a place before the file");
  at_ = position;
  return arrow::Status::OK();
}

arrow::Status ParentFile::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

}  // namespace worker
