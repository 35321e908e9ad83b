// Datasets read from files of records, whatever the format: which file is read when, positions for
// a saved iterator, sharding by file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systolic/data/node.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace data {

// Reads one file.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // False at the end.
  virtual bool next(Example& element) = 0;
  // What it keeps of the file between two calls, or will from the first one on.
  virtual size_t held_bytes() const { return 0; }
  // Asked before it reads further ahead in the file (io/files/file_system.h).
  virtual void set_read_ahead_room(io::ReadAheadRoom) {}
};

struct FileSource {
  std::vector<std::string> files;
  std::function<std::unique_ptr<RecordReader>(const std::string& path)> open;
  ElementSpec spec;
  bool of_records = false;                        // that could as well lie in more or fewer files
  std::string reading;                            // the name of the reading of one file in reports
  InterleaveOptions turns = {.cycle_length = 1};  // one file after the other
  SourceLocation made_at = {};                    // the user's line; set by make_file_source
};

// Checks that there are files and that they can be opened, and makes the node.
NodePointer make_file_source(FileSource source, std::string_view name, SourceLocation location);
// The same without opening them.
NodePointer make_unchecked_file_source(FileSource source, std::string label);

// The stage that reads one file, called `name` in reports; it gives the elements of `reader` and
// resumes the file by their number. Errors of the reader name the line `made_at`.
std::unique_ptr<Stage> make_file_stage(const Context& context, const Node& node,
                                       std::string_view name, const std::string& path,
                                       std::unique_ptr<RecordReader> reader,
                                       SourceLocation made_at);

}  // namespace data
}  // namespace systolic::inline v0
