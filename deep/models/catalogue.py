"""Models by name, sized for a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deep.base.lazy import torch
from deep.base.memory import check_fits
from deep.base.names import pick, read_call
from deep.models.protocol import Law, Model, Norm, Shortcut, Stem, n_parameters
from theory.base.parts import Own, own_part
from theory.rules.text import parse_value

if TYPE_CHECKING:
    from torch import Tensor, nn

    from deep.models.network import Network

__all__ = ["MODELS", "Builder", "check_model", "make_model"]

Builder = Callable[..., Model]
_DRAWN = 12  # bytes of a parameter: as it is drawn, in float64, and as it is kept, in float32
ImageShape = tuple[int, int, int]


def make_model(name: str, dataset: object, seed: int, **options: object) -> tuple[Model, Tensor]:
    """The model called `name` in `MODELS`, sized for `dataset`, and its initial vector for this seed.

    `name` may be the whole model as text, such as ``mlp(hidden=[128])`` or ``resnet-20(norm=batch)``; its settings are
    the `options` of the builder, such as ``norm="batch"`` for a ResNet or ``glove=PATH`` for "lstm-words".
    `dataset`: images (`image_shape`, `n_classes`), token sequences (`length`, `vocabulary`, `n_classes`) or, for
    linear regression, real features and targets (`features`, `targets`).

    Raises `ValueError` as `check_model`, for an option given twice, for what a data set lacks, and for more parameters
    than this machine's memory holds.
    """
    from deep.models.laws import initial_vector
    from deep.models.networks.own import own_model

    called, settings = _read(name)
    twice = sorted(set(settings) & set(options))
    if twice:
        raise ValueError(f"make_model({name!r}): {twice} are set twice, in the text and as arguments")
    options = {**settings, **options}
    own = _own(called)
    if own is not None:
        return own_model(own, dataset, seed, options)
    _check_options(called, options)
    model = MODELS[called](dataset, **options)
    n = n_parameters(model)
    check_fits(f"drawing model {name!r} of {n:,} parameters", _DRAWN * n, torch.device("cpu"))
    return model, initial_vector(model, seed)


def check_model(text: str) -> None:
    """`ValueError` unless `text` names a model and settings it has: nearest models, or the settings of this one."""
    name, settings = _read(text)
    own = _own(name)
    if own is None:
        _check_options(name, settings)
        return
    from deep.models.networks.own import SIZES, unset

    unknown, lacking = sorted(set(settings) - set(own.settings)), unset(own, settings)
    if unknown or lacking or not (own.makes or isinstance(own.value, torch.nn.Module)):
        raise ValueError(
            f"model {name!r}: settings {unknown} unknown, {lacking} missing; expected a torch.nn.Module, or a class"
            f" or function that makes one of {list(own.settings) or 'no settings'}; sizes of the data are"
            f" {', '.join(SIZES)}"
        )


def _own(name: str) -> Own | None:
    """Somebody else's model, None for one of ours."""
    return None if name in MODELS else own_part("model", name)


def _read(text: str) -> tuple[str, dict[str, object]]:
    """Name and options of a model as text; a list becomes a tuple, as builders want it."""
    name, settings = read_call("model", text)
    if _own(name) is None:
        pick(MODELS, name, "model")
    values = {option: parse_value(value) for option, value in settings.items()}
    return name, {option: tuple(value) if isinstance(value, list) else value for option, value in values.items()}


def _check_options(name: str, options: Mapping[str, object]) -> None:
    known = [option for option in signature(MODELS[name]).parameters if option != "dataset"]
    for option in options:
        if option not in known:
            raise ValueError(f"make_model({name!r}, {option}=…): unknown option; it has {', '.join(known) or 'none'}")


def _softmax_regression(dataset: object) -> Model:
    from deep.models.networks.plain import SoftmaxRegression

    return SoftmaxRegression(prod(_images(dataset)[0]), _images(dataset)[1])


def _linear_regression(dataset: object) -> Model:
    from deep.models.networks.plain import LinearRegression

    features, targets = getattr(dataset, "features", None), getattr(dataset, "targets", None)
    if isinstance(features, torch.Tensor) and isinstance(targets, torch.Tensor):
        return LinearRegression(prod(features.shape[1:]), prod(targets.shape[1:]))
    shape, n_classes = _images(dataset)
    return LinearRegression(prod(shape), n_classes)


def _mlp(dataset: object, hidden: tuple[int, ...] = (200, 200)) -> Model:
    from deep.models.networks.plain import MLP

    shape, n_classes = _images(dataset)
    return MLP(prod(shape), n_classes, hidden)


def _small_cnn(dataset: object) -> Model:
    from deep.models.networks.plain import SmallCNN

    return SmallCNN(*_images(dataset))


def _robust_flattened(dataset: object) -> Model:
    from deep.models.networks.convolutional import robust_cnn

    return _image_network("robust-cnn-flattened", dataset, partial(robust_cnn, reading="flattened"))


def _robust_hidden(dataset: object) -> Model:
    from deep.models.networks.convolutional import robust_cnn

    return _image_network("robust-cnn-hidden", dataset, partial(robust_cnn, reading="hidden"))


def _fedssa_2(dataset: object, second_pool: bool = False) -> Model:
    from deep.models.networks.convolutional import fedssa_cnn

    make = partial(fedssa_cnn, reading="2-convolutions", second_pool=second_pool)
    return _image_network("fedssa-cnn-2", dataset, make)


def _fedssa_3(dataset: object) -> Model:
    from deep.models.networks.convolutional import fedssa_cnn

    return _image_network("fedssa-cnn-3", dataset, partial(fedssa_cnn, reading="3-convolutions"))


def _five_layer(dataset: object) -> Model:
    from deep.models.networks.convolutional import five_layer_cnn

    return _image_network("five-layer-cnn", dataset, five_layer_cnn, "he-out-small-linear")


def _digit_model(dataset: object, norm: Norm = "running") -> Model:
    from deep.models.networks.convolutional import digit_model

    return _image_network("digit-model", dataset, partial(digit_model, norm=norm))


def _resnet20(dataset: object, norm: Norm = "running", shortcut: Shortcut = "A") -> Model:
    from deep.models.networks.resnet import resnet20

    make = partial(resnet20, norm=norm, shortcut=shortcut)
    return _image_network("resnet-20", dataset, lambda shape, n: make(shape[0], n), "he-in")


def _resnet18(dataset: object, norm: Norm = "running", stem: Stem = "small") -> Model:
    from deep.models.networks.resnet import resnet18

    make = partial(resnet18, norm=norm, stem=stem)
    return _image_network("resnet-18", dataset, lambda shape, n: make(shape[0], n), "he-out")


def _resnet18_group(dataset: object, stem: Stem = "small") -> Model:
    from deep.models.networks.resnet import resnet18

    # The code published with fedaware keeps torch's law here.
    make = partial(resnet18, norm="group", stem=stem)
    return _image_network("resnet-18-group", dataset, lambda shape, n: make(shape[0], n), "torch")


def _resnet50(dataset: object, norm: Norm = "running", stem: Stem = "small") -> Model:
    from deep.models.networks.resnet import resnet50

    make = partial(resnet50, norm=norm, stem=stem)
    return _image_network("resnet-50", dataset, lambda shape, n: make(shape[0], n), "he-out")


def _vgg11_half(dataset: object) -> Model:
    from deep.models.networks.convolutional import vgg11

    # Without norms torch's law lets the signal fade over eleven layers; the paper names no law.
    return _image_network("vgg-11-half", dataset, vgg11, "he-in")


def _vgg11_sattler(dataset: object) -> Model:
    from deep.models.networks.convolutional import vgg11

    return _image_network("vgg-11-sattler", dataset, partial(vgg11, sattler=True), "he-in")


def _lstm_characters(dataset: object, every_position: bool = False) -> Model:
    from deep.models.network import Network, build
    from deep.models.recurrent import CharacterLSTM

    length, vocabulary, n_classes = _tokens(dataset)
    module = build(lambda: CharacterLSTM(len(vocabulary), n_classes, every_position))
    return Network("lstm-characters", module, (length,), input_dtype=torch.int64)


def _lstm_words(dataset: object, glove: Path | str | None = None, n_dimensions: int = 300, hidden: int = 256) -> Model:
    from deep.models.network import Network, build
    from deep.models.networks.glove import read_glove
    from deep.models.recurrent import WordLSTM

    length, vocabulary, n_classes = _tokens(dataset)
    if glove is None:
        raise ValueError("model 'lstm-words' needs word vectors: make_model(…, glove='…/glove.6B.300d.txt')")
    table, _ = read_glove(glove, vocabulary, n_dimensions)
    module = build(lambda: WordLSTM(len(vocabulary), n_dimensions, n_classes, hidden))
    return Network("lstm-words", module, (length,), input_dtype=torch.int64, constants={"table": table})


def _pythia(
    dataset: object, path: Path | str | None = None, pad: int | None = None, settings: Mapping[str, int] | None = None
) -> Model:
    from deep.models.networks.text import pythia

    length, vocabulary, n_classes = _tokens(dataset)
    if pad is None and "<pad>" in vocabulary:
        pad = vocabulary.index("<pad>")
    model = pythia(length, n_classes, path=path, pad=pad, **({} if settings is None else {"settings": settings}))
    n_known = model.layers[0].shapes[0][0]
    if len(vocabulary) > n_known:
        raise ValueError(f"model 'pythia': the data set has {len(vocabulary)} tokens, the embedding {n_known} rows")
    return model


MODELS: Mapping[str, Builder] = MappingProxyType(
    {
        "softmax-regression": _softmax_regression,
        "linear-regression": _linear_regression,
        "mlp": _mlp,
        "small-cnn": _small_cnn,
        "robust-cnn-flattened": _robust_flattened,
        "robust-cnn-hidden": _robust_hidden,
        "fedssa-cnn-2": _fedssa_2,
        "fedssa-cnn-3": _fedssa_3,
        "five-layer-cnn": _five_layer,
        "digit-model": _digit_model,
        "resnet-20": _resnet20,
        "resnet-18": _resnet18,
        "resnet-18-group": _resnet18_group,
        "resnet-50": _resnet50,
        "vgg-11-half": _vgg11_half,
        "vgg-11-sattler": _vgg11_sattler,
        "lstm-characters": _lstm_characters,
        "lstm-words": _lstm_words,
        "pythia": _pythia,
    }
)


def _image_network(
    name: str, dataset: object, make: Callable[[ImageShape, int], nn.Module], law: Law = "torch"
) -> Network:
    from deep.models.network import Network, build

    shape, n_classes = _images(dataset)
    return Network(name, build(lambda: make(shape, n_classes)), shape, law)


def _images(dataset: Any) -> tuple[ImageShape, int]:
    """(Shape of an image, classes) of a data set of images."""
    if not hasattr(dataset, "image_shape"):
        raise ValueError(f"{_called(dataset)} has no images (image_shape, n_classes), which this model is made for")
    return dataset.image_shape, dataset.n_classes


def _tokens(dataset: Any) -> tuple[int, tuple[str, ...], int]:
    """(Length of a sequence, vocabulary, classes) of a data set of token sequences."""
    if not hasattr(dataset, "vocabulary"):
        raise ValueError(
            f"{_called(dataset)} has no token sequences (length, vocabulary, n_classes), which this model is made for"
        )
    return dataset.length, dataset.vocabulary, dataset.n_classes


def _called(dataset: object) -> str:
    return f"data set {getattr(dataset, 'name', type(dataset).__name__)!r}"
