# SPDX-License-Identifier: Apache-2.0
"""Measures in the library's own words."""

from __future__ import annotations

import difflib
import functools
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Optional, Tuple, TypedDict, Union

import numpy as np

from ._arrays import whole
from ._core import check, ffi, info, keep, lib, number, word_of
from ._series import sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Number = Union[int, float, str, np.generic]
_Lambda = TypedDict("_Lambda", {"lambda": _Number}, total=False)


class Parameters(_Lambda, total=False):
    """The parameters of all measures, as measures() has them. lmbda is "lambda", which is no name in Python."""

    penalty: _Number
    g: _Number
    w_max: _Number
    border_total: _Number
    epsilon: _Number
    normalised: _Number
    aeon: _Number
    similarity: _Number
    c: _Number
    nu: _Number
    lmbda: _Number
    degree: _Number
    no_root: _Number
    insertion: _Number
    deletion: _Number
    substitution: _Number
    p0: _Number
    p1: _Number
    p2: _Number
    p3: _Number
    p4: _Number
    p5: _Number
    p6: _Number
    p7: _Number


class HardOptions(Parameters, total=False):
    """What a function takes for its measure, beside gamma: the keywords of Measure."""

    band: Any
    root: Optional[bool]
    independent: Optional[bool]
    cost: Optional[str]
    relax: Any
    cost_expression: Optional[str]
    recurrence: Optional[str]
    recurrence_name: Optional[str]


class Options(HardOptions, total=False):
    """The keywords of Measure."""

    gamma: Optional[float]


# Keywords of other libraries, and what says the same here.
_BAND = "band='sakoe-chiba:5' in points, 'sakoe-chiba:10%' or 'slanted:0.1' in shares of the length"
_ZNORMALISE = "znormalise=True is of search(), Search and Monitor; SeriesSet.znormalise() is for other jobs"
_ELSEWHERE = {
    **dict.fromkeys(("normalize", "normalise", "znormalize", "znormalise", "z_normalize", "z_norm"), _ZNORMALISE),
    **dict.fromkeys(("window", "window_size", "w", "radius", "sakoe_chiba_radius", "r"), _BAND),
    **dict.fromkeys(("global_constraint", "window_type", "constraint"), _BAND),
    **dict.fromkeys(("itakura_max_slope", "max_slope"), "band='itakura:2'"),
    **dict.fromkeys(("metric", "distance", "method", "dist"), "measure='msm', say, with its parameters as keywords"),
    **dict.fromkeys(("distance_params", "metric_params", "dist_params"), "the parameters are keywords, as c=0.5"),
    **dict.fromkeys(("psi", "open_begin", "open_end"), "relax=(begin x, end x, begin y, end y)"),
    **dict.fromkeys(("n_jobs", "num_threads", "nthreads", "threads", "parallel"), "context=Context('cpu', threads=2)"),
    **dict.fromkeys(("device", "backend"), "context=Context('gpu')"),
    **dict.fromkeys(("dtype",), "precision='float' or 'double'"),
    **dict.fromkeys(("verbose", "show_progress"), "progress=True"),
    **dict.fromkeys(("compact",), "pdist() has the condensed form"),
    **dict.fromkeys(("squared", "sqrt"), "root=True takes the root, and without it there is none"),
}


def _refuse_foreign(names):
    """Refuses keywords that other libraries have, and misspelt ones, with a hint that names ours."""
    known = Options.__annotations__
    for name in names:
        if name in known:
            continue
        close = difflib.get_close_matches(name, [*known, *_ELSEWHERE], 1, 0.75)
        hint = _ELSEWHERE.get(name) or (_ELSEWHERE.get(close[0]) or f"{close[0]}= is meant?" if close else None)
        if hint:
            raise ValueError(f"no keyword {name}=: {hint}")


def _number(value):
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _relax(value):
    if isinstance(value, str):
        return value.replace(",", ":")  # commas are between a measure's words
    parts = value if isinstance(value, (tuple, list)) else [value]
    return ":".join("all" if part is None or part == np.inf else str(part) for part in parts)


class Measure:
    """An elastic measure with its options.

    A Measure does not change, is equal to another one with the same words, and pickles. Some errors come only with the
    first job: a gamma out of range, a measure without soft minimum, a recurrence that does not compile (DeviceError, with
    the compiler's text).

    Parameters
    ----------
    text : str or Measure
        The measure's name, or the words of ww_measure_parse with commas. measures() lists the names.
    band : str, or two arrays, optional
        "sakoe-chiba:5", "corner:R", "slanted:F", "itakura:S"; R may be a share of the longest series, "10%"; or a pair of
        arrays (lo, hi): row i covers columns lo[i] <= j < hi[i].
    root : bool, optional
        The square root of the result.
    independent : bool, optional
        Channel by channel.
    cost : "squared", "absolute" or "euclidean", optional
        None: the measure's own.
    gamma : float, optional
        Above 0 the soft minimum.
    relax : optional
        Points that may be skipped at no cost at (begin x, end x, begin y, end y); None or inf: all. Text: "0,0,all,all".
    cost_expression : str, optional
        OpenCL C over x and y.
    recurrence, recurrence_name : str, optional
        OpenCL C of ww_user_cell(), with text "user".
    **parameters
        Those of the measure, as c=0.5; lmbda is TWED's lambda.

    Raises
    ------
    ValueError
        A name, band, cost or parameter that there is not, or out of range: the text lists what is known.
    TypeError
        A value that is neither number nor text; a band that is neither text nor two arrays.
    DeviceError
        In a job: a cost or recurrence that does not compile.

    Examples
    --------
    >>> ww.Measure("dtw", band="sakoe-chiba:10%", root=True)
    Measure('dtw,root,band=sakoe-chiba:10%')
    >>> ww.Measure("twed", nu=0.01).said
    'twed,nu=0.01'
    """

    def __init__(
        self,
        text: Union[str, Measure] = "dtw",
        *,
        band=None,
        root=None,
        independent=None,
        cost=None,
        gamma: Optional[float] = None,
        relax=None,
        cost_expression=None,
        recurrence=None,
        recurrence_name=None,
        **parameters: Unpack[Parameters],
    ) -> None:
        _refuse_foreign(parameters)
        words = [part.strip() for part in (text.text if isinstance(text, Measure) else str(text)).split(",")]
        if root is not None:
            words = [part for part in words if part != "root"] + ["root"] * bool(root)
        if independent is not None:
            words.append("independent" if independent else "dependent")
        self._rows = None
        if band is not None and not isinstance(band, str):
            if not hasattr(band, "__len__") or len(band) != 2:
                raise TypeError(f"band is a text, such as 'sakoe-chiba:10%', or two arrays (lo, hi), not {band!r}")
            self._rows = tuple(tuple(whole("band", side).tolist()) for side in band)
        elif band is not None:
            words.append(f"band={band}")
        for name, value in (("cost", cost), ("gamma", gamma)):
            if value is not None:
                words.append(f"{name}={_number(value)}")
        if relax is not None:
            words.append(f"relax={_relax(relax)}")
        for name, value in parameters.items():
            name = "lambda" if name == "lmbda" else name
            if not isinstance(value, (str, int, float, np.generic)):
                raise TypeError(f"{name}: no parameter of a measure has a value of type {type(value).__name__}")
            words.append(f"{name}={_number(value)}")
        self.text: str = ",".join(words)
        self._texts = {"cost_expression": cost_expression, "recurrence": recurrence, "recurrence_name": recurrence_name}
        if isinstance(text, Measure):
            self._rows = text._rows if band is None else self._rows
            self._texts = {name: value or text._texts[name] for name, value in self._texts.items()}
        self._made: Any = None
        self.c(100)  # a fault in the words is found here; a share of a band needs some length

    def c(self, longest: int):
        """The ww_measure for series of up to `longest` points, which is only read."""
        made = self._made  # threads may share the measure
        if made is not None and (made[0] == longest or "%" not in self.text):
            return made[1]
        measure = ffi.new("ww_measure *")
        check(lib.ww_measure_parse(measure, ffi.sizeof("ww_measure"), self.text.encode(), int(longest)))
        if self._rows is not None:
            lo, hi = (sizes(side) for side in self._rows)
            if len(lo) != len(hi):
                raise ValueError(f"a band of {len(lo)} first columns and {len(hi)} last ones")
            measure.band.kind = lib.WW_BAND_ROWS
            measure.band.lo, measure.band.hi, measure.band.rows = lo, hi, len(lo)
            keep(measure, lo, hi)
        for name, value in self._texts.items():
            if value is not None:
                held = ffi.new("char[]", value.encode())
                setattr(measure, name, held)
                keep(measure, held)
        if self._texts["cost_expression"] is not None:
            measure.cost = lib.WW_COST_USER
        self._made = longest, measure
        return measure

    @property
    def name(self) -> str:
        """The measure's name without its options."""
        return re.split(",", self.text, maxsplit=1)[0].strip()

    @property
    def said(self) -> str:
        """Its words, and whether the values have a root, where the cost is a squared one."""
        c, own = self.c(100), self.info.cost == "squared"
        if c.root:
            return f"{self.text} (with the root)"
        squared = c.cost == lib.WW_COST_SQUARED or (own and c.cost == lib.WW_COST_DEFAULT)
        return f"{self.text} (a sum of squares, without a root)" if squared else self.text

    @property
    def info(self) -> SimpleNamespace:
        """What the library says of it: title, reference, formula, is_metric, is_similarity, parameters, ..."""
        return describe(lib.ww_measure_info_by_id(self.c(100).id))

    @property
    def gamma(self) -> float:
        """Of the soft minimum; 0: the minimum itself."""
        return self.c(100).gamma

    def cells(self, n, m) -> int:
        """Cells of a pair inside the band; 0 where there is no path.

        Parameters
        ----------
        n, m : int
            Points of the two series.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            A length below 0.

        Examples
        --------
        >>> ww.Measure("dtw", band="sakoe-chiba:1").cells(4, 4)
        10
        """
        n, m = number("n", n), number("m", m)
        return lib.ww_measure_cells(self.c(max(n, m)), n, m)

    def band_rows(self, n, m) -> Tuple[np.ndarray, np.ndarray]:
        """The band as intervals of columns: row i covers lo[i] <= j < hi[i].

        Parameters
        ----------
        n, m : int
            Points of the two series.

        Returns
        -------
        (numpy.ndarray, numpy.ndarray)
            (lo, hi), n int64 each.

        Raises
        ------
        ValueError
            A length below 1, or a band that leaves no path.

        Examples
        --------
        >>> lo, hi = ww.Measure("dtw", band="sakoe-chiba:1").band_rows(3, 3)
        >>> lo.tolist(), hi.tolist()
        ([0, 0, 1], [2, 3, 3])
        """
        n, m = number("n", n), number("m", m)
        measure = self.c(max(n, m))
        lo, hi = np.empty(n, np.uintp), np.empty(n, np.uintp)
        check(
            lib.ww_band_rows(
                ffi.addressof(measure, "band"), n, m, ffi.from_buffer("size_t[]", lo), ffi.from_buffer("size_t[]", hi)
            )
        )
        return lo.astype(np.int64), hi.astype(np.int64)

    def __getstate__(self):
        return {**self.__dict__, "_made": None}

    def _key(self):
        return self.text, self._rows, tuple(self._texts.values())

    def __eq__(self, other):
        return isinstance(other, Measure) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f"Measure({self.text!r})"


MeasureLike = Union[Measure, str]


@functools.lru_cache(maxsize=64)
def _named(words, parameters, types):  # 1, 1.0 and True are equal, but not as words
    return Measure(words, **dict(parameters))


def measure(value, parameters=None) -> Measure:
    """A Measure of a measure or its text, with more parameters."""
    if isinstance(value, Measure) and not parameters:
        return value
    parameters = parameters or {}
    if all(isinstance(part, (str, int, float)) for part in (value, *parameters.values())):
        return _named(value, tuple(parameters.items()), tuple(map(type, parameters.values())))
    return Measure(value, **parameters)


def describe(pointer):
    record = info(pointer)
    record.parameters = [info(pointer.parameters + i) for i in range(pointer.parameter_count)]
    return record


def measures() -> list:
    """Every measure of the library.

    Returns
    -------
    list of Record
        name, title, reference, parameters, is_metric and so on, of each.

    Examples
    --------
    >>> [m.name for m in ww.measures()][:3]
    ['dtw', 'frechet', 'adtw']
    """
    return [describe(lib.ww_measure_info_at(i)) for i in range(lib.ww_measure_count())]


def parse_band(words, longest: int = 0) -> Tuple[str, float]:
    """A band's kind and width, of words.

    Parameters
    ----------
    words : str
        Such as "sakoe-chiba:10%" or "corner:5".
    longest : int
        Points of the longest series, of which a share is meant.

    Returns
    -------
    (str, float)

    Raises
    ------
    ValueError
        There is no such band; a share, as 10%, without `longest`.

    Examples
    --------
    >>> ww.parse_band("sakoe-chiba:10%", 150)
    ('sakoe-chiba', 15.0)
    """
    band = ffi.new("ww_band *")
    check(lib.ww_band_parse(words.encode(), number("longest", longest), band))
    return word_of("ww_band_kind", band.kind), band.width
