"""The papers' convolutional networks, each as printed, and where the print allows several readings, each of them."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import nn

from deep.models.norm import Norm, make_norm

__all__ = ["FedSSAReading", "RobustReading", "digit_model", "fedssa_cnn", "five_layer_cnn", "robust_cnn", "vgg11"]

ImageShape = tuple[int, int, int]
RobustReading = Literal["flattened", "hidden"]
FedSSAReading = Literal["2-convolutions", "3-convolutions"]


def robust_cnn(image_shape: ImageShape, n_classes: int, reading: RobustReading) -> nn.Module:
    """Conv 3 × 3 (32), pool, conv 3 × 3 (64), pool, and «1600».

    Source: robust_aggregation, Section 4: "two 3×3 convolution layers (the first with 32 channels, the second with 64,
    each followed with 2×2 max pooling), a fully connected layer with 1600 units and ReLu activation, and a final
    softmax output layer". Left open: what 1600 counts, padding, activations after the convolutions (here: none and
    ReLU). Without padding a 28 × 28 image leaves 64 · 5 · 5 = 1600 values. "flattened": these are the 1600 units, and
    the output layer follows (34,826 parameters on MNIST, the well-known Keras example); "hidden": a layer of 1600
    units comes between them (2,596,426).
    """
    _check("reading", reading, get_args(RobustReading))
    features = [
        *(nn.Conv2d(image_shape[0], 32, 3), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2)),
        nn.Flatten(),
    ]
    n = _flat_size("robust_cnn", features, image_shape)
    hidden = [nn.Linear(n, 1600), nn.ReLU()] if reading == "hidden" else []
    return nn.Sequential(*features, *hidden, nn.Linear(1600 if hidden else n, n_classes))


def fedssa_cnn(image_shape: ImageShape, n_classes: int, reading: FedSSAReading, second_pool: bool = False) -> nn.Module:
    """5 × 5 convolutions of 6 and 16 channels, then linear layers of 120, 84 and n_classes, ReLU between all.

    Source: fedssa, B.3: "5 × 5 convolution layer, max-pooling layer, 5 × 5 convolution layer, and three
    fully-connected layers with the hidden size of 120, 84, and 10"; Section 5.1 says "3 convolutional layers". No
    channels are printed: 6 and 16 are those of MOON, which Section 5.1 cites. "2-convolutions" is B.3 to the letter
    (206,006 parameters on CIFAR-10); `second_pool` adds the pooling of MOON's network after the second convolution
    (62,006). "3-convolutions" adds a third 5 × 5 convolution, of 32 channels (our choice, as 16 is about twice 6).
    No padding.
    """
    _check("reading", reading, get_args(FedSSAReading))
    features: list[nn.Module] = [nn.Conv2d(image_shape[0], 6, 5), nn.ReLU(), nn.MaxPool2d(2)]
    features += [nn.Conv2d(6, 16, 5), nn.ReLU()]
    if second_pool:
        features.append(nn.MaxPool2d(2))
    if reading == "3-convolutions":
        features += [nn.Conv2d(16, 32, 5), nn.ReLU()]
    features.append(nn.Flatten())
    n = _flat_size("fedssa_cnn", features, image_shape)
    return nn.Sequential(
        *features, nn.Linear(n, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, n_classes)
    )


def five_layer_cnn(image_shape: ImageShape, n_classes: int) -> nn.Module:
    """3 × 3 convolutions of 32, 64 and 64 channels, 2 × 2 pool after the first two, linear layers of 64 and n_classes.

    Source: fedaware, Section 5 "5-layer CNN", nothing more; the widths, and the law "he-out-small-linear" this model
    is drawn by, are those of the code published with the paper (122,570 parameters on CIFAR-10). No padding.
    """
    features = [
        *(nn.Conv2d(image_shape[0], 32, 3), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(64, 64, 3), nn.ReLU(), nn.Flatten()),
    ]
    n = _flat_size("five_layer_cnn", features, image_shape)
    return nn.Sequential(*features, nn.Linear(n, 64), nn.ReLU(), nn.Linear(64, n_classes))


def digit_model(image_shape: ImageShape, n_classes: int, norm: Norm) -> nn.Module:
    """5 × 5 convolutions of 64, 64 and 128 channels, linear layers of 2048, 512 and n_classes, normed but the last.

    Source: exp_alpha, A.3: "a custom CNN provided by Li et al. (2021)", that is FedBN's DigitModel: padding 2,
    ReLU after each norm, 2 × 2 max pool after the first two; made for 3 × 28 × 28 (14,219,210 parameters).
    """
    features: list[nn.Module] = []
    for n_in, n_out in ((image_shape[0], 64), (64, 64), (64, 128)):
        features += [nn.Conv2d(n_in, n_out, 5, padding=2), make_norm(norm, n_out), nn.ReLU()]
        features += [nn.MaxPool2d(2)] if n_out == 64 else [nn.Flatten()]
    n = _flat_size("digit_model", features, image_shape)
    head = [nn.Linear(n, 2048), make_norm(norm, 2048), nn.ReLU(), nn.Linear(2048, 512), make_norm(norm, 512), nn.ReLU()]
    return nn.Sequential(*features, *head, nn.Linear(512, n_classes))


_VGG11 = (64, "pool", 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512, "pool")
_SATTLER = (32, "pool", 64, "pool", 128, 128, "pool", 128, 128, "pool", 128, 128, "pool")


def vgg11(image_shape: ImageShape, n_classes: int, divide: int = 2, sattler: bool = False) -> nn.Module:
    """VGG-11 without dropout and batch norm, its filters and dense layers divided by `divide`.

    Source: efl, A.3 (CIFAR100): "all dropout and batch normalization layers are removed and the number of convolutional
    filters and size of all fully-connected layers is reduced by a factor of 2"; Simonyan & Zisserman 2014,
    configuration A. Halved, that is 32 to 256 filters and two dense layers of 2048. The sentence stands word for word
    in Sattler et al. 2019, whose network is smaller than it says: at most 128 filters, two dense layers of 128, and the
    865,482 parameters they publish (CIFAR-10); `sattler` is that reading.
    Images smaller than 32 are padded with zeros to 32 × 32, evenly, the odd pixel below and on the right, since five
    pools need it. With divide=1 and 224 × 224 images it is torchvision's vgg11.
    """
    channels, height, width = image_shape
    top, left = max(0, 32 - height) // 2, max(0, 32 - width) // 2
    padding = (left, max(0, 32 - width) - left, top, max(0, 32 - height) - top)
    features: list[nn.Module] = [nn.ZeroPad2d(padding)] if any(padding) else []
    for filters in _SATTLER if sattler else _VGG11:
        if isinstance(filters, str):
            features.append(nn.MaxPool2d(2))
        else:
            n = filters if sattler else filters // divide
            features += [nn.Conv2d(channels, n, 3, padding=1), nn.ReLU()]
            channels = n
    features.append(nn.Flatten())
    n, dense = _flat_size("vgg11", features, image_shape), 128 if sattler else 4096 // divide
    return nn.Sequential(
        *features, nn.Linear(n, dense), nn.ReLU(), nn.Linear(dense, dense), nn.ReLU(), nn.Linear(dense, n_classes)
    )


def _check(argument: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{argument}={value!r}: unknown; expected one of {', '.join(known)}")


def _flat_size(name: str, features: list[nn.Module], image_shape: ImageShape) -> int:
    """Values that `features`, on the meta device, leave of one image; `ValueError` if the image is too small."""
    try:
        with torch.no_grad():
            # Two samples, because batch norm refuses one that leaves a single value per channel.
            return nn.Sequential(*features)(torch.zeros(2, *image_shape, device="meta")).shape[1]  # type: ignore[no-any-return]
    except RuntimeError as error:
        raise ValueError(f"{name}(image_shape={image_shape}): too small for its convolutions and pools") from error
