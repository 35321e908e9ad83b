// What the tfrecord commands share: the files they are given and those they make.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/function_ref.h"
#include "systolic/io/records/tfrecord_reader.h"

namespace tool::tfrecord {

// Patterns become the files that match, also where no shell does it: 'gs://bucket/train-*.tfrec'.
std::vector<std::string> expand(const std::vector<std::string>& patterns);

// GZIP and ZLIB are seen by the first bytes.
systolic::io::Compression compression_of(const std::string& file);

// Opens a file to read, compressed or not.
systolic::io::TFRecordReader open_reader(
    const std::string& file, systolic::io::OnCorrupt on_corrupt,
    std::function<void(const systolic::DataLoss&)> on_first_left_out = {});

// Runs `read`, which reads `file`: damage that it finds is thrown on with the command that helps.
void advising_repair(const std::string& file, systolic::FunctionRef<void()> read);

uint64_t bytes_of(const std::string& file);

// Whether both paths name one file, however they are written. False where one is not there.
bool same_file(const std::string& a, const std::string& b);

// "1 file", "2,000 files"
std::string counted(int64_t count, std::string_view one);

// "PREFIX-00003-of-00016ENDING"
std::string shard_name(const std::string& prefix, int64_t shard, int64_t shards,
                       const std::string& ending);

// Runs work(i) for each i below `count` on `threads` threads; the first error is thrown.
void parallel(int64_t count, int64_t threads, const std::function<void(int64_t)>& work);
int64_t processors();

}  // namespace tool::tfrecord
