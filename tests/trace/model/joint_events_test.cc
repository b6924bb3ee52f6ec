// SPDX-License-Identifier: Apache-2.0
// A joint event makes of a model what the events make of it that it stands for, whatever is in it.
#include "trace/events/joint_events.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/model_check.h"
#include "trace/model/model_builder.h"
#include "trace/model/saved_model.h"

namespace tasklens {
namespace {

// Hands on joint events as those they stand for.
class Apart : public EventSink {
 public:
  explicit Apart(EventSink& target) : target_(target) {}
  StringId Intern(std::string_view text) override { return target_.Intern(text); }
  void OnEvent(const Event& event) override { target_.OnEvent(event); }

 private:
  EventSink& target_;
};

// How wild the events are.
struct Mood {
  const char* name;
  double wild;      // share of arguments that are any 64 bits
  double inverted;  // share of events that go back in time
  uint32_t ranks, threads;
};
constexpr Mood kMoods[] = {{"orderly", 0, 0, 1, 3},
                           {"ranks", 0, 0.01, 3, 3},
                           {"without threads", 0, 0.1, 1, 1},
                           {"wild", 0.05, 0.3, 2, 50}};

// Joint events and, as often, others.
void Send(const Mood& mood, uint32_t seed, EventSink& sink) {
  std::mt19937_64 random(seed);
  const auto happens = [&](double share) {
    return std::uniform_real_distribution<>()(random) < share;
  };
  int64_t time_ns = 1000;
  for (int i = 0; i < 20'000; ++i) {
    const bool is_joint = random() % 2 == 0;
    const uint64_t row = random() % (is_joint ? std::size(kJointTable) : kEventKinds);
    const EventDecl& decl = is_joint ? kJointTable[row] : kEventTable[row];
    std::vector<uint64_t> args;
    const auto add = [&](size_t arg) {
      if (happens(mood.wild))
        args.push_back(random());
      else if (decl.arg_types[arg] == ArgType::kStr)
        args.push_back(random() % 3 == 0 ? 0 : sink.Intern("name " + std::to_string(random() % 9)));
      else
        args.push_back(random() % 40);
    };
    for (size_t arg = 0; arg < decl.arg_count; ++arg) add(arg);
    if (decl.repeats_last)
      while (args.size() + 2 <= decl.max_args && random() % 3)
        add(decl.arg_count - 1u), add(decl.arg_count - 1u);
    time_ns += static_cast<int64_t>(random() % 20);
    int64_t now_ns = time_ns;
    if (happens(mood.inverted)) now_ns -= static_cast<int64_t>(random() % 100);
    if (happens(mood.wild / 10)) now_ns = static_cast<int64_t>(random());
    const uint32_t rank = static_cast<uint32_t>(random() % mood.ranks);
    const uint64_t tid = random() % mood.threads;
    if (is_joint)
      sink.OnJoint({now_ns, static_cast<Joint>(row), rank, tid, args});
    else
      sink.OnEvent({now_ns, static_cast<EventKind>(row), rank, tid, args});
  }
}

// The model's bytes, with what there was to say of the events.
std::string Bytes(ModelBuilder&& builder, const Diagnostics& diags) {
  const Result<TraceModel> model = std::move(builder).Finish();
  EXPECT_TRUE(model.ok());
  EXPECT_EQ(testing::BrokenPromise(*model), "");
  EXPECT_GT(model->tasks.size(), 20u);
  std::string bytes;
  SaveModel(*model, diags, [&](std::string_view text) { bytes += text; });
  return bytes;
}

TEST(JointEvents, MakeTheModelThatTheEventsMakeTheyStandFor) {
  for (const Mood& mood : kMoods) {
    for (const uint32_t parts : {uint32_t{kAllParts}, uint32_t{0}, ~uint32_t{kPartData}}) {
      Diagnostics at_once, one_by_one;
      ModelBuilder joint(at_once, parts), apart(one_by_one, parts);
      Send(mood, parts, joint);
      Apart each(apart);
      Send(mood, parts, each);
      EXPECT_TRUE(Bytes(std::move(joint), at_once) == Bytes(std::move(apart), one_by_one))
          << mood.name << ", parts " << parts << "\n"
          << at_once.Summary() << "\n"
          << one_by_one.Summary();
    }
  }
}

TEST(JointEvents, AndOthersGiveOneThreadAndTwoTheSameModelWhateverIsKeptOfThem) {
  for (const Mood& mood : kMoods) {
    for (const uint32_t parts : {uint32_t{kAllParts}, uint32_t{0}, uint32_t{kAnalysisParts}}) {
      Diagnostics of_one, of_two;
      ModelBuilder one(of_one, parts);
      ModelBuilder two(of_two, parts, nullptr, ModelBuilder::Threads::kTwo);
      Send(mood, parts, one);
      Send(mood, parts, two);
      EXPECT_TRUE(Bytes(std::move(one), of_one) == Bytes(std::move(two), of_two))
          << mood.name << ", parts " << parts;
    }
  }
}

}  // namespace
}  // namespace tasklens
