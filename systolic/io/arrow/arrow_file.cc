#include "systolic/io/arrow/arrow_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/core/literal.h"
#include "systolic/io/arrow/arrow_program.h"
#include "systolic/io/arrow/parse_batch.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_bytes.h"
#include "systolic/io/tensors/git_lfs.h"
#include "systolic/io/worker/worker_process.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = arrow_wire;

constexpr uint64_t most_schema_bytes = uint64_t{1} << 26;
// The pages of a column, and the batch that is made of them.
constexpr uint64_t most_worker_bytes = uint64_t{1} << 31;
// For the schema; and of a slow processor, for each batch.
constexpr uint64_t seconds_to_open = 5, seconds_of_a_batch = 10;

constexpr std::array<std::string_view, 3> arrow_endings = {".arrow", ".feather", ".ipc"};

bool has_arrow_ending(std::string_view path) {
  return std::any_of(arrow_endings.begin(), arrow_endings.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

// By the first bytes; of a file that begins like neither, by its name.
wire::Format format_of(const std::string& path, std::string_view first) {
  constexpr uint32_t stream_mark = 0xffffffff;
  uint32_t word = 0;
  if (first.size() >= sizeof word) std::memcpy(&word, first.data(), sizeof word);
  if (first.starts_with("PAR")) return wire::Format::parquet;
  if (first.starts_with("ARROW1") || word == stream_mark) return wire::Format::arrow;
  return has_arrow_ending(path) ? wire::Format::arrow : wire::Format::parquet;
}

std::string request_of(wire::Format format, const FileBytes& file,
                       const ArrowReadOptions& options) {
  wire::Writer out;
  out.byte(static_cast<uint8_t>(format));
  out.number(file.size());
  out.byte(file.descriptor() >= 0 ? 1 : 0);
  out.number(options.columns ? options.columns->size() : wire::every_column);
  for (const std::string& name : options.columns.value_or(std::vector<std::string>{}))
    out.text(name);
  return out.bytes();
}

// Aligned to 64 bytes, and not set to zero.
struct BatchMemory {
  std::byte* data = nullptr;
  uint64_t size = 0;
  std::shared_ptr<const void> owner = nullptr;
};

BatchMemory new_memory(uint64_t size) {
  const auto bytes = std::make_shared<Literal>(DType::u8, Shape{static_cast<int64_t>(size)});
  return {.data = bytes->mutable_raw(), .size = size, .owner = bytes};
}

}  // namespace

struct ArrowFile::State {
  State(const std::string& file_path, const ArrowReadOptions& wanted, SourceLocation opened_at)
      : path(file_path),
        options(wanted),
        location(opened_at),
        file(path, location),
        worker(arrow_program(location), file.descriptor(), wire::window_bytes,
               {.memory_bytes = most_worker_bytes, .processor_seconds = seconds_to_open}, path,
               location) {
    worker.serve([this](uint64_t offset, std::span<char> to) {
      return offset >= file.size()
                 ? 0
                 : file.read_to(offset, reinterpret_cast<std::byte*>(to.data()),
                                std::min<uint64_t>(to.size(), file.size() - offset));
    });
    open();
  }

  // What the file is.
  wire::Format read_format() const {
    const FileBytes::Piece first = file.read(0, std::min<uint64_t>(file.size(), 8));
    const std::string_view text(reinterpret_cast<const char*>(first.data), first.size);
    check_no_git_lfs_pointer(path, text, location);
    return format_of(path, text);
  }

  void open() {
    const std::string request = request_of(read_format(), file, options);
    if (request.size() > worker.window().size())
      raise<InvalidArgument>({.what = "columns whose names fill the memory", .location = location});
    std::copy(request.begin(), request.end(), worker.window().begin());
    std::string bytes;
    worker.ask(
        {.kind = wire::Kind::list, .a = request.size()},
        [&](std::string_view piece) {
          if (bytes.size() + piece.size() > most_schema_bytes)
            damaged("a schema that fills the memory");
          bytes += piece;
        },
        location);
    schema = parse_schema(bytes, [this](std::string_view what) { damaged(what); });
    for (const ArrowField& field : schema.fields) check_supported(field, field.name);
  }

  [[noreturn]] void damaged(std::string_view what) const {
    raise<DataLoss>({.what = str("'", path, "' cannot be read: ", what), .location = location});
  }

  BatchMemory memory_for(uint64_t size) {
    if (file.size() <= options.block_bytes || size > options.block_bytes) return new_memory(size);
    if (wire::aligned(size) > block.size) block = new_memory(options.block_bytes);
    const BatchMemory part{.data = block.data, .size = size, .owner = block.owner};
    const uint64_t taken = std::min(wire::aligned(size), block.size);
    block.data += taken;
    block.size -= taken;
    return part;
  }

  // The worker makes the next one while the caller is at work on the last.
  void ask_for_batch() {
    worker.allow(seconds_of_a_batch);
    const auto rows = static_cast<uint64_t>(std::max<int64_t>(options.batch_rows, 1));
    worker.begin({.kind = wire::Kind::read, .a = rows}, location);
    asked = true;
  }

  // Null columns and runs of one value take next to nothing in a file: without a bound one of some
  // bytes could go on for years.
  void count_rows(int64_t rows) {
    constexpr uint64_t surely_fine = uint64_t{1} << 24, most_in_a_byte = 100'000;
    rows_read += static_cast<uint64_t>(rows);
    if (rows_read > surely_fine && rows_read / most_in_a_byte > file.size())
      damaged(str("more than ", rows_read, " rows in ", file.size(), " bytes"));
  }

  void check_supported(const ArrowField& field, const std::string& column) const {
    for (const ArrowField& inner : field.inner) check_supported(inner, column);
    if (field.kind != ArrowKind::unsupported) return;
    raise<Unimplemented>(
        {.what = str("'", path, "': column '", column, "' is ", field.type),
         .wanted = "numbers, truth values, texts, bytes, times, dictionaries, lists and structs",
         .hint = ".columns names those to read; a decimal is read as a float after "
                 "cast(\"float64\") in Python",
         .location = location});
  }

  std::string path;
  ArrowReadOptions options;
  SourceLocation location;
  FileBytes file;
  WorkerProcess worker;
  ArrowSchema schema;
  bool asked = false, at_end = false;
  uint64_t rows_read = 0;
  BatchMemory block;  // what is left of the last one
};

ArrowFile::ArrowFile(const std::string& path, const ArrowReadOptions& options,
                     SourceLocation location)
    : state_(std::make_unique<State>(path, options, location)) {}
ArrowFile::~ArrowFile() = default;
ArrowFile::ArrowFile(ArrowFile&&) noexcept = default;

const std::vector<ArrowField>& ArrowFile::fields() const { return state_->schema.fields; }
std::optional<int64_t> ArrowFile::num_rows() const { return state_->schema.rows; }
const std::string& ArrowFile::huggingface_metadata() const {
  return state_->schema.huggingface_metadata;
}
uint64_t ArrowFile::file_bytes() const { return state_->file.size(); }

std::optional<ArrowBatch> ArrowFile::next() {
  State& state = *state_;
  if (state.at_end) return {};
  if (!state.asked) state.ask_for_batch();
  std::optional<BatchMemory> memory;
  state.asked = false;
  state.worker.finish(
      [&](std::string_view piece) {
        if (memory) state.damaged("two batches for one");
        memory = state.memory_for(piece.size());
        if (!piece.empty()) std::memcpy(memory->data, piece.data(), piece.size());
      },
      state.location);
  state.at_end = !memory;
  if (state.at_end) return {};
  state.ask_for_batch();
  const std::string_view bytes(reinterpret_cast<const char*>(memory->data), memory->size);
  ArrowBatch batch =
      parse_batch(bytes, state.schema.fields, [&](std::string_view what) { state.damaged(what); });
  state.count_rows(batch.rows);
  batch.bytes = bytes.size();
  batch.memory = std::move(memory->owner);
  return batch;
}

bool is_arrow_file(std::string_view path) {
  return path.ends_with(".parquet") || has_arrow_ending(path);
}

}  // namespace io
}  // namespace systolic::inline v0
