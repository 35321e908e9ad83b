"""Reads TFRecord files and tf.Examples by their published formats, with nothing but Python's own library."""
import struct


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def masked(data):
    value = crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def read_records(path):
    records = []
    with open(path, "rb") as file:
        while header := file.read(12):
            length, length_crc = struct.unpack("<QI", header)
            record = file.read(length)
            assert length_crc == masked(header[:8]) and len(record) == length, path
            assert struct.unpack("<I", file.read(4))[0] == masked(record), path
            records.append(record)
    return records


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """The (number, value) pairs of a protocol buffer: bytes, or the integer of a varint."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        size = 4
        if tag & 7 in (0, 2):
            size, at = read_varint(data, at)
        if tag & 7 == 0:
            yield tag >> 3, size
            continue
        assert tag & 7 in (2, 5), tag
        yield tag >> 3, data[at : at + size]
        at += size


def values_of(feature):
    ((kind, values),) = fields(feature)
    if kind == 1:
        return [value for _, value in fields(values)]
    if kind == 2:
        packed = b"".join(value for _, value in fields(values))
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    integers = []
    for _, packed in fields(values):
        at = 0
        while at < len(packed):
            value, at = read_varint(packed, at)
            integers.append(value - (1 << 64) if value >> 63 else value)
    return integers


def read_example(record):
    """{name: values} of a tf.Example: texts as bytes."""
    example = {}
    for _, features in fields(record):
        for _, entry in fields(features):
            name, feature = (value for _, value in sorted(fields(entry)))
            example[name.decode()] = values_of(feature)
    return example
