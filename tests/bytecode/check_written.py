"""Has JAX's StableHLO read what write_bytecode wrote, and says whether it is the program of a text.

    python tests/bytecode/check_written.py WRITTEN.mlirbc TEXT.mlir ...        (JAX 0.10)
"""
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def main():
    failed = False
    with mlir.make_ir_context() as context:
        for written, text in zip(sys.argv[1::2], sys.argv[2::2]):
            with open(written, "rb") as file:
                got = str(stablehlo.deserialize_portable_artifact(context, file.read()))
            with open(text, encoding="utf-8") as file:
                wanted = str(ir.Module.parse(file.read()))
            same = got == wanted
            failed |= not same
            print(f"{written}: {'the same' if same else 'another program'}")
            if not same:
                print(got, wanted, sep="\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
