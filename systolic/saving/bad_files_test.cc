// Files that are damaged, hostile or not this library's: each a clear error, and nothing changes.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/saving/load_model.h"
#include "systolic/train/test_models.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

class BadModelFiles : public NeedsHdf5 {};

std::string member(const std::string& path, const std::string& name) {
  const io::ZipReader archive(io::read_file(path), path);
  for (const io::ZipReader::Member& one : archive.members()) {
    if (one.name == name) return std::string(archive.extract(one).bytes);
  }
  return {};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// A file of Keras's with another configuration, or other weights.
class BadModelFile {
 public:
  BadModelFile() : source_(test::source_path("systolic/saving/golden/frozen.keras")) {
    config = member(source_, "config.json");
    weights = member(source_, "model.weights.h5");
  }
  std::string error() const {
    const TemporaryFolder folder;
    const std::string path = folder / "bad.keras";
    io::ZipWriter archive(path);
    if (!metadata.empty()) archive.add("metadata.json", metadata);
    archive.add("config.json", config);
    archive.add("model.weights.h5", weights);
    archive.close();
    return message_of<Error>([&] { load_model(path); });
  }
  std::string config, weights, metadata;

 private:
  std::string source_;
};

TEST_F(BadModelFiles, SayWhatIsWrongInTheConfiguration) {
  const struct {
    const char *what, *by;
    std::vector<std::string> wanted;
  } table[] = {
      {"\"class_name\": \"Rescaling\"",
       "\"class_name\": \"Rescalling\"",
       {"no layer of kind 'Rescalling'", "Rescaling"}},
      {"\"class_name\": \"Rescaling\"", "\"class_name\": \"Lambda\"", {"the file holds code"}},
      {"\"scale\"", "\"scales\"", {"has no field 'scales'", "did you mean 'scale'"}},
      {"\"relu\"", "\"rellu\"", {"rellu", "activation"}},
      {"\"class_name\": \"Sequential\"",
       "\"class_name\": \"MyModel\"",
       {"a model of class", "MyModel"}},
      {"\"name\": \"rescaling\"", "\"name\": \"../../rescaling\"", {"a layer named"}},
      {"\"class_name\": \"Adagrad\"", "\"class_name\": \"Adagrade\"", {"optimizer", "Adagrade"}},
      {"\"units\": 5", "\"units\": 6", {"nothing was loaded", "mismatched", "f32[4,5]"}},
      {"\"units\": 5", "\"units\": -5", {"units"}},
      {"\"units\": 5", "\"units\": 4000000000000000000", {""}},
      {"\"units\": 5", "\"units\": \"5\"", {"expected an integer"}},
      {"{", "[", {"not JSON"}},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.by);
    BadModelFile file;
    file.config = replaced(file.config, row.what, row.by);
    const std::string message = file.error();
    EXPECT_CONTAINS(message, "load_model: ");
    for (const std::string& part : row.wanted) EXPECT_CONTAINS(message, part);
  }
}

TEST_F(BadModelFiles, SayThatWeightsAreDamaged) {
  BadModelFile cut;
  cut.weights.resize(cut.weights.size() / 2);
  EXPECT_CONTAINS(cut.error(), "bad.keras:model.weights.h5");
  BadModelFile none;
  none.weights = "not HDF5";
  EXPECT_CONTAINS(none.error(), "bad.keras:model.weights.h5");
}

TEST_F(BadModelFiles, ThatAreOfOtherForms) {
  const TemporaryFolder folder;
  const std::string path = folder / "empty.keras";
  const std::pair<const char*, const char*> table[] = {
      {"../../config.json", "a member '../../config.json', which lies outside of the archive"},
      {"/etc/config.json", "'/etc/config.json', which lies outside"},
      {"a/../../x", "'a/../../x', which lies outside"},
      {"config.json..", "a ZIP archive without config.json"}};
  for (const auto& [name, wanted] : table) {
    io::ZipWriter archive(path);
    archive.add(name, "{}");
    archive.close();
    EXPECT_CONTAINS(message_of<DataLoss>([&] { load_model(path); }), wanted);
  }
  put_file(path, "PK\x03\x04 nothing");
  EXPECT_CONTAINS(message_of<DataLoss>([&] { load_model(path); }), "has no directory");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { load_model("model.bin"); }),
                  "does not say the form");
  EXPECT_CONTAINS(message_of<NotFound>([&] { load_model(folder / "no.keras"); }), "no.keras");
}

TEST_F(BadModelFiles, OfALaterKerasAreReadWithAWarning) {
  for (const auto& [version, warned] :
       {std::pair("99.1.0", true), {"3.15.0", false}, {"", false}}) {
    const CaughtLog log;
    BadModelFile later;
    later.metadata = str(R"({"keras_version": ")", version, R"("})");
    EXPECT_EQ(later.error(), "no error");
    EXPECT_EQ(contains(log.warnings(), "written by Keras 99.1.0"), warned);
  }
}

TEST_F(BadModelFiles, AreNotWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.keras";
  Model own = Sequential({Input{.shape = {6}},
                          Dense{.units = 3, .activation = [](const Tensor& x) { return x * x; }}});
  own.compile({.loss = [](const Tensor& y, const Tensor& p) { return p - y; }});
  expect_parts(message_of<Unimplemented>([&] { own.save(path); }),
               {"save: ", "nothing was written", "dense: ", "the loss 'loss'", "save_weights"});
  EXPECT_FALSE(io::exists(path));
  small_model().save(path);
  EXPECT_CONTAINS(
      message_of<FailedPrecondition>([&] { small_model().save(path, {.overwrite = false}); }),
      "is there already");
}

}  // namespace
}  // namespace systolic
