"""torch.ops.image: the operators of torchvision's library of picture files, by Pillow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pywasmtorch as torch

from ..library import Library

#: of torchvision's ImageReadMode -> Pillow's modes; 0 leaves a picture as it is
MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
PALETTES = {"P": "RGB", "1": "L", "CMYK": "RGB", "PA": "RGBA"}


def _bytes(data: Any) -> bytes:
    if data.dtype != torch.uint8 or data.dim() != 1 or not data.numel():
        raise RuntimeError(f"Expected a non empty 1-dimensional tensor of uint8, got {data.dtype} of shape {list(data.shape)}")
    return bytes(data.contiguous().untyped_storage())[data.storage_offset() :][: data.numel()]


def _tensor(data: bytes) -> Any:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def _planes(picture: Any) -> Any:
    """A picture as (C, H, W): uint8, or uint16 where it has 16 bits."""
    if picture.mode.startswith("I;16"):
        data = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint16)
        return data.reshape(1, picture.height, picture.width)
    return _tensor(picture.tobytes()).reshape(picture.height, picture.width, -1).permute(2, 0, 1).contiguous()


def _open(data: Any, formats: tuple[str, ...] | None) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(_bytes(data)), formats=formats)
    except UnidentifiedImageError:
        raise RuntimeError(f"Unsupported image file. Only {', '.join(formats or ())} are supported here") from None


def _converted(picture: Any, mode: int) -> Any:
    if mode not in (0, *MODES):
        raise RuntimeError(f"The provided mode is not supported: {mode}")
    if mode:
        return picture if picture.mode == MODES[mode] else picture.convert(MODES[mode])
    if picture.mode in PALETTES:
        kind = "RGBA" if picture.mode == "P" and "transparency" in picture.info else PALETTES[picture.mode]
        return picture.convert(kind)
    return picture


def _decoded(data: Any, mode: int, upright: bool, formats: tuple[str, ...]) -> Any:
    from PIL import ImageOps

    picture = _open(data, formats)
    if picture.format == "GIF":
        return decode_gif(data)
    if picture.format == "JPEG" and mode == 1:
        picture.draft("L", picture.size)
    try:
        if upright:
            picture = ImageOps.exif_transpose(picture)
        return _planes(_converted(picture, mode))
    except OSError as error:
        raise RuntimeError(f"the picture cannot be read: {error}") from error


def decode_jpeg(data: Any, mode: int, apply_exif_orientation: bool = False) -> Any:
    return _decoded(data, mode, apply_exif_orientation, ("JPEG",))


def decode_png(data: Any, mode: int, apply_exif_orientation: bool = False) -> Any:
    return _decoded(data, mode, apply_exif_orientation, ("PNG",))


def decode_webp(encoded_data: Any, mode: int) -> Any:
    return _decoded(encoded_data, mode, False, ("WEBP",))


def decode_image(data: Any, mode: int, apply_exif_orientation: bool = False) -> Any:
    return _decoded(data, mode, apply_exif_orientation, ("JPEG", "PNG", "GIF", "WEBP"))


def decode_gif(data: Any) -> Any:
    """(3, H, W), or (N, 3, H, W) of several frames."""
    from PIL import ImageSequence

    frames = [_planes(frame.convert("RGB")) for frame in ImageSequence.Iterator(_open(data, ("GIF",)))]
    return frames[0] if len(frames) == 1 else torch.stack(frames)


def _encoded(data: Any, kind: str, **options: Any) -> Any:
    from PIL import Image

    if data.dtype != torch.uint8:
        raise RuntimeError("Input tensor dtype should be uint8")
    if data.dim() != 3:
        raise RuntimeError("Input data should be a 3-dimensional tensor")
    channels, height, width = data.shape
    if channels not in (1, 3):
        raise RuntimeError(f"The number of channels should be 1 or 3, got: {channels}")
    pixels = data.permute(1, 2, 0).contiguous()
    picture = Image.frombytes("L" if channels == 1 else "RGB", (width, height), bytes(pixels.untyped_storage()))
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return _tensor(file.getvalue())


def encode_jpeg(data: Any, quality: int) -> Any:
    if not 1 <= quality <= 100:
        raise RuntimeError("Image quality should be a positive number between 1 and 100")
    return _encoded(data, "JPEG", quality=quality)


def encode_png(data: Any, compression_level: int) -> Any:
    if not 0 <= compression_level <= 9:
        raise RuntimeError("Compression level should be between 0 and 9")
    return _encoded(data, "PNG", compress_level=compression_level)


def read_file(filename: str) -> Any:
    try:
        return _tensor(Path(filename).read_bytes())
    except FileNotFoundError as error:
        raise RuntimeError(f"[Errno 2] No such file or directory: '{filename}'") from error


def write_file(filename: str, data: Any) -> Any:
    Path(filename).write_bytes(_bytes(data))
    return torch.empty(0)


SCHEMAS = {
    decode_gif: "decode_gif(Tensor data) -> Tensor", decode_image: "decode_image(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor",
    decode_jpeg: "decode_jpeg(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor",
    decode_png: "decode_png(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor", decode_webp: "decode_webp(Tensor encoded_data, int mode) -> Tensor",
    encode_jpeg: "encode_jpeg(Tensor data, int quality) -> Tensor", encode_png: "encode_png(Tensor data, int compression_level) -> Tensor",
    read_file: "read_file(str filename) -> Tensor", write_file: "write_file(str filename, Tensor data) -> Tensor",
}


def define_operators() -> None:
    """Lets `torch.ops.image` have them. OSError where Pillow is not installed."""
    try:
        import PIL  # noqa: F401
    except ImportError as error:
        raise OSError("torch.ops.image needs Pillow: pip install pillow") from error
    library = Library("image", "FRAGMENT")
    for function, schema in SCHEMAS.items():
        library.impl(library.define(schema), function, "CompositeImplicitAutograd")
