// Models as programs: what predict says, from the folder alone.
#include "systolic/saving/exported_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/test_files.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/print.h"
#include "systolic/train/test_models.h"

namespace systolic {
namespace {

Model two_inputs() {
  const Symbol a = input({.shape = {3}, .name = "left"}),
               b = input({.shape = {4}, .name = "right"});
  const Symbol joined = Concatenate{}({Dense{.units = 5, .activation = "relu"}(a), b});
  return Model({a, b}, {Dense{.units = 2, .name = "first"}(BatchNormalization{}(joined)),
                        Dense{.units = 1, .name = "second"}(joined)});
}

Literal wave(const Shape& shape) {
  Literal array(DType::f32, shape);
  float at = 0;
  for (float& value : array.mutable_data<float>()) value = std::sin(at += 0.7f);
  return array;
}

TEST(ExportedModels, PredictAsTheModel) {
  const TemporaryFolder folder;
  const Model model = two_inputs();
  const std::string path = folder / "program";
  for (const int64_t batch_size : {4, 16}) {
    export_model(model, path, {.batch_size = batch_size});
    const ExportedModel exported(path);
    const stablehlo::Program portable =
        stablehlo::read_bytecode(io::read_file(path + "/program.mlirbc"));
    EXPECT_EQ(stablehlo::type_text(portable, portable.entry().result_types.at(0)),
              "tensor<?x2xf32>");
    ASSERT_EQ(exported.input_ports().size(), 2u);
    EXPECT_EQ(exported.input_ports()[1].name, "right");
    const Example inputs{{"right", wave({10, 4})}, {"left", wave({10, 3})}};
    const Example outputs = exported.predict(inputs), wanted = model.predict_outputs(inputs);
    EXPECT_EQ(outputs.names(), wanted.names());
    for (const auto& [name, value] : wanted) {
      ASSERT_EQ(outputs[name].shape(), value.shape());
      for (int64_t i = 0; i < value.size(); ++i)
        EXPECT_NEAR(outputs[name].number_at(i), value.number_at(i), 1e-6);
    }
  }
}

TEST(ExportedModels, SayWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string path = folder / "program";
  export_model(two_inputs(), path);
  const ExportedModel exported(path);
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    exported.predict({{"left", wave({2, 3})}});
                  }),
                  "no input 'right'");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    exported.predict({{"left", wave({2, 3})}, {"right", wave({3, 4})}});
                  }),
                  "as many rows");
  io::make_folder(folder / "other");
  put_file(folder / "other/file", "");
  EXPECT_CONTAINS(
      message_of<FailedPrecondition>([&] { export_model(two_inputs(), folder / "other"); }),
      "'file'");
}

TEST(ExportedModels, ThatAreDamaged) {
  const struct {
    const char *file, *what, *by, *wanted;
  } table[] = {
      {"model.json", "systolic exported model 1", "another", "model.json"},
      {"model.json", "\"batch_size\": 32", "\"batch_size\": -1", "model.json"},
      {"model.json", "\"first\"", "4", "text"},
      {"model.json", "{", "[", "not JSON"},
      {"program.mlir", "func.func", "funk.func", "program.mlir"},
      {"weights.safetensors", "dense/kernel", "dense/kernes", "weights.safetensors"},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.by);
    const TemporaryFolder folder;
    const std::string path = folder / "program", file = path + "/" + row.file;
    export_model(two_inputs(), path);
    std::string bytes = io::read_file(file);
    const size_t at = bytes.find(row.what);
    ASSERT_NE(at, std::string::npos);
    put_file(file, bytes.replace(at, std::string_view(row.what).size(), row.by));
    EXPECT_CONTAINS(message_of<Error>([&] { ExportedModel{path}; }), row.wanted);
  }
}

}  // namespace
}  // namespace systolic
