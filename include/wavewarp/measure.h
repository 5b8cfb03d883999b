// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elastic measures and their options: which recurrence, which local cost, which band.
#ifndef WAVEWARP_MEASURE_H
#define WAVEWARP_MEASURE_H

#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The measures. Formulae: docs/measures.md.
typedef enum ww_measure_id {
    /// Dynamic time warping (Sakoe and Chiba 1978): D(i,j) = c(i,j) + min of left, up, diagonal.
    WW_DTW = 0,
    /// Discrete Fréchet distance (Eiter and Mannila 1994), "dog-keeper": D(i,j) = max(c(i,j), min of the three).
    WW_FRECHET = 1,
    /// DTW with a penalty for every step that is not diagonal (amerced DTW: Herrmann and Webb 2023).
    WW_ADTW = 2,
    /// DTW with each cost weighted by |i-j| (Jeong, Jeong and Omitaomu 2011).
    WW_WDTW = 3,
    /// DTW of the derivatives (Keogh and Pazzani 2001); series of 3 points or more.
    WW_DDTW = 4,
    /// WDTW of the derivatives; series of 3 points or more.
    WW_WDDTW = 5,
    /// Edit distance with real penalty (Chen and Ng 2004).
    WW_ERP = 6,
    /// Edit distance on real sequences (Chen, Ozsu and Oria 2005).
    WW_EDR = 7,
    /// Longest common subsequence of points within epsilon (Vlachos, Kollios and Gunopulos 2002).
    WW_LCSS = 8,
    /// Move-split-merge (Stefan, Athitsos and Das 2013). Dependent channels: in float, the test whether a point lies in
    /// a ball has an error of about (channels + 8) * 2^-24 times the points' norms; for a point nearer to the surface
    /// either result is possible.
    WW_MSM = 9,
    /// Time warp edit distance (Marteau 2009).
    WW_TWED = 10,
    /// Least cost of insertions, deletions and substitutions between sequences of symbols (Levenshtein 1966). A symbol
    /// is a value; whole numbers are exact up to 2^24 in float and 2^53 in double.
    WW_LEVENSHTEIN = 11,
    /// Length of the longest common subsequence of sequences of symbols: larger means more similar.
    WW_LCS = 12,
    /// The caller's own recurrence: ww_measure.recurrence, with up to eight parameters p0 to p7. docs/kernels.md has
    /// the contract, examples/recurrence_adtw.cl is an example.
    WW_USER = 13
} ww_measure_id;

/// Cost of matching two points x and y over the channels. DTW and its variants and Fréchet take any; the other measures
/// have their own, WW_COST_DEFAULT. See ww_measure_info.
typedef enum ww_cost {
    WW_COST_DEFAULT = 0,   ///< the measure's own: DTW squared, Fréchet euclidean
    WW_COST_SQUARED = 1,   ///< sum of (x-y)^2
    WW_COST_ABSOLUTE = 2,  ///< sum of |x-y|
    WW_COST_EUCLIDEAN = 3, ///< square root of the sum of (x-y)^2
    WW_COST_USER = 4       ///< sum of the user's expression; see ww_measure.cost_expression
} ww_cost;

/// Which cells (i, j), 1 <= i <= n, 1 <= j <= m, are computed.
typedef enum ww_band_kind {
    WW_BAND_NONE = 0,
    WW_BAND_SAKOE_CHIBA = 1, ///< |i-j| <= width. No path when |n-m| > width: WW_ERROR_NO_PATH
    WW_BAND_CORNER = 2,      ///< n <= m: i-width <= j <= i+(m-n)+width; n > m mirrored. Both corners always inside
    WW_BAND_SLANTED = 3,     ///< thickness int(width*min(n,m)) about the line from corner to corner; width in [0,1]
    WW_BAND_ITAKURA = 4,     ///< slope between 1/width and width; width >= 1
    /// The caller's own interval of columns for each row. ERP, EDR, LCSS, Levenshtein, LCS and WW_USER, whose paths may
    /// begin at the border, accept only rows whose lo is not below that of the row above: else WW_ERROR_UNSUPPORTED.
    WW_BAND_ROWS = 5
} ww_band_kind;

/// This struct does not grow: a band that needs more gets fields at the end of ww_measure.
typedef struct ww_band {
    ww_band_kind kind;
    double width;     ///< see the kind; WW_BAND_NONE: 0, else WW_ERROR_INVALID_ARGUMENT
    const size_t *lo; ///< WW_BAND_ROWS: row i (from 0) covers columns lo[i] <= j < hi[i]
    const size_t *hi;
    size_t rows; ///< number of rows in lo and hi; all row series must have this length
} ww_band;

#define WW_MEASURE_PARAMETERS 8

/// A measure with its options. Fill with ww_measure_init(), then change what you want. It is the caller's; functions
/// that take it copy it, with what it points to.
typedef struct ww_measure {
    size_t struct_size; ///< sizeof(ww_measure)
    ww_measure_id id;
    ww_cost cost;
    /// WW_COST_USER: an OpenCL C expression of type `real` over `x` and `y` (one channel's values), summed over the
    /// channels; must be >= 0 and finite. For example "fabs(x - y) * 2".
    const char *cost_expression;
    int root;        ///< 1: square root of the final value
    int independent; ///< 1: the sum over channels of the measure of each channel alone
    ww_band band;
    double parameters[WW_MEASURE_PARAMETERS]; ///< the measure's own, in the order of ww_measure_info
    /// WW_USER: OpenCL C that defines ww_user_cell(); else NULL. Compiled when a plan is made, which then keeps a copy:
    /// WW_ERROR_BUILD, with the compiler's messages in ww_last_build_log(), when it does not compile;
    /// WW_ERROR_INVALID_ARGUMENT when it lacks the function or gives NaN for ordinary values.
    const char *recurrence;
    const char *recurrence_name; ///< name of the text in messages, such as its file's name; NULL: "recurrence"
    /// Open ends: how many points at the beginning and at the end of the first series (x, the row) and of the second
    /// (y, the column) may be skipped at no cost. 0: the end is closed; more than the length: all of the series. A
    /// query x in a longer series y: relax_begin_y = relax_end_y = SIZE_MAX. Cells outside a band stay outside, and the
    /// band has to leave a path from corner to corner. WW_ERROR_UNSUPPORTED for measures without open ends:
    /// docs/measures.md says which have them.
    size_t relax_begin_x, relax_end_x, relax_begin_y, relax_end_y;
    /// 0: cells take the minimum. Above, from 1e-30 to 1e30: the soft minimum -gamma log(sum of exp(-a/gamma)), which
    /// makes DTW soft-DTW (Cuturi and Blondel 2017). Values may be negative; `root` must be 0. WW_ERROR_UNSUPPORTED for
    /// measures that have none, and together with open ends.
    double gamma;
} ww_measure;

/// Fills a measure of `struct_size` bytes with its defaults: own cost, no root, no band, channels dependent (MSM:
/// independent). \param struct_size sizeof(ww_measure).
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_measure_init(ww_measure *measure, size_t struct_size, ww_measure_id id);

/// This struct does not grow: the library returns arrays of it.
typedef struct ww_parameter_info {
    const char *name;
    double initial; ///< the default
    double minimum;
    double maximum;
    const char *meaning;
    int is_switch; ///< 1: takes 0 or 1 only
} ww_parameter_info;

/// Filled by the library alone.
typedef struct ww_measure_info {
    size_t struct_size; ///< of the library's struct
    ww_measure_id id;
    const char *name;      ///< as in `--measure`
    const char *title;     ///< one line
    const char *reference; ///< the paper
    int is_metric;         ///< 1: a metric with the default parameters; docs/measures.md says with which others
    int is_symmetric;      ///< 1: d(x,y) = d(y,x), with the default parameters
    int is_similarity;     ///< 1: larger means more similar; `nearest` finds the largest
    size_t parameter_count;
    const ww_parameter_info *parameters;
    const char *formula;  ///< the cell, in the words of docs/measures.md
    ww_cost cost;         ///< what WW_COST_DEFAULT means; never WW_COST_DEFAULT
    int any_cost;         ///< 1: takes every cost; 0: only its own
    int is_independent;   ///< 1: channels are independent by default
    int uses_times;       ///< 1: uses the points' time stamps, where there are any
    int is_of_symbols;    ///< 1: values are symbols, which are equal or not
    int has_open_ends;    ///< 1: takes a relaxation; `edr` not with `aeon`, `user` where its text allows it
    int has_soft_minimum; ///< 1: takes a gamma; `user` where its text allows it
} ww_measure_info;

/// Number of measures, and each by position, NULL when out of range; a measure by its id or its name, NULL when there
/// is none. *Ownership*: static. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_measure_count(void);
WW_API const ww_measure_info *ww_measure_info_at(size_t position);
WW_API const ww_measure_info *ww_measure_info_by_id(ww_measure_id id);
WW_API const ww_measure_info *ww_measure_info_by_name(const char *name);

/// Sets a parameter by name. \return WW_ERROR_INVALID_ARGUMENT for an unknown name (the hint lists the measure's) or a
/// value out of range (the hint has the range); a switch takes 0 and 1 only. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_measure_set(ww_measure *measure, const char *parameter, double value);

/// A measure from text: its name, then words with commas between them, in any order; of a word given twice the last
/// counts. For example "dtw,root,band=sakoe-chiba:10%", "msm,c=0.5,dependent", "dtw,gamma=0.1".
///
/// | word | sets |
/// | --- | --- |
/// | root | `root` |
/// | independent, dependent | `independent` |
/// | cost=NAME | `cost`, by its name |
/// | band=BAND | `band`, as ww_band_parse() |
/// | gamma=G, soft=G | `gamma` |
/// | relax=BX:EX:BY:EY | the open ends of x and y: numbers of points, or all |
/// | NAME=NUMBER | a parameter of the measure |
///
/// Texts of OpenCL C and arrays are not part of it: set cost_expression, recurrence and a band's rows yourself. Numbers
/// have a decimal point in every locale.
/// \param struct_size sizeof(ww_measure). \param longest the longest series' length, for a band in percent; 0: not
/// known, and a percentage is WW_ERROR_INVALID_ARGUMENT. \return WW_ERROR_INVALID_ARGUMENT (the hint lists what is
/// known); WW_ERROR_UNSUPPORTED (a word sets a field beyond struct_size). On an error the measure is unchanged. What
/// suits the measure (a soft minimum, open ends) is checked where it is used. *Thread-safety*: any thread. *Blocking*:
/// no.
WW_API_STATUS ww_measure_parse(ww_measure *measure, size_t struct_size, const char *text, size_t longest);

/// Changes a measure by one word of such a text; in `relax` commas are allowed too. \return as ww_measure_parse().
/// *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_measure_set_text(ww_measure *measure, const char *word, size_t longest);

/// A band from text: "none", "sakoe-chiba:R", "corner:R" (R a whole number of points, or P% of `longest`, from 0 to
/// 100, rounded down), "slanted:F", "itakura:S". A width without its kind is refused. WW_BAND_ROWS has arrays, no text.
/// \param longest the longest series' length; 0: not known, and a percentage is refused: a ww_band holds points alone.
/// \return WW_ERROR_INVALID_ARGUMENT; then the band is unchanged. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_band_parse(const char *text, size_t longest, ww_band *band);

/// 1: d(x,y) = d(y,x) for all series, with these parameters, this band and these open ends. A cost or a recurrence of
/// the caller's is not known to be, and gives 0. *Thread-safety*: any thread. *Blocking*: no.
WW_API int ww_measure_is_symmetric(const ww_measure *measure);

/// 1: larger values mean more similar series (WW_LCS; LCSS with `similarity`): no distances, for clusters neither.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API int ww_measure_is_similarity(const ww_measure *measure);

/// Number of cells of a pair of lengths n (rows) and m (columns) inside the measure's band; 0 when there is no path.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API uint64_t ww_measure_cells(const ww_measure *measure, size_t n, size_t m);

/// The band as an interval of columns [lo[i], hi[i]) for each row i of an n x m matrix.
/// \param lo, hi arrays of n. \return WW_ERROR_NO_PATH when no path goes through, WW_ERROR_INVALID_ARGUMENT.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_band_rows(const ww_band *band, size_t n, size_t m, size_t *lo, size_t *hi);

#ifdef __cplusplus
}
#endif
#endif
