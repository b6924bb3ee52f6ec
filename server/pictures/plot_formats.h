// SPDX-License-Identifier: Apache-2.0
// The formats of plot_canvas.h that are more than a few lines; for it alone.
//
// Pure functions; any thread.
#pragma once

#include <span>
#include <string>

#include "server/pictures/plot_canvas.h"

namespace tasklens {

std::string PlotPdf(std::span<const PlotCanvas> sheets);
std::string PlotPng(std::span<const PlotCanvas> sheets);

}  // namespace tasklens
