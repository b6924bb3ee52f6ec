// SPDX-License-Identifier: Apache-2.0
#include "drawing/graph_layout.h"

#include <algorithm>

namespace tasklens {

std::vector<Point> Route(const Box& from, const Box& to) {
  if (to.left() >= from.right()) {
    const double bend = (to.left() - from.right()) / 2;
    return {{from.right(), from.y},
            {from.right() + bend, from.y},
            {to.left() - bend, to.y},
            {to.left(), to.y}};
  }
  const double side = to.y >= from.y ? 1 : -1;
  const double x0 = std::clamp(to.x, from.x - from.width * 0.4, from.x + from.width * 0.4);
  const double x1 = std::clamp(from.x, to.x - to.width * 0.4, to.x + to.width * 0.4);
  const double y0 = from.y + side * from.height / 2, y1 = to.y - side * to.height / 2;
  const double bend = (y1 - y0) / 2;
  return {{x0, y0}, {x0, y0 + bend}, {x1, y1 - bend}, {x1, y1}};
}

}  // namespace tasklens
