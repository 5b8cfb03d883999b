// SPDX-License-Identifier: Apache-2.0
// The compiled programs of a context: a list that program.c fills, and that the context frees at its end.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void free_program(wwi_program *program) {
    if (program->cl)
        WWI_RELEASE(program->context, clReleaseProgram(program->cl));
    free(program->source);
    free(program->options);
    free(program->build_log);
    free(program);
}

void wwi_programs_free(ww_context *context) {
    while (context->programs) {
        wwi_program *program = context->programs;
        context->programs = program->next;
        free_program(program);
    }
}

void wwi_programs_unlink(ww_context *context, const wwi_program *program) {
    for (wwi_program **link = &context->programs; *link; link = &(*link)->next)
        if (*link == program) {
            *link = program->next;
            return;
        }
}

// A failed program is no longer in the list; the last thread that waited for it frees it.
void wwi_programs_drop_user(wwi_program *program) {
    if (--program->users == 0 && program->state == WWI_FAILED)
        free_program(program);
}

void wwi_programs_drop_idle(ww_context *context) {
    size_t idle = 0;
    for (wwi_program **link = &context->programs; *link;) {
        wwi_program *program = *link;
        if (program->users == 0 && ++idle > WWI_IDLE_PROGRAMS) {
            *link = program->next;
            free_program(program);
        } else {
            link = &program->next;
        }
    }
}

static bool is_found(const wwi_program *program, const char *source, const char *options) {
    return strcmp(program->options, options) == 0 && strcmp(program->source, source) == 0 &&
           !(program->state == WWI_BUILDING && pthread_equal(program->builder, pthread_self()));
}

wwi_program *wwi_programs_find(ww_context *context, const char *source, const char *options) {
    wwi_program *program = context->programs;
    while (program && !is_found(program, source, options))
        program = program->next;
    if (program && program != context->programs) {
        wwi_programs_unlink(context, program);
        program->next = context->programs;
        context->programs = program;
    }
    return program;
}
