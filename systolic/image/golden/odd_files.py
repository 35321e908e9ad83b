"""Files of kinds that Pillow reads and does not write, put together by hand."""
import struct

import numpy as np


def resampled(jpeg, luma, height, width):
    """The same blocks under other sampling factors: as many to a unit, and as many units."""
    frame = jpeg.index(b"\xff\xc0")  # two bytes of length, one of depth, height, width, components
    return (jpeg[:frame + 5] + struct.pack(">HH", height, width) + jpeg[frame + 9:frame + 11]
            + bytes([luma[0] << 4 | luma[1]]) + jpeg[frame + 12:])


def packed(numbers, bits):
    """Rows of numbers, each filled to four bytes."""
    rows = (np.packbits(np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - bits:]) for row in numbers)
    return b"".join(row.tobytes() + bytes(-len(row) % 4) for row in rows)


def bmp(bits, pixels, palette=b"", compression=0, masks=(), header_bytes=40, pixels_at=None):
    """5 rows of 7 pixels. The masks are the header's last part, or come after it."""
    header = struct.pack("<IiiHHIIiiII", header_bytes, 7, 5, 1, bits, compression, len(pixels), 0, 0,
                         len(palette) // 4 if bits <= 8 else 0, 0)
    header += struct.pack(f"<{len(masks)}I", *masks)
    return bmp_file(header.ljust(header_bytes, b"\0") + palette, pixels, pixels_at)


def bmp_file(header, pixels, pixels_at=None):
    at = 14 + len(header) if pixels_at is None else pixels_at
    return b"BM" + struct.pack("<IHHI", 14 + len(header) + len(pixels), 0, 0, at) + header + pixels


def bmp_files():
    random = np.random.default_rng(0)
    palette = random.integers(0, 256, (16, 4), np.uint8)
    numbers = random.integers(0, 16, (5, 7))
    core = struct.pack("<IHHHH", 12, 7, 5, 1, 4)
    yield "core", bmp_file(core + palette[:, :3].tobytes(), packed(numbers, 4))
    yield "no_offset", bmp(4, packed(numbers, 4), palette.tobytes(), pixels_at=0)
    short = b"".join(row.astype("<u2").tobytes() + b"\0\0" for row in random.integers(0, 1 << 16, (5, 7)))
    yield "555", bmp(16, short)
    yield "565", bmp(16, short, compression=3, masks=(0xf800, 0x7e0, 0x1f))
    long = random.integers(0, 256, (5, 7, 4), np.uint8).tobytes()
    yield "rgba_masks", bmp(32, long, compression=3, masks=(0xff, 0xff00, 0xff0000, 0xff << 24), header_bytes=108)
    # A row of one run; pixels as they are, an odd number of bytes; a skip to the right and up; rows.
    rows = b"\0\0\7\x9a\0\0\7\4\0\1"
    yield "runs_8", bmp(8, b"\7\3\0\0" b"\0\3\1\2\x0f\0\2\5\0\2\1\1\1\6" + rows, palette.tobytes(), 1)
    yield "runs_4", bmp(4, b"\7\x3a\0\0" b"\0\6\x12\x34\x56\0\0\2\0\1\1\x60" + rows, palette.tobytes(), 2)


def gif_files():
    """A frame that is larger than its screen, and one on a screen of no size."""
    numbers = np.random.default_rng(1).integers(0, 4, 5 * 6)
    codes = [code for number in numbers for code in (4, number)] + [5]  # a 4 before each keeps them three bits wide
    bits = sum(int(code) << 3 * i for i, code in enumerate(codes))
    data = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
    frame = b"," + struct.pack("<HHHHB", 0, 0, 5, 6, 0) + b"\2" + bytes([len(data)]) + data + b"\0;"
    for name, width, height in (("beyond_the_screen", 3, 2), ("no_screen", 0, 0)):
        yield name, b"GIF89a" + struct.pack("<HHBBB", width, height, 0x81, 0, 0) + bytes(range(10, 130, 10)) + frame


def webp_with_an_offset(still):
    """An animation of one frame, 9 by 12 pixels, on a canvas of 15 by 17."""
    def chunk(kind, body):
        return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)

    def three(*numbers):
        return b"".join(struct.pack("<I", number)[:3] for number in numbers)

    frame = chunk(b"ANMF", three(2 // 2, 4 // 2, 12 - 1, 9 - 1, 100) + b"\0" + still[still.index(b"VP8L"):])
    body = (chunk(b"VP8X", b"\x12\0\0\0" + three(17 - 1, 15 - 1)) + chunk(b"ANIM", b"\xff" * 4 + b"\0\0")
            + chunk(b"JUNK", b"odd") + frame)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body
