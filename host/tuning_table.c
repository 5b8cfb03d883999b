// SPDX-License-Identifier: Apache-2.0
// Every tuning parameter: its range, default and meaning. What is read from tuning files is checked by this table; the
// one in docs/tuning.md and the candidates of `wavewarp tune` are this one too. The default that counts is where the
// value is looked up.
#include "tuning_table.h"

#include <string.h>

#include "internal.h"

#define ANY WWI_TUNING_ANY
#define POWER WWI_TUNING_POWER
#define FOURS WWI_TUNING_FOURS
#define GPU true, false
#define CPU false, true
#define BOTH true, true
// Name, kind, range, default, meaning; of those that ww_tune() tries also where, and what.
#define TRIED(name, kind, least, most, standard, meaning, where, ...)                                                  \
    {                                                                                                                  \
        name, kind, least, most, standard, meaning, where, {                                                           \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define FIXED(name, kind, least, most, standard, meaning)                                                              \
    {                                                                                                                  \
        name, kind, least, most, standard, meaning, false, false, {                                                    \
            0                                                                                                          \
        }                                                                                                              \
    }
#define MOST_COUNT (1L << 30)

static const wwi_tuning_entry entries[] = {
    TRIED("lanes.values", ANY, 8, 256, "128; in double 64; CPU 32", "registers of a lane for columns", GPU, 48, 64, 96,
          112, 128),
    FIXED("lanes.banded", ANY, 4, 64, "16", "most columns of a lane with a band"),
    TRIED("lanes.rows", POWER, 2, 8, "4; measures that keep values beside them 8", "rows a step", GPU, 2, 4, 8),
    TRIED("lanes.group", POWER, 1, 1024, "64; CPU 16", "work-items of a group, at least those of a pair", GPU, 32, 64,
          128),
    FIXED("lanes.resident", ANY, 1, MOST_COUNT, "4096", "lanes a compute unit that share out the pairs"),
    FIXED("lanes.ribbon", ANY, 0, 104, "104; in double 32; CPU 0", "widest band held by one lane as a whole"),
    TRIED("packed.vector", POWER, 4, 16, "16; in double 8", "lanes of a vector, on CPUs", CPU, 4, 8, 16),
    TRIED("packed.rows", POWER, 2, 16, "8", "rows at a time, on CPUs", CPU, 4, 8, 16),
    FIXED("packed.tile_columns", ANY, 4, 96, "16, by pairs alone 12", "columns of a strip of soft minima by tiles"),
    TRIED("packed.values", ANY, 8, 512, "128; in double 48", "registers of a work-item for columns", GPU, 64, 96, 128,
          144, 192),
    FIXED("packed.columns.*", FOURS, 4, 96, "by `packed.values`", "columns of a work-item, for the measure named last"),
    FIXED("packed.banded.*", FOURS, 8, 64, "24; costs at the edges 16; in double 8",
          "most columns of a work-item with a band, for the measure named last"),
    FIXED("packed.open", FOURS, 4, 96, "24", "most columns of a work-item with open ends"),
    FIXED("packed.channel_columns", FOURS, 4, 48, "16", "most columns of a work-item with 2 to 8 channels"),
    FIXED("packed.lanes", POWER, 32, 64, "64 where so many exchange, else 32", "pairs side by side"),
    FIXED("packed.item_rows", POWER, 2, 16, "8; above 8 channels 4", "rows at a time of a work-item"),
    TRIED("packed.resident", ANY, 1, 1024, "16", "groups a compute unit", GPU, 8, 12, 16, 20),
    TRIED("strips.columns", POWER, 4, 32, "8", "columns of a lane of a strip", BOTH, 4, 8, 16, 32),
    TRIED("strips.rows", POWER, 2, 8, "4", "rows a step where strips are few", GPU, 2, 4, 8),
    FIXED("strips.resident", ANY, 1, 1024, "4", "strips a compute unit that fill the device"),
    FIXED("bounds.group", POWER, 1, 256, "64; CPU 1", "work-items that share a lower bound"),
    FIXED("select.group", POWER, 1, 256, "64; from k = 65 256; CPU 1", "work-items that share a row; 1: a heap each"),
    FIXED("path.values", ANY, 8, 128, "64; AMD in double 48; with a band or ends 32",
          "registers of a lane for columns"),
    FIXED("path.tile", ANY, 0, 1L << 20, "0", "rows and columns of a tile; 0: by the memory"),
    FIXED("gradient.fill", ANY, 0, MOST_COUNT, "128; by tiles 32, chained 88; CPU half the vector",
          "pairs a compute unit from which a work-item takes one"),
    FIXED("knn.row_group", POWER, 1, 256, "64; CPU 1", "work-items that share a row"),
    FIXED("knn.group", POWER, 32, 256, "128", "work-items of a group of the narrow filter"),
    FIXED("search.block", ANY, 4096, MOST_COUNT, "a twelfth of the stream, 16777216 to 67108864; CPU 131072",
          "places of a block of a stream"),
    FIXED("search.loaders", ANY, 0, 16, "6 to 12, by the host's cores; CPU 0",
          "threads that send windows' blocks ahead; 0: blocks are sent in turn"),
    FIXED("profile.rows", POWER, 64, 4096, "2048 to 128; double 512", "rows between exact covariances"),
    FIXED("profile.diagonals", POWER, 2, 8, "8", "diagonals of a work-item"),
    FIXED("profile.group", POWER, 64, 128, "128", "work-items of a group"),
    FIXED("send.threads", ANY, 1, 16, "by the bytes, as many as processors", "threads that bring data to the device"),
    FIXED("fetch.threads", ANY, 1, 8, "6; CPU 1", "threads that bring results to the host"),
};

// For tests, one option: a kernel has several forms, and the device and the work decide which is run; `form.` and a
// word gives another, or a size that leads to it. Read from files like parameters, but no list or hint names it. The
// words and their values are where they are looked up, with wwi_forced().
static const wwi_tuning_entry form = {.name = "form.*", .kind = ANY, .least = 0, .most = MOST_COUNT};

size_t wwi_tuning_count(void) {
    return sizeof entries / sizeof *entries;
}

const wwi_tuning_entry *wwi_tuning_at(size_t i) {
    return i < wwi_tuning_count() ? &entries[i] : NULL;
}

// The length of a name without ".f32" or ".f64".
static size_t plain_length(const char *name) {
    const size_t length = strlen(name);
    const bool precise =
        length > 4 && (strcmp(name + length - 4, ".f32") == 0 || strcmp(name + length - 4, ".f64") == 0);
    return length - (precise ? 4 : 0);
}

// Whether a name is the entry's, or of its family.
static bool is_of(const wwi_tuning_entry *entry, const char *name, size_t length) {
    const size_t size = strlen(entry->name);
    const bool family = entry->name[size - 1] == '*';
    return family ? length > size - 1 && strncmp(entry->name, name, size - 1) == 0
                  : length == size && strncmp(entry->name, name, size) == 0;
}

const wwi_tuning_entry *wwi_tuning_find(const char *name) {
    const size_t length = plain_length(name);
    for (size_t i = 0; i < wwi_tuning_count(); i++)
        if (is_of(&entries[i], name, length))
            return &entries[i];
    return is_of(&form, name, length) ? &form : NULL;
}

const char *wwi_tuning_values(wwi_tuning_kind kind) {
    return kind == POWER ? ", a power of two" : kind == FOURS ? ", a multiple of 4" : "";
}

bool wwi_tuning_allows(const wwi_tuning_entry *entry, long value) {
    return value >= entry->least && value <= entry->most && (entry->kind != POWER || (value & (value - 1)) == 0) &&
           (entry->kind != FOURS || value % 4 == 0);
}

// How many characters two names have in common at their beginnings and ends.
static size_t likeness(const char *a, size_t length, const char *b) {
    const size_t size = strlen(b), least = length < size ? length : size;
    size_t front = 0, back = 0;
    while (front < least && a[front] == b[front])
        front++;
    while (back < least - front && a[length - 1 - back] == b[size - 1 - back])
        back++;
    return front + back;
}

const char *wwi_tuning_closest(const char *name) {
    const size_t length = plain_length(name);
    const char *closest = NULL;
    size_t best = length * 2 / 3;
    for (size_t i = 0; i < wwi_tuning_count(); i++) {
        const size_t like = likeness(name, length, entries[i].name);
        if (like > best) {
            best = like;
            closest = entries[i].name;
        }
    }
    return closest;
}
