#include "systolic/datasets/fetch/catalog.h"

#include <algorithm>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

std::vector<KnownDataset> all_known() {
  const std::string mnist = "https://storage.googleapis.com/cvdf-datasets/mnist/";
  const std::string beans = "https://storage.googleapis.com/ibeans/";
  return {
      {.name = "mnist",
       .folders = {"mnist"},
       .files = {{mnist + "train-images-idx3-ubyte.gz",
                  "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
                 {mnist + "train-labels-idx1-ubyte.gz",
                  "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
                 {mnist + "t10k-images-idx3-ubyte.gz",
                  "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
                 {mnist + "t10k-labels-idx1-ubyte.gz",
                  "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}},
      // The Corpus of Linguistic Acceptability (Warstadt et al., arXiv 1805.12471), as GLUE has it.
      {.name = "cola",
       .folders = {"cola", "glue/cola", "CoLA", "cola/CoLA"},
       .files = {{"https://dl.fbaipublicfiles.com/glue/data/CoLA.zip",
                  "f212fcd832b8f7b435fb991f101abf89f96b933ab400603bf198960dfc32cbff"}},
       .subfolder = "CoLA",
       .column_names = {{"sentence", "label"}, {"", "label", "", "sentence"}},
       .class_names = {"unacceptable", "acceptable"}},
      {.name = "beans",
       .folders = {"beans"},
       .files = {{beans + "train.zip",
                  "284fe8456ce20687f4367ae7ad94a64577e7f9fde2c2c6b1c74340ab5dc82715"},
                 {beans + "validation.zip",
                  "90b7aa1c26d91d9afff07a30bbc67a5ea34f1f1397f068d8675be09d7d0c602d"},
                 {beans + "test.zip",
                  "ca67b15d960d1e2fd9d23fd8498ce86818ead90755c630a43baf19ec4af09312"}},
       .table_label = "labels"},
      {.name = "flowers",
       .folders = {"flowers", "tf_flowers", "flower_photos", "flowers/flower_photos"},
       .files = {{"https://storage.googleapis.com/download.tensorflow.org/example_images/"
                  "flower_photos.tgz",
                  "4c54ace7911aaffe13a365c34f650e71dd5bf1be0a58b464e5a7183e3e595d9c"}},
       .subfolder = "flower_photos"},
  };
}

}  // namespace

const KnownDataset* find_known(std::string_view name) {
  static const std::vector<KnownDataset> known = all_known();
  if (name == "glue/cola") name = "cola";
  if (name == "tf_flowers") name = "flowers";
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const KnownDataset& each) { return each.name == name; });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace datasets
}  // namespace systolic::inline v0
