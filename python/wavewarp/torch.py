# SPDX-License-Identifier: Apache-2.0
"""Soft measures as losses for PyTorch, with gradients by autograd.

    loss = SoftLoss("dtw", gamma=0.1, divergence=True)
    loss(outputs, targets).mean().backward()

Values and gradients are computed by Wavewarp's device in one call in forward(). Batches on an NVIDIA GPU stay there: the
kernels run in PyTorch's own CUDA context, on its current stream; so do lists of such tensors and padded batches. Other
tensors go through host memory, once each way; so do those of a GPU where NVIDIA's OpenCL, which compiles the kernels,
is not installed (a warning says so), and where the loss was given a context.
"""

import functools
import math
import threading
import warnings
from typing import TYPE_CHECKING, List, Optional, Sequence, Union

import numpy as np

from ._buffer import Buffer
from ._context import Context, default_context
from ._core import DeviceError, OutOfMemoryError, check, lib, needs, new

needs("torch", "'wavewarp[torch]'")
import torch

from ._dataset import Dataset
from ._gradient import Gradient
from ._measure import HardOptions, Measure, MeasureLike
from ._series import View, to_output

if TYPE_CHECKING:
    from typing_extensions import Unpack

Batch = Union[torch.Tensor, List[torch.Tensor]]
Lengths = Union[None, torch.Tensor, Sequence[int]]


class _Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, loss, sizes, lengths, *series):
        half = len(series) // 2
        ctx.sides = (series[:half], series[half:])
        # A tensor is a batch (batch, time, channels); or there is one tensor (time, channels) for each series.
        sides = [side[0] if sizes else list(side) for side in ctx.sides]
        needed = [any(ctx.needs_input_grad[3 : 3 + half]), any(ctx.needs_input_grad[3 + half :])]
        if lengths is not None:
            values, ctx.slopes, ctx.check = loss._of_padded(*sides, lengths, needed)
        else:
            values, ctx.slopes, ctx.check = (loss._of_batches if sizes else loss._of_lists)(*sides, needed)
        # A check waits for the device: where there will be a pass back, there, so that the two work side by side.
        if ctx.check and not any(needed):
            ctx.check()
        return torch.as_tensor(values, dtype=series[0].dtype, device=series[0].device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, upstream):
        result = []
        for side, slopes in zip(ctx.sides, ctx.slopes):
            if slopes is None:
                result += [None] * len(side)
            elif isinstance(slopes, _ListSlopes):
                result += slopes.times(upstream, side)
            elif len(side) == 1 and side[0].dim() == 3:
                made = _like(slopes, side[0])
                result.append(made * upstream.reshape(-1, 1, 1))
            else:
                result += [_like(s, x) * u for s, x, u in zip(slopes, side, upstream)]
        if ctx.check:
            ctx.check()
            ctx.check = None
        return (None, None, None, *result)


def _like(slopes, tensor):
    """Gradients (..., channel, time) in the axes, type and device of a tensor (..., time, channel)."""
    made = torch.as_tensor(slopes, dtype=tensor.dtype, device=tensor.device)
    return made.transpose(-1, -2)


def _lengths_of(name, lengths, side):
    """The numbers of points of a padded batch's series; None: all that it has."""
    if lengths is None:
        return [side.shape[1]] * len(side)
    made = [int(n) for n in (lengths.tolist() if hasattr(lengths, "tolist") else lengths)]
    if len(made) != len(side):
        raise ValueError(f"{name} has {len(made)} numbers for {len(side)} series")
    wrong = next((n for n in made if not 1 <= n <= side.shape[1]), None)
    if wrong is not None:
        raise ValueError(f"{name} has {wrong}, and the series have 1 to {side.shape[1]} points")
    return made


def _padded(parts, shape):
    """An array of this shape of arrays, with 0 behind each."""
    made = np.zeros(shape, parts[0].dtype)
    for row, part in zip(made, parts):
        row[tuple(map(slice, part.shape))] = part
    return made


def _host(values):
    values = [value.detach().cpu() for value in values]
    return [v.numpy() if v.dtype in (torch.float32, torch.float64) else v.float().numpy() for v in values]


_of_streams: dict = {}  # contexts by device and stream, the last used behind; None: it can't be had
_of_streams_lock = threading.Lock()
_STREAMS = 64  # that are kept: as many as PyTorch has in a pool, twice


def _stream_context(device):
    """The context on the current stream of a CUDA device; None where its tensors go through host memory."""
    if torch.version.cuda is None:
        return None
    key = (device.index, torch.cuda.current_stream(device).cuda_stream)
    with _of_streams_lock:
        if key in _of_streams:
            context = _of_streams.pop(key)
        else:
            context = _open_stream(device, key)
            if len(_of_streams) == _STREAMS:  # a step that uses it holds it
                del _of_streams[next(iter(_of_streams))]
        _of_streams[key] = context
        return context


def _open_stream(device, key):
    try:
        return Context._of_cuda(*key)
    except DeviceError as error:
        warnings.warn(f"tensors of {device} go through host memory: {error}", RuntimeWarning, stacklevel=3)
        return None


def _with_memory(call):
    """Calls it, and again when PyTorch has given back the device memory that it keeps."""
    try:
        return call()
    except OutOfMemoryError:
        torch.cuda.empty_cache()
        return call()


_PLACES = 64  # of gradients that a step remembers


class _Batch:
    """A batch (batch, time, channels) as a step has it: (batch, channel, time)."""

    def __init__(self, side):
        if 0 in side.shape:
            raise ValueError(f"a batch of {tuple(side.shape)} has no values")
        self.shape, self.dtypes = (side.shape[0], side.shape[2], side.shape[1]), {side.dtype}

    def bring(self, part, side):
        part.copy_(side.transpose(1, 2))

    def dataset(self, buffer):
        return Dataset.from_buffer(buffer)

    def slopes(self, found):
        return found


class _List:
    """A list of tensors (time, channels) as a step has it: one behind the other, each (channel, time)."""

    def __init__(self, side):
        if any(one.dim() != 2 or 0 in one.shape or one.shape[1] != side[0].shape[1] for one in side):
            raise ValueError("a list needs tensors (time, channels), each with the same number of channels, none of them empty")
        self.lengths, self.channels = [len(one) for one in side], side[0].shape[1]
        self.shape, self.dtypes = (sum(self.lengths) * self.channels,), {one.dtype for one in side}
        self.sizes = [n * self.channels for n in self.lengths]
        self.repeats, self.order = torch.as_tensor(self.sizes, device=side[0].device), None
        if self.channels > 1:  # where each value is among those of the tensors
            first = np.cumsum([0, *self.lengths[:-1]]) * self.channels
            orders = [at + np.arange(n * self.channels).reshape(n, -1).T.ravel() for at, n in zip(first, self.lengths)]
            self.order = torch.as_tensor(np.concatenate(orders), device=side[0].device)

    def bring(self, part, side):
        flat = torch.cat([one.reshape(-1) for one in side])
        part.copy_(flat if self.order is None else flat[self.order])

    def dataset(self, buffer):
        return Dataset._of_lengths(buffer, self.lengths, self.channels)

    def slopes(self, found):
        return _ListSlopes(self, found)

    def parts(self, values, side):
        """Values as a step has them, in the axes and types of the tensors."""
        return [_like(part.view(self.channels, -1), one) for part, one in zip(values.split(self.sizes), side)]


class _Padded(_List):
    """A batch (batch, time, channels) of whose series only the first points count, as a step has it: as a list."""

    def __init__(self, side, lengths):
        if 0 in side.shape:
            raise ValueError(f"a batch of {tuple(side.shape)} has no values")
        self.lengths, self.channels = lengths, side.shape[2]
        self.sizes = [n * self.channels for n in lengths]
        self.shape, self.dtypes = (sum(self.sizes),), {side.dtype}
        self.repeats = torch.as_tensor(self.sizes, device=side.device)
        # Where each value is in the batch: of a series channel by channel.
        places = np.arange(math.prod(side.shape)).reshape(side.shape)
        order = np.concatenate([row[:n].T.ravel() for row, n in zip(places, lengths)])
        self.order = torch.as_tensor(order, device=side.device)

    def bring(self, part, side):
        part.copy_(side.reshape(-1)[self.order])

    def parts(self, values, side):
        made = torch.zeros(side[0].shape, dtype=side[0].dtype, device=side[0].device)
        made.view(-1)[self.order] = values.to(made.dtype)
        return [made]


class _ListSlopes:
    """The gradients by a list, or by a padded batch."""

    def __init__(self, layout, found):
        self._layout, self._found = layout, found

    def times(self, upstream, side):
        layout = self._layout
        factors = upstream.to(self._found.dtype).repeat_interleave(layout.repeats, output_size=len(self._found))
        return layout.parts(self._found * factors, side)


class _CudaStep:
    """What all calls with batches of one shape and type on one stream share: device memory, datasets, gradients."""

    def __init__(self, loss, x, y, lengths, context):
        if lengths:
            self._layouts = [_Padded(side, many) for side, many in zip((x, y), lengths)]
        else:
            self._layouts = [(_Batch if torch.is_tensor(side) else _List)(side) for side in (x, y)]
        device = (x if torch.is_tensor(x) else x[0]).device
        double = torch.float64 in set.union(*(layout.dtypes for layout in self._layouts)) and context.has_double
        self._context, self._kind = context, torch.float64 if double else torch.float32
        self._dtype = np.dtype(np.float64 if double else np.float32)
        self._shapes, self._buffers, self._runs = [layout.shape for layout in self._layouts], [], 0
        # Each part begins at a multiple of 64 values: at a whole part of memory. The values of the pairs are the last.
        sizes = [*(math.prod(shape) for shape in self._shapes), len(x)]
        rooms = [-(-size // 64) * 64 for size in sizes]
        self._all = torch.zeros(sum(rooms), dtype=self._kind, device=device)
        parts = [part[:size] for part, size in zip(self._all.split(rooms), sizes)]
        self._parts = [part.view(shape) for part, shape in zip(parts, self._shapes)]
        self._values = parts[2]
        self.update(x, y)
        sets = [layout.dataset(self._buffer(part)) for layout, part in zip(self._layouts, self._parts)]
        self.gradient = Gradient(loss.measure, *sets, pairs=True, divergence=loss.divergence, per_pair=True)
        self._to_values, self._outputs = to_output(self._buffer(self._values)), {}

    def _buffer(self, tensor):
        made = Buffer._of_cuda(tensor.data_ptr(), tensor.shape, self._dtype, self._context)
        self._buffers.append(made)  # what outputs point to
        return made

    def update(self, x, y):
        """Other batches of the same shape."""
        for layout, part, side in zip(self._layouts, self._parts, (x, y)):
            layout.bring(part, side)

    def run(self, needed, device):
        """(values, the gradients by both sides that are needed), on the device, and what checks them later."""
        # Slopes are the caller's own, in memory that PyTorch counts. It gives the same places again and again.
        slopes = [
            torch.empty(shape, dtype=self._kind, device=device) if is_one else None
            for shape, is_one in zip(self._shapes, needed)
        ]
        places = tuple(one.data_ptr() if one is not None else 0 for one in slopes)
        if places not in self._outputs:
            if len(self._outputs) == _PLACES:
                self._outputs.clear()
            self._outputs[places] = self._make_outputs(slopes)
        _with_memory(lambda: check(lib.ww_gradient_run(self.gradient._handle[0], self._outputs[places][0])))
        values = self._values.clone()
        self._runs += 1
        slopes = [None if one is None else layout.slopes(one) for layout, one in zip(self._layouts, slopes)]
        # The sum is on its way to the host when backward() asks for it: not behind what that enqueues.
        total = torch.empty((), dtype=self._kind, pin_memory=True)
        total.copy_(self._all.sum(), non_blocking=True)
        told = torch.cuda.current_stream(device).record_event()
        return values, slopes, functools.partial(self._check, total, told, self._runs)

    def _make_outputs(self, slopes):
        """ww_gradient_outputs, and the buffers that it points to."""
        buffers = [
            None if one is None else Buffer._of_cuda(one.data_ptr(), one.shape, self._dtype, self._context)
            for one in slopes
        ]
        rows, columns = (None if buffer is None else to_output(buffer) for buffer in buffers)
        return new("ww_gradient_outputs", values=self._to_values, rows=rows, columns=columns), buffers

    def _check(self, total, told, run):
        # One wait for the whole step. What is not finite makes a sum so; a sum may be too large without.
        told.synchronize()
        if math.isfinite(total.item()):
            return
        check(lib.ww_gradient_finish(self.gradient._handle[0]))
        if run != self._runs:  # its batches are gone
            raise ValueError(f"x or y has NaN or infinity, or a value is too large for {self._dtype}")
        for name, part in zip("xy", self._parts):
            if not bool(torch.isfinite(part).all()):
                raise ValueError(f"{name} has NaN or infinity")
        if not bool(torch.isfinite(self._values).all()):
            raise ValueError(f"a value is too large for {self._dtype}")


class _Step:
    """What all calls with batches of one shape and type share: host memory, datasets, and their gradients.

    Of CUDA tensors the memory is such as CUDA copies without waiting: one wait for both batches, and one copy of all
    results.
    """

    def __init__(self, loss, x, y):
        kind = torch.float64 if torch.float64 in (x.dtype, y.dtype) else torch.float32
        context = loss._context or default_context()
        options = {
            "precision": "float" if kind == torch.float32 or not context.has_double else "double",
            "updates": loss._updates,
            "context": context,
        }
        self._sent, pinned = set(), x.is_cuda or y.is_cuda
        given = torch.empty(x.numel() + y.numel(), dtype=kind, pin_memory=pinned)
        self._given = [part.view(side.shape) for part, side in zip(given.split([x.numel(), y.numel()]), (x, y))]
        self._views = [View(part.numpy(), "ntc") for part in self._given]
        self._bring(x, y)
        self._sets = [Dataset(view, **options) for view in self._views]
        self.gradient = Gradient(loss.measure, *self._sets, pairs=True, divergence=loss.divergence, per_pair=True)
        kind = torch.float64 if self._sets[0].precision == "double" else torch.float32
        self._sizes = [len(x), x.numel(), y.numel()]
        self._found = torch.empty(sum(self._sizes), dtype=kind, pin_memory=pinned)
        values, rows, columns = (to_output(part.numpy()) for part in self._found.split(self._sizes))
        self._outputs = {
            (x_too, y_too): new(
                "ww_gradient_outputs",
                values=values,
                rows=rows if x_too else None,
                columns=columns if y_too else None,
            )
            for x_too in (False, True)
            for y_too in (False, True)
        }
        self._shapes = [(side.shape[0], side.shape[2], side.shape[1]) for side in (x, y)]

    def _bring(self, x, y):
        streams = {torch.cuda.current_stream(side.device) for side in (x, y) if side.is_cuda}
        for part, side in zip(self._given, (x, y)):
            part.copy_(side.detach(), non_blocking=side.is_cuda)
        # Also what the last call sent has left its memory then.
        for stream in streams | self._sent:
            stream.synchronize()

    def update(self, x, y):
        """Other batches of the same shape."""
        self._bring(x, y)
        for dataset, view in zip(self._sets, self._views):
            check(lib.ww_dataset_update(dataset._c, view.c))

    def run(self, needed, device):
        """(values, the gradients by both sides that are needed, nothing to check later), on the device."""
        check(lib.ww_gradient_run(self.gradient._handle[0], self._outputs[tuple(needed)]))
        sizes = self._sizes[: 1 + any(needed) + needed[1]]
        found = self._found[: sum(sizes)]
        if device.type == "cuda":
            self._sent = {torch.cuda.current_stream(device)}
            found = found.to(device, non_blocking=True)
        else:
            found = found.clone().to(device)
        values, *slopes = found.split(sizes)
        slopes = [part.view(shape) for part, shape in zip(slopes, self._shapes)]
        return values.clone(), [part if is_one else None for part, is_one in zip([*slopes, None, None], needed)], None


class SoftLoss(torch.nn.Module):
    """The soft value of each pair of two batches, which autograd takes back to both.

    Call it with batches of shape (batch, time, channels), whose times may differ; with padded batches and the numbers of
    points of their series, `x_lengths` and `y_lengths`; or with two lists of tensors (time, channels) of any lengths. The
    call returns a tensor (batch,), in the type and on the device of x. alignment() gives the expected alignments.

    Parameters
    ----------
    measure : Measure or str
        measures() lists those with a soft minimum.
    gamma : float
        Of the soft minimum, above 0; 0: along the best path.
    divergence : bool
        Of V(x,y) - V(x,x)/2 - V(y,y)/2, which is 0 for x = y.
    context : Context, optional
        None: the device of CUDA tensors, else default_context().
    **parameters
        Of the measure, as of wavewarp.Measure: ``band="sakoe-chiba:10%"``, ``nu=0.1``.

    Raises
    ------
    ValueError
        The measure's words. The call refuses the rest, see forward().

    Examples
    --------
    >>> import torch, wavewarp.torch
    >>> x = torch.zeros(1, 3, 1, requires_grad=True)
    >>> value = wavewarp.torch.SoftLoss(gamma=0.1)(x, torch.ones(1, 3, 1)).sum()
    >>> value.backward()
    >>> tuple(x.grad.shape)
    (1, 3, 1)
    """

    def __init__(
        self,
        measure: MeasureLike = "dtw",
        *,
        gamma: float = 1.0,
        divergence: bool = False,
        context: Optional[Context] = None,
        **parameters: "Unpack[HardOptions]",
    ) -> None:
        super().__init__()
        self.measure = Measure(measure, gamma=gamma, **parameters)
        self.divergence, self._context = divergence, context
        self._forget()

    def forward(self, x: Batch, y: Batch, x_lengths: Lengths = None, y_lengths: Lengths = None) -> torch.Tensor:
        """The loss of each pair. Its gradient flows to x and y, and is 0 in what is behind a length.

        NaN and values too large in batches on a GPU that need a gradient are found by backward(), so that PyTorch goes
        on while the GPU computes.

        Parameters
        ----------
        x, y : Tensor or list of Tensor
            Two batches, as of SoftLoss.
        x_lengths, y_lengths : sequence of int, optional
            How many points of each series of a padded batch count; None: all.

        Returns
        -------
        Tensor
            Of shape (batch,).

        Raises
        ------
        ValueError
            Batches of other sizes or channels, not of three axes; NaN; a gamma out of range; a measure without
            gradient; lengths of another number, or that the batch does not have.
        TypeError
            A tensor with a list; lengths of lists.

        Examples
        --------
        >>> import torch
        >>> from wavewarp.torch import SoftLoss
        >>> x, y = torch.zeros(1, 3, 1, requires_grad=True), torch.ones(1, 3, 1)
        >>> SoftLoss("dtw", gamma=1.0)(x, y).sum().backward()
        >>> x.grad.shape
        torch.Size([1, 3, 1])
        """
        batched, lengths = self._check(x, y, x_lengths, y_lengths)
        sides = ((x,), (y,)) if batched else (tuple(x), tuple(y))
        return _Soft.apply(self, batched, lengths, *sides[0], *sides[1])

    def alignment(self, x: Batch, y: Batch, x_lengths: Lengths = None, y_lengths: Lengths = None) -> Batch:
        """The expected alignments: how probable it is that point i of x is matched with point j of y. Of a loss with
        divergence they are those of x with y.

        Parameters
        ----------
        x, y : Tensor or list of Tensor
            Two batches, as of SoftLoss.
        x_lengths, y_lengths : sequence of int, optional
            As of forward().

        Returns
        -------
        Tensor or list of Tensor
            Of shape (batch, times of x, times of y), without a gradient, in the type and on the device of x: 0 behind
            the lengths of padded batches; of lists a list of tensors.

        Raises
        ------
        ValueError, TypeError
            As of forward().

        Examples
        --------
        >>> import torch
        >>> from wavewarp.torch import SoftLoss
        >>> SoftLoss("dtw", gamma=1.0).alignment(torch.zeros(1, 3, 1), torch.ones(1, 4, 1)).shape
        torch.Size([1, 3, 4])
        """
        return self._aligned(x, y, *self._check(x, y, x_lengths, y_lengths))

    def _aligned(self, x, y, batched, lengths):
        sides = (x, y)
        if batched:
            sides = self._listed(x, y, lengths or [_lengths_of("", None, side) for side in sides])
        made = self._gradient(*map(_host, sides), False, True).run("alignment").alignment
        parts, kept = made, x if batched else x[0]
        if batched:
            parts = [_padded(list(made), (len(x), x.shape[1], y.shape[1]))]
        given = [torch.as_tensor(part).to(dtype=kept.dtype, device=kept.device) for part in parts]
        return given[0] if batched else given

    def _check(self, x, y, x_lengths, y_lengths):
        """(Whether they are batches, the lengths of both or None); refuses what does not fit."""
        batched = torch.is_tensor(x)
        if batched != torch.is_tensor(y):
            raise TypeError("x and y have to be two tensors, or two lists of tensors")
        if not isinstance(x, (list, tuple)) and not isinstance(y, (list, tuple)) and (x.dim() != 3 or y.dim() != 3):
            raise ValueError(f"batches are (batch, time, channels), not {tuple(x.shape)} and {tuple(y.shape)}")
        if len(x) != len(y):
            raise ValueError(f"x has {len(x)} series and y has {len(y)}: each needs its partner")
        if x_lengths is None and y_lengths is None:
            return batched, None
        if not batched:
            raise TypeError("x_lengths and y_lengths are for padded batches; tensors of a list have lengths of their own")
        return batched, [_lengths_of("x_lengths", x_lengths, x), _lengths_of("y_lengths", y_lengths, y)]

    @staticmethod
    def _listed(x, y, lengths):
        """The series of both batches without what is behind their lengths."""
        return [[row[:n] for row, n in zip(side.detach().cpu(), many)] for side, many in zip((x, y), lengths)]

    def _of_padded(self, x, y, lengths, needed):
        context = self._stream_of(x, y)
        if context:
            shapes = (x.shape, y.shape, x.dtype, y.dtype, tuple(map(tuple, lengths)), x.device, context)
            return self._on_stream(x, y, shapes, context, needed, x.device, lengths)
        values, slopes, check = self._of_lists(*self._listed(x, y, lengths), needed)
        shapes = [(side.shape[0], side.shape[2], side.shape[1]) for side in (x, y)]
        return values, [None if one is None else _padded(list(one), shape) for one, shape in zip(slopes, shapes)], check

    def _stream_of(self, x, y):
        """The context that batches stay in; None: they go through host memory."""
        on_stream = x.is_cuda and x.device == y.device and self._context is None
        return _stream_context(x.device) if on_stream else None

    def _of_batches(self, x, y, needed):
        context = self._stream_of(x, y)
        shapes = (x.shape, y.shape, x.dtype, y.dtype, x.device, y.device, context)
        return self._on_stream(x, y, shapes, context, needed, x.device)

    def _on_stream(self, x, y, shapes, context, needed, device, lengths=None):
        with self._lock:
            made = self._made if shapes == self._shapes else None
            if made is not None:
                made.update(x, y)
            else:
                made = _with_memory(lambda: _CudaStep(self, x, y, lengths, context)) if context else _Step(self, x, y)
                self._made, self._shapes = (made, shapes) if self._updates else (None, None)
            return made.run(needed, device)

    def _of_lists(self, x, y, needed):
        device = x[0].device if x else torch.device("cpu")
        on_stream = device.type == "cuda" and self._context is None and all(one.device == device for one in x + y)
        stream = _stream_context(device) if on_stream else None
        if stream:
            # As of batches; lists of other lengths begin anew.
            shapes = (tuple((one.shape, one.dtype) for one in x + y), len(x), device, stream)
            return self._on_stream(x, y, shapes, stream, needed, device)
        made = self._gradient(_host(x), _host(y), self.divergence)
        want = ["values"] + [name for name, is_one in zip(("rows", "columns"), needed) if is_one]
        told = made.run(want)
        return told.values, [getattr(told, "rows", None), getattr(told, "columns", None)], None

    def _gradient(self, x, y, divergence, alignment=False):
        """The gradients of pairs of arrays (time, channels)."""
        context = self._context or default_context()
        single = all(v.dtype == np.float32 for v in x + y)
        options = {
            "axes": "ntc",
            "precision": "float" if single or not context.has_double else "double",
            "context": context,
        }
        return Gradient(
            self.measure,
            Dataset(x, **options),
            Dataset(y, **options),
            pairs=True,
            divergence=divergence,
            per_pair=True,
            alignment=alignment,
        )

    def __getstate__(self):
        state = self.__dict__.copy()
        for name in ("_lock", "_made", "_shapes"):
            state.pop(name)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        self._forget()

    def _forget(self):
        # Batches of one shape use what was prepared for the first. Not so under measures that are computed on copies
        # of the series, which an update does not reach.
        self._lock, self._made, self._shapes = threading.Lock(), None, None
        self._updates = self.measure.name not in ("erp", "ddtw", "wddtw")

    def extra_repr(self) -> str:
        """What PyTorch prints of the loss.

        Returns
        -------
        str

        Examples
        --------
        >>> from wavewarp.torch import SoftLoss
        >>> SoftLoss("dtw", gamma=1.0).extra_repr()
        "'dtw,gamma=1.0', divergence=False"
        """
        return f"{self.measure.text!r}, divergence={self.divergence}"


def soft_dtw(
    x: Batch,
    y: Batch,
    gamma: float = 1.0,
    *,
    divergence: bool = False,
    context: Optional[Context] = None,
    **parameters: "Unpack[HardOptions]",
) -> torch.Tensor:
    """Soft-DTW of each pair of two batches: ``SoftLoss("dtw", gamma=gamma)(x, y)``, as a function.

    Parameters
    ----------
    x, y : Tensor or list of Tensor
        As SoftLoss takes them.
    gamma, divergence, context, parameters
        As of SoftLoss.

    Returns
    -------
    Tensor of shape (batch,)

    Raises
    ------
    ValueError, TypeError
        What SoftLoss() and its call raise.

    Examples
    --------
    >>> import torch, wavewarp.torch
    >>> value = wavewarp.torch.soft_dtw(torch.zeros(1, 3, 1), torch.ones(1, 3, 1), gamma=1e-3)
    >>> round(float(value), 2)
    3.0
    """
    return SoftLoss("dtw", gamma=gamma, divergence=divergence, context=context, **parameters)(x, y)
