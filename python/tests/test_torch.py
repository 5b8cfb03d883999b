# SPDX-License-Identifier: Apache-2.0
import pickle
import sys
import types

import numpy as np
import pytest
from conftest import dtw

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
import wavewarp as ww
from wavewarp.torch import SoftLoss, soft_dtw


def reference(x, y, gamma):
    """Soft-DTW of (time, channels) tensors by autograd over the recurrence."""
    n, m = len(x), len(y)
    cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    far = torch.tensor(1e12, dtype=x.dtype)
    d = {(0, 0): torch.zeros((), dtype=x.dtype)}
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            three = torch.stack([d.get(p, far) for p in ((i - 1, j - 1), (i - 1, j), (i, j - 1))])
            d[i, j] = cost[i - 1, j - 1] - gamma * torch.logsumexp(-three / gamma, 0)
    return d[n, m]


def test_values_and_gradients(rng):
    x = torch.tensor(rng.normal(size=(2, 6, 2)), requires_grad=True)
    y = torch.tensor(rng.normal(size=(2, 5, 2)), requires_grad=True)
    factors = torch.tensor([2.0, -1.0], dtype=torch.float64)
    values = soft_dtw(x, y, 0.5)
    np.testing.assert_allclose(
        values.detach(), [dtw(a.T, b.T, gamma=0.5) for a, b in zip(x.detach().numpy(), y.detach().numpy())], rtol=1e-9
    )
    got = torch.autograd.grad((factors * values).sum(), (x, y))
    want = torch.autograd.grad(sum(f * reference(a, b, 0.5) for f, a, b in zip(factors, x, y)), (x, y))
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)
    assert torch.autograd.gradcheck(SoftLoss("dtw", gamma=0.5, divergence=True), (x, y))


def test_lists_of_unequal_length(rng):
    x = [torch.tensor(rng.normal(size=(n, 1)), requires_grad=True) for n in (4, 6)]
    y = [torch.tensor(rng.normal(size=(n, 1))) for n in (5, 3)]
    loss = SoftLoss("dtw", gamma=1.0)
    loss(x, y).sum().backward()
    want = torch.autograd.grad(sum(reference(a, b, 1.0) for a, b in zip(x, y)), x)
    for a, b in zip(x, want):
        np.testing.assert_allclose(a.grad, b, rtol=1e-6, atol=1e-8)
    assert "dtw" in repr(loss)
    for bad in ((x, y[:1]), (x[0], y[0])):
        with pytest.raises(ValueError):
            loss(*bad)


@pytest.mark.parametrize("measure", ["dtw", "ddtw"])
def test_a_second_batch(measure, rng):
    loss = SoftLoss(measure, gamma=0.5)
    for _ in range(2):
        x = torch.tensor(rng.normal(size=(3, 6, 1)), requires_grad=True)
        y = torch.tensor(rng.normal(size=(3, 6, 1)))
        got, want = loss(x, y), SoftLoss(measure, gamma=0.5)(x, y)
        assert torch.equal(got, want)
        assert torch.equal(*(torch.autograd.grad(v.sum(), x)[0] for v in (got, want)))
    assert torch.equal(pickle.loads(pickle.dumps(loss))(x, y), want)
    np.testing.assert_allclose(want.detach()[0], ww.distance(x.detach()[0].T, y[0].T, measure, gamma=0.5))


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16])
def test_what_is_needed(kind, rng):
    loss = SoftLoss("dtw", gamma=0.5)
    x, y = (torch.tensor(rng.normal(size=(3, n, 2)), dtype=kind) for n in (6, 4))
    for sides in ((x,), (y,), (x, y), ()):
        for side in (x, y):
            side.requires_grad_(False)
            side.grad = None
        for side in sides:
            side.requires_grad_()
        values = loss(x, y)
        assert values.dtype == kind and values.requires_grad == bool(sides)
        for side in sides:
            side.grad = None
        if sides:
            values.mul_(2).sum().backward()  # the result is the caller's
        both = [side.detach().double().requires_grad_() for side in (x, y)]
        want = torch.autograd.grad(2 * loss(*both).sum(), both)
        for side, slopes in zip((x, y), want):
            assert (side.grad is not None) == any(side is s for s in sides)
            if side.grad is not None:
                assert torch.allclose(side.grad.double(), slopes, rtol=1e-2, atol=1e-2)


def test_learns(rng):
    target = torch.tensor(np.sin(np.arange(20) / 3.0)[None, :, None], dtype=torch.float32)
    x = torch.zeros_like(target).requires_grad_()
    loss, steps = SoftLoss(gamma=0.1, divergence=True), []
    optimiser = torch.optim.Adam([x], lr=0.1)
    for _ in range(15):
        optimiser.zero_grad()
        value = loss(x, target).mean()
        value.backward()
        optimiser.step()
        steps.append(float(value))
    assert steps[-1] < 0.3 * steps[0]


cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU, or PyTorch without CUDA")


@cuda
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("channels", [1, 3, 20])
def test_batches_stay_on_the_gpu(kind, channels, rng):
    loss = SoftLoss("dtw", gamma=0.5, divergence=channels == 3)
    for batch, n, m in ((5, 17, 12), (40, 33, 40), (5, 17, 12)):
        x, y = (torch.tensor(rng.normal(size=(batch, k, channels)), dtype=kind, device="cuda") for k in (n, m))
        for sides in ((x,), (y,), (x, y)):
            given = [side.clone().requires_grad_(any(side is s for s in sides)) for side in (x, y)]
            values = loss(*given)
            assert values.device == x.device and values.dtype == kind
            values.sum().backward()
            both = [side.cpu().double().requires_grad_() for side in (x, y)]
            want = SoftLoss("dtw", gamma=0.5, divergence=channels == 3)(*both)
            want.sum().backward()
            close = {"rtol": 1e-2, "atol": 1e-2} if kind == torch.float16 else {"rtol": 2e-4, "atol": 2e-4}
            assert torch.allclose(values.cpu().double(), want, **close)
            for side, right in zip(given, both):
                assert side.grad is None or torch.allclose(side.grad.cpu().double(), right.grad, **close)
    assert type(loss._made).__name__ == "_CudaStep"


@cuda
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("channels", [1, 3, 20])
def test_padded_batches_stay_on_the_gpu(kind, channels, rng):
    loss = SoftLoss("dtw", gamma=0.5, divergence=channels == 3)
    x, y = (torch.tensor(rng.normal(size=(4, t, channels)), dtype=kind, device="cuda") for t in (20, 33))
    factors = torch.tensor(rng.normal(size=4), dtype=kind, device="cuda")
    for lengths in (([5, 17, 1, 20], [33, 2, 9, 30]), ([5, 17, 1, 20], None), (None, torch.tensor([4, 3, 2, 1]))):
        given, both = ([of(side).requires_grad_() for side in (x, y)] for of in (torch.clone, lambda s: s.cpu().double()))
        for side, many in zip(given, lengths):
            for row, n in zip(side.detach(), side.shape[1:2] * 4 if many is None else many):
                row[n:] = float("nan")  # is not read
        values, want = loss(*given, *lengths), SoftLoss("dtw", gamma=0.5, divergence=channels == 3)(*both, *lengths)
        (factors * values).sum().backward()
        (factors.cpu().double() * want).sum().backward()
        close = {"rtol": 1e-2, "atol": 1e-2} if kind == torch.float16 else {"rtol": 2e-4, "atol": 2e-4}
        assert values.device == x.device and values.dtype == kind
        assert torch.allclose(values.detach().cpu().double(), want, **close)
        for side, right in zip(given, both):
            assert torch.allclose(side.grad.cpu().double(), right.grad, **close)
        assert type(loss._made).__name__ == "_CudaStep"
    given[0].detach()[0, 0] = float("nan")
    with pytest.raises(ValueError):
        loss(*given, *lengths).sum().backward()


def test_places_of_padded_batches(rng):
    module = sys.modules["wavewarp.torch"]
    side = torch.tensor(rng.normal(size=(3, 5, 2)), dtype=torch.float32)
    layout = module._Padded(side, [5, 1, 3])
    part = torch.empty(layout.shape)
    layout.bring(part, side)
    assert torch.equal(part, torch.cat([side[i, :n].T.reshape(-1) for i, n in enumerate(layout.lengths)]))
    (made,) = layout.parts(part, (side,))
    for i, n in enumerate(layout.lengths):
        assert torch.equal(made[i, :n], side[i, :n]) and not made[i, n:].any()
    with pytest.raises(ValueError):
        module._Padded(side[:, :, :0], [5, 1, 3])


@cuda
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("channels", [1, 3, 20])
def test_lists_stay_on_the_gpu(kind, channels, rng):
    loss = SoftLoss("dtw", gamma=0.5, divergence=channels == 3)
    factors = torch.tensor(rng.normal(size=4), dtype=kind, device="cuda")
    for lengths in ((5, 17, 1, 40), (5, 17, 1, 40), (9, 2, 33, 12)):
        x, y = (
            [torch.tensor(rng.normal(size=(n + k, channels)), dtype=kind, device="cuda") for n in lengths]
            for k in (0, 3)
        )
        for needs in ((True, False), (False, True), (True, True), (False, False)):
            given = [[one.clone().requires_grad_(need) for one in side] for side, need in zip((x, y), needs)]
            values = loss(*given)
            assert values.device == x[0].device and values.dtype == kind
            both = [[one.cpu().double().requires_grad_() for one in side] for side in (x, y)]
            want = SoftLoss("dtw", gamma=0.5, divergence=channels == 3)(*both)
            (factors.cpu().double() * want).sum().backward()
            close = {"rtol": 1e-2, "atol": 1e-2} if kind == torch.float16 else {"rtol": 2e-4, "atol": 2e-4}
            assert torch.allclose(values.detach().cpu().double(), want, **close)
            if any(needs):
                (factors * values).sum().backward()
            for side, right in zip(given, both):
                for one, expected in zip(side, right):
                    assert one.grad is None or torch.allclose(one.grad.cpu().double(), expected.grad, **close)
    assert type(loss._made).__name__ == "_CudaStep"
    wrong = [x[3][:, :0], x[3].ravel(), x[3] * float("nan")]
    for bad in (x[:3], [one[:0] for one in x], *([*x[:3], one] for one in wrong)):
        with pytest.raises(ValueError):
            loss(bad, y)
    with pytest.raises(ValueError):
        loss([], [])


@cuda
def test_streams_of_the_gpu(rng):
    loss = SoftLoss("dtw", gamma=0.5)
    x, y = (torch.tensor(rng.normal(size=(6, 30, 2)), dtype=torch.float32, device="cuda") for _ in range(2))
    want = loss(x, y).cpu()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        assert torch.equal(loss(x, y).cpu(), want)
        assert torch.equal(loss(x.transpose(0, 2).contiguous().transpose(0, 2), y).cpu(), want)
    assert torch.equal(SoftLoss("dtw", gamma=0.5, context=ww.Context("gpu"))(x, y).cpu(), want)
    for bad in (x.clone().fill_(float("nan")), x[:, :0], x[:3], x[..., :1]):
        with pytest.raises(ValueError):
            loss(bad, y)
    # With a gradient it is found on the way back, also behind another batch.
    values = loss(x.clone().fill_(float("nan")).requires_grad_(), y)
    with pytest.raises(ValueError, match="x has NaN"):
        values.sum().backward()
    values = loss(x.clone().fill_(float("inf")).requires_grad_(), y)
    assert torch.equal(loss(x, y).cpu(), want)
    with pytest.raises(ValueError, match="x or y has NaN"):
        values.sum().backward()
    huge = SoftLoss("dtw", gamma=0.5)(torch.full_like(x, 1e18), y)
    assert torch.isfinite(huge).all()
    with pytest.raises(ValueError, match="too large"):
        SoftLoss("dtw", gamma=0.5)(torch.full_like(x, 1e20), y)


def test_streams_are_forgotten(monkeypatch):
    module, opened = sys.modules["wavewarp.torch"], []
    device, stream = torch.device("cuda", 0), types.SimpleNamespace(cuda_stream=0)
    monkeypatch.setattr(module, "_of_streams", {})
    monkeypatch.setattr(torch.version, "cuda", "12.0")
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: stream)
    monkeypatch.setattr(module.Context, "_of_cuda", lambda *key: opened.append(key) or object())
    first = module._stream_context(device)
    for number in range(1, 3 * module._STREAMS):
        stream.cuda_stream = number
        module._stream_context(device)
        stream.cuda_stream = 0
        assert module._stream_context(device) is first  # it was in use
    assert len(module._of_streams) == module._STREAMS and len(opened) == 3 * module._STREAMS
KINDS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("divergence", [False, True])
@pytest.mark.parametrize("measure", ["dtw", "msm"])
def test_padded_batches(measure, divergence, rng):
    """A padded batch with lengths gives what a list of its series gives; what is behind a length has no gradient."""
    loss = SoftLoss(measure, gamma=0.5, divergence=divergence)
    m, n = [3, 7, 5, 1], [6, 4, 6, 2]
    x, y = (torch.tensor(rng.normal(size=(4, size, 1)), requires_grad=True) for size in (7, 6))
    with torch.no_grad():
        x[3, 1:] = float("nan")  # nobody reads it
    factors = torch.tensor(rng.normal(size=4))
    lists = [[row[:k] for row, k in zip(side, sizes)] for side, sizes in ((x, m), (y, n))]
    want = torch.autograd.grad((factors * loss(*lists)).sum(), (x, y))
    for sizes in ((m, n), (torch.tensor(m), np.array(n))):
        values = loss(x, y, *sizes)
        assert torch.equal(values, loss(*lists)) and values.requires_grad
        got = torch.autograd.grad((factors * values).sum(), (x, y))
        assert all(torch.allclose(a, b, rtol=1e-12) for a, b in zip(got, want)) and (got[0][3, 1:] == 0).all()
    alone = loss(y, y.detach(), n)
    assert torch.equal(alone, loss([row[:k] for row, k in zip(y, n)], list(y.detach())))
    for wrong in ((m[:3], n), ([0, 7, 5, 1], n), ([3, 8, 5, 1], n), (m, [9, 4, 6, 2])):
        with pytest.raises(ValueError, match="lengths"):
            loss(x, y, *wrong)
    with pytest.raises(TypeError, match="padded"):
        loss(*lists, m, n)


def test_alignments(rng):
    """As gradients by the costs are by definition: the derivative of the value by each cost of a match."""
    loss, gamma = SoftLoss(gamma=0.5, divergence=True), 0.5
    x, y = (torch.tensor(rng.normal(size=(2, size, 2))) for size in (6, 5))
    made = loss.alignment(x, y)
    assert made.shape == (2, 6, 5) and made.dtype == x.dtype and not made.requires_grad
    for a, b, got in zip(x, y, made):
        cost = ((a[:, None] - b[None]) ** 2).sum(-1).requires_grad_()
        d = {(0, 0): torch.zeros((), dtype=a.dtype)}
        far = torch.tensor(1e12, dtype=a.dtype)
        for i in range(1, 7):
            for j in range(1, 6):
                three = torch.stack([d.get(p, far) for p in ((i - 1, j - 1), (i - 1, j), (i, j - 1))])
                d[i, j] = cost[i - 1, j - 1] - gamma * torch.logsumexp(-three / gamma, 0)
        (want,) = torch.autograd.grad(d[6, 5], cost)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9)
    lists = loss.alignment([x[0, :4], x[1]], [y[0], y[1, :3]])
    padded = loss.alignment(x, y, [4, 6], [5, 3])
    assert [part.shape for part in lists] == [(4, 5), (6, 3)] and (padded[0, 4:] == 0).all() and (padded[1, :, 3:] == 0).all()
    assert torch.equal(padded[0, :4], lists[0]) and torch.equal(padded[1, :, :3], lists[1])


@pytest.mark.parametrize("kind", KINDS)
def test_losses_stay_in_their_type(kind, rng):
    x, y = (torch.tensor(rng.normal(size=(2, size, 1)), dtype=kind, requires_grad=True) for size in (6, 5))
    loss = SoftLoss(gamma=0.5)
    for given in ((x, y), (list(x), list(y)), (x, y, [3, 6], [5, 2])):
        values = loss(*given)
        assert values.dtype == kind and values.device == x.device
        values.sum().backward()
        assert x.grad.dtype == kind and x.grad.device == x.device
        aligned = loss.alignment(*given)
        assert {part.dtype for part in (aligned if isinstance(aligned, list) else [aligned])} == {kind}
