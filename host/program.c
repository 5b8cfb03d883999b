// SPDX-License-Identifier: Apache-2.0
// Programs: reads and joins kernel text, and compiles it once for all users. programs.c keeps them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// ---- text

typedef struct text_buffer {
    char *text;
    size_t length, room;
} text_buffer;

static void text_free(text_buffer *buffer) {
    free(buffer->text);
}

static bool append(text_buffer *buffer, const char *text, size_t length) {
    if (buffer->room - buffer->length < length + 1) {
        size_t room = (buffer->length + length + 1) * 2;
        char *larger = realloc(buffer->text, room);
        if (!larger)
            return false;
        buffer->text = larger;
        buffer->room = room;
    }
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
    return true;
}

// A name is written in quotes on a line of its own.
static bool append_line_directive(text_buffer *buffer, const char *name) {
    char line[160];
    int length = snprintf(line, sizeof line, "#line 1 \"%.140s\"\n", name);
    for (int i = 9; i < length - 2; i++)
        if (line[i] == '"' || line[i] == '\\' || (unsigned char)line[i] < ' ')
            line[i] = '_';
    return append(buffer, line, (size_t)length);
}

static ww_status append_source(text_buffer *buffer, const char *name, const char *text) {
    size_t length = strlen(text);
    bool good = append_line_directive(buffer, name) && append(buffer, text, length);
    if (good && length > 0 && text[length - 1] != '\n')
        good = append(buffer, "\n", 1);
    return good ? WW_OK : wwi_fail_memory(buffer->length + length);
}

// From the kernel folder; unless that folder was requested by name, the built-in copy replaces a missing file.
static ww_status append_kernel_file(ww_context *context, text_buffer *buffer, const char *name) {
    const char *embedded = wwi_embedded_text(name);
    if (context->kernel_folder) {
        WWI_FREES char *own = NULL;
        const char *text = NULL;
        const ww_status status = wwi_kernel_text_read(context, name, &text, &own);
        if (status == WW_OK)
            return append_source(buffer, name, text);
        if (status != WW_ERROR_KERNEL_SOURCE)
            return status;
        if (context->kernel_folder_set || !embedded)
            return wwi_fail_hint("the kernel folder in use is %.300s", context->kernel_folder);
        wwi_log(context, 1, "%s is missing in %s; its built-in copy is used", name, context->kernel_folder);
    }
    if (!embedded)
        return wwi_fail(WW_ERROR_KERNEL_SOURCE, "there is no kernel file %s", name);
    return append_source(buffer, name, embedded);
}

static ww_status join_sources(ww_context *context, const wwi_source *sources, size_t count, char **text) {
    WWI_ENDS(text_free) text_buffer buffer = {NULL, 0, 0};
    WWI_TRY(append_kernel_file(context, &buffer, "base/option_names.h"));
    for (size_t i = 0; i < count; i++)
        WWI_TRY(sources[i].text ? append_source(&buffer, sources[i].name, sources[i].text)
                                : append_kernel_file(context, &buffer, sources[i].name));
    *text = wwi_taken(&buffer.text);
    return WW_OK;
}

// Sub-groups may need a later standard than everything else. Warnings are for those who work on the kernels, who see
// them when they are compiled off-line (tests/lint/kernels.py); some drivers print their number to the user's terminal.
static ww_status complete_options(const ww_context *context, const char *options, char **out) {
    const char *standard = "CL1.2";
    if (strstr(options, "-DWW_EXCHANGE=2"))
        standard = context->subgroup_standard;
    size_t bytes = strlen(options) + 32;
    WWI_TRY(wwi_new(*out, bytes));
    (void)snprintf(*out, bytes, "-w -cl-std=%s%s%s", standard, options[0] ? " " : "", options);
    return WW_OK;
}

// ---- compiling

// Writes the name and line that `#line K "name"` gives to line `line` of the joined text. False: no such directive
// before.
static bool place_in_source(const char *source, unsigned long line, text_buffer *out) {
    const char *directive = NULL;
    unsigned long at = 1, directive_at = 0;
    for (const char *text = source; text && at < line; at++) {
        if (strncmp(text, "#line ", 6) == 0) {
            directive = text;
            directive_at = at;
        }
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!directive)
        return false;
    char *name;
    char number[32];
    const unsigned long first = strtoul(directive + 6, &name, 10);
    name += strspn(name, " \"");
    const int length = snprintf(number, sizeof number, ":%lu", first + (line - directive_at - 1));
    return append(out, name, strcspn(name, "\"\n")) && append(out, number, (size_t)length);
}

char *wwi_log_by_sources(const char *log, const char *source) {
    static const char unnamed[] = "<kernel>:";
    WWI_ENDS(text_free) text_buffer out = {NULL, 0, 0};
    for (const char *next; (next = strstr(log, unnamed));) {
        char *end;
        const unsigned long line = strtoul(next + sizeof unnamed - 1, &end, 10);
        if (!append(&out, log, (size_t)(next - log)))
            return NULL;
        if (!(line && place_in_source(source, line, &out)) && !append(&out, next, (size_t)(end - next)))
            return NULL;
        log = end;
    }
    return append(&out, log, strlen(log)) ? wwi_taken(&out.text) : NULL;
}

static char *get_build_log(const ww_context *context, cl_program program) {
    size_t bytes = 0;
    if (clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
        return NULL;
    char *log = malloc(bytes + 1);
    if (!log)
        return NULL;
    log[bytes] = '\0';
    if (bytes > 0 &&
        clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    return log;
}

// The most useful line of a log: the first with an error.
static void first_complaint(const char *log, char *line, size_t size) {
    const char *at = strstr(log, "error");
    while (at && at > log && at[-1] != '\n')
        at--;
    if (!at)
        at = log + strspn(log, " \t\r\n");
    (void)snprintf(line, size, "%.*s", (int)strcspn(at, "\r\n"), at);
}

static ww_status fail_build(const ww_context *context, cl_program program, cl_int code, const char *options,
                            const char *source) {
    cl_build_status state = CL_BUILD_NONE;
    (void)clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL);
    WWI_FREES char *told = get_build_log(context, program), *log = told ? wwi_log_by_sources(told, source) : NULL;
    wwi_keep_build_log(log ? log : "");
    (void)wwi_fail_cl(context, code, "clBuildProgram", "a program did not compile");
    char reason[400];
    if (code == CL_BUILD_PROGRAM_FAILURE && wwi_text_contains(context->info.platform, WWI_POCL) &&
        wwi_pocl_cache_fails(reason, sizeof reason)) {
        ww_error error = *ww_last_error();
        error.status = WW_ERROR_BUILD;
        (void)snprintf(error.message, sizeof error.message, "a program did not compile: %s", reason);
        (void)wwi_fail_restore(&error, NULL);
        (void)wwi_fail_hint_pocl_cache();
        wwi_keep_build_log(""); // it says no more than that it failed
    } else if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS || state == CL_BUILD_ERROR) {
        char line[300];
        ww_error error = *ww_last_error();
        first_complaint(log ? log : "", line, sizeof line);
        error.status = WW_ERROR_BUILD;
        (void)snprintf(error.message, sizeof error.message, "a program did not compile (%s): %s", error.cl_name, line);
        (void)wwi_fail_restore(&error, NULL);
        (void)wwi_fail_hint("ww_last_build_log() has the compiler's words; the options were: %.400s", options);
    }
    return ww_last_error()->status;
}

static ww_status compile(ww_context *context, const char *source, const char *options, cl_program *out) {
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context->cl, 1, &source, NULL, &code);
    if (!program)
        return wwi_fail_cl(context, code, "clCreateProgramWithSource", "can't make a program");
    wwi_count_objects(1);
    wwi_log(context, 3, "compiling a program for %s", context->info.name);
    double start = wwi_seconds();
    code = clBuildProgram(program, 1, &context->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        ww_status status = fail_build(context, program, code, options, source);
        (void)clReleaseProgram(program);
        wwi_count_objects(-1);
        return status;
    }
    wwi_log(context, 3, "compiled in %.3f s with %s", wwi_seconds() - start, options);
    *out = program;
    return WW_OK;
}

static ww_status load_or_compile(ww_context *context, const char *source, const char *options, cl_program *out) {
    const ww_error before = *ww_last_error(); // a failure of the disk cache is ignored
    *out = context->disk_cache ? wwi_disk_cache_load(context, source, options) : NULL;
    if (*out) {
        wwi_log(context, 3, "program taken from the disk cache: %s", options);
        atomic_fetch_add(&context->built_programs, 1);
        (void)wwi_fail_restore(&before, NULL);
        return WW_OK;
    }
    WWI_TRY(compile(context, source, options, out));
    if (context->disk_cache)
        wwi_disk_cache_store(context, source, options, *out);
    atomic_fetch_add(&context->built_programs, 1);
    (void)wwi_fail_restore(&before, NULL);
    return WW_OK;
}

// ---- the cache in memory. All of it under the context's lock, except the compiling itself.

// Another thread compiles it already: wait for its result.
static ww_status wait_for_build(ww_context *context, wwi_program *program) {
    program->users++;
    while (program->state == WWI_BUILDING)
        (void)pthread_cond_wait(&context->built, &context->lock);
    if (program->state == WWI_BUILT)
        return WW_OK;
    ww_status status = wwi_fail_restore(&program->error, program->build_log);
    wwi_programs_drop_user(program);
    return status;
}

// Keeps a failure for the waiting threads. Without memory for its log they get only the record.
static void note_failure(wwi_program *program) {
    const char *log = ww_last_build_log();
    program->error = *ww_last_error();
    if (program->error.status != WW_ERROR_BUILD)
        return;
    program->build_log = strdup(log);
}

static ww_status build_new(ww_context *context, wwi_program *program) {
    cl_program cl = NULL;
    (void)pthread_mutex_unlock(&context->lock);
    ww_status status = load_or_compile(context, program->source, program->options, &cl);
    (void)pthread_mutex_lock(&context->lock);
    program->cl = cl;
    program->state = status == WW_OK ? WWI_BUILT : WWI_FAILED;
    if (status != WW_OK) {
        note_failure(program);
        wwi_programs_unlink(context, program);
        wwi_programs_drop_user(program);
    }
    (void)pthread_cond_broadcast(&context->built);
    return status;
}

ww_status wwi_program_get(ww_context *context, const wwi_source *sources, size_t count, const char *options,
                          wwi_program **out) {
    return wwi_stream_program(NULL, context, sources, count, options, out);
}

ww_status wwi_stream_program(wwi_stream *stream, ww_context *context, const wwi_source *sources, size_t count,
                             const char *options, wwi_program **out) {
    WWI_FREES char *source = NULL, *all_options = NULL;
    WWI_FREES wwi_program *fresh = NULL;
    ww_status status;
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    WWI_TRY(join_sources(context, sources, count, &source));
    WWI_TRY(complete_options(context, options ? options : "", &all_options));
    WWI_TRY(wwi_new_zeroed(fresh, 1));

    // The progress function is called without the lock, and before other threads can wait for what it may cancel.
    (void)pthread_mutex_lock(&context->lock);
    const bool known = wwi_programs_find(context, source, all_options) != NULL;
    (void)pthread_mutex_unlock(&context->lock);
    if (!known)
        WWI_TRY(wwi_stream_tell_compile(stream));

    (void)pthread_mutex_lock(&context->lock);
    wwi_program *program = wwi_programs_find(context, source, all_options);
    if (program) {
        status = wait_for_build(context, program);
    } else {
        program = wwi_taken(&fresh);
        *program = (wwi_program){.context = context,
                                 .next = context->programs,
                                 .users = 1,
                                 .state = WWI_BUILDING,
                                 .builder = pthread_self(),
                                 .source = wwi_taken(&source),
                                 .options = wwi_taken(&all_options)};
        context->programs = program;
        status = build_new(context, program);
        wwi_programs_drop_idle(context);
    }
    if (status == WW_OK) {
        wwi_context_retain(context);
        *out = program;
    }
    (void)pthread_mutex_unlock(&context->lock);
    // Asked also after a failure: the signal may be what made the driver fail.
    if (!known && wwi_stream_tell_compile(stream) != WW_OK) {
        wwi_program_release(out); // the program stays in the cache
        return WW_ERROR_CANCELLED;
    }
    return status;
}

void wwi_program_retain(wwi_program *program) {
    ww_context *context = program->context;
    wwi_context_retain(context);
    (void)pthread_mutex_lock(&context->lock);
    program->users++;
    (void)pthread_mutex_unlock(&context->lock);
}

void wwi_program_release(wwi_program **pointer) {
    wwi_program *program = wwi_taken(pointer);
    if (!program)
        return;
    ww_context *context = program->context;
    const bool forked = wwi_is_forked(context); // then a thread that no longer exists may hold the lock
    if (!forked)
        (void)pthread_mutex_lock(&context->lock);
    wwi_programs_drop_user(program);
    if (!forked)
        (void)pthread_mutex_unlock(&context->lock);
    wwi_context_release(context);
}
