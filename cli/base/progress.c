// SPDX-License-Identifier: Apache-2.0
// Progress of long work on standard error. On a terminal a bar as wide as fits; elsewhere, and on a
// terminal that can't move its cursor, a line now and then.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/common.h"

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cli_seconds(void) {
    static double start = -1.0;
    if (start < 0.0)
        start = clock_seconds();
    return clock_seconds() - start;
}

double cli_rate(uint64_t cells, double seconds) {
    return seconds > 0.0 ? (double)cells / seconds : 0.0;
}

static size_t terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// "37 %", then what else fits `width`: the rate and the time left.
static size_t describe(const cli_progress *progress, char *text, size_t size, size_t width, double share, uint64_t done,
                       double seconds) {
    char more[64] = "";
    snprintf(text, size, "%3d %%", (int)(100.0 * share));
    if (progress->unit)
        snprintf(more, sizeof more, "  %.4g %s/s", cli_rate(done, seconds) / progress->each, progress->unit);
    if (strlen(text) + strlen(more) <= width)
        strncat(text, more, size - strlen(text) - 1);
    if (done > 0 && seconds > 0.5) {
        const double left = fmin(seconds * (1.0 - share) / share, 3.6e6);
        snprintf(more, sizeof more, "  %d:%02d left", (int)(left / 60.0), (int)left % 60);
        if (strlen(text) + strlen(more) <= width)
            strncat(text, more, size - strlen(text) - 1);
    }
    return strlen(text);
}

static void draw(const cli_progress *progress, double share, uint64_t done, double seconds) {
    enum { MOST = 30, LEAST = 10 };
    char bar[MOST + 4] = "", text[160];
    const size_t width = terminal_width() - 1; // the last column would begin a new line
    const size_t used = describe(progress, text, sizeof text, width, share, done, seconds);
    if (used + LEAST + 3 <= width) {
        const size_t most = width - used - 3 < MOST ? width - used - 3 : MOST;
        bar[0] = '[';
        for (size_t i = 0; i < most; i++)
            bar[1 + i] = (double)i < floor(share * (double)most) ? '#' : '.';
        strcpy(bar + 1 + most, "] ");
    }
    fprintf(stderr, "\r%s%.*s\033[K", bar, (int)width, text);
    fflush(stderr);
    cli_line_begin();
}

static int on_progress(void *user, uint64_t done, uint64_t total) {
    cli_progress *progress = user;
    const double now = clock_seconds();
    if (total <= 1) // a compile, before the work is counted
        return cli_interrupted();
    if (progress->start < 0.0)
        progress->start = progress->shown = now;
    if (now - progress->shown >= progress->interval) {
        const double part = total ? (double)done / (double)total : 0.0;
        progress->shown = now;
        if (progress->terminal) {
            draw(progress, part, done, now - progress->start);
        } else {
            char text[160];
            describe(progress, text, sizeof text, sizeof text, part, done, now - progress->start);
            fprintf(stderr, "wavewarp: %s\n", text);
        }
    }
    return cli_interrupted();
}

static bool is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind && strcmp(kind, "dumb") != 0;
}

// Whether it is the library's word of values in float, which precision.c gives with the file's name.
static bool is_of_float(const char *text) {
    bool is = false;
    for (int fit = WW_FLOAT_LOSES; fit <= WW_FLOAT_SCALE; fit++) {
        const char *begin = ww_float_fit_text((ww_float_fit)fit);
        is = is || strncmp(text, begin, strlen(begin)) == 0;
    }
    return is;
}

void cli_log_compiling(void *user, int level, const char *text) {
    static const char begin[] = "compiling ", end[] = "compiled ";
    static double since = -1.0, spent = 0.0;
    static unsigned programs = 0;
    static bool said = false;
    (void)user;
    if (level <= 1) {
        if (!is_of_float(text))
            cli_note("%s", text);
    } else if (strncmp(text, begin, sizeof begin - 1) == 0) {
        since = clock_seconds();
        programs++;
        if (is_terminal() && spent > 0.2) {
            char line[160];
            snprintf(line, sizeof line, "compiling kernels, which drivers keep for later runs: %u, %.0f s", programs,
                     spent);
            fprintf(stderr, "\r%.*s\033[K", (int)(terminal_width() - 1), line);
            fflush(stderr);
        }
    } else if (strncmp(text, end, sizeof end - 1) == 0 && since >= 0.0) {
        const bool shown = is_terminal() && spent > 0.2;
        spent += clock_seconds() - since;
        if (shown)
            fputs("\r\033[K", stderr);
        if (!is_terminal() && spent > 5.0 && !said)
            fputs("wavewarp: compiling kernels, which drivers keep for later runs\n", stderr);
        said = said || spent > 5.0;
        since = -1.0;
    }
}

void cli_progress_unit(cli_progress *progress, const cli_device_options *options, const ww_context *context,
                       const char *unit, double each) {
    progress->unit = options->store || ww_context_device_count(context) > 1 ? NULL : unit;
    progress->each = each;
}

void cli_plan_options(const cli_device_options *options, cli_progress *progress, ww_plan_options *plan) {
    const char *interval = getenv("WAVEWARP_PROGRESS_SECONDS");
    const bool terminal = is_terminal();
    *progress = (cli_progress){.start = -1.0,
                               .interval = terminal ? 0.1 : 60.0,
                               .terminal = terminal,
                               .run = WW_RUN_OPTIONS_INIT,
                               .unit = "Gcells",
                               .each = 1e9};
    if (!terminal && interval && !(cli_number(interval, &progress->interval) && progress->interval > 0.0))
        progress->interval = 60.0;
    *plan = (ww_plan_options)WW_PLAN_OPTIONS_INIT;
    plan->engine = (ww_engine)options->engine;
    plan->run = &progress->run;
    progress->run.max_bytes = options->max_bytes;
    progress->run.progress = on_progress;
    progress->run.progress_user = progress;
    cli_interrupt_cancels(true);
}

void cli_progress_end(void) {
    cli_line_clear();
    cli_interrupt_cancels(false);
}
