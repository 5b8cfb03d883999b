// SPDX-License-Identifier: Apache-2.0
// How fast the bus is: copies to the device through OpenCL alone, from memory that the device reads directly (pinned)
// and from ordinary memory. What is sent from host memory can be no faster than the first.
#include <stdlib.h>
#include <string.h>
#include <wavewarp/opencl.h>

#include "bench.h"

enum { PIECES = 32, RUNS = 3 };
static const size_t PIECE = (size_t)1 << 23;

// Bytes a second of the best run; 0 when a call fails.
static double measure(cl_command_queue queue, cl_mem to, const unsigned char *from) {
    double best = 0;
    for (int run = 0; run < RUNS; run++) {
        cl_int code = CL_SUCCESS;
        const double begin = bench_seconds();
        for (size_t i = 0; i < PIECES && code == CL_SUCCESS; i++)
            code = clEnqueueWriteBuffer(queue, to, CL_FALSE, i * PIECE, PIECE, from + i * PIECE, 0, NULL, NULL);
        if (clFinish(queue) != CL_SUCCESS || code != CL_SUCCESS)
            return 0;
        const double rate = (double)(PIECES * PIECE) / (bench_seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}

bench_bus bench_bus_measure(const bench *b) {
    const size_t bytes = PIECES * PIECE;
    bench_bus bus = {0, 0};
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
    cl_mem to = NULL, pinned = NULL;
    unsigned char *mapped = NULL, *plain = malloc(bytes);
    cl_int code = CL_SUCCESS;
    if (!plain || ww_context_get_opencl(b->context, &context, &device, NULL) != WW_OK)
        goto done;
    memset(plain, 1, bytes);
    queue = clCreateCommandQueue(context, device, 0, &code);
    to = queue ? clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code) : NULL;
    pinned = to ? clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code) : NULL;
    if (pinned)
        mapped = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    if (!mapped)
        goto done;
    memset(mapped, 1, bytes);
    bus.pinned = measure(queue, to, mapped);
    bus.pageable = measure(queue, to, plain);
done:
    if (mapped) {
        (void)clEnqueueUnmapMemObject(queue, pinned, mapped, 0, NULL, NULL);
        (void)clFinish(queue);
    }
    if (pinned)
        (void)clReleaseMemObject(pinned);
    if (to)
        (void)clReleaseMemObject(to);
    if (queue)
        (void)clReleaseCommandQueue(queue);
    free(plain);
    return bus;
}
