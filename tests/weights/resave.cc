// Reads a checkpoint and writes it again as safetensors: for check_with_transformers.py.
//
//   resave FROM TO [MAX_SHARD_SIZE]
#include <cstdint>
#include <iostream>

#include "systolic/base/error.h"
#include "systolic/io/tensors/folder/tensor_folder.h"

int main(int count, char** arguments) {
  using namespace systolic;
  if (count < 3 || count > 4) {
    std::cerr << "usage: resave FROM TO [MAX_SHARD_SIZE]\n";
    return 2;
  }
  try {
    const io::TensorFolder from = io::open_tensor_folder(arguments[1]);
    Example tensors;
    for (const io::TensorInfo& tensor : from.tensors())
      tensors.set(tensor.name, from.read(tensor.name));
    io::SaveTensorFolderOptions options;
    int64_t size = 0;
    if (count == 4 && parse_number(arguments[3], size))
      options.max_shard_size = static_cast<uint64_t>(size);
    io::save_tensor_folder(arguments[2], tensors, options);
    std::cout << tensors.size() << " tensors from " << from.path() << "\n";
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
