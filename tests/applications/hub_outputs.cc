// What hub::KerasLayer makes of the pictures in a file.
//
//   hub_outputs FOLDER PIXELS.npz OUTPUTS.npz
//
// PIXELS.npz holds "x", f32 [batch, height, width, 3]; OUTPUTS.npz gets "y". Prints the
// architecture. For check_hub.py.
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "hub_outputs FOLDER PIXELS.npz OUTPUTS.npz\n";
    return 2;
  }
  try {
    const Literal x = io::read_npz(argv[2])["x"];
    const Layer layer = hub::KerasLayer(argv[1], {.input_shape = x.shape().without(0)});
    std::cout << hub::architecture_in(argv[1]) << "\n";
    io::write_npz(argv[3], {{"y", layer(Tensor(x)).literal()}});
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
