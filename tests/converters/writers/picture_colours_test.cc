// SPDX-License-Identifier: Apache-2.0
// Colours in files are those of our own pictures.
#include "converters/writers/picture_colours.h"

#include <gtest/gtest.h>

#include "analysis/colours.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// Of each name that a task has.
void ExpectThoseOfThePictures(const TraceModel& model) {
  const std::vector<uint32_t> rgb = PictureRgbOfNames(model);
  const TaskColours colours(model, ColourBy::kCodelet);
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    EXPECT_EQ(rgb[model.tasks.name[task]], colours.legend().entries[colours.EntryOf(task)].rgb)
        << model.TaskNameOf(task);
}

TEST(PictureColours, OfTasksAreThoseOfTheLegend) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time = 0;
  for (int i = 0; i < 50; ++i) {  // more than there are colours
    const int64_t length = 10 + (i * 37) % 50;
    trace.Task("task " + std::to_string(i), time, time + length);
    time += length;
  }
  ExpectThoseOfThePictures(trace.Build());
}

TEST(PictureColours, OfTasksMayBeTheProgramsOwn) {
  ExpectThoseOfThePictures(TestTrace()
                               .Worker("CPU0")
                               .Task("plain", 0, 10)
                               .Task("chosen", 10, 15, {.rgb = 0x123456})
                               .Task("", 20, 30)
                               .Build());
}

TEST(PictureColours, OfStatesAreThoseOfTheTimeline) {
  for (const StateDecl& decl : AllStates())
    EXPECT_EQ(PictureRgbOfState(decl.kind), StateRgb(decl.kind)) << decl.name;
}

}  // namespace
}  // namespace tasklens
