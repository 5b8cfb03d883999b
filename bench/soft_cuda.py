#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Soft-DTW on a GPU as pytorch-softdtw-cuda computes it (Maghoumi, arXiv 2006.08765): for peers.py, which times it.

The costs of all cells by PyTorch, the differences of all points in memory; a work-group of Numba a pair, a thread a row, a
barrier an anti-diagonal; the pass back the same way, from the values of all cells.
"""

import math

import numpy as np
import torch

if not hasattr(np, "row_stack"):  # numba-cuda 0.68 asks for it, NumPy 2.5 has it no more
    np.row_stack = np.vstack
from numba import cuda


@cuda.jit
def forward(costs, gamma, n, m, values):
    pair, row = cuda.blockIdx.x, cuda.threadIdx.x
    for diagonal in range(n + m - 1):
        column = diagonal - row
        if row < n and 0 <= column < m:
            i, j = row + 1, column + 1
            r0 = -values[pair, i - 1, j - 1] / gamma
            r1 = -values[pair, i - 1, j] / gamma
            r2 = -values[pair, i, j - 1] / gamma
            most = max(max(r0, r1), r2)
            total = math.exp(r0 - most) + math.exp(r1 - most) + math.exp(r2 - most)
            values[pair, i, j] = costs[pair, i - 1, j - 1] - gamma * (math.log(total) + most)
        cuda.syncthreads()


@cuda.jit
def backward(costs, values, gamma, n, m, adjoints):
    pair, row = cuda.blockIdx.x, cuda.threadIdx.x
    for back in range(n + m - 1):
        column = n + m - 2 - back - row
        if row < n and 0 <= column < m:
            i, j = row + 1, column + 1
            own = values[pair, i, j]
            down = math.exp((values[pair, i + 1, j] - own - costs[pair, i + 1, j]) / gamma)
            right = math.exp((values[pair, i, j + 1] - own - costs[pair, i, j + 1]) / gamma)
            both = math.exp((values[pair, i + 1, j + 1] - own - costs[pair, i + 1, j + 1]) / gamma)
            adjoints[pair, i, j] = (
                adjoints[pair, i + 1, j] * down + adjoints[pair, i, j + 1] * right + adjoints[pair, i + 1, j + 1] * both
            )
        cuda.syncthreads()


class SoftCosts(torch.autograd.Function):
    @staticmethod
    def forward(ctx, costs, gamma):
        count, n, m = costs.shape
        values = torch.full((count, n + 2, m + 2), math.inf, dtype=costs.dtype, device=costs.device)
        values[:, 0, 0] = 0
        forward[count, max(n, m)](cuda.as_cuda_array(costs.detach()), gamma, n, m, cuda.as_cuda_array(values))
        ctx.save_for_backward(costs, values)
        ctx.gamma = gamma
        return values[:, n, m].clone()

    @staticmethod
    def backward(ctx, upstream):
        costs, values = ctx.saved_tensors
        count, n, m = costs.shape
        values = values.clone()
        padded = torch.zeros((count, n + 2, m + 2), dtype=costs.dtype, device=costs.device)
        padded[:, 1 : n + 1, 1 : m + 1] = costs
        values[:, :, -1] = -math.inf
        values[:, -1, :] = -math.inf
        values[:, -1, -1] = values[:, -2, -2]
        adjoints = torch.zeros_like(values)
        adjoints[:, -1, -1] = 1
        backward[count, max(n, m)](
            cuda.as_cuda_array(padded), cuda.as_cuda_array(values), ctx.gamma, n, m, cuda.as_cuda_array(adjoints)
        )
        return upstream[:, None, None] * adjoints[:, 1 : n + 1, 1 : m + 1], None


def loss(x, y, gamma=1.0):
    """Of pairs (pairs, points, channels), on the device of x."""
    costs = (x[:, :, None] - y[:, None]).pow(2).sum(3)
    return SoftCosts.apply(costs, gamma)
