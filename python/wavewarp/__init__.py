# SPDX-License-Identifier: Apache-2.0
"""Wavewarp: elastic distances between time series on any OpenCL device.

Series are arrays of shape (series, time) or (series, channel, time), or lists of series of unequal length.

What many functions take:

- axes: "nct" for (series, channel, time), "ntc" for (series, time, channel), of two axes "nt", "tn", "ct", "tc"; None: as
  .npy files are read, with a warning where that is not certain.
- precision: "float" or "double"; None: float for float32, double for others where the device has it.
- context: the device; None: default_context().
- progress: True (tqdm), a bar with update(), or a function of (done, total).
- max_bytes: device memory at most; 0: no limit.
- engine: "auto", or one of engines().
- no_bounds: every distance is computed, with the same results.
- parameters: those of Measure.

Results are arrays, or small types that unpack and index as tuples, arrays and records do, and say what they hold.

Errors: what the library refuses is an Error, which is also a ValueError (InvalidError), MemoryError (OutOfMemoryError),
OSError (FileError) or RuntimeError (DeviceError, NoDeviceError). Its text says what to do, `status` is the C status,
and `series`, `position` and `channel` say where. What Python's side refuses is a ValueError, TypeError or IndexError
alone. Docstrings name what a function refuses beside what is common to all:

- ValueError: series of a wrong shape, without points, or of different channels; NaN and infinity; values too large for
  float; words that axes, precision, engine or a measure do not have; a keyword that is no parameter of the measure; a
  number out of range; objects of different contexts; any work in a child made by fork.
- TypeError: what is no number or no series; an option that there is not; progress that can't be called.
- NoDeviceError: no OpenCL device. It comes with the first job, and says what to install.
- MemoryError: host or device memory is too small.
- DeviceError: the driver failed, or a kernel did not compile; the text has the compiler's.
- KeyboardInterrupt: Ctrl-C during a long job. What progress or another function of the caller raises ends the job, and
  is raised.
"""

from ._buffer import Buffer
from ._consensus import Consensus, consensus_motif
from ._context import Context, default_context, devices, tuning_parameters
from ._core import DeviceError, Error, FileError, InvalidError, NoDeviceError, Notice, OutOfMemoryError, PartDone, lib, text
from ._dataset import Dataset
from ._costs import cost_matrix
from ._plan import Plan
from ._distance import (
    cdist,
    distance,
    engines,
    kneighbors,
    pairs,
    pairwise_distances,
    path,
    paths,
    pdist,
)
from ._files import generate, load_dataset, read, write, write_array
from ._gradient import Gradient, soft
from ._clusters import cut, linkage, rand_index, silhouette
from ._learn import Classifier, average, choose, classify, kmeans
from ._index import SeriesIndex
from ._lsh import LSH, lsh_collision
from ._measure import Measure, measures, parse_band
from ._medoids import medoids
from ._parts import NearestPlan, merge_neighbours, nearest_shard
from ._point_files import read_points, sets_of_bits, write_points
from ._points import (
    Points,
    knn,
    knn_mean,
    knn_recall,
    knn_shard,
    knn_vote,
    metrics,
)
from ._profile import Profile, ProfilePlan, profile
from ._profile_stream import ProfileStream
from ._results import (
    Average,
    Choice,
    Classification,
    Clusters,
    Matches,
    Medoids,
    Motif,
    Neighbours,
    Path,
    Paths,
    Record,
    Result,
    Silhouette,
    SoftValues,
)
from ._search import (
    Monitor,
    Search,
    Source,
    choose_matches,
    merge_matches,
    search,
    search_places,
)
from ._series import SeriesSet
from ._shape import kshape, sbd
from ._shapelets import Shapelets
from ._store import ArrayFile, Store
from ._topk import topk

__version__ = text(lib.ww_version())
__all__ = [
    "ArrayFile",
    "Average",
    "Buffer",
    "Choice",
    "Classification",
    "Classifier",
    "Clusters",
    "Consensus",
    "Context",
    "Dataset",
    "DeviceError",
    "Error",
    "FileError",
    "Gradient",
    "InvalidError",
    "LSH",
    "Matches",
    "Measure",
    "Medoids",
    "Monitor",
    "Motif",
    "NearestPlan",
    "Neighbours",
    "NoDeviceError",
    "Notice",
    "OutOfMemoryError",
    "PartDone",
    "Path",
    "Paths",
    "Plan",
    "Points",
    "Profile",
    "ProfilePlan",
    "ProfileStream",
    "Record",
    "Result",
    "Search",
    "SeriesIndex",
    "SeriesSet",
    "Shapelets",
    "Silhouette",
    "SoftValues",
    "Source",
    "Store",
    "average",
    "cdist",
    "choose",
    "choose_matches",
    "classify",
    "consensus_motif",
    "cost_matrix",
    "cut",
    "default_context",
    "devices",
    "distance",
    "engines",
    "generate",
    "kmeans",
    "kneighbors",
    "knn",
    "knn_mean",
    "knn_recall",
    "knn_shard",
    "knn_vote",
    "kshape",
    "linkage",
    "load_dataset",
    "lsh_collision",
    "measures",
    "medoids",
    "merge_matches",
    "merge_neighbours",
    "metrics",
    "nearest_shard",
    "pairs",
    "pairwise_distances",
    "parse_band",
    "path",
    "paths",
    "pdist",
    "profile",
    "rand_index",
    "read",
    "read_points",
    "sbd",
    "search",
    "search_places",
    "sets_of_bits",
    "silhouette",
    "soft",
    "topk",
    "tuning_parameters",
    "write",
    "write_array",
    "write_points",
]
