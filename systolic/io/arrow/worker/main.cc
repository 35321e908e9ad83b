// The process in which Arrow C++ runs: systolic/io/worker/worker_process.h says why there is one.
#include <malloc.h>

#include <cstdlib>
#include <optional>

#include "systolic/io/arrow/worker/batch_layout.h"
#include "systolic/io/arrow/worker/check.h"
#include "systolic/io/arrow/worker/describe.h"
#include "systolic/io/arrow/worker/open.h"
#include "systolic/io/arrow/worker/parent_file.h"
#include "systolic/io/worker/program/channel.h"
#include "systolic/io/worker/program/limits.h"
#include "systolic/io/worker/program/serve.h"

namespace {

using namespace worker;
namespace wire = systolic::io::arrow_wire;

class Session {
 public:
  void answer(const wire::Message& request) {
    switch (request.kind) {
      case wire::Kind::list:
        return open(std::string(channel_.window().data(), request.a));
      case wire::Kind::read:
        return read(static_cast<int64_t>(request.a));
      default:
        std::exit(0);
    }
  }

  [[noreturn]] void run() {
    serve(channel_, [this](const auto& request) { answer(request); });
  }

 private:
  void open(const std::string& request) {
    wire::Reader in(request);
    const auto format = static_cast<wire::Format>(in.byte());
    const uint64_t bytes = in.number();
    const bool local = in.byte() != 0;
    const uint64_t count = in.number();
    std::optional<std::vector<std::string>> columns;
    if (count != wire::every_column) columns.emplace();
    for (uint64_t i = 0; columns && i < count && in.is_whole(); ++i)
      columns->emplace_back(in.text());
    const auto file = std::make_shared<ParentFile>(channel_, static_cast<int64_t>(bytes), local);
    is_checked_ = format == wire::Format::arrow;
    table_ = is_checked_ ? open_arrow(file, columns) : open_parquet(file, columns);
    channel_.send_bytes(described(*table_->schema, table_->rows));
  }

  void read(int64_t most_rows) {
    if (!table_) throw Fault("no file is open");
    if (rest_ == nullptr) next_batch();
    if (rest_ == nullptr) return;
    int64_t rows = std::min(rest_->num_rows(), most_rows);
    for (;;) {
      const auto part = rest_->Slice(0, rows);
      const BatchLayout layout(*part);
      if (layout.bytes() <= channel_.window().size()) {
        layout.write(channel_.window().data());
        take(rows);
        return channel_.send_piece(layout.bytes());
      }
      if (rows <= 1) throw Fault("a row of " + std::to_string(layout.bytes()) + " bytes");
      rows /= 2;
    }
  }

  // Batches without rows say nothing.
  void next_batch() {
    do {
      check(table_->batches->ReadNext(&rest_));
    } while (rest_ != nullptr && rest_->num_rows() == 0);
    if (rest_ == nullptr) return;
    if (rest_->num_columns() != table_->schema->num_fields())
      throw Fault("a batch without a column");
    check(is_checked_ ? rest_->ValidateFull() : rest_->Validate());
  }

  void take(int64_t rows) { rest_ = rows == rest_->num_rows() ? nullptr : rest_->Slice(rows); }

  Channel channel_;
  std::optional<OpenTable> table_;
  std::shared_ptr<arrow::RecordBatch> rest_;  // of the batch of which a part was sent
  bool is_checked_ = false;                   // an Arrow file holds arrays as they are in memory
};

}  // namespace

// arrow_worker MEMORY SECONDS: its limits, in bytes and of processor time.
int main(int count, char** arguments) {
  if (count != 3) return 2;
  // The memory of a batch serves for the next: given back, it would be set to zero again.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  set_limits(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10));
  Session session;
  refuse_system_calls();
  session.run();
}
