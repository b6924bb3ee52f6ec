// SPDX-License-Identifier: Apache-2.0
// The shortest time that tasks can take, as a linear program: what is printed is what is solved.
//
// Without dependencies: w<w>t<k>n tasks of kind k go to worker w.
//   each worker is busy for tmax at most;      all tasks of each kind are done.
//
// With dependencies, for each task i (names have the tasks' numbers): it runs on worker w if
// t<i>w<w> is 1, from s<i> to c<i>.
//   it runs on one worker, as long as it takes there, and ends by tmax;
//   each worker is busy for tmax at most;
//   it starts when what it waits for has ended, and d_t<j>t<i> later where data must come from
//   another memory node;
//   of two tasks that do not wait for each other, t<i>after<j> says which is first: on one worker
//   it ends before the other starts.
// With priorities, the one of lower priority does not start first, unless one of those that the
// other waits for (chosen by t<j>t<i>d<number>) ends no sooner than it starts.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "runtime/bound/work.h"

namespace tasklens::runtime {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// min columns[0], over columns >= 0.
struct BoundProgram {
  struct Column {
    std::string name;
    enum Kind { kAny, kWhole, kZeroOrOne } kind = kAny;
  };
  struct Term {
    size_t column;
    double factor;
  };
  // low <= sum of the terms <= high
  struct Row {
    std::string name, comment;
    std::vector<Term> terms;
    double low = -kUnlimited, high = kUnlimited;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// kRelaxed: what does not need whole numbers: without the order of tasks.
enum class BoundDetail { kRelaxed, kWhole };
BoundProgram ProgramOf(const BoundWork& work, BoundDetail detail);

// In the form of lp_solve, and as MPS (free, as names may be long). `optional`: whole numbers are
// a comment.
std::string LpText(const BoundProgram& program, bool optional);
std::string MpsText(const BoundProgram& program, bool optional);

}  // namespace tasklens::runtime
