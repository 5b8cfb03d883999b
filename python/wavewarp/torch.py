# SPDX-License-Identifier: Apache-2.0
"""Soft measures as losses for PyTorch, with gradients by autograd.

    loss = SoftLoss("dtw", gamma=0.1, divergence=True)
    loss(outputs, targets).mean().backward()

Values and gradients are computed by Wavewarp's device in one call in forward(); tensors of another device go through
host memory, which costs a copy each way: 0.2 ms of 8 for 64 pairs of 200 points on two CPU cores.
"""

import threading
from typing import List, Optional, Union

import numpy as np

from ._context import Context, default_context
from ._core import needs

needs("torch", "'wavewarp[torch]'")
import torch

from ._dataset import Dataset
from ._gradient import Gradient
from ._measure import Measure, MeasureLike

Batch = Union[torch.Tensor, List[torch.Tensor]]


class _Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, loss, sizes, *series):
        half = len(series) // 2
        ctx.sides = (series[:half], series[half:])
        # A tensor is a batch (batch, time, channels); or there is one tensor (time, channels) for each series.
        sides = [side[0] if sizes else list(side) for side in ctx.sides]
        needed = any(ctx.needs_input_grad)
        values, ctx.slopes = loss._compute(*sides, needed)
        return torch.as_tensor(values, dtype=series[0].dtype, device=series[0].device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, upstream):
        result = []
        for side, slopes in zip(ctx.sides, ctx.slopes):
            if len(side) == 1 and side[0].dim() == 3:
                made = _like(slopes, side[0])
                result.append(made * upstream.reshape(-1, 1, 1))
            else:
                result += [_like(s, x) * u for s, x, u in zip(slopes, side, upstream)]
        return (None, None, *result)


def _like(slopes, tensor):
    """Gradients (..., channel, time) in the axes, type and device of a tensor (..., time, channel)."""
    made = torch.as_tensor(slopes, dtype=tensor.dtype, device=tensor.device)
    return made.transpose(-1, -2)


def _host(values):
    if isinstance(values, list):
        return [_host(v) for v in values]
    values = values.detach().cpu()
    return values.numpy() if values.dtype in (torch.float32, torch.float64) else values.float().numpy()


class SoftLoss(torch.nn.Module):
    """The soft value of each pair of two batches, which autograd takes back to both.

    measure: a Measure or its words; gamma: of the soft minimum, above 0 (0: along the best path). Further parameters as
    of wavewarp.Measure (band, nu, ...). divergence: of V(x,y) - V(x,x)/2 - V(y,y)/2, which is 0 for x = y.

    Called with batches of shape (batch, time, channels), the times of both may differ; or with two lists of tensors
    (time, channels) of any lengths. Returns a tensor (batch,), in the type and on the device of x.

    Raises ValueError (the measure's words). The call refuses the rest, see forward().
    """

    def __init__(
        self,
        measure: MeasureLike = "dtw",
        *,
        gamma: float = 1.0,
        divergence: bool = False,
        context: Optional[Context] = None,
        **parameters,
    ) -> None:
        super().__init__()
        self.measure = Measure(measure, gamma=gamma, **parameters)
        self.divergence, self._context = divergence, context
        self._forget()

    def forward(self, x: Batch, y: Batch) -> torch.Tensor:
        """The loss of each pair, a tensor (batch,); its gradient flows to x and y.

        Raises ValueError (batches of other sizes or channels, not of three axes; NaN; a gamma out of range; a measure
        without gradient),
        TypeError (a tensor with a list).
        """
        batched = torch.is_tensor(x)
        if batched != torch.is_tensor(y):
            raise TypeError("two tensors, or two lists of tensors")
        if not isinstance(x, (list, tuple)) and not isinstance(y, (list, tuple)) and (x.dim() != 3 or y.dim() != 3):
            raise ValueError(f"batches are (batch, time, channels), not {tuple(x.shape)} and {tuple(y.shape)}")
        if len(x) != len(y):
            raise ValueError(f"batches of {len(x)} and {len(y)} series")
        sides = ((x,), (y,)) if batched else (tuple(x), tuple(y))
        return _Soft.apply(self, batched, *sides[0], *sides[1])

    def _compute(self, x, y, needed):
        x, y = _host(x), _host(y)
        want = ("values", "rows", "columns") if needed else "values"
        shapes = None if isinstance(x, list) else (x.shape, y.shape, x.dtype, y.dtype)
        with self._lock:
            made = self._made if shapes is not None and shapes == self._shapes else None
            if made is not None:
                made.rows.update(x)
                made.columns.update(y)
            else:
                made = self._prepare(x, y, shapes is not None)
                self._made, self._shapes = (made, shapes) if self._updates else (None, None)
            told = made.run(want)
        return told.values, (told.rows, told.columns) if needed else None

    def _prepare(self, x, y, batched):
        context = self._context or default_context()
        single = all(v.dtype == np.float32 for side in (x, y) for v in (side if isinstance(side, list) else [side]))
        options = {
            "axes": "ntc",
            "precision": "float" if single or not context.has_double else "double",
            "updates": self._updates and batched,
            "context": context,
        }
        return Gradient(
            self.measure,
            Dataset(x, **options),
            Dataset(y, **options),
            pairs=True,
            divergence=self.divergence,
            per_pair=True,
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
        """What PyTorch prints of it."""
        return f"{self.measure.text!r}, divergence={self.divergence}"


def soft_dtw(x: Batch, y: Batch, gamma: float = 1.0, **options) -> torch.Tensor:
    """Soft-DTW of each pair of two batches: SoftLoss("dtw", gamma=gamma, **options)(x, y).

    Raises what SoftLoss() and its call raise: ValueError, TypeError.
    """
    return SoftLoss("dtw", gamma=gamma, **options)(x, y)
