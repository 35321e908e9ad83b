#include "systolic/applications/imagenet_weights.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/download.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

constexpr const char* host = "https://storage.googleapis.com/";

// `digest` and `headless_digest` are "" where Keras knows none.
struct WeightsFile {
  std::string key, path, digest, headless_path, headless_digest;
};

// keras.applications 3.15: the files with the classifier, and without.
const std::vector<WeightsFile> published_files = {
    {"vgg16", "tensorflow/keras-applications/vgg16/vgg16_weights_tf_dim_ordering_tf_kernels.h5",
     "64373286793e3c8b2b4e3219cbf3544b",
     "tensorflow/keras-applications/vgg16/vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "6d6bbae143d832006294945121d1f1fc"},
    {"vgg19", "tensorflow/keras-applications/vgg19/vgg19_weights_tf_dim_ordering_tf_kernels.h5",
     "cbe5617147190e668d6c5d5026f83318",
     "tensorflow/keras-applications/vgg19/vgg19_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "253f8cb515780f3b799900260a226db6"},
    {"xception",
     "tensorflow/keras-applications/xception/xception_weights_tf_dim_ordering_tf_kernels.h5",
     "0a58e3b7378bc2990ea3b43d5981f1f6",
     "tensorflow/keras-applications/xception/xception_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "b0042744bf5b25fce3cb969f33bebb97"},
    {"inception_v3",
     "tensorflow/keras-applications/inception_v3/"
     "inception_v3_weights_tf_dim_ordering_tf_kernels.h5",
     "9a0d58056eeedaa3f26cb7ebd46da564",
     "tensorflow/keras-applications/inception_v3/"
     "inception_v3_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "bcbd6486424b2319ff4ef7d526e38f63"},
    {"inception_resnet_v2",
     "tensorflow/keras-applications/inception_resnet_v2/"
     "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels.h5",
     "e693bd0210a403b3192acc6073ad2e96",
     "tensorflow/keras-applications/inception_resnet_v2/"
     "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "d19885ff4a710c122648d3b5c3b684e4"},
    {"resnet50",
     "tensorflow/keras-applications/resnet/resnet50_weights_tf_dim_ordering_tf_kernels.h5",
     "2cb95161c43110f7111970584f804107",
     "tensorflow/keras-applications/resnet/resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "4d473c1dd8becc155b73f8504c6f6626"},
    {"resnet101",
     "tensorflow/keras-applications/resnet/resnet101_weights_tf_dim_ordering_tf_kernels.h5",
     "f1aeb4b969a6efcfb50fad2f0c20cfc5",
     "tensorflow/keras-applications/resnet/resnet101_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "88cf7a10940856eca736dc7b7e228a21"},
    {"resnet152",
     "tensorflow/keras-applications/resnet/resnet152_weights_tf_dim_ordering_tf_kernels.h5",
     "100835be76be38e30d865e96f2aaae62",
     "tensorflow/keras-applications/resnet/resnet152_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "ee4c566cf9a93f14d82f913c2dc6dd0c"},
    {"resnet50v2",
     "tensorflow/keras-applications/resnet/resnet50v2_weights_tf_dim_ordering_tf_kernels.h5",
     "3ef43a0b657b3be2300d5770ece849e0",
     "tensorflow/keras-applications/resnet/resnet50v2_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "fac2f116257151a9d068a22e544a4917"},
    {"resnet101v2",
     "tensorflow/keras-applications/resnet/resnet101v2_weights_tf_dim_ordering_tf_kernels.h5",
     "6343647c601c52e1368623803854d971",
     "tensorflow/keras-applications/resnet/resnet101v2_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "c0ed64b8031c3730f411d2eb4eea35b5"},
    {"resnet152v2",
     "tensorflow/keras-applications/resnet/resnet152v2_weights_tf_dim_ordering_tf_kernels.h5",
     "a49b44d1979771252814e80f8ec446f9",
     "tensorflow/keras-applications/resnet/resnet152v2_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "ed17cf2e0169df9d443503ef94b23b33"},
    {"densenet121",
     "tensorflow/keras-applications/densenet/densenet121_weights_tf_dim_ordering_tf_kernels.h5",
     "9d60b8095a5708f2dcce2bca79d332c7",
     "tensorflow/keras-applications/densenet/"
     "densenet121_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "30ee3e1110167f948a6b9946edeeb738"},
    {"densenet169",
     "tensorflow/keras-applications/densenet/densenet169_weights_tf_dim_ordering_tf_kernels.h5",
     "d699b8f76981ab1b30698df4c175e90b",
     "tensorflow/keras-applications/densenet/"
     "densenet169_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "b8c4d4c20dd625c148057b9ff1c1176b"},
    {"densenet201",
     "tensorflow/keras-applications/densenet/densenet201_weights_tf_dim_ordering_tf_kernels.h5",
     "1ceb130c1ea1b78c3bf6114dbdfd8807",
     "tensorflow/keras-applications/densenet/"
     "densenet201_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "c13680b51ded0fb44dff2d8f86ac8bb1"},
    {"nasnet_mobile", "tensorflow/keras-applications/nasnet/NASNet-mobile.h5",
     "020fb642bf7360b370c678b08e0adf61",
     "tensorflow/keras-applications/nasnet/NASNet-mobile-no-top.h5",
     "1ed92395b5b598bdda52abe5c0dbfd63"},
    {"nasnet_large", "tensorflow/keras-applications/nasnet/NASNet-large.h5",
     "11577c9a518f0070763c2b964a382f17",
     "tensorflow/keras-applications/nasnet/NASNet-large-no-top.h5",
     "d81d89dc07e6e56530c4e77faddd61b5"},
    {"large_224_0.75_float",
     "tensorflow/keras-applications/mobilenet_v3/weights_mobilenet_v3_large_224_0.75_float.h5",
     "765b44a33ad4005b3ac83185abf1d0eb",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_large_224_0.75_float_no_top_v2.h5",
     "40af19a13ebea4e2ee0c676887f69a2e"},
    {"large_224_1.0_float",
     "tensorflow/keras-applications/mobilenet_v3/weights_mobilenet_v3_large_224_1.0_float.h5",
     "59e551e166be033d707958cf9e29a6a7",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_large_224_1.0_float_no_top_v2.h5",
     "07fb09a5933dd0c8eaafa16978110389"},
    {"large_minimalistic_224_1.0_float",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_large_minimalistic_224_1.0_float.h5",
     "675e7b876c45c57e9e63e6d90a36599c",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_large_minimalistic_224_1.0_float_no_top_v2.h5",
     "ec5221f64a2f6d1ef965a614bdae7973"},
    {"small_224_0.75_float",
     "tensorflow/keras-applications/mobilenet_v3/weights_mobilenet_v3_small_224_0.75_float.h5",
     "cb65d4e5be93758266aa0a7f2c6708b7",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_small_224_0.75_float_no_top_v2.h5",
     "ebdb5cc8e0b497cd13a7c275d475c819"},
    {"small_224_1.0_float",
     "tensorflow/keras-applications/mobilenet_v3/weights_mobilenet_v3_small_224_1.0_float.h5",
     "8768d4c2e7dee89b9d02b2d03d65d862",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_small_224_1.0_float_no_top_v2.h5",
     "d3e8ec802a04aa4fc771ee12a9a9b836"},
    {"small_minimalistic_224_1.0_float",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_small_minimalistic_224_1.0_float.h5",
     "99cd97fb2fcdad2bf028eb838de69e37",
     "tensorflow/keras-applications/mobilenet_v3/"
     "weights_mobilenet_v3_small_minimalistic_224_1.0_float_no_top_v2.h5",
     "cde8136e733e811080d9fcd8a252f7e4"},
    {"efficientnetb0", "keras-applications/efficientnetb0.h5", "902e53a9f72be733fc0bcb005b3ebbac",
     "keras-applications/efficientnetb0_notop.h5", "50bc09e76180e00e4465e1a485ddc09d"},
    {"efficientnetb1", "keras-applications/efficientnetb1.h5", "1d254153d4ab51201f1646940f018540",
     "keras-applications/efficientnetb1_notop.h5", "74c4e6b3e1f6a1eea24c589628592432"},
    {"efficientnetb2", "keras-applications/efficientnetb2.h5", "b15cce36ff4dcbd00b6dd88e7857a6ad",
     "keras-applications/efficientnetb2_notop.h5", "111f8e2ac8aa800a7a99e3239f7bfb39"},
    {"efficientnetb3", "keras-applications/efficientnetb3.h5", "ffd1fdc53d0ce67064dc6a9c7960ede0",
     "keras-applications/efficientnetb3_notop.h5", "af6d107764bb5b1abb91932881670226"},
    {"efficientnetb4", "keras-applications/efficientnetb4.h5", "18c95ad55216b8f92d7e70b3a046e2fc",
     "keras-applications/efficientnetb4_notop.h5", "ebc24e6d6c33eaebbd558eafbeedf1ba"},
    {"efficientnetb5", "keras-applications/efficientnetb5.h5", "ace28f2a6363774853a83a0b21b9421a",
     "keras-applications/efficientnetb5_notop.h5", "38879255a25d3c92d5e44e04ae6cec6f"},
    {"efficientnetb6", "keras-applications/efficientnetb6.h5", "165f6e37dce68623721b423839de8be5",
     "keras-applications/efficientnetb6_notop.h5", "9ecce42647a20130c1f39a5d4cb75743"},
    {"efficientnetb7", "keras-applications/efficientnetb7.h5", "8c03f828fec3ef71311cd463b6759d99",
     "keras-applications/efficientnetb7_notop.h5", "cbcfe4450ddf6f3ad90b1b398090fe4a"},
    {"efficientnetv2-b0", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b0.h5",
     "21ecbf6da12460d5c40bb2f29ceb2188",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b0_notop.h5",
     "893217f2bb855e2983157299931e43ff"},
    {"efficientnetv2-b1", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b1.h5",
     "069f0534ff22adf035c89e2d9547a9dc",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b1_notop.h5",
     "0e80663031ca32d657f9caa404b6ec37"},
    {"efficientnetv2-b2", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b2.h5",
     "424e49f28180edbde1e94797771950a7",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b2_notop.h5",
     "1dfe2e7a5d45b6632553a8961ea609eb"},
    {"efficientnetv2-b3", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b3.h5",
     "1f1fc43bd98a6e4fd8fdfd551e02c7a0",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-b3_notop.h5",
     "f6abf7b5849ac99a89b50dd3fd532856"},
    {"efficientnetv2-s", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-s.h5",
     "e1d88a8495beba45748fedd0cecbe016",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-s_notop.h5",
     "af0682fb74e8c54910f2d4393339c070"},
    {"efficientnetv2-m", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-m.h5",
     "a3bf6aa3276309f4fc6a34aa114c95cd",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-m_notop.h5",
     "1b8dc055df72dde80d614482840fe342"},
    {"efficientnetv2-l", "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-l.h5",
     "27e6d408b53c7ebc868fefa357689935",
     "tensorflow/keras-applications/efficientnet_v2/efficientnetv2-l_notop.h5",
     "b0b66b5c863aef5b46e8608fe1711615"},
    {"convnext_tiny", "tensorflow/keras-applications/convnext/convnext_tiny.h5",
     "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
     "tensorflow/keras-applications/convnext/convnext_tiny_notop.h5",
     "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1"},
    {"convnext_small", "tensorflow/keras-applications/convnext/convnext_small.h5",
     "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
     "tensorflow/keras-applications/convnext/convnext_small_notop.h5",
     "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab"},
    {"convnext_base", "tensorflow/keras-applications/convnext/convnext_base.h5",
     "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
     "tensorflow/keras-applications/convnext/convnext_base_notop.h5",
     "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45"},
    {"convnext_large", "tensorflow/keras-applications/convnext/convnext_large.h5",
     "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
     "tensorflow/keras-applications/convnext/convnext_large_notop.h5",
     "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd"},
    {"convnext_xlarge", "tensorflow/keras-applications/convnext/convnext_xlarge.h5",
     "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
     "tensorflow/keras-applications/convnext/convnext_xlarge_notop.h5",
     "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05"},
};

// MobileNet and MobileNetV2 have a file for each width and size, without digests.
std::vector<WeightsFile> mobilenet_files() {
  std::vector<WeightsFile> files;
  const auto add = [&](const std::string& key, const std::string& path, const std::string& tail) {
    files.push_back({key, path + ".h5", "", path + tail + ".h5", ""});
  };
  const std::string folder = "tensorflow/keras-applications/";
  const std::pair<const char*, const char*> widths[] = {
      {"1.00", "1_0"}, {"0.75", "7_5"}, {"0.50", "5_0"}, {"0.25", "2_5"}};
  for (const auto& [width, text] : widths) {
    for (const int size : {128, 160, 192, 224}) {
      add(str("mobilenet_", width, "_", size),
          str(folder, "mobilenet/mobilenet_", text, "_", size, "_tf"), "_no_top");
    }
  }
  const std::pair<const char*, const char*> v2_widths[] = {{"0.35", "0.35"}, {"0.50", "0.5"},
                                                           {"0.75", "0.75"}, {"1.00", "1.0"},
                                                           {"1.30", "1.3"},  {"1.40", "1.4"}};
  for (const auto& [width, text] : v2_widths) {
    for (const int size : {96, 128, 160, 192, 224}) {
      add(str("mobilenetv2_", width, "_", size),
          str(folder, "mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_", text, "_",
              size),
          "_no_top");
    }
  }
  return files;
}

const std::vector<WeightsFile>& all_files() {
  static const std::vector<WeightsFile> files = [] {
    std::vector<WeightsFile> all = published_files;
    for (WeightsFile& file : mobilenet_files()) all.push_back(std::move(file));
    return all;
  }();
  return files;
}

// The keys that begin as this one does.
std::string keys_like(const std::string& key) {
  std::vector<std::string> like;
  const std::string family = key.substr(0, key.find_first_of("_0123456789"));
  for (const WeightsFile& file : all_files()) {
    if (file.key.rfind(family, 0) == 0) like.push_back(file.key);
  }
  return join(like);
}

std::string models_folder() {
  if (const char* keras = std::getenv("KERAS_HOME"); keras != nullptr && *keras != '\0')
    return str(keras, "/models");
  const char* home = std::getenv("HOME");
  return str(home == nullptr ? "/tmp" : home, "/.keras/models");
}

// As Keras names it on the disk, where that is not the last part of its address.
std::string local_name(const std::string& name) {
  if (name == "NASNet-mobile.h5") return "nasnet_mobile.h5";
  if (name == "NASNet-mobile-no-top.h5") return "nasnet_mobile_no_top.h5";
  if (name == "NASNet-large.h5") return "nasnet_large.h5";
  if (name == "NASNet-large-no-top.h5") return "nasnet_large_no_top.h5";
  return name;
}

}  // namespace

std::string keras_file(const std::string& url, const std::string& digest, SourceLocation location) {
  const std::string folder = models_folder();
  const std::string name = url.substr(url.rfind('/') + 1);
  const std::string kept = str(folder, "/", local_name(name));
  if (local_name(name) != name && io::exists(kept, location)) return kept;
  try {
    return datasets::download({.url = url, .digest = digest}, folder, location);
  } catch (const Error& error) {
    raise<Unavailable>({.what = str("'", name, "' is not in ", folder, " and cannot be downloaded"),
                        .got = error.what(),
                        .hint = str("put the file there from ", url,
                                    ", or write .weights = \"\" for random weights"),
                        .location = location});
  }
}

std::string imagenet_weights(const std::string& key, bool include_top, SourceLocation location) {
  const std::vector<WeightsFile>& files = all_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const WeightsFile& file) { return file.key == key; });
  if (found == files.end()) {
    raise<NotFound>({.what = str("no file of ImageNet's weights for '", key, "'"),
                     .wanted = keys_like(key),
                     .location = location});
  }
  return include_top ? keras_file(host + found->path, found->digest, location)
                     : keras_file(host + found->headless_path, found->headless_digest, location);
}

}  // namespace applications
}  // namespace systolic::inline v0
