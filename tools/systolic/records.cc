#include <ostream>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/io/tf_example.h"
#include "systolic/io/tfrecord_reader.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using namespace systolic;

std::string content_of(std::string_view record) {
  try {
    return to_string(io::decode_example(record));
  } catch (const DataLoss&) {
    return str(record.size(), " bytes that are no tf.Example");
  }
}

}  // namespace

int check_records(const std::vector<std::string>& files, bool gzip, std::ostream& out) {
  bool damaged = false;
  for (const std::string& file : files) {
    io::TFRecordReader reader(file,
                              {.compression = gzip ? io::Compression::gzip : io::Compression::none,
                               .on_corrupt = io::OnCorrupt::skip_record});
    std::string first;
    for (std::string_view record; reader.next(record);) {
      if (first.empty()) first = content_of(record);
    }
    const io::TFRecordCounts& counts = reader.counts();
    damaged = damaged || counts.corrupt_records > 0;
    out << file << ": " << counts.records << " records";
    if (counts.corrupt_records > 0) out << ", " << counts.corrupt_records << " damaged";
    out << (first.empty() ? "" : "; the first is " + first) << "\n";
  }
  return damaged ? 1 : 0;
}

}  // namespace tool
