"""Residual networks: ResNet-20 for CIFAR, ResNet-18 and ResNet-50 with a stem for small or for large images."""

from __future__ import annotations

from typing import get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from deep.models.norm import Norm, make_norm
from deep.models.protocol import Shortcut, Stem

__all__ = ["ResNet", "Shortcut", "Stem", "resnet18", "resnet20", "resnet50"]


class ResNet(nn.Module):
    """Stem, stages of residual blocks, mean over the image, linear layer.

    Source: He et al. 2016. A block is relu(shortcut(x) + residual(x)); `bottleneck` blocks have four times their width
    as channels. Stages after the first halve the image, in the first block's 3 × 3 convolution. `shortcut` where the
    shape changes: "A", every second pixel and zeros for the new channels, half of them in front, half behind; "B", a
    1 × 1 convolution and a norm.
    `stem`: "small" is a 3 × 3 convolution, "large" 7 × 7 with stride 2 and a 3 × 3 max pool with stride 2.
    """

    def __init__(
        self,
        channels: int,
        n_classes: int,
        widths: tuple[int, ...],
        depths: tuple[int, ...],
        bottleneck: bool,
        shortcut: Shortcut,
        stem: Stem,
        norm: Norm,
    ) -> None:
        super().__init__()
        if stem not in get_args(Stem):
            raise ValueError(f"stem={stem!r}: unknown; expected one of {', '.join(get_args(Stem))}")
        if shortcut not in get_args(Shortcut):
            raise ValueError(f"shortcut={shortcut!r}: unknown; expected one of {', '.join(get_args(Shortcut))}")
        first = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(channels, first, *((3, 1, 1) if stem == "small" else (7, 2, 3)), bias=False),
            make_norm(norm, first),
            nn.ReLU(),
        )
        if stem == "large":
            self.stem.append(nn.MaxPool2d(3, 2, padding=1))
        blocks: list[nn.Module] = []
        n_in = first
        for stage, (width, depth) in enumerate(zip(widths, depths, strict=True)):
            for index in range(depth):
                stride = 2 if stage > 0 and index == 0 else 1
                block = _Block(n_in, width, stride, bottleneck, shortcut, norm)
                blocks.append(block)
                n_in = block.n_out
        self.blocks = nn.Sequential(*blocks)
        self.scores = nn.Linear(n_in, n_classes)

    def forward(self, images: Tensor) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        return self.scores(self.blocks(self.stem(images)).mean((2, 3)))  # type: ignore[no-any-return]


class _Block(nn.Module):
    """relu(shortcut(x) + residual(x))."""

    def __init__(self, n_in: int, width: int, stride: int, bottleneck: bool, shortcut: Shortcut, norm: Norm) -> None:
        super().__init__()
        self.n_out = 4 * width if bottleneck else width
        # (channels, kernel, stride) of each convolution.
        plan = [(width, 3, stride), (width, 3, 1)]
        if bottleneck:
            plan = [(width, 1, 1), (width, 3, stride), (self.n_out, 1, 1)]
        layers: list[nn.Module] = []
        before = n_in
        for channels, kernel, step in plan:
            layers += [nn.Conv2d(before, channels, kernel, step, kernel // 2, bias=False), make_norm(norm, channels)]
            layers.append(nn.ReLU())
            before = channels
        self.residual = nn.Sequential(*layers[:-1])
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or n_in != self.n_out:
            self.shortcut = (
                _ZeroPadded(stride, self.n_out - n_in)
                if shortcut == "A"
                else nn.Sequential(nn.Conv2d(n_in, self.n_out, 1, stride, bias=False), make_norm(norm, self.n_out))
            )

    def forward(self, images: Tensor) -> Tensor:
        """(n, n_out, height / stride, width / stride)."""
        return torch.relu(self.shortcut(images) + self.residual(images))


class _ZeroPadded(nn.Module):
    """Every `stride`-th pixel, with `more` channels of zeros around the old ones."""

    def __init__(self, stride: int, more: int) -> None:
        super().__init__()
        self.stride, self.more = stride, more

    def forward(self, images: Tensor) -> Tensor:
        """(n, channels + more, …)."""
        front = self.more // 2
        return pad(images[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, front, self.more - front))


def resnet20(channels: int, n_classes: int, norm: Norm = "running", shortcut: Shortcut = "A") -> ResNet:
    """Three stages of three blocks, 16, 32 and 64 channels.

    Source: exp_alpha, A.3: "the proper ResNet implementation for CIFAR10" (He et al. 2016, Section 4.2; the name is
    that of a public implementation, whose zero-padded shortcuts and law "he-in" this follows). 269,722 parameters on
    CIFAR-10, printed as 0.27M there; with shortcut "B" 272,474.
    """
    return ResNet(channels, n_classes, (16, 32, 64), (3, 3, 3), False, shortcut, "small", norm)


def resnet18(channels: int, n_classes: int, norm: Norm = "running", stem: Stem = "small") -> ResNet:
    """Four stages of two blocks, 64 to 512 channels.

    Source: fedssa, B.3: torch's, "first 7 × 7 convolution layer with a 3 × 3 … and eliminate the first pooling layer";
    fedaware, Section 5: "Resnet-18 (group norm)" (norm="group", small stem as in its code); exp_alpha, A.3, for
    Office-Caltech10 and DomainNet: stem="large". 11,173,962 parameters on CIFAR-10, whatever the norm; 11,689,512 with
    the large stem and 1000 classes.
    """
    return ResNet(channels, n_classes, (64, 128, 256, 512), (2, 2, 2, 2), False, "B", stem, norm)


def resnet50(channels: int, n_classes: int, norm: Norm = "running", stem: Stem = "small") -> ResNet:
    """Four stages of 3, 4, 6 and 3 bottleneck blocks, 256 to 2048 channels.

    Source: efl, Section 5 (EMNIST) and A.5 (CIFAR100), "Resnet50 (He et al., 2016)", no word on the stem: small,
    because the large one leaves a single pixel of a 28 × 28 image. 23,520,842 parameters on CIFAR-10; 25,557,032 with
    the large stem and 1000 classes, as torchvision's.
    """
    return ResNet(channels, n_classes, (64, 128, 256, 512), (3, 4, 6, 3), True, "B", stem, norm)
