// SPDX-License-Identifier: Apache-2.0
// Streams: the launches of one operation in progress on the device. Their events give the device time, and report a
// launch that failed after it was enqueued. Several streams share a context's queue; the data here is not shared, so
// there are no locks.
#include <stdlib.h>

#include "internal.h"

ww_status wwi_stream_create(ww_context *context, wwi_stream **out) {
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    wwi_stream *stream;
    WWI_TRY(wwi_new_zeroed(stream, 1));
    wwi_context_retain(context);
    stream->context = context;
    *out = stream;
    return WW_OK;
}

void wwi_stream_watch(wwi_stream *stream, int (*progress)(void *user, uint64_t done, uint64_t total), void *user) {
    stream->progress = progress;
    stream->progress_user = user;
    wwi_stream_told(stream, 0, 1);
}

void wwi_stream_told(wwi_stream *stream, uint64_t done, uint64_t total) {
    if (!stream)
        return;
    stream->done = done;
    stream->total = total;
}

ww_status wwi_run_report(int (*progress)(void *user, uint64_t done, uint64_t total), void *user, uint64_t done,
                         uint64_t total) {
    if (progress && progress(user, done, total) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the progress function asked to stop");
    return progress ? wwi_interrupted() : WW_OK;
}

ww_status wwi_stream_tell_compile(const wwi_stream *s) {
    return s ? wwi_run_report(s->progress, s->progress_user, s->done, s->total) : WW_OK;
}

static cl_event take_oldest(wwi_stream *stream) {
    cl_event event = stream->pending[stream->first_pending];
    stream->first_pending = (stream->first_pending + 1) % WWI_PENDING_EVENTS;
    stream->pending_count--;
    return event;
}

static void release_pending(wwi_stream *stream) {
    while (stream->pending_count > 0) {
        cl_event event = take_oldest(stream);
        WWI_RELEASE(stream->context, clReleaseEvent(event));
    }
    stream->uncounted = 0;
}

void wwi_stream_destroy(wwi_stream **pointer) {
    wwi_stream *stream = wwi_taken(pointer);
    if (!stream)
        return;
    release_pending(stream);
    wwi_context_release(stream->context);
    free(stream);
}

void wwi_stream_start(wwi_stream *stream) {
    stream->uncounted = stream->pending_count;
    stream->device_ns = stream->launches = 0;
    stream->failed = false;
}

// Records how the oldest launch ended: its time, or that it failed. A negative state is its error.
static void fold_oldest(wwi_stream *stream, cl_int state) {
    cl_ulong start = 0, end = 0;
    cl_event event = take_oldest(stream);
    const bool counted = stream->uncounted == 0;
    if (!counted)
        stream->uncounted--;
    if (state < 0 && !stream->failed) {
        const ww_error before = *ww_last_error();
        (void)wwi_fail_cl(stream->context, state, "clEnqueueNDRangeKernel", "a kernel failed on the device");
        stream->error = *ww_last_error();
        stream->failed = true;
        (void)wwi_fail_restore(&before, NULL);
    } else if (state >= 0 && counted &&
               clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
               clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS &&
               end > start) {
        stream->device_ns += end - start;
    }
    (void)clReleaseEvent(event);
    wwi_count_objects(-1);
}

// The queue is in order: events end in the order of the ring.
static void fold_finished(wwi_stream *stream) {
    while (stream->pending_count > 0) {
        cl_int state = CL_QUEUED;
        const cl_int code = clGetEventInfo(stream->pending[stream->first_pending], CL_EVENT_COMMAND_EXECUTION_STATUS,
                                           sizeof state, &state, NULL);
        if (code != CL_SUCCESS)
            state = code; // nobody knows whether it ended well
        if (state > CL_COMPLETE)
            return;
        fold_oldest(stream, state);
    }
}

static void wait_for_oldest(wwi_stream *stream) {
    cl_event oldest = stream->pending[stream->first_pending];
    cl_int state = CL_COMPLETE;
    const cl_int code = clWaitForEvents(1, &oldest);
    if (code != CL_SUCCESS)
        (void)clGetEventInfo(oldest, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    fold_oldest(stream, state < 0 ? state : code);
}

// To read the times of a launch takes the host microseconds: here while the device works on what comes after it.
void wwi_stream_follow(wwi_stream *stream) {
    while (stream->pending_count > 1)
        wait_for_oldest(stream);
}

// Makes room for one event: waiting for the oldest also keeps the host from running far ahead of the device.
void wwi_stream_keep(wwi_stream *stream, cl_event event) {
    if (stream->pending_count >= WWI_PENDING_EVENTS / 2)
        fold_finished(stream);
    if (stream->pending_count == WWI_PENDING_EVENTS)
        wait_for_oldest(stream);
    stream->pending[(stream->first_pending + stream->pending_count) % WWI_PENDING_EVENTS] = event;
    stream->pending_count++;
}

ww_status wwi_stream_check(const wwi_stream *stream) {
    return stream->failed ? wwi_fail_restore(&stream->error, NULL) : WW_OK;
}

// Waits for the last of its own launches, not for the whole queue: other streams continue to fill it.
ww_status wwi_finish(wwi_stream *stream) {
    cl_int code = CL_SUCCESS;
    WWI_TRY(wwi_check_process(stream->context));
    if (stream->pending_count > 0) {
        const size_t last = (stream->first_pending + stream->pending_count - 1) % WWI_PENDING_EVENTS;
        code = clWaitForEvents(1, &stream->pending[last]);
        fold_finished(stream);
        release_pending(stream); // none is left, unless the wait failed
    }
    WWI_TRY(wwi_stream_check(stream));
    if (code != CL_SUCCESS)
        return wwi_fail_cl(stream->context, code, "clWaitForEvents", "the device's work did not end well");
    return WW_OK;
}

// The queue is in order: launches that were enqueued before the read have ended.
ww_status wwi_stream_read(wwi_stream *stream, wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    const ww_status status = wwi_buffer_read(buffer, offset, bytes, target);
    fold_finished(stream);
    return stream->failed ? wwi_stream_check(stream) : status;
}

ww_status wwi_finish_after(wwi_stream *stream, ww_status status) {
    if (status == WW_OK)
        return wwi_finish(stream);
    const ww_error first = *ww_last_error();
    (void)wwi_finish(stream);
    return status != WW_ERROR_CANCELLED && stream->failed ? wwi_stream_check(stream) : wwi_fail_restore(&first, NULL);
}

uint64_t wwi_stream_launches(const wwi_stream *stream) {
    return stream->launches;
}

double wwi_stream_seconds(const wwi_stream *stream) {
    return (double)stream->device_ns * 1e-9;
}
