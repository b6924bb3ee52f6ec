// SPDX-License-Identifier: Apache-2.0
// The larger output formats; used only by plot_canvas.cc.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>

#include "server/pictures/plot_canvas.h"

namespace tasklens {

std::string PlotPdf(std::span<const PlotCanvas> sheets);
std::string PlotPng(std::span<const PlotCanvas> sheets);

}  // namespace tasklens
