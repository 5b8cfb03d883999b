// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything but OpenCL interoperation (wavewarp/opencl.h).
#ifndef WAVEWARP_WAVEWARP_H
#define WAVEWARP_WAVEWARP_H

#include <wavewarp/average.h>
#include <wavewarp/classify.h>
#include <wavewarp/cluster.h>
#include <wavewarp/context.h>
#include <wavewarp/cuda.h>
#include <wavewarp/dataset.h>
#include <wavewarp/distance.h>
#include <wavewarp/file.h>
#include <wavewarp/gradient.h>
#include <wavewarp/index.h>
#include <wavewarp/kmeans.h>
#include <wavewarp/knn.h>
#include <wavewarp/lsh.h>
#include <wavewarp/measure.h>
#include <wavewarp/output.h>
#include <wavewarp/path.h>
#include <wavewarp/plan.h>
#include <wavewarp/points.h>
#include <wavewarp/profile.h>
#include <wavewarp/run.h>
#include <wavewarp/search.h>
#include <wavewarp/series.h>
#include <wavewarp/shape.h>
#include <wavewarp/shapelets.h>
#include <wavewarp/status.h>
#include <wavewarp/store.h>
#include <wavewarp/topk.h>
#include <wavewarp/tune.h>

#endif
